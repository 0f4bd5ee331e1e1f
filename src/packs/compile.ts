import { resolve } from 'node:path'
import { readText } from '../machine/files.ts'
import { refuseLinkOut, writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { programVersion } from '../machine/package-folder.ts'
import { count } from '../text/count.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, failWith, type LoadoutError, report } from '../text/trouble.ts'
import { getOwn, isRecord, sha256 } from '../text/values.ts'
import { type CatalogRequest, Packs } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { readMade, recordText, removeInside, textAt, writeAll } from './disk/write-pack.ts'
import { openAdmitted } from './read.ts'
import {
  type AnswerProblem,
  type CompileAnswer,
  type CompileInput,
  type CompileRunInput,
  type CompileState,
  compileState,
  compileText,
  fitsTask,
  INPUT_FOLDERS,
  numberedParts,
  readCompileAnswer,
  renderRun,
  renderSourceMap,
  renderViews,
  runPath,
  taskId,
} from './rules/author/compile-views.ts'
import { isPlaceholder, isTemplate } from './rules/author/new-pack.ts'
import { packWord, type TrustedPack } from './rules/gates/trust.ts'
import { examplesOf, withholdSecrets } from './rules/guard.ts'
import { isContent, layerOf, parsePackJson, type Scope, SOURCE_MAP_PATH } from './rules/pack.ts'
import { wrapPack } from './rules/resolve/pack-context.ts'

export interface CompileRequest extends CatalogRequest {
  pack: string
  /** Allows to compile a draft: true when the user named the pack, false when only an agent did. */
  isConfirmed?: boolean
}

export interface CompileTask {
  pack: string
  task: string
  inputs: { path: string; sha256: string }[]
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
  const pack = openForCompile(machine, request)
  const inputs = readInputs(machine, pack)
  if (inputs.length === 0) throw nothingToCompile(pack)
  const { name } = pack.manifest
  const task = taskId(name, inputs)
  const giveBack = request.giveBack ?? `Save the answer, then run: \`loadout packs compile ${name} --import <file>\``
  const firstPath = inputs[0]?.path ?? ''
  const text = compileText({ task, name, inputs: describeInputs(machine, pack, inputs), firstPath, giveBack })
  const value = { pack: name, task, inputs: inputs.map(({ path, sha256 }) => ({ path, sha256 })), text }
  if (request.out === undefined) return value
  const path = resolve(machine.cwd, request.out)
  writeNamed(openProject(machine, request.project).root, path, text)
  return { ...value, path }
}

/** Needs an approval like any reader, and a pack whose files the user may write. */
function openForCompile(machine: Machine, request: CompileRequest): TrustedPack {
  const pack = new Packs(machine, { project: request.project, packs: [request.pack] }).get(request.pack)
  if (pack.scope === 'organization' || pack.scope === 'built-in') {
    throw failWith('PACK_REFUSED/scope', { name: packWord(pack.manifest.name), scope: pack.scope })
  }
  openAdmitted(machine, pack, request.isConfirmed ?? false)
  return pack
}

function readInputs(machine: Machine, pack: TrustedPack): CompileInput[] {
  const files = openPack(machine, pack, pack.trust.files)
  const open = INPUT_FOLDERS
  return open
    .flatMap((folder) => files.list(folder))
    .filter(isContent)
    .flatMap((path) => files.read(path) ?? [])
    .filter(({ text }) => text.trim() !== '' && !isPlaceholder(text))
    .map(({ path, text, sha256: digest }) => ({ path, text, sha256: digest }))
}

function describeInputs(machine: Machine, pack: TrustedPack, inputs: readonly CompileInput[]): string {
  if (!fitsTask(inputs)) {
    const lines = inputs.map(
      ({ path, text }) => `- \`pack:${pack.manifest.name}/${path}\`, ${text.split('\n').length} lines`,
    )
    const how =
      'They are too long for one message. Read those that matter, one by one, with the tool read_entry or with'
    return [`${how} \`loadout lookup <id> --load\`:`, '', ...lines].join('\n')
  }
  const examples = examplesOf(openPack(machine, pack, pack.trust.files))
  const safe = inputs.map((input) => ({ ...input, text: withholdSecrets(input.text, examples(input.path)).text }))
  const parts = numberedParts(safe, (path) => layerOf(path) ?? 'guide')
  return wrapPack(pack, parts, [], []).text
}

export const LONGEST_COMPILE_ANSWER = 2 * 1024 * 1024

/** Reads an agent's answer and writes the views. One wrong place refuses the whole answer; findings say why. */
export function importCompile(
  machine: Machine,
  request: CompileRequest & ({ file: string } | { text: string }) & { isReviewed?: boolean },
): Compiled {
  const text = 'file' in request ? readText(resolve(machine.cwd, request.file), LONGEST_COMPILE_ANSWER) : request.text
  const pack = openForCompile(machine, request)
  const inputs = readInputs(machine, pack)
  const { answer, problems } = readCompileAnswer(text.slice(0, LONGEST_COMPILE_ANSWER), inputs)
  const { name } = pack.manifest
  if (answer !== undefined && answer.task !== taskId(name, inputs)) {
    throw failWith('PACK_REFUSED/inputs', { name })
  }
  if (answer === undefined || problems.length > 0) {
    const nothing = { pack: name, root: pack.root, written: [], statements: 0, unknown: 0, run: undefined }
    machine.report(...refusals(problems))
    return { ...nothing, isReviewed: false, next: [] }
  }
  return writeViews(machine, pack, answer, inputs, request.isReviewed ?? false)
}

const MOST_REPORTED = 20

function refusals(problems: readonly AnswerProblem[]): Finding[] {
  const reported = problems.slice(0, MOST_REPORTED).map(({ at, problem }): Finding => {
    return report('PACK_REFUSED/answer', { at, problem }, { subject: at })
  })
  const more = problems.length - reported.length
  if (more <= 0) return reported
  const message = more === 1 ? '1 more statement is wrong' : `${more} more statements are wrong`
  return [...reported, { severity: 'error', code: 'PACK_REFUSED', message }]
}

function nothingToCompile({ manifest, root }: TrustedPack): LoadoutError {
  return failWith('PACK_REFUSED/no-text', { name: manifest.name, root: shellWord(root) })
}

export interface Compiled {
  pack: string
  root: string
  /** Views, the source map and the record of the run. Empty if the answer was refused. */
  written: string[]
  statements: number
  unknown: number
  run: string | undefined
  isReviewed: boolean
  next: string[]
}

/** Digests of the views that Loadout wrote. */
const COMPILED_RECORD = 'runs/compiled.json'

/** Refuses to replace an unreadable map: it may contain its author's work. */
function readSourceMap(root: string, pack: string): Record<string, unknown> {
  const text = textAt(root, SOURCE_MAP_PATH)
  if (text === undefined || isPlaceholder(text)) return {}
  const { value } = parsePackJson({ path: SOURCE_MAP_PATH, text })
  if (isRecord(value)) return value
  throw failWith('PACK_REFUSED/source-map', { sourceMapPath: SOURCE_MAP_PATH, pack })
}

/** Writes the views of a checked answer, their claims and the record of the run. */
function writeViews(
  machine: Machine,
  pack: TrustedPack,
  answer: CompileAnswer,
  inputs: readonly CompileInput[],
  isReviewed: boolean,
): Compiled {
  const { root, manifest } = pack
  const views = renderViews(answer)
  const made = readMade(root, COMPILED_RECORD) ?? {}
  const isForeign = (path: string) => {
    const text = textAt(root, path)
    return text !== undefined && !isTemplate(text) && sha256(text) !== getOwn(made, path)
  }
  const foreign = [...views.keys()].find(isForeign)
  if (foreign !== undefined) {
    throw failWith('PACK_REFUSED/by-hand', { foreign })
  }
  const map = renderSourceMap(readSourceMap(root, manifest.name), answer)
  const written = [...views].map(([path, text]): CompileRunInput['outputs'][number] => {
    const before = textAt(root, path)
    return { path, operation: before === undefined ? 'created' : before === text ? 'unchanged' : 'updated' }
  })
  // Our views of an earlier answer that this one lacks are obsolete, unless a user changed them.
  const isObsolete = (path: string) => {
    const text = views.has(path) || !/^compiled\/[a-z]+\.md$/.test(path) ? undefined : textAt(root, path)
    return text !== undefined && sha256(text) === made[path]
  }
  const obsolete = Object.keys(made).filter(isObsolete)
  const outputs = [...written, ...obsolete.map((path) => ({ path, operation: 'deleted' as const }))]
  const run: CompileRunInput = { at: machine.now(), version: programVersion(), manifest, inputs, outputs, isReviewed }
  const path = runPath(run)
  const record = recordText({ tool: 'loadout' }, views)
  refuseLinkOut(root, COMPILED_RECORD)
  // Marked as failed first: if the process is killed now, no reader uses the views.
  writeAll(root, new Map([[path, renderRun(run, false)], ...views, [SOURCE_MAP_PATH, map]]))
  for (const view of obsolete) removeInside(root, view)
  writeAll(
    root,
    new Map([
      [COMPILED_RECORD, record],
      [path, renderRun(run, true)],
    ]),
  )
  const statements = Object.values(answer.views).reduce((sum, list) => sum + list.length, 0)
  return {
    pack: manifest.name,
    root,
    written: [...views.keys(), SOURCE_MAP_PATH, path],
    statements,
    unknown: answer.unknown.length,
    run: path,
    isReviewed,
    next: [
      `loadout validate ${shellWord(root)}`,
      ...(pack.trust.files === undefined ? [] : [`loadout approve ${manifest.name}`]),
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
  const packs = chosen.map((pack) => statusOf(machine, pack))
  machine.report(...packs.flatMap(findingsOf))
  return { packs }
}

function statusOf(machine: Machine, pack: TrustedPack): PackCompileStatus {
  const { manifest, root, scope, trust } = pack
  // Also for an approved pack that changed since: the report shows only names of existing files.
  const isKnown = trust.isOpen || trust.state === 'changed'
  const state = isKnown ? compileState(manifest, openPack(machine, pack)) : undefined
  const isBehind = state?.views.some((view) => view.state === 'stale' || view.state === 'failed') ?? false
  const isNew = state?.views.every((view) => view.state === 'not-compiled') ?? false
  return {
    name: manifest.name,
    root,
    scope,
    state,
    next: [
      ...(trust.isOpen ? [] : [`loadout approve ${shellWord(root)}`]),
      ...((isBehind || isNew) && state !== undefined ? [`loadout packs compile ${manifest.name}`] : []),
    ],
  }
}

const MOST_NAMED = 3

function findingsOf({ name, state }: PackCompileStatus): Finding[] {
  return (state?.views ?? []).flatMap(({ path, state: is, changed, gone }): Finding[] => {
    const hint = `loadout packs compile ${name}`
    if (is === 'failed') {
      const message = `${name}/${path} is not used: its compile run did not finish`
      return [{ severity: 'warning', code: 'run.failed', message, subject: name, hint }]
    }
    if (is !== 'stale') return []
    const more = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : ''
    const named = `inputs changed: ${changed.slice(0, MOST_NAMED).join(', ')}${more}`
    const code = changed.length > 0 ? 'run.input.drift' : 'run.input.gone'
    const why = changed.length > 0 ? named : gone > 0 ? `${count(gone, 'input')} gone` : 'its run says so'
    return [{ severity: 'warning', code, message: `${name}/${path} is stale: ${why}`, subject: name, hint }]
  })
}
