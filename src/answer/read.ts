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

/** One entry by its id: fenced, at most so long with its fence, and recorded as used. */
export function readEntry(
  machine: Machine,
  /** `id`: `release-pipeline`, `pack:name`, `pack:name/path`, `skill:name/path`, or a bare name of any kind. */
  request: SourceRequest & { id: string; maxCharacters?: number },
): EntryText {
  const { maxCharacters: most = Infinity } = request
  if (most !== Infinity && !(Number.isSafeInteger(most) && most >= LEAST_CHARACTERS)) {
    throw failWith('USAGE/characters', { leastCharacters: LEAST_CHARACTERS, most })
  }
  return readLocated(machine, locate(machine, { ...request, kinds: READABLE }), most)
}

function readLocated(machine: Machine, located: LocatedText, most = Infinity): EntryText {
  const { kind } = located
  const { name, layer, path, body, wrap } =
    kind === 'payload'
      ? openPayload(located.knowledge.place(located.entry))
      : kind === 'skill'
        ? openSkill(located.skill, located.path)
        : openPackText(machine, located.pack, located.path)
  const cut = findCut(body, most, (content) => wrap(content).text)
  const fenced = wrap(cut === undefined ? body : body.slice(0, cut.characters))
  const text = cut === undefined ? fenced.text : `${fenced.text}${cutLine(cut)}`
  const tokens = estimateTokens(text)
  const id = idOf(located)
  const entry = { id: name, kind, trigger: 'lookup', mode: 'manual' as const, tokens, layer }
  const recorded = recordUsage(machine, { task: `lookup ${id}`, stage: 'used', entries: [entry] })
  machine.report(...fenced.findings, ...recorded)
  return { id, kind, path, text, tokens, cut }
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
  const id = idOf(located)
  let value: EntryLookup
  if (located.kind === 'payload') {
    value = { kind: 'payload', entry: located.entry, layer: located.knowledge.layerOf(located.entry) }
  } else if (located.kind === 'pack') {
    value = { kind: 'pack', id, pack: viewPack(machine, located.catalog, located.pack) }
  } else {
    const { skill } = located
    const { name, tags = [], source, folder } = skill
    const card = { name, description: descriptionOf(skill), tags, source, folder, files: filesOf(skill) }
    value = { kind: 'skill', id, skill: card }
  }
  return request.load ? { ...value, contents: readLocated(machine, located) } : value
}
