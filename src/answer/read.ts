import type { Machine } from '../machine/machine.ts'
import { openPackText } from '../packs/read.ts'
import { type PackView, viewPack } from '../packs/show.ts'
import type { Lookup, LookupRequest } from '../payloads/explain.ts'
import { openPayload } from '../payloads/plan.ts'
import { descriptionOf, filesOf, openSkill, type UsableSkill } from '../skills/skill-source.ts'
import { type Cut, cutLine, findCut, LEAST_CHARACTERS } from '../text/cap-content.ts'
import { estimateTokens } from '../text/tokens.ts'
import { failWith } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { idOf, type LocatedText, locate, READABLE, type SourceRequest } from './sources.ts'

/** The text of one entry, or of one file of it, fenced as data for a model. */
export interface EntryText {
  /** The unambiguous id. */
  id: string
  kind: LocatedText['kind']
  /** The file it was read from. */
  path: string
  text: string
  tokens: number
  cut?: Cut
}

export interface ReadRequest extends SourceRequest {
  /** `release-pipeline`, `pack:name`, `pack:name/path`, `skill:name`, `skill:name/path`, or a bare name of any kind. */
  id: string
  /** The maximum length of the text, fence included. */
  maxCharacters?: number
}

/** One entry by its id: fenced, limited in length, and recorded as used. */
export function readEntry(machine: Machine, request: ReadRequest): EntryText {
  const most = requireRoom(request.maxCharacters)
  const located = locate(machine, { ...request, kinds: READABLE })
  const read = readLocated(machine, located, most)
  return read
}

export function readLocated(machine: Machine, located: LocatedText, most = Infinity): EntryText {
  const { name, layer, path, body, wrap } = open(machine, located)
  const cut = findCut(body, most, (content) => wrap(content).text)
  const fenced = wrap(cut === undefined ? body : body.slice(0, cut.characters))
  const text = cut === undefined ? fenced.text : `${fenced.text}${cutLine(cut)}`
  const tokens = estimateTokens(text)
  const id = idOf(located)
  const entry = { id: name, kind: located.kind, trigger: 'lookup', mode: 'manual' as const, tokens, layer }
  const recorded = recordUsage(machine, { task: `lookup ${id}`, stage: 'used', entries: [entry] })
  const value = { id, kind: located.kind, path, text, tokens, cut }
  machine.report(...fenced.findings, ...recorded)
  return value
}

function open(machine: Machine, located: LocatedText) {
  switch (located.kind) {
    case 'payload':
      return openPayload(located.knowledge.place(located.entry))
    case 'skill':
      return openSkill(located.skill, located.path)
    case 'pack':
      return openPackText(machine, located.pack, located.path)
  }
}

function requireRoom(most: number | undefined): number | undefined {
  if (most === undefined || (Number.isSafeInteger(most) && most >= LEAST_CHARACTERS)) return most
  throw failWith('USAGE/characters', { leastCharacters: LEAST_CHARACTERS, most })
}

export interface SkillCard {
  name: string
  description: string
  tags: readonly string[]
  source: UsableSkill['source']
  folder: string
  files: { path: string; bytes: number }[]
}

/** The facts about an entry of any kind; with `load`, also its text. */
export type EntryLookup =
  | (Pick<Lookup, 'kind' | 'entry' | 'layer'> & { contents?: EntryText })
  | { kind: 'pack'; id: string; pack: PackView; contents?: EntryText }
  | { kind: 'skill'; id: string; skill: SkillCard; contents?: EntryText }

/** One entry of any kind by its id. */
export function lookUpEntry(machine: Machine, request: LookupRequest): EntryLookup {
  const located = locate(machine, { ...request, layers: request.layers ?? {}, kinds: READABLE })
  const value = describe(machine, located)
  return request.load ? { ...value, contents: readLocated(machine, located) } : value
}

function describe(machine: Machine, located: LocatedText): EntryLookup {
  switch (located.kind) {
    case 'payload':
      return { kind: 'payload', entry: located.entry, layer: located.knowledge.layerOf(located.entry) }
    case 'pack':
      return { kind: 'pack', id: idOf(located), pack: viewPack(machine, located.catalog, located.pack) }
    case 'skill':
      return { kind: 'skill', id: idOf(located), skill: cardOf(located.skill) }
  }
}

function cardOf(skill: UsableSkill): SkillCard {
  const { name, tags = [], source, folder } = skill
  return { name, description: descriptionOf(skill), tags, source, folder, files: filesOf(skill) }
}
