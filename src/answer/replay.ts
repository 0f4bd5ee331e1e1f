import { readAudit } from '../machine/audits.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import type { PackAudit } from '../packs/record.ts'
import { type RehydratedContext, rehydrate } from '../packs/record.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { buildContext, type Context } from './answer.ts'
import type { BundleAudit } from './bundle-record.ts'
import type { ContextBundle } from './rules/bundle.ts'

export type Replay = ReplayedBundle | RehydratedContext

export interface ReplayedBundle {
  id: string
  /** The original bundle, byte for byte; undefined when something has changed. */
  context?: Context
  changes: string[]
}

/** Reproduces a delivery of any kind byte for byte, or only reports what has changed since. */
export async function replay(machine: Machine, { id: typed }: { id: string }): Promise<Report<Replay>> {
  const { id, record } = readAudit<BundleAudit | PackAudit>(machine, typed)
  return record.kind === 'packs' ? rehydrate(machine, id, record) : replayBundle(machine, id, record)
}

async function replayBundle(machine: Machine, id: string, audit: BundleAudit): Promise<Report<ReplayedBundle>> {
  const { project, now } = audit.question
  if (!isFolder(project)) {
    throw new LoadoutError('NOT_A_FOLDER', `the project of this bundle is gone: ${project}`, {
      hint: 'build the bundle again',
    })
  }
  const again = { ...audit.question, now: now === null ? undefined : new Date(now), isRecorded: false }
  const { value: context } = await buildContext(machine, again)
  const changes = changesSince(audit, context.bundle)
  if (changes.length === 0) return { value: { id, context, changes }, findings: [] }
  const hint = 'build the bundle again: loadout context'
  const message = `the bundle would be different now: ${changes.join('; ')}`
  return { value: { id, changes }, findings: [{ severity: 'error', code: 'CONTEXT_CHANGED', message, hint }] }
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
