import type { Machine } from '../../machine/machine.ts'
import { openStored } from '../../machine/ranking.ts'
import type { KeptPack } from '../../packs/pack-source.ts'
import { LIKELY_PACK, likelyPacks } from '../../packs/rules/resolve/choose-packs.ts'
import { openStoredSections, packsWith } from '../../packs/sections.ts'
import type { Task } from '../../search/task.ts'
import { indexLine, packItem } from '../rules/index-line.ts'
import { digestOf, type GivenPart } from '../rules/session/session-text.ts'
import type { HookCatalog } from './hook-catalog.ts'

/** Points to the packs whose sections are about a prompt, best first. */
export function packPointers(
  machine: Machine,
  { readable, cards, terms }: Pick<HookCatalog, 'readable' | 'cards' | 'terms'>,
  task: Task,
): (GivenPart & { part: { form: 'pointer' }; confidence: number })[] {
  const holders = packsWith(machine, terms, task.words)
  const sections = openStoredSections(
    machine,
    readable.filter((_, at) => holders?.has(at) ?? true),
  )
  const described =
    openStored(machine, cards, { isAsStored: true })?.ranker.rank(task, { limit: readable.length }) ?? []
  const known = readable.map(({ name, description, root }) => ({ root, manifest: { name, description } }))
  const byName = new Map(described.map((hit) => [(hit.kept as KeptPack).name, hit]))
  const all = likelyPacks(known, task.words, sections.rank(task), byName, sections.wordsOf)
  const likely = all.filter(({ confidence }) => confidence >= LIKELY_PACK)
  return likely.map(({ pack: { manifest }, section, confidence }) => {
    const item = packItem(manifest)
    const line = (title?: string) =>
      indexLine({ ...item, id: `pack ${manifest.name}`, ...(title && { section: title }) })
    const title = section && (section.title || section.path)
    // After a compaction the pack is named, without the section.
    const part = { form: 'pointer', kind: 'pack', id: manifest.name, sum: digestOf(line()) } as const
    return { part: { ...part, section: title ? digestOf(title) : undefined }, text: line(title), confidence }
  })
}
