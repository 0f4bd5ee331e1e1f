import type { Machine } from '../machine/machine.ts'
import { type PackView, viewPack } from '../packs/show.ts'
import type { Lookup, LookupRequest } from '../payloads/lookup.ts'
import { descriptionOf, filesOf, type ShelvedSkill } from '../skills/skill-source.ts'
import type { Report } from '../text/trouble.ts'
import { idOf, type LocatedText, locate, READABLE } from './locate.ts'
import { type EntryText, readLocated } from './read.ts'

export interface SkillCard {
  name: string
  description: string
  tags: readonly string[]
  source: ShelvedSkill['source']
  folder: string
  files: { path: string; bytes: number }[]
}

/** The facts about an entry of any kind; with `load`, also its text. */
export type EntryLookup =
  | (Pick<Lookup, 'kind' | 'entry' | 'layer'> & { contents?: EntryText })
  | { kind: 'pack'; id: string; pack: PackView; contents?: EntryText }
  | { kind: 'skill'; id: string; skill: SkillCard; contents?: EntryText }

/** One entry of any kind by its id. */
export function lookUpEntry(machine: Machine, request: LookupRequest): Report<EntryLookup> {
  const { value: located, findings } = locate(machine, { ...request, layers: request.layers ?? {}, kinds: READABLE })
  const value = describe(located)
  if (!request.load) return { value, findings }
  const read = readLocated(machine, located)
  return { value: { ...value, contents: read.value }, findings: [...findings, ...read.findings] }
}

function describe(located: LocatedText): EntryLookup {
  switch (located.kind) {
    case 'payload':
      return { kind: 'payload', entry: located.entry, layer: located.knowledge.layerOf(located.entry) }
    case 'pack':
      return { kind: 'pack', id: idOf(located), pack: viewPack(located.catalog, located.pack) }
    case 'skill':
      return { kind: 'skill', id: idOf(located), skill: cardOf(located.skill) }
  }
}

function cardOf(skill: ShelvedSkill): SkillCard {
  const { name, tags = [], source, folder } = skill
  return { name, description: descriptionOf(skill), tags, source, folder, files: filesOf(skill) }
}
