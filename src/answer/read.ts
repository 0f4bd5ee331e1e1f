import type { Machine } from '../machine/machine.ts'
import { openPackText } from '../packs/read.ts'
import { openPayload } from '../payloads/read.ts'
import { openSkill } from '../skills/skill-source.ts'
import { type Cut, cutLine, findCut, LEAST_CHARACTERS } from '../text/cap-content.ts'
import { estimateTokens } from '../text/tokens.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { idOf, type LocatedText, locate, READABLE } from './locate.ts'
import type { SourceRequest } from './sources.ts'

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
export function readEntry(machine: Machine, request: ReadRequest): Report<EntryText> {
  const most = requireRoom(request.maxCharacters)
  const { value: located, findings } = locate(machine, { ...request, kinds: READABLE })
  const read = readLocated(machine, located, most)
  return { value: read.value, findings: [...findings, ...read.findings] }
}

export function readLocated(machine: Machine, located: LocatedText, most = Infinity): Report<EntryText> {
  const { name, layer, path, body, wrap } = open(located)
  const cut = findCut(body, most, (content) => wrap(content).text)
  const fenced = wrap(cut === undefined ? body : body.slice(0, cut.characters))
  const text = cut === undefined ? fenced.text : `${fenced.text}${cutLine(cut)}`
  const tokens = estimateTokens(text)
  const id = idOf(located)
  const entry = { id: name, kind: located.kind, trigger: 'lookup', mode: 'manual' as const, tokens, layer }
  const recorded = recordUsage(machine, { task: `lookup ${id}`, stage: 'used', entries: [entry] })
  const value = { id, kind: located.kind, path, text, tokens, cut }
  return { value, findings: [...fenced.findings, ...recorded] }
}

function open(located: LocatedText) {
  switch (located.kind) {
    case 'payload':
      return openPayload(located.entry, located.knowledge)
    case 'skill':
      return openSkill(located.skill, located.path)
    case 'pack':
      return openPackText(located.pack, located.path)
  }
}

function requireRoom(most: number | undefined): number | undefined {
  if (most === undefined || (Number.isSafeInteger(most) && most >= LEAST_CHARACTERS)) return most
  throw new LoadoutError('USAGE', `the limit of a text must be at least ${LEAST_CHARACTERS} characters, not ${most}`, {
    hint: 'raise the limit',
  })
}
