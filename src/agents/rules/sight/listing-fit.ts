import { textWidth } from '../../../text/text-width.ts'
import type { Listing } from '../reading-rules.ts'

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
  { overflow, frame = 0 }: Pick<Listing, 'overflow' | 'frame'>,
): FittedLine[] {
  if (overflow === 'never') return lines.map((line) => fittedElement(line, frame))
  if (overflow === 'name') return fitByNaming(lines, budget, frame)
  return overflow === 'drop' ? fitByDropping(lines, budget) : fitByShortening(lines, budget)
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

function fitByDropping(lines: readonly ListingLine[], budget: number): FittedLine[] {
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
    const characters = (hasAll ? whole : line.name.length + 2) + end
    return { shown: hasAll ? 'whole' : 'name', left: hasAll ? line.description.length : 0, cost, characters }
  })
}

function fullColumns(line: ListingLine): number {
  return line.columns ?? textWidth(fullLine(line))
}

function fullLine({ name, description, written = description }: ListingLine): string {
  return `- ${name}: ${written}`
}

function nameColumns({ name }: ListingLine): number {
  return textWidth(name) + 2
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
