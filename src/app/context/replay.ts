import { changesSince } from '../../domain/context/bundle-audit.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { readBundleAudit } from '../../infra/context/bundle-store.ts'
import { isFolder } from '../../infra/files.ts'
import type { Machine } from '../../infra/machine.ts'
import { buildContext, type Context } from './context.ts'

export interface Replay {
  id: string
  /** The bundle of then, byte for byte; absent when something has changed. */
  context?: Context
  changes: string[]
}

/** A recorded bundle once more; or what has changed since, and then not a byte of it. */
export async function replayBundle(machine: Machine, { id: typed }: { id: string }): Promise<Report<Replay>> {
  const { root, request, ...audit } = readBundleAudit(machine, typed)
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
    unrestricted: request.unrestricted,
    excluded: request.excluded,
    now: request.now === null ? undefined : new Date(request.now),
    isRecorded: false,
  })
  const changes = changesSince({ root, request, ...audit }, context.bundle)
  const id = audit.digest.slice(0, 16)
  if (changes.length === 0) return { value: { id, context, changes }, findings: [] }
  const hint = 'build the bundle again: loadout context'
  const message = `the bundle would be another one now: ${changes.join('; ')}`
  return { value: { id, changes }, findings: [{ severity: 'error', code: 'CONTEXT_CHANGED', message, hint }] }
}
