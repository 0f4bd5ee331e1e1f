import { writeAudit } from '../machine/audits.ts'
import type { Machine } from '../machine/machine.ts'
import type { Finding } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type RecordedEntry, recordTask } from '../usage/record.ts'
import { auditOf } from './rules/resolve/audit-record.ts'
import type { ActivePack, PackContext } from './rules/resolve/pack-context.ts'
import { notePacks } from './session.ts'

export interface RecordRequest {
  cite?: boolean | undefined
  deep?: boolean | undefined
  needs?: readonly string[] | undefined
  /** Loadout does not repeat text that it already gave to this session. */
  session?: string | undefined
}

/** Records the context that a model gets, which of its texts its session now has, and the use of the packs. */
export function recordContext(
  machine: Machine,
  context: PackContext,
  { needs = [], cite = false, deep = false, session }: RecordRequest,
): { id: string | undefined; findings: Finding[] } {
  const { task, active } = context
  if (active.length === 0) return { id: undefined, findings: [] }
  const { id, findings } = writeAudit(machine, auditOf(context, { needs, cites: cite, deep }), (audit) => {
    if (session === undefined) return
    const texts = active.flatMap(({ presented: { wrapper } }) => wrapper ?? [])
    notePacks(machine, session, texts.map(sha256), audit)
  })
  const repeated = active.filter(({ isRepeated }) => isRepeated)
  const steps = [
    { stage: 'delivered' as const, entries: deliveredPacks(context) },
    // The session already has them.
    { stage: 'planned' as const, entries: repeated.map((each) => noteOf(each, 0)) },
  ]
  const used = recordTask(session === undefined ? machine : inSession(machine, session), { task, steps })
  return { id, findings: [...findings, ...used] }
}

/** The packs whose text goes to the model now, without those that its session already has. */
export function deliveredPacks({ active }: PackContext): RecordedEntry[] {
  return active.flatMap((each) => {
    const { presented, isRepeated } = each
    return presented.wrapper === undefined || isRepeated ? [] : [noteOf(each, presented.tokens)]
  })
}

function noteOf({ pack, activation }: ActivePack, tokens: number): RecordedEntry {
  const isNamed = activation === 'explicit'
  const [trigger, mode] = isNamed ? (['named', 'manual'] as const) : (['ranked', 'lazy'] as const)
  return { id: pack.manifest.name, kind: 'pack', trigger, mode, tokens }
}

function inSession(machine: Machine, session: string): Machine {
  return Object.create(machine, { caller: { value: { via: machine.caller?.via ?? 'cli', session } } })
}
