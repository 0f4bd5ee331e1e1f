import type { Machine } from '../machine/machine.ts'
import { type PackView, viewPack } from '../packs/show.ts'
import type { Layers } from '../payloads/knowledge.ts'
import type { LoadoutEntry } from '../payloads/rules/loadout-index.ts'
import { descriptionOf, filesOf, type UsableSkill } from '../skills/skill-source.ts'
import { type Cut, cutLine, findCut, LEAST_CHARACTERS } from '../text/cap-content.ts'
import { estimateTokens } from '../text/tokens.ts'
import { failWith } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { type Located, locate, READABLE, type SourceRequest } from './sources.ts'

/** The text of one entry, or of one file of it, fenced as data for a model. */
export interface EntryText {
  /** The unambiguous id. */
  id: string
  kind: (typeof READABLE)[number]
  /** The layer of a payload, the scope of a pack, where a skill was found. */
  layer: string
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
  request: SourceRequest & { id: string; maxCharacters?: number; isRecorded?: boolean },
): EntryText {
  const { maxCharacters: most = Infinity } = request
  if (most !== Infinity && !(Number.isSafeInteger(most) && most >= LEAST_CHARACTERS)) {
    throw failWith('USAGE/characters', { leastCharacters: LEAST_CHARACTERS, most })
  }
  const located = locate(machine, { ...request, kinds: READABLE, isRead: true })
  return readLocated(machine, located, most, request.isRecorded)
}

function readLocated(
  machine: Machine,
  { kind, name, path, source }: Located<(typeof READABLE)[number]>,
  most = Infinity,
  isRecorded = true,
): EntryText {
  const { layer, path: file, body, wrap, findings = [] } = source.read(name, path)
  const cut = findCut(body, most, (content) => wrap(content).text)
  const fenced = wrap(cut === undefined ? body : body.slice(0, cut.characters))
  const text = cut === undefined ? fenced.text : `${fenced.text}${cutLine(cut)}`
  const tokens = estimateTokens(text)
  const id = entryId(kind, name, path)
  const entry = { id: name, kind, trigger: 'lookup', mode: 'manual' as const, tokens, layer }
  const recorded = isRecorded ? recordUsage(machine, { task: `lookup ${id}`, stage: 'used', entries: [entry] }) : []
  machine.report(...findings, ...fenced.findings, ...recorded)
  return { id, kind, layer, path: file, text, tokens, cut }
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
export type EntryLookup = { contents?: EntryText } & (
  | { kind: 'payload'; entry: LoadoutEntry; layer: string }
  | { kind: 'pack'; id: string; pack: PackView }
  | { kind: 'skill'; id: string; skill: SkillCard }
)

/** One entry of any kind by its id. A bare name means a payload first. */
export function lookUpEntry(
  machine: Machine,
  { id, load, layers = {} }: { id: string; load?: boolean; layers?: Layers },
): EntryLookup {
  const located = locate(machine, { id, layers, kinds: READABLE, isPayloadEnough: true, isRead: load })
  const { kind, entry, source, name, path } = located
  let value: EntryLookup
  if (kind === 'payload') value = { kind, entry, layer: source.knowledge.layerOf(entry) }
  else if (kind === 'pack') value = { kind, id: entryId(kind, name, path), pack: viewPack(source.packs, entry) }
  else {
    const { tags = [], source: origin, folder } = entry
    const card = { name, description: descriptionOf(entry), tags, source: origin, folder, files: filesOf(entry) }
    value = { kind, id: entryId(kind, name, path), skill: card }
  }
  return load ? { ...value, contents: readLocated(machine, located) } : value
}
