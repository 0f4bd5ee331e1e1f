import { textWidth } from '../../text/text-width.ts'
import { compareText, getOwn } from '../../text/values.ts'
import { type AgentSettings, isSwitchedOff, type Limits, modelRow } from './agent-settings.ts'
import type { Listing, ReadingRules, SkillPlace } from './reading-rules.ts'

/** How a model sees a skill. */
export const VISIBILITIES = [
  'visible',
  'named',
  'undescribed',
  'cut',
  'dropped',
  'shadowed',
  'ambiguous',
  'unreadable',
  'hidden',
] as const

export type Visibility = (typeof VISIBILITIES)[number]

export interface SeenSkill {
  name: string
  scope: SkillPlace['scope']
  path: string
  fate: Visibility
  why: string
  /** The lengths of the description as written and as listed, and of the line with its line end. */
  characters: { description: number; shown: number; line: number }
  /** The size of the line in tokens; an estimate unless the agent counts tokens. */
  tokens: number
}

export interface SeenSkills {
  skills: SeenSkill[]
  /** The skills inside of the agent's program. */
  own: { count: number; characters: number; tokens: number }
  /** The size of the list in its unit; absent if the limit is unknown. */
  used?: number
}

/** A skill that was found on the disk. */
export interface FoundSkill {
  /** The agent's name for it. */
  name: string
  /** The path of its file. */
  path: string
  /** The path after following links. */
  realPath: string
  /** The index of its place, in the order of the search. */
  place: number
  /** Relative to the place. */
  relativePath: string
  scope: SkillPlace['scope']
  isCommand: boolean
  isWorkflow?: boolean
  /** As the agent reads it. */
  description: string
  /** Why the agent cannot read it. */
  problem?: string
  /** Why the agent does not use the author's description. */
  loss?: string
  /** How the author has hidden it. */
  hidden?: string
}

interface JudgedSkill {
  found: FoundSkill
  fate?: Visibility
  why?: string
}

/** Decides how the model sees each skill. Listed skills come first, in the order of the list. */
export function decideVisibility(
  found: readonly FoundSkill[],
  rules: ReadingRules,
  settings: AgentSettings,
  list?: { listing: Listing; limits: Limits | undefined },
): SeenSkills {
  const judged = judge(found, settings, rules)
  const listed = orderListed(
    judged.filter(({ fate }) => fate === undefined).map((candidate) => candidate.found),
    rules,
  )
  const rivals = new Map<string, FoundSkill[]>()
  for (const skill of listed) rivals.set(skill.name, [...(rivals.get(skill.name) ?? []), skill])
  const others = judged.flatMap(({ found: skill, fate, why = '' }) =>
    fate === undefined ? [] : [{ ...seenSkill(skill, undefined), fate, why }],
  )
  const nameResult = (skill: FoundSkill) => sameNameResult(skill, rivals.get(skill.name) ?? [], rules)
  if (list === undefined) {
    const skills = listed.map((skill) => ({
      ...seenSkill(skill, undefined),
      ...(nameResult(skill) ?? lossResult(skill)),
    }))
    return { skills: [...skills, ...others], own: { count: 0, characters: 0, tokens: 0 } }
  }
  const { listing, limits } = list
  const isWritten = (skill: FoundSkill) => rules.listsDuplicates || nameResult(skill)?.fate !== 'shadowed'
  const written = listed.filter(isWritten)
  const own = settings.withoutOwn ? [] : listing.own.filter(({ name, isKept }) => !(isKept && rivals.has(name)))
  const row = modelRow(listing, limits?.model)
  const lines = [
    ...written.map(lineMaker(listed, listing, limits, settings)),
    ...own.map(({ columns, ...skill }) =>
      ownLine({ ...skill, columns: getOwn(row?.own ?? {}, skill.name) ?? columns }),
    ),
  ]
  const fitted = fitListing(lines, limits?.budget ?? 0, listing)
  const skills = listed.map((skill) => {
    const at = written.indexOf(skill)
    const line = fitted[at]
    const fate = both(nameResult(skill), lineResult(skill, lines[at], line, listing, limits)) ?? lossResult(skill)
    return { ...seenSkill(skill, line), ...(listing.unit === 'tokens' ? { tokens: line?.cost ?? 0 } : {}), ...fate }
  })
  const ownLines = fitted.slice(written.length)
  return {
    skills: [...skills, ...others],
    own: {
      count: own.length,
      characters: sum(ownLines.map(({ characters }) => characters)),
      tokens: sum(ownLines.map(({ characters }) => Math.ceil(characters / 4))),
    },
    used: limits && sum(fitted.map(({ cost }) => cost)),
  }
}

