import { resolve } from 'node:path'
import { refuseNamedLinkOut, writeNamed } from '../machine/inside.ts'
import { type Machine, reportingTo } from '../machine/machine.ts'
import { openProject, projectAt, realFolder } from '../machine/open-project.ts'
import { maskText } from '../machine/secret-scanner.ts'
import { requireParts } from '../machine/settings.ts'
import { CHARS_PER_TOKEN, openTokenCounter } from '../machine/token-counter.ts'
import { findProjectFiles } from '../project/find-files.ts'
import { readTask } from '../search/task.ts'
import { type Place, withoutPlaces } from '../text/paths.ts'
import { estimateTokens } from '../text/tokens.ts'
import { alsoNaming, type Finding, type Report } from '../text/trouble.ts'
import { readAdapterSlice } from './adapters.ts'
import { recordBundle, recordDelivery } from './bundle-record.ts'
import { checkCandidates, maskError, maskFindings, maskLabels } from './check-candidates.ts'
import { describePlaneItem, planeWarnings, readPlane } from './control-plane.ts'
import { readTacticalSlice } from './notes.ts'
import { findRequest, namesInside, refuseSource } from './own-files.ts'
import { CEILING, requestedLimits, widestLimits } from './rules/budget/assemble.ts'
import { countCharacters, planePlaces } from './rules/budget/limits.ts'
import { buildBundle } from './rules/build-bundle.ts'
import { bundleText, type ContextBundle, type OptionalSlice, toWarning } from './rules/bundle.ts'
import type { BudgetSettings, ContextRequest, ContextSettings } from './rules/context-settings.ts'
import { chooseIntent, isInstruction } from './rules/presets.ts'
import type { Rendering } from './rules/render.ts'
import { contextSettings } from './settings.ts'
import { readTaskSlice } from './task-slice.ts'

export interface Context {
  bundle: ContextBundle
  /** The bundle in every rendering; empty when nothing fits. */
  renderings: Readonly<Record<Rendering, string>>
}

/** Builds the context of a task: within a budget, in a fixed order, every line traceable to its source. */
export async function buildContext(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  const reported: Finding[] = []
  const listening = reportingTo(machine, (finding) => {
    // Several readers of a file may report the same finding.
    if (!reported.some(({ message }) => message === finding.message)) reported.push(finding)
  })
  try {
    const { value, findings } = await build(listening, { ...request, task: await maskText(request.task) })
    return { value, findings: [...findings, ...(await maskFindings(reported))] }
  } catch (error) {
    throw await maskError(alsoNaming(error, reported))
  }
}

/** Previews the bundle of a task. It is recorded only as planned. */
export function planContext(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  return buildContext(machine, { ...request, isOnlyPlanned: true })
}

async function build(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  const project = projectAt(machine, realFolder(machine, openProject(machine, request.project).root))
  const { root } = project
  // A mistake in the settings must not widen the limits that a user set.
  requireParts(project.settings, 'budget', 'sanitize')
  const settings = contextSettings(project)
  const asked = readTask(request.task)
  const intent = chooseIntent(asked, settings.intents, request.intent)
  const out = request.out === undefined ? undefined : resolve(machine.cwd, request.out.path)
  const excluded = request.excluded ?? (out === undefined ? [] : namesInside(machine, root, out))
  if (out !== undefined) {
    refuseNamedLinkOut(root, out)
    refuseSource(excluded, settings)
  }
  const exclude = { exclude: new Set(excluded) }
  const counter = request.tokenizer === undefined ? CHARS_PER_TOKEN : await openTokenCounter(request.tokenizer)
  const { limits, unit } = requestedLimits(settings.budget, request)
  const chosen = settings.intents.find(({ key }) => key === intent.key)
  const widest = widestLimits(limits, request.unrestricted ?? false)
  const kind = chosen ?? { key: intent.key, keywords: [], include: [] }
  const wanted = findRequest(project, settings, { task: asked, intent: kind, excluded })
  const answer = wanted && (await findProjectFiles(machine, wanted))
  const plane = readPlane(root, settings, answer, {
    ...exclude,
    mostPerFile: request.maxCharsPerFile,
    places: planePlaces(request.unrestricted ? widest : limits),
  })
  const shown = new Set(plane.candidates.map(({ path }) => path))
  const task = await readTaskSlice(machine, {
    task: asked,
    project,
    intent: kind,
    widest,
    own: answer && {
      answer,
      places: Math.max(0, limits.maxFiles - plane.candidates.length),
      mostPerFile: request.unrestricted ? widest.maxCharsPerFile : limits.maxCharsPerFile,
      isUnrestricted: request.unrestricted ?? false,
      withTests: request.withTests ?? false,
      mostChars: unit === 'chars' ? widest.total : LONGEST_TOKEN * widest.total,
      isTaken: (path) => shown.has(path) || isInstruction(path),
      hasOwnIntents: settings.project?.hasOwnIntents ?? false,
    },
    ...exclude,
  })
  const advice = await readAdvice(machine, root, settings, request)
  const checked = await checkCandidates(
    {
      control_plane: plane.candidates,
      task: task.candidates,
      tactical: advice.tactical.candidates,
      adapter: advice.adapter.candidates,
    },
    settings.sanitize,
    widest,
  )
  const places: Place[] = [
    [root, '.'],
    [machine.home, '~'],
  ]
  const withoutFolders = (text: string) => withoutPlaces(text, places)
  const input = await maskLabels({
    task: request.task,
    intent,
    preset: settings.preset,
    project: answer?.signals,
    controlPlane: plane.items.map((item) => describePlaneItem(item, checked.slices.control_plane)),
    slices: checked.slices,
    configured: { tactical: settings.tactical !== undefined, adapter: settings.adapters.length > 0 },
    omitted: [
      ...plane.items.flatMap(({ omission }) => omission ?? []),
      ...plane.omitted,
      ...task.omitted,
      ...advice.tactical.omitted,
      ...advice.adapter.omitted,
      ...checked.omitted,
    ].map((each) => ({ ...each, detail: withoutFolders(each.detail) })),
    warnings: [
      ...project.settings.findings.map(toWarning),
      ...planeWarnings(plane.items, settings),
      ...plane.findings.map(toWarning),
      ...task.warnings,
      ...checked.warnings,
    ].map(withoutFolders),
    adviceWarnings: [
      ...[...advice.tactical.warnings, ...advice.adapter.warnings].map(toWarning),
      ...checked.adviceWarnings,
    ].map(withoutFolders),
    degraded: [...advice.tactical.degraded, ...advice.adapter.degraded].map((each) => ({
      ...each,
      reason: withoutFolders(each.reason),
    })),
    missing: task.missing,
    sourceAnchors: task.sourceAnchors,
    now: advice.now,
    limits,
    unit,
    measure: unit === 'chars' ? countCharacters : counter.count,
    tokenizer: counter,
    mayBeUnrestricted: request.unrestricted ?? false,
  })
  const { bundle, renderings, needs } = buildBundle(input)
  if (request.out !== undefined && out !== undefined) {
    writeNamed(root, out, request.out.format === 'json' ? bundleText(bundle) : renderings[request.out.format])
  }
  const findings =
    request.isRecorded === false || estimateTokens(renderings.markdown) > (request.mostTaken ?? Infinity)
      ? []
      : [
          ...(request.isOnlyPlanned ? [] : recordBundle(machine, bundle, { root, request, excluded })),
          ...recordDelivery(machine, bundle, { project, request, slice: task }),
        ]
  return {
    value: { bundle, renderings },
    findings: [
      ...findings,
      ...budgetFindings(bundle, { asked: settings.budget, request, needs: needs() }),
      ...findingsOf(bundle, request.strict ?? false),
    ],
  }
}

