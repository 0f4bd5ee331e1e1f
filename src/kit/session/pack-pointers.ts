import type { Machine } from '../../machine/machine.ts'
import { askCachedSections } from '../../packs/cached-sections.ts'
import { likelyPacks } from '../../packs/rules/resolve/section-match.ts'
import { indexLine, packItem } from '../rules/index-line.ts'
import { digestOf, type GivenPart } from '../rules/session/session-text.ts'
import type { ReadablePack } from './hook-catalog.ts'

/** Finds packs by their sections. `described` is the confidence by the description of each. */
export interface PackPointers {
  /** Packs whose sections were searched: their descriptions alone do not decide. */
  asked: ReadonlySet<string>
  /** Best first. */
  find(described: ReadonlyMap<string, number>): (GivenPart & { part: { form: 'pointer' } })[]
}

export function openPackPointers(machine: Machine, packs: readonly ReadablePack[], task: string): PackPointers {
  const asked = packs.flatMap((pack) => {
    const match = askCachedSections(machine, pack, task)
    return match === undefined ? [] : [{ pack, match }]
  })
  return {
    asked: new Set(asked.map(({ pack }) => pack.name)),
    find: (described) => {
      const judged = asked.map(({ pack, match }) => ({ pack, match, described: described.get(pack.name) ?? 0 }))
      return likelyPacks(judged).map(({ pack, section }) => {
        const item = packItem(pack)
        const line = (title?: string) =>
          indexLine({ ...item, id: `pack ${pack.name}`, ...(title && { section: title }) })
        const title = section && (section.title || section.path)
        // After a compaction the pack is named, without the section.
        const part = { form: 'pointer', kind: 'pack', id: pack.name, sum: digestOf(line()) } as const
        return { part: { ...part, ...(title && { section: digestOf(title) }) }, text: line(title) }
      })
    },
  }
}