/** Decides which skills are not listed, whatever the size of the list. */
function judge(found: readonly FoundSkill[], settings: AgentSettings, { sameName }: ReadingRules): JudgedSkill[] {
  const seen = new Map<string, FoundSkill>()
  return found.map((skill) => {
    if (skill.problem !== undefined) return { found: skill, fate: 'unreadable', why: skill.problem }
    // If the last skill of a name counts, it does so even if it is the same file.
    const same = sameName === 'last' ? undefined : seen.get(skill.realPath)
    if (same !== undefined) return { found: skill, fate: 'shadowed', why: `the same file as ${folderOf(same)}` }
    seen.set(skill.realPath, skill)
    if (isSwitchedOff(settings, skill)) {
      return { found: skill, fate: 'hidden', why: 'it is switched off in the settings' }
    }
    return skill.hidden === undefined ? { found: skill } : { found: skill, fate: 'hidden', why: skill.hidden }
  })
}

function orderListed(skills: readonly FoundSkill[], { order }: ReadingRules): FoundSkill[] {
  if (order === undefined) {
    // Agents sort with localeCompare. A fixed language makes the result the same everywhere. Plain names have the same
    // order in code units, without the 5 ms that a collator takes.
    const isPlain = skills.every(({ name }) => /^[a-z0-9-]*$/.test(name))
    const compareNames = isPlain ? compareText : new Intl.Collator('en').compare
    // Commands of all places are sorted together, then workflows, those of plugins first; skills of plugins come last.
    const groupOf = ({ scope, isCommand, isWorkflow }: FoundSkill) =>
      isWorkflow ? (scope === 'plugin' ? 2 : 3) : scope === 'plugin' ? 4 : isCommand ? 1 : 0
    const placeOf = (skill: FoundSkill) => (groupOf(skill) % 2 === 1 ? 0 : skill.place)
    return [...skills].sort(
      (a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b) || compareNames(a.name, b.name),
    )
  }
  const rank = ({ scope }: FoundSkill) => order.indexOf(scope)
  return [...skills].sort(
    (a, b) => rank(a) - rank(b) || compareText(a.name, b.name) || compareText(a.realPath, b.realPath),
  )
}

