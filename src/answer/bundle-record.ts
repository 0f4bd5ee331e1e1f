import { type AuditRecord, newestAudits, writeAudit } from '../machine/audits.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { planTerms } from '../payloads/plan.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { keepMasked, recordTask } from '../usage/record.ts'
import type { TaskParts } from './read-task.ts'
import type { BundleFile, ContextBundle } from './rules/bundle.ts'
import type { ContextRequest } from './rules/context-settings.ts'

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
    parts: files.map(({ path, source_class, sha256, chars_emitted }) => ({
      path,
      source_class,
      sha256,
      chars_emitted,
    })),
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

const USUAL = 50

/** The bundles that were delivered last, the newest first. */
export function listRecords(machine: Machine, { limit = USUAL }: { limit?: number }): Report<BundleRecord[]> {
  const value = newestAudits<BundleAudit>(machine, 'bundle', limit).map(({ id, at, record: { question, parts } }) => ({
    id,
    at: at.toISOString(),
    task: question.task,
    root: question.project,
    files: parts.length,
    chars: parts.reduce((sum, { chars_emitted }) => sum + chars_emitted, 0),
  }))
  return { value, findings: [] }
}
