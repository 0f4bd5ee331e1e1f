import { relative, resolve } from 'node:path'
import { refuseNamedLinkOut, writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject, projectAt, realFolder } from '../machine/open-project.ts'
import { maskText } from '../machine/secret-scanner.ts'
import { requireParts } from '../machine/settings.ts'
import { CHARS_PER_TOKEN, openTokenCounter } from '../machine/token-counter.ts'
import { findProjectFiles } from '../project/find-files.ts'
import { readTask } from '../search/task.ts'
import { withoutPlaces } from '../text/paths.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, report } from '../text/trouble.ts'
import { readAdapterSlice } from './adapters.ts'
import { recordBundle, recordDelivery } from './bundle-record.ts'
import { describePlaneItem, readPlane } from './control-plane.ts'
import { guardParts, maskError, maskFindings, maskLabels } from './guard.ts'
import { readTacticalSlice } from './notes.ts'
import { findRequest, namesInside, refuseSource } from './own-files.ts'
import { readTaskParts } from './read-task.ts'
import { CEILING, countCharacters, planePlaces, requestedLimits, widestLimits } from './rules/budget/fit.ts'
import { buildBundle } from './rules/build-bundle.ts'
import { bundleText, type ContextBundle, type OptionalSlice, type Trail, toWarning } from './rules/bundle.ts'
import type { ContextRequest, ContextSettings, Intent } from './rules/context-settings.ts'
import { chooseIntent, isInstruction } from './rules/presets.ts'
import type { Rendering } from './rules/render.ts'
import { contextSettings } from './settings.ts'

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
  const { project, settings, limits, widest, unit, counter, excluded, out } = question
  const { root } = project
  const trail: Trail = { omitted: [], warnings: [], adviceWarnings: [], degraded: [], missing: [], sourceAnchors: [] }
  trail.warnings.push(...project.settings.findings.map(toWarning))

  // Find: the project's own files, best first. Payloads and packs are found where they are read.
  const wanted = findRequest(project, settings, question)
  const files = wanted && (await findProjectFiles(machine, wanted))

  // Read: each slice in the order of its authority.
  const exclude = new Set(excluded)
  const isUnrestricted = request.unrestricted ?? false
  const planeRules = {
    exclude,
    mostPerFile: request.maxCharsPerFile,
    places: planePlaces(isUnrestricted ? widest : limits),
  }
  const plane = readPlane(root, settings, files, planeRules, trail)
  const inPlane = new Set(plane.candidates.map(({ path }) => path))
  const task = await readTaskParts(
    machine,
    { ...question, exclude, trail },
    files && {
      files,
      places: Math.max(0, limits.maxFiles - plane.candidates.length),
      mostPerFile: isUnrestricted ? widest.maxCharsPerFile : limits.maxCharsPerFile,
      isUnrestricted,
      withTests: request.withTests ?? false,
      mostChars: unit === 'chars' ? widest.total : LONGEST_TOKEN * widest.total,
      isTaken: (path) => inPlane.has(path) || isInstruction(path),
      hasOwnIntents: settings.project?.hasOwnIntents ?? false,
    },
  )
  const { now, tactical, adapter } = await readAdvice(machine, root, settings, request, trail)

  // Guard: one look for secrets and orders; then what is said about the parts.
  const parts = { control_plane: plane.candidates, task: task.candidates, tactical, adapter }
  const slices = await guardParts(parts, settings.sanitize, widest, trail)
  const controlPlane = plane.items.map((item) => describePlaneItem(item, slices.control_plane))
  const labelled = await maskLabels({
    ...withoutFolders(trail, root, machine.home),
    task: request.task,
    intent: question.reading,
    preset: settings.preset,
    project: files?.signals,
    controlPlane,
    slices,
    pointers: task.pointers,
    configured: { tactical: settings.tactical !== undefined, adapter: settings.adapters.length > 0 },
    now,
    limits,
    unit,
    measure: unit === 'chars' ? countCharacters : counter.count,
    tokenizer: counter,
    mayBeUnrestricted: isUnrestricted,
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
    ...budgetFindings(bundle, request.maxFiles ?? settings.budget.maxFiles, needs()),
    ...findingsOf(bundle, request.strict ?? false),
  )
  return { bundle, renderings }
}

/** Characters per token: no text has more on average. */
const LONGEST_TOKEN = 16

