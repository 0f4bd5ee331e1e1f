import { learnFromUse } from '../../examples/learn.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Project, realFolder } from '../../machine/open-project.ts'
import type { Knowledge } from '../../payloads/knowledge.ts'
import { allEntries } from '../../payloads/rules/dispatch-table.ts'

/** Learns from earlier sessions for the prompts of this one. Skips payloads of other projects. */
export function learnHere(
  machine: Machine,
  project: Project,
  { table }: Knowledge,
  named: Record<'pack' | 'skill', readonly { name: string; description: string }[]>,
): void {
  const root = realFolder(machine, project.root)
  learnFromUse(machine, ({ kind, id, project: place }) => {
    if (kind !== 'payload') return named[kind].find(({ name }) => name === id)?.description
    return place === root ? allEntries(table).find((entry) => entry.id === id)?.summary : undefined
  })
}
