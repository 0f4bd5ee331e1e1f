import { startOf } from '../../usage/rules/timeline.ts'

/**
 * What may be shown without telling what one person did.
 *
 * Every published figure is a sum of portions, and more than five people stand behind each portion. A portion contains
 * everything that has waited of one entry, stage and week in some groups. It is taken out of what waits, so no event is in two
 * portions, and what waits is in no figure at all. So whatever is asked, by range, group or at another time, adding and
 * subtracting answers only gives sums of portions.
 */

/** Figures about this many people or fewer are hidden: individuals could be identified. */
export const LARGEST_HIDDEN_GROUP = 5

/** What a figure is about. */
export const FACETS = { entry: 0, agent: 1, group: 2, project: 3, version: 4 } as const

/** The name of a part that was joined from several, such as small groups. */
export const SEVERAL = -1
/** The whole team, in the place of a group. */
export const TEAM = 0

/** What one person did with one entry in a week. Numbers stand for names. */
export interface WaitingRow {
  entry: number
  stage: number
  group: number
  version: number
  agent: number
  project: number
  person: number
  times: number
  tokens: number
}

interface Figure {
  /** A group, or `TEAM`. */
  group: number
  facet: number
  item: number
  version: number
  stage: number
  times: number
  tokens: number
  people: number
}

interface Portion<T, Name = number> {
  name: Name
  rows: T[]
}

/** What one person did, or what some machines have, which stand for people. */
type Counted = { person: number } | { machines: readonly number[] }

export function peopleIn(rows: readonly Counted[]): Set<number> {
  return new Set(rows.flatMap((row) => ('person' in row ? row.person : row.machines)))
}

function isEnough(rows: readonly Counted[]): boolean {
  return peopleIn(rows).size > LARGEST_HIDDEN_GROUP
}

function split<T, Name>(rows: readonly T[], nameOf: (row: T) => Name): Portion<T, Name>[] {
  const parts = new Map<Name, T[]>()
  for (const row of rows) {
    const known = parts.get(nameOf(row))
    if (known === undefined) parts.set(nameOf(row), [row])
    else known.push(row)
  }
  return [...parts].map(([name, each]) => ({ name, rows: each }))
}

/**
 * Splits rows so that more than five people stand behind each part, and behind what the others leave of the whole. Joins
 * those with the fewest people. Empty if all rows together are of too few people.
 */
export function partition<T extends Counted>(rows: readonly T[], nameOf: (row: T) => number): Portion<T>[] {
  return isEnough(rows) ? splitAcross([rows], (row, isJoined) => (isJoined ? SEVERAL : nameOf(row))) : []
}

/**
 * Splits the rows of several portions by another name, such as the agent. The sums of both are shown, so a reader who
 * knows that an agent never has some entries can subtract one from the other. Where that would leave five people or
 * fewer, names are joined, those with the fewest people first.
 */
function splitAcross<T extends Counted, Name>(
  portions: readonly (readonly T[])[],
  nameOf: (row: T, isJoined: boolean) => Name,
): Portion<T, Name>[] {
  const rows = portions.flat()
  const sized = split(rows, (row) => nameOf(row, false)).map((part) => ({ ...part, people: peopleIn(part.rows).size }))
  sized.sort((a, b) => a.people - b.people || (a.name < b.name ? -1 : 1))
  const places = new Map(sized.map(({ name }, at) => [name, at]))
  const joining = (count: number) => split(rows, (row) => nameOf(row, (places.get(nameOf(row, false)) ?? 0) < count))
  // What is safe stays so when more is joined, and all joined is safe.
  let [from, to] = [0, sized.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isSafe(portions, joining(middle))) to = middle
    else from = middle + 1
  }
  return joining(to)
}

// Each one more doubles the work.
const MOST_PARTS = 10

/**
 * Adding and subtracting sums of portions and of parts leaves at least what lies, for some choice of the parts, inside of
 * them of some portions and outside of them of the others. That must be of more than five people for every choice.
 */
