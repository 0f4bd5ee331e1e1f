import { join, relative, resolve } from 'node:path'
import { changeFiles } from '../change/edits.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { Packs } from '../packs/catalog.ts'
import type { TrustedPack } from '../packs/rules/gates/trust.ts'
import { KNOWLEDGE_FOLDERS } from '../packs/rules/pack.ts'
import { type Layers, projectOf, readKnowledge } from '../payloads/knowledge.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, LoadoutError, report, retell } from '../text/trouble.ts'
import { getOwn } from '../text/values.ts'
import { type BlockState, type BlockTask, buildBlock, changeBlock } from './rules/index-block.ts'
import { type IndexItem, packItem, payloadItem } from './rules/index-line.ts'

export interface AgentsMdRequest {
  /** What to do with the file; without it the block is only built. */
  task?: BlockTask
  /** Default: the AGENTS.md of the project. */
  file?: string
  /** Maximum tokens of the lines. */
  budget?: number
  /** Include what is not part of the project: the user's own, the organization's. */
  all?: boolean
  layers: Layers
}

export interface AgentsMd {
  block: string
  listed: number
  /** What did not fit. */
  left: number
  tokens: number
  file?: string
  state?: BlockState
}

/**
 * Builds the block that lists what an agent can load; with a task, writes it into a file, checks or removes it. A
 * shared file lists only what is shared.
 */
export async function writeAgentsMd(machine: Machine, request: AgentsMdRequest): Promise<AgentsMd> {
  const { task, layers } = request
  // The project, even if its layer is omitted: the block goes into its file.
  const project = projectOf(machine, layers) ?? machine.openProject()
  const { items, findings } = gatherItems(machine, request, project)
  if (task === undefined || task === 'write') {
    // A broken index must not silently shorten the block.
    const broken = findings.find(({ code }) => code === 'LAYER_UNREADABLE')
    if (broken !== undefined) throw retell(broken)
    if (items.length === 0) throw failWith('NO_INDEX/nothing')
  }
  const { text: block, listed, left } = buildBlock(items, request.budget ?? 1_000)
  const value: AgentsMd = { block, listed, left, tokens: estimateTokens(block) }
  if (task === undefined) {
    machine.report(...findings)
    return value
  }
  const { root } = project
  const file = request.file ? resolve(machine.cwd, request.file) : join(root, 'AGENTS.md')
  refuseNamedLinkOut(root, file)
  const state = await changeFiles(machine, { purpose: 'agents-md', isDryRun: task === 'check' }, (edits) => {
    const before = edits.read(file)
    const changed = inFile(file, () => changeBlock(before, task, block))
    edits.add({ path: file, project: root, before, after: changed.after })
    return changed.state
  })
  const problems = { stale: 'the block is out of date', missing: 'there is no block' }
  const problem = state === 'stale' || state === 'missing' ? problems[state] : undefined
  machine.report(...findings, ...(problem === undefined ? [] : [report('DRIFT/block', { file, message: problem })]))
  return { ...value, file, state }
}

export function inFile<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    throw retell(error, { message: `${file}, ${error.message}` })
  }
}

export function gatherItems(
  machine: Machine,
  request: Pick<AgentsMdRequest, 'all' | 'layers'>,
  project: Project,
): { items: IndexItem[]; findings: Finding[] } {
  const { merged, places, findings } = readKnowledge(machine, layersOf(request))
  const payloads = merged.entries.map((entry) => {
    const layer = getOwn(merged.provenance, entry.id)
    const root = places.find(({ name }) => name === layer)?.root ?? ''
    return payloadItem(entry, entry.path === '' ? '' : shownPath(machine, layer, root, entry.path))
  })
  // Lists the packs that come with the project for every user: Loadout checks the approval again on use.
  const { catalog, findings: troubles } = new Packs(machine, { project })
  const isOurs = ({ scope, root: pack }: TrustedPack) =>
    scope === 'workspace' && KNOWLEDGE_FOLDERS.some((name) => pack.startsWith(`${join(project.root, name)}/`))
  const isOpen = ({ trust }: TrustedPack) => request.all === true && trust.isOpen
  const packs = new Map<string, IndexItem>()
  for (const pack of catalog.all) {
    const { manifest, warnings } = pack
    const isNameless = warnings.some(({ code }) => code === 'pack.name.invalid')
    if (manifest.status !== 'ready' || isNameless || packs.has(manifest.name)) continue
    if (isOurs(pack) || isOpen(pack)) packs.set(manifest.name, packItem(manifest))
  }
  return { items: [...payloads, ...packs.values()], findings: [...findings, ...(request.all ? troubles : [])] }
}

/** Only named layers count, unless all are requested. */
function layersOf({ all, layers }: Pick<AgentsMdRequest, 'all' | 'layers'>): Layers {
  const { projectRoot, globalDir, orgPath, sessionPath } = layers
  return all
    ? layers
    : { projectRoot, globalDir: globalDir ?? '', orgPath: orgPath ?? '', sessionPath: sessionPath ?? '' }
}

/** Relative to the root of the project; other paths relative to the home folder. */
function shownPath(machine: Machine, layer: string | undefined, root: string, path: string): string {
  if (layer === 'project') return path
  const inHome = relative(machine.home, join(root, path))
  return inHome.startsWith('..') ? join(root, path) : `~/${inHome}`
}
