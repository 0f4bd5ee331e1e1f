import type { Machine } from '../machine/machine.ts'
import type { Source } from '../machine/ranking.ts'
import { listPacks } from '../packs/list.ts'
import { allEntries } from '../payloads/rules/dispatch-table.ts'
import type { LoadoutEntry, Priority } from '../payloads/rules/loadout-index.ts'
import { asFinding, type Finding, type Report } from '../text/trouble.ts'
import { projectOf, SOURCES, type SourceRequest, withoutRepeats } from './sources.ts'

interface Named {
  name: string
  summary: string
}

export interface Loadable {
  /** In merged order. */
  payloads: { id: string; summary: string; priority: Priority; tokens: number }[]
  /** Those that may be read now. */
  packs: Named[]
  /** The fenced list of all packs for a model, including those that wait for an approval. */
  disclosure: string
  skills: Named[]
}

/** Everything that an agent can load, without its text. If one kind fails, the others are still listed. */
export function listLoadable(machine: Machine, request: SourceRequest): Report<Loadable> {
  const findings: Finding[] = []
  const open = <T>(list: () => T, otherwise: T): T => {
    try {
      return list()
    } catch (error) {
      findings.push(asFinding(error))
      return otherwise
    }
  }
  const value = {
    payloads: open(() => {
      const shelf = SOURCES.payload(machine, request)
      findings.push(...shelf.findings)
      return allEntries(shelf.knowledge.table).map(describePayload)
    }, []),
    packs: open(() => {
      const shelf = SOURCES.pack(machine, request)
      return namedOn(shelf).filter(({ name }) => shelf.describe(name)?.admission === 'admitted')
    }, []),
    disclosure: open(() => listPacks(machine, { project: projectOf(machine, request) }).value.disclosure, ''),
    skills: open(() => {
      const shelf = SOURCES.skill(machine, request)
      findings.push(...shelf.findings)
      return namedOn(shelf)
    }, []),
  }
  return { value, findings: withoutRepeats(findings) }
}

function describePayload({ id, summary, priority, tokens_est: tokens }: LoadoutEntry) {
  return { id, summary, priority, tokens }
}

function namedOn({ names, describe }: Source): Named[] {
  return names.map((name) => ({ name, summary: describe(name)?.summary ?? '' }))
}
