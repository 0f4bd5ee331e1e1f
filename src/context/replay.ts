import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { findAudit, readAudit } from '../machine/records.ts'
import { type RehydratedContext, rehydrate } from '../packs/rehydrate.ts'
import { PACK_AUDITS } from '../packs/rules/resolve/audit-record.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { buildContext, type Context } from './context.ts'
import { BUNDLE_AUDITS, type BundleAudit, changesSince } from './rules/bundle-audit.ts'

export type Replay = ReplayedBundle | RehydratedContext

export interface ReplayedBundle {
  id: string
  /** The original bundle, byte for byte; undefined when something has changed. */
  context?: Context
  changes: string[]
}

/** Reproduces a delivery of any kind byte for byte, or only reports what has changed since. */
export async function replay(machine: Machine, { id: typed }: { id: string }): Promise<Report<Replay>> {
  const { kind, id } = findAudit(machine, [BUNDLE_AUDITS, PACK_AUDITS], typed)
  return kind === 'packs'
    ? rehydrate(machine, id, readAudit(machine, PACK_AUDITS, id))
    : replayBundle(machine, id, readAudit(machine, BUNDLE_AUDITS, id))
}

async function replayBundle(machine: Machine, id: string, audit: BundleAudit): Promise<Report<ReplayedBundle>> {
  const { root, request } = audit
  if (!isFolder(root)) {
    throw new LoadoutError('NOT_A_FOLDER', `the project of this bundle is gone: ${root}`, {
      hint: 'build the bundle again',
    })
  }
  const { value: context } = await buildContext(machine, {
    task: request.task,
    project: root,
    intent: request.intent ?? undefined,
    maxFiles: request.maxFiles ?? undefined,
    maxCharsPerFile: request.maxCharsPerFile ?? undefined,
    maxChars: request.maxChars ?? undefined,
    maxTokens: request.maxTokens ?? undefined,
    tokenizer: request.tokenizer ?? undefined,
    without: request.without,
    withTests: request.withTests,
    unrestricted: request.unrestricted,
    excluded: request.excluded,
    now: request.now === null ? undefined : new Date(request.now),
    isRecorded: false,
  })
  const changes = changesSince(audit, context.bundle)
  if (changes.length === 0) return { value: { id, context, changes }, findings: [] }
  const hint = 'build the bundle again: loadout context'
  const message = `the bundle would be different now: ${changes.join('; ')}`
  return { value: { id, changes }, findings: [{ severity: 'error', code: 'CONTEXT_CHANGED', message, hint }] }
}