function isSafe<T extends Counted>(
  portions: readonly (readonly T[])[],
  parts: readonly Portion<T, unknown>[],
): boolean {
  const partOf = new Map(parts.flatMap((part, at) => part.rows.map((row) => [row, at])))
  // A choice between two parts that enough people have of the same portion is always safe: they count as one.
  let choosable = parts.map((_, at) => at)
  for (const portion of portions) {
    const large = split(portion, (row) => partOf.get(row) ?? 0).filter((part) => isEnough(part.rows))
    const same = new Set(large.map(({ name }) => choosable[name]))
    choosable = choosable.map((name) => (same.has(name) ? Math.min(...large.map((part) => part.name)) : name))
  }
  const names = [...new Set(choosable)]
  if (names.length > MOST_PARTS) return false
  // The last one is always outside: the other choices are the same ones turned round.
  for (let choice = 1; choice < 2 ** (names.length - 1); choice++) {
    const isInside = choosable.map((name) => (choice >> names.indexOf(name)) & 1)
    const cuts = portions
      .map((portion) => split(portion, (row) => isInside[partOf.get(row) ?? 0]).map((side) => peopleIn(side.rows)))
      .filter((sides) => sides.length === 2)
    if (cuts.length > 0 && areFew(cuts, new Set())) return false
  }
  return true
}

/** Whether these people and no more than five in all are one side of every cut. */
function areFew(cuts: readonly Set<number>[][], people: ReadonlySet<number>): boolean {
  if (people.size > LARGEST_HIDDEN_GROUP) return false
  const open = cuts.find((sides) => !sides.some((side) => [...side].every((person) => people.has(person))))
  return open === undefined || open.some((side) => areFew(cuts, new Set([...people, ...side])))
}

export interface Publication {
  figures: Figure[]
  /** What the portions contain, completely: it waits no longer. */
  published: { entry: number; stage: number; group: number }[]
}

/**
 * The portions of what waits of one week. While it runs, a group's part of an entry becomes a portion as soon as enough
 * people of this group stand behind it. When it is over, what is left of smaller groups is joined.
 */
export function publish(rows: readonly WaitingRow[], isOver: boolean): Publication {
  const published: Publication['published'] = []
  const portions: { group: number; people: number; rows: WaitingRow[] }[] = []
  for (const { rows: cell } of split(rows, ({ entry, stage }) => entry * 16 + stage)) {
    const byGroup = ({ group }: WaitingRow) => group
    const parts = isOver ? partition(cell, byGroup) : split(cell, byGroup).filter((part) => isEnough(part.rows))
    for (const part of parts) {
      portions.push({ group: part.name, people: peopleIn(part.rows).size, rows: part.rows })
      const { entry, stage } = part.rows[0]!
      for (const { name: group } of split(part.rows, byGroup)) published.push({ entry, stage, group })
    }
  }
  const versionsOf = (portion: readonly WaitingRow[]) => partition(portion, ({ version }) => version)
  const sums = new Map<string, Figure>()
  const add = (group: number, facet: number, item: number, version: number, part: WaitingRow[], people: number) => {
    const stage = part[0]!.stage
    for (const of of new Set([group, TEAM])) {
      if (of === SEVERAL) continue
      const key = [of, facet, item, version, stage].join(' ')
      const sum = sums.get(key) ?? { group: of, facet, item, version, stage, times: 0, tokens: 0, people: 0 }
      sums.set(key, sum)
      for (const { times, tokens } of part) {
        sum.times += times
        sum.tokens += tokens
      }
      // A person who works in two groups counts in both: the exact number would tell how many do.
      sum.people += people
    }
  }
  for (const { group, people, rows: portion } of portions) {
    const { entry } = portion[0]!
    add(group, FACETS.entry, entry, 0, portion, people)
    for (const part of versionsOf(portion))
      add(group, FACETS.version, entry, part.name, part.rows, peopleIn(part.rows).size)
  }
  for (const { name: group, rows: shares } of split(portions, (portion) => portion.group)) {
    for (const { rows: same } of split(shares, (portion) => portion.rows[0]!.stage)) {
      const all = same.flatMap((portion) => portion.rows)
      const most = same.reduce((people, portion) => Math.max(people, portion.people), 0)
      add(group, FACETS.group, group, 0, all, most)
      const shown = same.flatMap((portion) => versionsOf(portion.rows).map((part) => part.rows))
      const agentOf = new Map<WaitingRow, number>()
      for (const part of splitAcross(shown, ({ agent }, isJoined) => (isJoined ? SEVERAL : agent))) {
        add(group, FACETS.agent, part.name, 0, part.rows, 0)
        for (const row of part.rows) agentOf.set(row, part.name)
      }
      const nameOf = (row: WaitingRow, isJoined: boolean) => `${agentOf.get(row)} ${isJoined ? SEVERAL : row.project}`
      for (const { name, rows: part } of splitAcross(shown, nameOf))
        add(group, FACETS.project, Number(name.split(' ')[1]), 0, part, 0)
    }
  }
  return { figures: [...sums.values()], published }
}

/** The Monday of the week that contains a day. */
export function mondayOf(day: string): string {
  return new Date(startOf(Date.parse(day), 'week')).toISOString().slice(0, 10)
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}
