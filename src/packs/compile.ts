import { join, resolve } from 'node:path'
import { tryClient, usableClients } from '../agents/try-client.ts'
import { changeFiles } from '../change/edits.ts'
import { formatOwnFiles, readOwnFiles } from '../change/own-files.ts'
import { readText } from '../machine/files.ts'
import { readInside, refuseLinkOut, writeInside, writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { programVersion } from '../machine/package-folder.ts'
import { count } from '../text/count.ts'
import { readJudgement } from '../text/json-parts.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { getOwn, isRecord, sha256 } from '../text/values.ts'
import { type CatalogRequest, Packs, readPackConfig } from './catalog.ts'
import { PackFolder } from './disk/pack-folder.ts'
import { openAdmitted } from './read.ts'
import {
  type CompileAnswer,
  type CompileInput,
  type CompilePart,
  type CompileState,
  checkPrompts,
  compileState,
  compileText,
  INPUT_FOLDERS,
  joinAnswer,
  nextParts,
  partsOf,
  readCompileAnswer,
  readProgress,
  renderRun,
  renderSourceMap,
  renderViews,
  type Statement,
  statementKey,
  taskId,
} from './rules/author/compile-views.ts'
import { isPlaceholder, isTemplate } from './rules/author/new-pack.ts'
import { admit, packWord, type TrustedPack } from './rules/gates/trust.ts'
import { examplesOf, withholdSecrets } from './rules/guard.ts'
import {
  type ContextPart,
  isContent,
  layerOf,
  parsePackJson,
  quoted,
  type Scope,
  SOURCE_MAP_PATH,
} from './rules/pack.ts'
import type { CompileRun } from './rules/records.ts'
import { wrapPack } from './rules/resolve/pack-context.ts'

export interface CompileRequest extends CatalogRequest {
  pack: string
  /** Allows to compile a draft: true when the user named the pack, false when only an agent did. */
  isConfirmed?: boolean
}

export interface CompileTask {
  pack: string
  task: string
  /** The parts of the inputs that it is about. */
  inputs: { path: string; sha256: string }[]
  /** How many parts all inputs have, and how many of them answers are about. */
  parts: number
  done: number
  /** The instructions for an agent: what to write, the inputs, and how to return the answer. */
  text: string
  /** The file that holds the text, with `out`. */
  path?: string
}

/** Writes the task for an agent that chooses the statements of the views. An answer is valid only for these inputs. */
export function exportCompile(
  machine: Machine,
  request: CompileRequest & { out?: string; giveBack?: string },
): CompileTask {
  const opened = openForCompile(machine, request)
  const { pack } = opened
  const { name } = pack.manifest
  const { parts: all, batch, progress } = openProgress(pack, opened.inputs)
  const [first] = batch
  if (first === undefined) {
    throw failWith('PACK_REFUSED/no-text', { name, root: shellWord(pack.root) })
  }
  const examples = examplesOf(opened.files)
  // With line numbers, so that a statement can name its lines.
  const shown = batch.map(({ path, text, from }): ContextPart => {
    const lines = withholdSecrets(text, examples(path)).text.replace(/\n$/, '').split('\n')
    const numbered = lines.map((line, at) => `${from + at}\t${line}\n`).join('')
    return { path, layer: layerOf(path) ?? 'guide', lines: { from, to: from + lines.length - 1 }, text: numbered }
  })
  const task = taskId(name, batch)
  const giveBack = request.giveBack ?? `Save the answer, then run: \`loadout packs compile ${name} --import <file>\``
  const inputs = wrapPack(pack, shown, [], []).text
  const text = compileText({ task, name, inputs, firstPath: first.path, giveBack })
  const value = {
    pack: name,
    task,
    inputs: batch.map(({ path, sha256 }) => ({ path, sha256 })),
    parts: all.length,
    done: all.filter(({ id, sha256 }) => getOwn(progress.read, id) === sha256).length,
    text,
  }
  if (request.out === undefined) return value
  const path = resolve(machine.cwd, request.out)
  writeNamed(machine.openProject(request.project).root, path, text)
  return { ...value, path }
}

/** Needs an approval like any reader, and a pack whose files the user may write. */
function openForCompile(machine: Machine, request: CompileRequest) {
  const packs = new Packs(machine, { project: request.project, packs: [request.pack] })
  const pack = packs.get(request.pack)
  if (pack.scope === 'organization' || pack.scope === 'built-in') {
    throw failWith('PACK_REFUSED/scope', { name: packWord(pack.manifest.name), scope: pack.scope })
  }
  const { files } = openAdmitted(packs, pack, request.isConfirmed ?? false)
  // Views are written beside the files as they are now.
  if (pack.trust.kept !== undefined) throw admit({ ...pack, trust: { ...pack.trust, isOpen: false } }).error!()
  const inputs = INPUT_FOLDERS.flatMap((folder) => files.list(folder))
    .filter(isContent)
    .flatMap((path) => files.read(path) ?? [])
    .filter(({ text }) => text.trim() !== '' && !isPlaceholder(text))
  return { pack, files, inputs }
}

/** Records the views that Loadout wrote, and what they were made from. */
const COMPILE_RECORD = 'runs/compiled.json'

/** What was compiled so far, and the parts that come next. */
function openProgress({ root }: TrustedPack, inputs: readonly CompileInput[]) {
  const { bytes } = readInside(root, COMPILE_RECORD, { most: LONGEST_COMPILE_RECORD })
  const progress = readProgress(bytes && parsePackJson({ path: COMPILE_RECORD, text: bytes.toString('utf8') }).value)
  const parts = partsOf(inputs)
  return { parts, progress, batch: nextParts(parts, progress) }
}

const LONGEST_COMPILE_RECORD = 4 * 1024 * 1024

export const LONGEST_COMPILE_ANSWER = 2 * 1024 * 1024

/** Reads an agent's answer and writes the views. One wrong place refuses the whole answer; findings say why. */
export async function importCompile(
  machine: Machine,
  request: CompileRequest & ({ file: string } | { text: string }) & { isReviewed?: boolean },
): Promise<Compiled> {
  const text = 'file' in request ? readText(resolve(machine.cwd, request.file), LONGEST_COMPILE_ANSWER) : request.text
  const { pack, inputs } = openForCompile(machine, request)
  const { parts, batch, progress: before } = openProgress(pack, inputs)
  const { answer, problems } = readCompileAnswer(text.slice(0, LONGEST_COMPILE_ANSWER), inputs)
  const { name } = pack.manifest
  if (answer !== undefined && answer.task !== taskId(name, batch)) {
    throw failWith('PACK_REFUSED/inputs', { name })
  }
  if (answer === undefined || problems.length > 0) {
    const more = problems.length - 20
    const told = more === 1 ? '1 more statement is' : `${more} more statements are`
    machine.report(
      ...problems
        .slice(0, 20)
        .map(({ at, problem }) => report('PACK_REFUSED/answer', { at, problem }, { subject: at })),
      ...(more > 0 ? [report('PACK_REFUSED/more', { more: told })] : []),
    )
    const nothing = { written: [], statements: 0, unknown: 0, run: undefined, isReviewed: false, next: [], left: 0 }
    return { pack: name, root: pack.root, ...nothing }
  }
  const checker = await leaveMisleading(machine, answer, inputs)
  const joined = joinAnswer(answer, batch, parts, inputs, before)
  return writeViews(machine, pack, joined, { parts, inputs, checker, isReviewed: request.isReviewed ?? false })
}

/** Leaves out what the agent that the user named as checker calls misleading. Returns that agent. */
async function leaveMisleading(machine: Machine, { views }: CompileAnswer, inputs: readonly CompileInput[]) {
  const { checker } = readPackConfig(machine)
  const [client] = checker === undefined ? [] : usableClients(machine, [checker])
  if (client === undefined) return undefined
  const { label, id } = client.agent
  const misleading = new Set<string>()
  for (const { keys, prompt } of checkPrompts({ views }, inputs)) {
    const asked = { client, prompt, skills: [], turns: 3, seconds: 300 }
    const { answer, problem = 'its answer has another form' } = await tryClient(
      machine.quiet(),
      asked,
      (trial) => trial,
    )
    const judged = readJudgement(answer, keys.length)
    if (judged === undefined) throw failWith('PACK_REFUSED/checker', { agent: label, problem })
    for (const [at, isTrue] of judged.entries()) if (!isTrue) misleading.add(keys[at]!)
  }
  for (const [view, statements] of Object.entries(views) as [keyof typeof views, Statement[]][]) {
    views[view] = statements.filter((each) => !misleading.has(statementKey(each)))
  }
  const said = [...misleading].map((key) => JSON.parse(key) as [text: string, path: string, anchor: string])
  machine.report(
    ...said.map(([text, path, anchor]) => {
      const facts = { place: `${path}#${anchor}`, agent: label, text: quoted(text) }
      return report('claim.doubtful/misleading', facts, { subject: path })
    }),
  )
  return [id, client.version].filter(Boolean).join(' ')
}

export interface Compiled {
  pack: string
  root: string
  /** Views, the source map and the record of the run. Empty if the answer was refused. */
  written: string[]
  statements: number
  unknown: number
  /** How many parts of the inputs no answer is about yet. */
  left: number
  run: string | undefined
  isReviewed: boolean
  next: string[]
}

/** Writes the views of a checked answer, their claims and the record of the run. */
async function writeViews(
  machine: Machine,
  pack: TrustedPack,
  { answer, progress }: ReturnType<typeof joinAnswer>,
  {
    parts,
    inputs: all,
    ...how
  }: {
    parts: readonly CompilePart[]
    inputs: readonly CompileInput[]
    isReviewed: boolean
    checker: string | undefined
  },
): Promise<Compiled> {
  const { root, manifest } = pack
  const { name } = manifest
  const views = renderViews(answer)
  const left = parts.filter(({ id }) => !Object.hasOwn(progress.read, id))
  const inputs = all.filter(({ path }) => parts.some((part) => part.path === path && !left.includes(part)))
  const record = COMPILE_RECORD
  const made = readOwnFiles(root, record) ?? {}
  const textAt = (path: string) => readInside(root, path, { most: 4 * 1024 * 1024 }).bytes?.toString('utf8')
  const foreign = [...views.keys()].find((path) => {
    const text = textAt(path)
    return text !== undefined && !isTemplate(text) && sha256(text) !== getOwn(made, path)
  })
  if (foreign !== undefined) throw failWith('PACK_REFUSED/by-hand', { foreign })
  // An unreadable map is not replaced: it may contain its author's work.
  const mapped = textAt(SOURCE_MAP_PATH) ?? ''
  const isNew = mapped === '' || isPlaceholder(mapped)
  const { value: map } = isNew ? { value: {} } : parsePackJson({ path: SOURCE_MAP_PATH, text: mapped })
  if (!isRecord(map)) throw failWith('PACK_REFUSED/source-map', { sourceMapPath: SOURCE_MAP_PATH, pack: name })
  // Our views of an earlier answer that this one lacks are obsolete, unless a user changed them.
  const obsolete = Object.keys(made).filter((path) => {
    const text = views.has(path) || !/^compiled\/[a-z]+\.md$/.test(path) ? undefined : textAt(path)
    return text !== undefined && sha256(text) === made[path]
  })
  const outputs = [...views].map(([path, text]): CompileRun['outputs'][number] => {
    const before = textAt(path)
    return { path, operation: before === undefined ? 'created' : before === text ? 'unchanged' : 'updated' }
  })
  outputs.push(...obsolete.map((path) => ({ path, operation: 'deleted' as const })))
  const run = renderRun(machine.now(), { version: programVersion(), manifest, inputs, outputs, ...how })
  const files = new Map<string, string | undefined>([
    ...views,
    ...obsolete.map((path) => [path, undefined] as const),
    [SOURCE_MAP_PATH, renderSourceMap(map, answer)],
    [
      record,
      formatOwnFiles(
        { tool: 'loadout', progress },
        Object.fromEntries([...views].map(([path, text]) => [path, sha256(text)])),
      ),
    ],
    [run.path, run.done],
  ])
  for (const path of files.keys()) refuseLinkOut(root, path)
  // Marked as failed first: if the process is killed now, no reader uses the views.
  writeInside(root, run.path, run.begun)
  await changeFiles(machine, { purpose: 'packs' }, (edits) => {
    for (const [path, after] of files) {
      const place = join(root, path)
      edits.add({ path: place, project: root, before: edits.read(place), after })
    }
  })
  return {
    pack: name,
    root,
    written: [...views.keys(), SOURCE_MAP_PATH, run.path],
    statements: Object.values(answer.views).flat().length,
    unknown: answer.unknown.length,
    left: left.length,
    run: run.path,
    isReviewed: how.isReviewed,
    next: [
      `loadout check ${shellWord(root)}`,
      ...(pack.trust.files === undefined ? [] : [`loadout approve ${name}`]),
      ...(left.length > 0 ? [`loadout packs compile ${name} task.md`] : []),
    ],
  }
}

export interface PackCompileStatus {
  name: string
  root: string
  scope: Scope
  /** Undefined while the pack may not be read. */
  state: CompileState | undefined
  /** What to run next. */
  next: string[]
}

/** For each pack of the project and the user: which views are stale or were never compiled. */
export function packStatus(
  machine: Machine,
  request: CatalogRequest & { pack?: string },
): { packs: PackCompileStatus[] } {
  const named = request.pack === undefined ? [] : [request.pack]
  const visible = new Packs(machine, { project: request.project, packs: named })
  const chosen =
    request.pack === undefined
      ? visible.all.filter(({ scope }) => scope === 'workspace' || scope === 'user')
      : [visible.get(request.pack)]
  const packs = chosen.map((pack): PackCompileStatus => {
    const { manifest, root, scope, trust } = pack
    // Also for an approved pack that changed since: the report shows only names of existing files.
    const isKnown = trust.isOpen || trust.state === 'changed'
    const state = isKnown ? compileState(manifest, new PackFolder(machine, pack)) : undefined
    const isBehind = state?.views.some((view) => view.state === 'stale' || view.state === 'failed')
    const isNew = state?.views.every((view) => view.state === 'not-compiled')
    const next = [
      ...(trust.isOpen && !trust.isUndecided ? [] : [`loadout approve ${shellWord(root)}`]),
      ...(isBehind || isNew || (state?.unread.length ?? 0) > 0 ? [`loadout packs compile ${manifest.name}`] : []),
    ]
    return { name: manifest.name, root, scope, state, next }
  })
  machine.report(...packs.flatMap(findingsOf))
  return { packs }
}

function findingsOf({ name, state }: PackCompileStatus): Finding[] {
  return (state?.views ?? []).flatMap(({ path, state: is, changed, gone }): Finding[] => {
    const view = `${name}/${path}`
    if (is === 'failed') return [report('pack.run/view-failed', { view, name }, { subject: name })]
    if (is !== 'stale') return []
    const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
    const named = `inputs changed: ${changed.slice(0, 3).join(', ')}${more}`
    const why = changed.length > 0 ? named : gone > 0 ? `${count(gone, 'input')} gone` : 'its run says so'
    return [report('pack.run/view-stale', { view, why, name }, { subject: name })]
  })
}
