import { type AuditRecord, newestAudits, readAudit, writeAudit } from '../machine/audits.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { type PackAudit, type RehydratedContext, rehydrate } from '../packs/record.ts'
import { planTerms } from '../payloads/plan.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { keepMasked, recordTask } from '../usage/record.ts'
import { buildContext, type Context } from './answer.ts'
import type { TaskParts } from './read-task.ts'
import type { BundleFile, ContextBundle } from './rules/bundle.ts'
import type { ContextRequest } from './settings.ts'

/** What is needed to build a bundle again, and to show what has changed. */
export interface BundleAudit extends AuditRecord {
  kind: 'bundle'
  /** `project` is the folder after links; `now` is null for a bundle that does not depend on it. */
  question: Omit<ContextRequest, 'project' | 'now'> & { project: string; now: string | null }
  parts: readonly Pick<BundleFile, 'path' | 'source_class' | 'sha256' | 'chars_emitted'>[]
  digest: string
}

/** Records how to build the bundle again. */
export function recordBundle(
  machine: Machine,
  { task, now, digest, files }: ContextBundle,
  { root, request, excluded }: { root: string; request: ContextRequest; excluded: readonly string[] },
): Finding[] {
  // Where the answer goes and how it is judged changes no byte of it.
  const { out: _out, strict: _strict, signal: _signal, mostTaken: _most, ...asked } = request
  const audit: BundleAudit = {
    kind: 'bundle',
    question: { ...asked, task, project: root, excluded, now },
    parts: files.map(({ path, source_class, sha256, chars_emitted }) => {
      return { path, source_class, sha256, chars_emitted }
    }),
    digest,
  }
  return writeAudit(machine, audit).findings
}

/** Records what routing and packs offered, and which of it is in the bundle. */
export function recordDelivery(
  machine: Machine,
  { files }: ContextBundle,
  { project, request, task: parts }: { project: Project; request: ContextRequest; task: TaskParts },
): Finding[] {
  const { task } = request
  const delivered = files.flatMap(({ path, excerpt }) => {
    const entry = parts.planned.get(path)
    return entry === undefined ? [] : [{ ...entry, tokens: estimateTokens(excerpt) }]
  })
  return recordTask(machine, {
    task,
    project,
    // It contains no secret: it was masked before anything else.
    kept: keepMasked(machine, task, () => planTerms(machine, { layers: { projectRoot: project } }, parts.strategy)),
    steps: [
      { stage: 'planned', entries: [...parts.planned.values()] },
      { stage: 'delivered', entries: request.isOnlyPlanned ? [] : delivered },
    ],
  })
}

/** One delivered bundle that can be reproduced. */
export interface BundleRecord {
  id: string
  /** When it was last delivered. */
  at: string
  task: string
  /** The folder of the project. */
  root: string
  files: number
  chars: number
}

/** The bundles that were delivered last, the newest first. */
export function listRecords(machine: Machine, { limit = 50 }: { limit?: number }): BundleRecord[] {
  return newestAudits<BundleAudit>(machine, 'bundle', limit).map(({ id, at, record: { question, parts } }) => ({
    id,
    at: at.toISOString(),
    task: question.task,
    root: question.project,
    files: parts.length,
    chars: parts.reduce((sum, { chars_emitted }) => sum + chars_emitted, 0),
  }))
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
