import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { newestAudits, writeAudit } from '../machine/records.ts'
import { planTerms } from '../payloads/plan.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { keepMasked, recordTask } from '../usage/record.ts'
import type { ContextBundle } from './rules/bundle.ts'
import { type AuditedRequest, auditBundle, BUNDLE_AUDITS } from './rules/bundle-audit.ts'
import type { ContextRequest } from './rules/context-settings.ts'
import type { TaskSlice } from './task-slice.ts'

/** Records how to build the bundle again. Reports a failed write; the bundle is delivered nevertheless. */
export function recordBundle(
  machine: Machine,
  bundle: ContextBundle,
  { root, request, excluded }: { root: string; request: ContextRequest; excluded: readonly string[] },
): Finding[] {
  try {
    const record = auditBundle(root, { ...auditedRequest(request, bundle), excluded }, bundle)
    writeAudit(machine, BUNDLE_AUDITS, record)
    return []
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the bundle could not be recorded: ${error.message}`
    return [{ severity: 'warning', code: 'AUDIT_NOT_RECORDED', message, ...(error.hint && { hint: error.hint }) }]
  }
}

function auditedRequest(request: ContextRequest, { task, now }: ContextBundle): Omit<AuditedRequest, 'excluded'> {
  return {
    task,
    intent: request.intent ?? null,
    maxFiles: request.maxFiles ?? null,
    maxCharsPerFile: request.maxCharsPerFile ?? null,
    maxChars: request.maxChars ?? null,
    maxTokens: request.maxTokens ?? null,
    tokenizer: request.tokenizer ?? null,
    without: request.without ?? [],
    ...(request.withTests && { withTests: true }),
    unrestricted: request.unrestricted ?? false,
    now,
  }
}

/** Records what routing and packs offered, and which of it is in the bundle. */
export function recordDelivery(
  machine: Machine,
  { files }: ContextBundle,
  { project, request, slice }: { project: Project; request: ContextRequest; slice: TaskSlice },
): Finding[] {
  const { task } = request
  const delivered = files.flatMap(({ path, excerpt }) => {
    const entry = slice.planned.get(path)
    return entry === undefined ? [] : [{ ...entry, tokens: estimateTokens(excerpt) }]
  })
  return recordTask(machine, {
    task,
    project,
    // It contains no secret: it was masked before anything else.
    kept: keepMasked(machine, task, () => planTerms(machine, { layers: { projectRoot: project } }, slice.strategy)),
    steps: [
      { stage: 'planned', entries: [...slice.planned.values()] },
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
export function listRecords(
  machine: Machine,
  { limit = USUAL }: { limit?: number | undefined },
): Report<BundleRecord[]> {
  const value = newestAudits(machine, BUNDLE_AUDITS, limit).map(({ id, at, record: { root, request, files } }) => ({
    id,
    at: at.toISOString(),
    task: request.task,
    root,
    files: files.length,
    chars: files.reduce((sum, { chars_emitted }) => sum + chars_emitted, 0),
  }))
  return { value, findings: [] }
}