function lineMaker(
  listed: readonly FoundSkill[],
  listing: Listing,
  limits: Limits | undefined,
  settings: AgentSettings,
) {
  const places = [...new Set(listed.map(({ place }) => place))].sort((a, b) => a - b)
  const besides = ({ place, relativePath, path, scope }: FoundSkill) => {
    if (listing.shows === 'short path') return `r${places.indexOf(place)}/${relativePath}`
    return listing.shows === 'path' ? path : listing.shows === 'scope' ? scope : ''
  }
  return (skill: FoundSkill): ListingLine => {
    const description = cutDescription(skill.description, perSkillOf(listing, limits), listing)
    return {
      name: skill.name,
      description,
      written:
        listing.escapes &&
        description.replace(/[<>&"']/g, (letter) =>
          listing.escapes?.includes(letter) ? (getOwn(ENTITIES, letter) ?? letter) : letter,
        ),
      path: besides(skill),
      usage: getOwn(settings.usage, skill.name) ?? 0,
      isKept: false,
      isNameOnly: getOwn(settings.overrides, skill.name) === 'name-only',
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
}

function ownLine({ name, columns, characters, isKept }: Listing['own'][number]): ListingLine {
  return { name, columns, characters, isKept, description: '', path: '', usage: 0, isNameOnly: false }
}

const perSkillOf = (listing: Listing, limits: Limits | undefined) => (limits ?? listing).perSkill

/** Cuts by code units if the agent counts columns, otherwise by characters. */
function cutDescription(text: string, longest: number | undefined, { unit, ellipsis = '' }: Listing): string {
  if (longest === undefined) return text
  if (unit === 'columns') return text.length > longest ? text.slice(0, longest - ellipsis.length) + ellipsis : text
  const letters = [...text]
  return letters.length > longest ? letters.slice(0, longest - ellipsis.length).join('') + ellipsis : text
}

type Ending = Pick<SeenSkill, 'fate' | 'why'>

function sameNameResult(
  skill: FoundSkill,
  rivals: readonly FoundSkill[],
  { sameName }: ReadingRules,
): Ending | undefined {
  const [first] = rivals
  if (first === undefined || rivals.length === 1) return undefined
  if (sameName === 'first') {
    return skill === first ? undefined : { fate: 'shadowed', why: `${folderOf(first)} answers to its name` }
  }
  if (sameName === 'last') {
    const last = rivals.at(-1) ?? first
    return skill === last ? undefined : { fate: 'shadowed', why: `${folderOf(last)} is read later, and replaces it` }
  }
  const outcome = sameName === 'none' ? 'called by name, none answers' : 'which one counts is not known'
  return { fate: 'ambiguous', why: `one of ${rivals.length} with this name; ${outcome}` }
}

/** A skill with a duplicate name may also be cut: the first result counts, with both reasons. */
function both(first: Ending | undefined, second: Ending | undefined): Ending | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return { fate: first.fate, why: `${first.why}; ${second.why}` }
}

const FULL = 'the list is full'

/** Whether the list drops or cuts a skill because it is full, not because its own description is too long. */
export function isCrowdedOut({ fate, why }: Pick<SeenSkill, 'fate' | 'why'>): boolean {
  return fate === 'dropped' || (fate === 'cut' && why.includes(FULL))
}

function lineResult(
  skill: FoundSkill,
  line: ListingLine | undefined,
  fitted: FittedLine | undefined,
  listing: Listing,
  limits: Limits | undefined,
): Ending | undefined {
  const written = skill.description.length
  if (fitted === undefined || line === undefined) return undefined
  const isFull = listing.overflow === 'drop' ? `${FULL}, least used first` : FULL
  if (fitted.shown === 'none') return { fate: 'dropped', why: `${isFull}: not even its name is listed` }
  if (fitted.shown === 'name' && line.isNameOnly)
    return { fate: 'named', why: 'the settings want only its name listed' }
  if (fitted.shown === 'name' && written > 0) return { fate: 'dropped', why: `${isFull}: only its name is listed` }
  if (fitted.shown === 'part') {
    return { fate: 'cut', why: `${isFull}: ${fitted.left} of ${written} characters are listed` }
  }
  if (line.description !== skill.description) {
    return { fate: 'cut', why: `its description has ${written} characters; ${perSkillOf(listing, limits)} are listed` }
  }
  return undefined
}

function folderOf({ path, isCommand, isWorkflow }: FoundSkill): string {
  return isCommand || isWorkflow ? path : path.slice(0, path.lastIndexOf('/'))
}

/** A skill without a description is listed by its first line. */
function lossResult({ loss }: FoundSkill): Ending {
  return loss === undefined ? { fate: 'visible', why: '' } : { fate: 'undescribed', why: loss }
}

function seenSkill(skill: FoundSkill, line: FittedLine | undefined): SeenSkill {
  const { name, scope, path, description } = skill
  const characters = { description: description.length, shown: line?.left ?? 0, line: line?.characters ?? 0 }
  return { name, scope, path, fate: 'visible', why: '', characters, tokens: Math.ceil(characters.line / 4) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** One line of an agent's list of skills, before it is fitted into the budget. */
export interface ListingLine {
  name: string
  /** Already cut to the agent's limit for one description. */
  description: string
  /** The description with escaped characters, if the agent escapes them. */
  written?: string
  /** Shown after the description; empty if the agent does not show it. */
  path: string
  /** A score of its use. Skills with a higher score keep their descriptions longer. */
  usage: number
  /** A line that is never shortened. */
  isKept: boolean
  isNameOnly: boolean
  /** The width of the whole line, if only that is known. */
  columns?: number
  characters?: number
}

export interface FittedLine {
  shown: 'whole' | 'part' | 'name' | 'none'
  /** How many characters of the description are shown. */
  left: number
  /** The size of the line with its line end, in the unit of the agent. */
  cost: number
  characters: number
}

/** Fits the lines into the budget. The sum of the costs is the size of the list. */
export function fitListing(
  lines: readonly ListingLine[],
  budget: number,
  listing: Pick<Listing, 'overflow' | 'frame' | 'bullet' | 'unit'>,
): FittedLine[] {
  const { overflow, frame = 0 } = listing
  if (overflow === 'never') return lines.map((line) => fittedElement(line, frame))
  if (overflow === 'name') return fitByNaming(lines, budget, frame)
  return overflow === 'drop' ? fitByDropping(lines, budget, listing) : fitByShortening(lines, budget)
}

function fittedElement(line: ListingLine, frame: number): FittedLine {
  const { name, description, written = description, path, columns } = line
  const characters = columns ?? frame + name.length + written.length + path.length
  return { shown: 'whole', left: description.length, cost: characters, characters }
}

/** After the first line that does not fit, only names, even if a shorter line would fit. Names are free. */
function fitByNaming(lines: readonly ListingLine[], budget: number, frame: number): FittedLine[] {
  let free = budget
  return lines.map((line) => {
    const element = fittedElement(line, frame)
    free = element.cost <= free ? free - element.cost : -1
    // Names are separated by `, `.
    return free >= 0 ? element : { shown: 'name', left: 0, cost: 0, characters: line.name.length + 2 }
  })
}

function fitByDropping(
  lines: readonly ListingLine[],
  budget: number,
  { bullet = '- ', unit }: Pick<Listing, 'bullet' | 'unit'>,
): FittedLine[] {
  const sizeOf = unit === 'columns' ? textWidth : (text: string) => text.length
  const fullLine = ({ name, description, written = description }: ListingLine) => `${bullet}${name}: ${written}`
  const fullColumns = (line: ListingLine) => line.columns ?? sizeOf(fullLine(line))
  const nameColumns = ({ name }: ListingLine) => sizeOf(name) + bullet.length
  const full = lines.map((line) => (line.isNameOnly ? nameColumns(line) : fullColumns(line)))
  const ends = Math.max(0, lines.length - 1)
  const isWhole = new Set(lines.keys())
  if (sum(full) + ends > budget) {
    const yielding = [...lines.entries()].filter(([, { isKept, isNameOnly }]) => !isKept && !isNameOnly)
    for (const [at] of yielding) isWhole.delete(at)
    const least = lines.map((line, at) => (isWhole.has(at) ? (full[at] ?? 0) : nameColumns(line)))
    let free = budget - sum(least) - ends
    // Does not stop at the first that does not fit: a later, shorter one may.
    for (const [at, line] of yielding.sort(([, a], [, b]) => b.usage - a.usage)) {
      const more = (full[at] ?? 0) - nameColumns(line)
      if (more > free) continue
      free -= more
      isWhole.add(at)
    }
  }
  return lines.map((line, at) => {
    const hasAll = isWhole.has(at) && !line.isNameOnly
    const end = at === 0 ? 0 : 1
    const cost = (hasAll ? fullColumns(line) : nameColumns(line)) + end
    const whole = line.characters ?? line.columns ?? fullLine(line).length
    const characters = (hasAll ? whole : line.name.length + bullet.length) + end
    return { shown: hasAll ? 'whole' : 'name', left: hasAll ? line.description.length : 0, cost, characters }
  })
}

const BYTES_PER_TOKEN = 4

/** Adds a character to each description in turn until the budget is used. If even the names do not fit, drops the last. */
function fitByShortening(lines: readonly ListingLine[], budget: number): FittedLine[] {
  const drafts = lines.map(draftLine)
  if (sum(drafts.map(({ costs }) => costs.at(-1) ?? 0)) <= budget) {
    return drafts.map((draft) => fitted(draft, draft.letters.length))
  }
  let free = budget - sum(drafts.map(({ costs }) => costs[0] ?? 0))
  if (free < 0) return fitNames(drafts, budget)
  const given = drafts.map(() => 0)
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const [at, { costs }] of drafts.entries()) {
      const has = given[at] ?? 0
      const more = (costs[has + 1] ?? Number.POSITIVE_INFINITY) - (costs[has] ?? 0)
      if (more > free) continue
      given[at] = has + 1
      free -= more
      isGrowing = true
    }
  }
  return drafts.map((draft, at) => fitted(draft, given[at] ?? 0))
}

function fitNames(drafts: readonly Draft[], budget: number): FittedLine[] {
  let used = 0
  return drafts.map((draft) => {
    const cost = draft.costs[0] ?? 0
    if (used + cost > budget) return { shown: 'none', left: 0, cost: 0, characters: 0 }
    used += cost
    return fitted(draft, 0)
  })
}

interface Draft {
  letters: string[]
  /** The size in tokens, by the number of shown letters. */
  costs: number[]
  /** Characters of the line without its description. */
  least: number
}

function draftLine({ name, description, path }: ListingLine): Draft {
  const least = `- ${name}: (file: ${path})\n`
  const letters = [...description]
  let bytes = byteLength(least)
  const costs = [tokensOf(bytes)]
  // A blank precedes the description.
  bytes++
  for (const letter of letters) {
    bytes += byteLength(letter)
    costs.push(tokensOf(bytes))
  }
  return { letters, costs, least: [...least].length }
}

function fitted({ letters, costs, least }: Draft, left: number): FittedLine {
  const shown = left === letters.length ? 'whole' : left > 0 ? 'part' : 'name'
  return { shown, left, cost: costs[left] ?? 0, characters: least + (left === 0 ? 0 : left + 1) }
}

function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

function byteLength(text: string): number {
  let bytes = 0
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
  }
  return bytes
}