/** The request with everything that it depends on: the project, its settings, the kind of task, the limits. */
async function openQuestion(machine: Machine, request: ContextRequest) {
  const project = projectAt(machine, realFolder(machine, openProject(machine, request.project).root))
  // A mistake in the settings must not widen the limits that a user set.
  requireParts(project.settings, 'budget', 'sanitize')
  const settings = contextSettings(project)
  const task = readTask(request.task)
  const reading = chooseIntent(task, settings.intents, request.intent)
  const { key } = reading
  const intent: Intent = settings.intents.find((each) => each.key === key) ?? { key, keywords: [], include: [] }
  const out = request.out && resolve(machine.cwd, request.out.path)
  const excluded = request.excluded ?? (out === undefined ? [] : namesInside(machine, project.root, out))
  if (out !== undefined) {
    refuseNamedLinkOut(project.root, out)
    refuseSource(excluded, settings)
  }
  const counter = request.tokenizer === undefined ? CHARS_PER_TOKEN : await openTokenCounter(request.tokenizer)
  const { limits, unit } = requestedLimits(settings.budget, request)
  const widest = widestLimits(limits, request.unrestricted ?? false)
  const { now } = request
  const near = request.near?.map((path) => relative(project.root, resolve(project.root, path)))
  return { project, settings, task, reading, intent, out, excluded, near, counter, limits, unit, widest, now }
}

export type Question = Awaited<ReturnType<typeof openQuestion>>

const NOTHING: OptionalSlice = { candidates: [], omitted: [], warnings: [], degraded: [] }

/** The slices that depend on the clock. Without them, the bundle is the same at any time. */
async function readAdvice(
  machine: Machine,
  projectRoot: string,
  { tactical: notes, adapters }: ContextSettings,
  { task, signal, without = [], now = machine.now() }: ContextRequest,
  trail: Trail,
) {
  const hasNotes = notes !== undefined && !without.includes('tactical')
  const hasAdapters = adapters.length > 0 && !without.includes('adapter')
  const tactical = hasNotes ? readTacticalSlice({ projectRoot, path: notes.path, task, now }) : NOTHING
  const adapter = hasAdapters ? await readAdapterSlice(machine, { projectRoot, adapters, task, now, signal }) : NOTHING
  for (const { omitted, warnings, degraded } of [tactical, adapter]) {
    trail.omitted.push(...omitted)
    trail.adviceWarnings.push(...warnings.map(toWarning))
    trail.degraded.push(...degraded)
  }
  const isTimed = hasNotes || hasAdapters
  return { tactical: tactical.candidates, adapter: adapter.candidates, now: isTimed ? now.toISOString() : null }
}

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

/** Says why a bundle is empty, and which limit was lowered. */
function budgetFindings(
  { budget: { unit, limits }, estimate }: ContextBundle,
  files: number,
  needs: number | undefined,
): Finding[] {
  const found: Finding[] = []
  if (files > CEILING.maxFiles) {
    found.push(report('BUDGET_TOO_SMALL/files', { maxFiles: CEILING.maxFiles, files }))
  }
  if (needs !== undefined) {
    const count = (size: number) => `${size} ${unit === 'chars' ? 'character' : 'token'}${size === 1 ? '' : 's'}`
    const lacking = estimate.chars === 0 ? 'the bundle is empty: its heading does not fit' : 'no file fits'
    found.push(report('BUDGET_TOO_SMALL/files-x', { lacking, total: count(limits.total), needs: count(needs) }))
  }
  return found
}

/** Findings besides the bundle's own warnings, which the terminal shows anyway. */
function findingsOf({ control_plane, degraded }: ContextBundle, isStrict: boolean): Finding[] {
  const severity = isStrict ? 'error' : 'warning'
  const found: Finding[] = []
  if (isStrict && control_plane.status === 'absent') {
    const message = 'the project has no control plane'
    const hint = 'write an AGENTS.md, or list the files of the control plane in loadout.json'
    found.push({ severity, code: 'CONTROL_PLANE_MISSING', message, hint })
  }
  for (const { path, present, required } of control_plane.items) {
    const message = `the control plane lacks ${path}, which is required`
    if (required && !present) found.push({ severity, code: 'CONTROL_PLANE_MISSING', message, subject: path })
  }
  for (const { source, code, reason } of degraded) {
    found.push({ severity, code, message: `${source}: ${reason}`, subject: source })
  }
  return found
}
