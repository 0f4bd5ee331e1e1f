import { relative, resolve } from 'node:path'
import { readAudit } from '../machine/audits.ts'
import { isFolder } from '../machine/files.ts'
import { refuseNamedLinkOut, writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { maskText } from '../machine/secret-scanner.ts'
import { requireParts } from '../machine/settings.ts'
import { CHARS_PER_TOKEN, openTokenCounter } from '../machine/token-counter.ts'
import { findProjectFiles } from '../project/find-files.ts'
import { hasIndex } from '../project/has-index.ts'
import { readTask } from '../search/task.ts'
import { withoutPlaces } from '../text/paths.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { readAdapterSlice } from './adapters.ts'
import { describePlaneItem, readPlane } from './control-plane.ts'
import { guardParts, maskError, maskFindings, maskLabels } from './guard.ts'
import { readTacticalSlice } from './notes.ts'
import { findRequest, namesInside, pointerText, pointIntoProject, refuseSource } from './own-files.ts'
import { type RehydratedContext, rehydrate } from './packs.ts'
import { readTaskParts } from './read-task.ts'
import { type BundleAudit, type PackAudit, recordBundle, recordDelivery } from './record.ts'
import { CEILING, countCharacters, requestedLimits, widestLimits } from './rules/budget/fit.ts'
import { buildBundle } from './rules/build-bundle.ts'
import { bundleText, type ContextBundle, type Trail, toWarning } from './rules/bundle.ts'
import type { Rendering } from './rules/render.ts'
import { type ContextRequest, chooseIntent, contextSettings, intentOf } from './settings.ts'

export interface Context {
  bundle: ContextBundle
  /** The bundle for a model, in each rendering, made when it is read; empty when nothing fits. */
  renderings: Readonly<Record<Rendering, string>>
}

/** Builds the context of a task: within a budget, in a fixed order, every line traceable to its source. */
export async function buildContext(machine: Machine, request: ContextRequest): Promise<Context> {
  const asked = { ...request, task: await maskText(request.task) }
  try {
    const { value, findings } = await machine.collect((listening) => answer(listening, asked))
    machine.report(...(await maskFindings(findings)))
    return value
  } catch (error) {
    throw await maskError(error)
  }
}

/** Previews the bundle of a task. It is recorded only as planned. */
export function planContext(machine: Machine, request: ContextRequest): Promise<Context> {
  return buildContext(machine, { ...request, isOnlyPlanned: true })
}

async function answer(machine: Machine, request: ContextRequest): Promise<Context> {
  const question = await openQuestion(machine, request)
  const { project, settings, limits, widest, unit, counter, excluded, out, trail } = question
  const { root } = project

  // Find: the project's own files, best first. Payloads and packs are found where they are read.
  const wanted = findRequest(question)
  const files = wanted && (await findProjectFiles(machine, wanted))

  // Read: each slice in the order of its authority.
  const plane = readPlane(question, files)
  const task = await readTaskParts(machine, question, files, plane.candidates)
  // The slices that depend on the clock. Without them, the bundle is the same at any time.
  const { without = [], now = machine.now() } = request
  const notes = without.includes('tactical') ? undefined : settings.tactical
  const hasAdapters = settings.adapters.length > 0 && !without.includes('adapter')
  const tactical = notes === undefined ? [] : readTacticalSlice(root, notes.path, request.task, now, trail)
  const adapter = hasAdapters
    ? await readAdapterSlice(machine, { ...request, project, adapters: settings.adapters, now }, trail)
    : []

  // Guard: one look for secrets and orders; then what is said about the parts.
  const parts = { control_plane: plane.candidates, task: task.candidates, tactical, adapter }
  const slices = await guardParts(parts, settings.sanitize, widest, trail)
  const labelled = await maskLabels({
    ...withoutFolders(trail, root, machine.home),
    task: request.task,
    intent: question.reading,
    preset: settings.preset,
    project: files?.signals,
    controlPlane: plane.items.map((item) => describePlaneItem(item, slices.control_plane)),
    slices,
    pointers: task.pointers,
    configured: { tactical: settings.tactical !== undefined, adapter: settings.adapters.length > 0 },
    now: notes !== undefined || hasAdapters ? now.toISOString() : null,
    limits,
    unit,
    measure: unit === 'chars' ? countCharacters : counter.count,
    tokenizer: counter,
    mayBeUnrestricted: question.isUnrestricted,
  })

  // Fit and deliver.
  const { bundle, renderings, needs } = buildBundle(labelled)
  if (request.out !== undefined && out !== undefined) {
    writeNamed(root, out, request.out.format === 'json' ? bundleText(bundle) : renderings[request.out.format])
  }
  const isTooLarge = estimateTokens(renderings.markdown) > (request.mostTaken ?? Infinity)
  const isRecorded = request.isRecorded !== false && !isTooLarge
  machine.report(
    ...(isRecorded && !request.isOnlyPlanned ? recordBundle(machine, bundle, { root, request, excluded }) : []),
    ...(isRecorded ? recordDelivery(machine, bundle, { project, request, task }) : []),
    ...findingsOf(bundle, request.maxFiles ?? settings.budget.maxFiles, needs(), request.strict ?? false),
  )
  return { bundle, renderings }
}

/** The request with everything that it depends on: the project, its settings, the kind of task, the limits. */
async function openQuestion(machine: Machine, request: ContextRequest) {
  const project = machine.projectAt(machine.realFolder(machine.openProject(request.project).root))
  // A mistake in the settings must not widen the limits that a user set.
  requireParts(project.settings, 'budget', 'sanitize')
  const settings = contextSettings(project)
  const task = readTask(request.task)
  const reading = chooseIntent(task, settings.intents, request.intent)
  const out = request.out && resolve(machine.cwd, request.out.path)
  const excluded = request.excluded ?? (out === undefined ? [] : namesInside(machine, project.root, out))
  if (out !== undefined) {
    refuseNamedLinkOut(project.root, out)
    refuseSource(excluded, settings)
  }
  const counter = request.tokenizer === undefined ? CHARS_PER_TOKEN : await openTokenCounter(request.tokenizer)
  const isUnrestricted = request.unrestricted ?? false
  const { limits, unit } = requestedLimits(settings.budget, request)
  const widest = widestLimits(limits, isUnrestricted)
  const near = request.near?.map((path) => relative(project.root, resolve(project.root, path)))
  const trail: Trail = { omitted: [], warnings: [], adviceWarnings: [], degraded: [], missing: [], sourceAnchors: [] }
  trail.warnings.push(...project.settings.findings.map(toWarning))
  const intent = intentOf(reading, settings.intents)
  const asked = { request, project, settings, task, reading, intent, out, excluded, near }
  return { ...asked, counter, limits, unit, widest, isUnrestricted, trail }
}

export type Question = Awaited<ReturnType<typeof openQuestion>>

/** The same on every machine: no sentence names the folder of the project or of the user. */
function withoutFolders(trail: Trail, root: string, home: string): Trail {
  const clean = (text: string) =>
    withoutPlaces(text, [
      [root, '.'],
      [home, '~'],
    ])
  return {
    ...trail,
    omitted: trail.omitted.map((each) => ({ ...each, detail: clean(each.detail) })),
    warnings: trail.warnings.map(clean),
    adviceWarnings: trail.adviceWarnings.map(clean),
    degraded: trail.degraded.map((each) => ({ ...each, reason: clean(each.reason) })),
  }
}

/**
 * Why a bundle is empty, which limit was lowered, and what it lacks. Its own warnings are not among them: the terminal
 * shows these anyway.
 */
function findingsOf(
  { budget: { unit, limits }, estimate, control_plane, degraded }: ContextBundle,
  maxFiles: number,
  needs: number | undefined,
  isStrict: boolean,
): Finding[] {
  const found: Finding[] = []
  if (maxFiles > CEILING.maxFiles) {
    found.push(report('BUDGET_TOO_SMALL/files', { maxFiles: CEILING.maxFiles, files: maxFiles }))
  }
  if (needs !== undefined) {
    const count = (size: number) => `${size} ${unit === 'chars' ? 'character' : 'token'}${size === 1 ? '' : 's'}`
    const lacking = estimate.chars === 0 ? 'the bundle is empty: its heading does not fit' : 'no file fits'
    found.push(report('BUDGET_TOO_SMALL/needs', { lacking, total: count(limits.total), needs: count(needs) }))
  }
  const severity = isStrict ? 'error' : 'warning'
  if (isStrict && control_plane.status === 'absent') found.push(report('FILE_NOT_FOUND/control-plane-all'))
  for (const { path: file, present, required } of control_plane.items) {
    if (!required || present) continue
    found.push({ ...report('FILE_NOT_FOUND/control-plane-file', { file }, { subject: file }), severity })
  }
  for (const { source, code, reason } of degraded) {
    const told = report('ADAPTER_FAILED/degraded', { source, reason }, { subject: source, severity })
    found.push({ ...told, code })
  }
  return found
}

/** What names and a search of the text say about a task, while the project has no index yet. Empty when it has one. */
export async function lookAtOnce(machine: Machine, { task, project }: { task: string; project?: string }) {
  const opened = machine.projectAt(machine.realFolder(machine.openProject(project).root))
  if (hasIndex(machine, opened.root, Infinity)) return { places: [] }
  const request = { task: readTask(await maskText(task)), project: opened, limit: 12, isAtOnce: true }
  return { places: (await pointIntoProject(machine, request)).map((pointer) => pointerText(pointer)) }
}

export type Replay = ReplayedBundle | RehydratedContext

export interface ReplayedBundle {
  id: string
  /** The original bundle, byte for byte; undefined when something has changed. */
  context?: Context
  changes: string[]
}

/** Reproduces a delivery of any kind byte for byte, or only reports what has changed since. */
export async function replay(machine: Machine, { id: typed }: { id: string }): Promise<Replay> {
  const { id, record } = readAudit<BundleAudit | PackAudit>(machine, typed)
  if (record.kind === 'packs') return rehydrate(machine, id, record)
  const { project, now } = record.question
  if (!isFolder(project)) throw failWith('NOT_A_FOLDER/bundle', { project })
  const again = { ...record.question, now: now === null ? undefined : new Date(now), isRecorded: false }
  const context = await buildContext(machine.quiet(), again)
  const changes = changesSince(record, context.bundle)
  if (changes.length === 0) return { id, context, changes }
  machine.report(report('CONTEXT_CHANGED/bundle', { changes: changes.join('; ') }))
  return { id, changes }
}

/** The differences, by path. */
function changesSince({ digest, parts }: BundleAudit, bundle: ContextBundle): string[] {
  if (digest === bundle.digest) return []
  const now = new Map(bundle.files.map((file) => [file.path, file]))
  const before = new Set(parts.map(({ path }) => path))
  const changed = parts.flatMap(({ path, sha256, chars_emitted }) => {
    const file = now.get(path)
    if (file === undefined) return [`${path} is no longer in it`]
    if (file.sha256 !== sha256) return [`${path} has changed`]
    return file.chars_emitted === chars_emitted ? [] : [`${path} has another excerpt`]
  })
  const added = bundle.files.filter(({ path }) => !before.has(path)).map(({ path }) => `${path} is new in it`)
  const all = [...changed, ...added]
  return all.length > 0 ? all : ['its files are the same; settings, warnings or what was left out differ']
}
