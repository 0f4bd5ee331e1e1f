import { join, relative, resolve } from 'node:path'
import { readEdited, writeEdit } from '../change/file-edit.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject, type Project } from '../machine/open-project.ts'
import { Packs } from '../packs/catalog.ts'
import type { TrustedPack } from '../packs/rules/gates/trust.ts'
import { KNOWLEDGE_FOLDERS } from '../packs/rules/pack.ts'
import { type Layers, projectOf, readKnowledge } from '../payloads/knowledge.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { getOwn } from '../text/values.ts'
import { type BlockState, type BlockTask, buildBlock, changeBlock } from './rules/index-block.ts'
import { type IndexItem, packItem, payloadItem } from './rules/index-line.ts'

const DEFAULT_TOKENS = 1_000
const DEFAULT_FILE = 'AGENTS.md'

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
export function writeAgentsMd(machine: Machine, request: AgentsMdRequest): AgentsMd {
  const { task } = request
  const { items, findings } = gatherItems(machine, request)
  if (task === undefined || task === 'write') requireItems(items, findings)
  const { text: block, listed, left } = buildBlock(items, request.budget ?? DEFAULT_TOKENS)
  const value: AgentsMd = { block, listed, left, tokens: estimateTokens(block) }
  if (task === undefined) {
    machine.report(...findings)
    return value
  }
  const project = openProjectOf(machine, request.layers).root
  const file = request.file ? resolve(machine.cwd, request.file) : join(project, DEFAULT_FILE)
  const state = applyTask(project, file, task, block)
  machine.report(...findings, ...stateFindings(state, file))
  return { ...value, file, state }
}

/** The project, even if its layer is omitted: the block goes into its file. */
function openProjectOf(machine: Machine, layers: Layers): Project {
  return projectOf(machine, layers) ?? openProject(machine)
}

function applyTask(project: string, file: string, task: BlockTask, block: string): BlockState {
  refuseNamedLinkOut(project, file)
  const before = readEdited(file)
  const { state, after } = inFile(file, () => changeBlock(before, task, block))
  writeEdit({ path: file, project, before, after })
  return state
}

function inFile<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    throw new LoadoutError(error.code, `${file}, ${error.message}`, { hint: error.hint ?? '', cause: error })
  }
}

function gatherItems(machine: Machine, request: AgentsMdRequest): { items: IndexItem[]; findings: Finding[] } {
  const { merged, places, findings } = readKnowledge(machine, layersOf(request))
  const payloads = merged.entries.map((entry) => {
    const layer = getOwn(merged.provenance, entry.id)
    const root = places.find(({ name }) => name === layer)?.root ?? ''
    return payloadItem(entry, entry.path === '' ? '' : shownPath(machine, layer, root, entry.path))
  })
  const packs = gatherPacks(machine, request)
  return { items: [...payloads, ...packs.items], findings: [...findings, ...packs.findings] }
}

/** Only named layers count, unless all are requested. */
function layersOf({ all, layers }: AgentsMdRequest): Layers {
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

/** Lists what comes with the project for every user: Loadout checks the approval again on use. */
function gatherPacks(machine: Machine, request: AgentsMdRequest): { items: IndexItem[]; findings: Finding[] } {
  const project = openProjectOf(machine, request.layers)
  const { catalog, findings } = new Packs(machine, { project })
  const { root } = project
  const isOurs = ({ scope, root: pack }: TrustedPack) =>
    scope === 'workspace' && KNOWLEDGE_FOLDERS.some((name) => pack.startsWith(`${join(root, name)}/`))
  const isOpen = ({ trust }: TrustedPack) => request.all === true && trust.isOpen
  const names = new Set<string>()
  const items: IndexItem[] = []
  for (const pack of catalog.all) {
    const { manifest, warnings } = pack
    const isNameless = warnings.some(({ code }) => code === 'pack.name.invalid')
    if (manifest.status !== 'ready' || isNameless || names.has(manifest.name)) continue
    if (!isOurs(pack) && !isOpen(pack)) continue
    names.add(manifest.name)
    items.push(packItem(manifest))
  }
  return { items, findings: request.all ? findings : [] }
}

/** A broken index must not silently shorten the block. */
function requireItems(items: readonly IndexItem[], findings: readonly Finding[]): void {
  const broken = findings.find(({ code }) => code === 'LAYER_MALFORMED' || code === 'LAYER_UNREADABLE')
  if (broken !== undefined) throw new LoadoutError(broken.code, broken.message, { hint: broken.hint ?? '' })
  if (items.length > 0) return
  throw failWith('NO_INDEX/nothing')
}

function stateFindings(state: BlockState, file: string): Finding[] {
  if (state !== 'stale' && state !== 'missing') return []
  const message = state === 'stale' ? 'the block is out of date' : 'there is no block'
  return [report('BLOCK_STALE/file', { file, message })]
}