/** Says why a bundle is empty, and which limit was lowered. */
function budgetFindings(
  { budget: { unit, limits }, estimate }: ContextBundle,
  { asked, request, needs }: { asked: BudgetSettings; request: ContextRequest; needs: number | undefined },
): Finding[] {
  const found: Finding[] = []
  const files = request.maxFiles ?? asked.maxFiles
  if (files > CEILING.maxFiles) {
    const message = `a bundle contains at most ${CEILING.maxFiles} files, not ${files}`
    found.push({ severity: 'warning', code: 'BUDGET_CEILING', message })
  }
  if (needs !== undefined) {
    const count = (size: number) => `${size} ${unit === 'chars' ? 'character' : 'token'}${size === 1 ? '' : 's'}`
    const lacking = estimate.chars === 0 ? 'the bundle is empty: its heading does not fit' : 'no file fits'
    found.push({
      severity: 'warning',
      code: 'BUDGET_TOO_SMALL',
      message: `${lacking} into ${count(limits.total)}`,
      hint: `the smallest budget that gives something is ${count(needs)}`,
    })
  }
  return found
}

/** Characters per token: no text has more on average. */
const LONGEST_TOKEN = 16

const NOTHING: OptionalSlice = { candidates: [], omitted: [], warnings: [], degraded: [] }

/** The parts that depend on the clock. Without them, the bundle is the same at any time. */
async function readAdvice(machine: Machine, root: string, settings: ContextSettings, request: ContextRequest) {
  const { task, signal, without = [] } = request
  const { tactical, adapters } = settings
  const hasNotes = tactical !== undefined && !without.includes('tactical')
  const hasAdapters = adapters.length > 0 && !without.includes('adapter')
  const now = request.now ?? machine.now()
  return {
    tactical: hasNotes ? readTacticalSlice({ projectRoot: root, path: tactical.path, task, now }) : NOTHING,
    adapter: hasAdapters
      ? await readAdapterSlice(machine, { projectRoot: root, adapters, task, now, signal })
      : NOTHING,
    now: hasNotes || hasAdapters ? now.toISOString() : null,
  }
}

const noControlPlane: Finding = {
  severity: 'error',
  code: 'CONTROL_PLANE_MISSING',
  message: 'the project has no control plane',
  hint: 'write an AGENTS.md, or list the files of the control plane in loadout.json',
}

/** Findings besides the bundle's own warnings, which the terminal shows anyway. */
function findingsOf({ control_plane, degraded }: ContextBundle, isStrict: boolean): Finding[] {
  const lacking = control_plane.items.filter(({ present, required }) => required && !present)
  const severity = isStrict ? 'error' : 'warning'
  return [
    ...(isStrict && control_plane.status === 'absent' ? [noControlPlane] : []),
    ...lacking.map(
      ({ path }): Finding => ({
        severity,
        code: 'CONTROL_PLANE_MISSING',
        message: `the control plane lacks ${path}, which is required`,
        subject: path,
      }),
    ),
    ...degraded.map(
      ({ source, code, reason }): Finding => ({
        severity,
        code,
        message: `${source}: ${reason}`,
        subject: source,
      }),
    ),
  ]
}
