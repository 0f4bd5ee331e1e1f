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

interface Part<T> {
  name: number
  rows: T[]
}

/** What one person did, or what some machines have, which stand for people. */
type Counted = { person: number } | { machines: readonly number[] }

export function countPeople(rows: readonly Counted[]): number {
  const people = new Set<number>()
  for (const row of rows) {
    if ('person' in row) people.add(row.person)
    else for (const machine of row.machines) people.add(machine)
  }
  return people.size
}

function isEnough(rows: readonly Counted[]): boolean {
  return countPeople(rows) > LARGEST_HIDDEN_GROUP
}

function split<T>(rows: readonly T[], nameOf: (row: T) => number): Part<T>[] {
  const parts = new Map<number, T[]>()
  for (const row of rows) {
    const known = parts.get(nameOf(row))
    if (known === undefined) parts.set(nameOf(row), [row])
    else known.push(row)
  }
  return [...parts].map(([name, each]) => ({ name, rows: each }))
}

/**
 * Splits rows so that more than five people stand behind each part. Joins smaller parts; if they are still too few
 * people together, the smallest of the others joins them: it would otherwise be the whole minus what is shown. Empty if
 * all rows together are of too few people.
 */
export function partition<T extends Counted>(rows: readonly T[], nameOf: (row: T) => number): Part<T>[] {
  const sized = split(rows, nameOf).map((part) => ({ ...part, people: countPeople(part.rows) }))
  sized.sort((a, b) => a.people - b.people || a.name - b.name)
  const joined: T[] = []
  let at = 0
  for (; at < sized.length; at++) {
    const { people, rows: each } = sized[at]!
    if (people > LARGEST_HIDDEN_GROUP && (joined.length === 0 || isEnough(joined))) break
    for (const row of each) joined.push(row)
  }
  const shown = sized.slice(at).map(({ name, rows: each }) => ({ name, rows: each }))
  if (joined.length === 0) return shown
  return isEnough(joined) ? [...shown, { name: SEVERAL, rows: joined }] : []
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
      portions.push({ group: part.name, people: countPeople(part.rows), rows: part.rows })
      const { entry, stage } = part.rows[0]!
      for (const { name: group } of split(part.rows, byGroup)) published.push({ entry, stage, group })
    }
  }
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
    for (const part of partition(portion, ({ version }) => version))
      add(group, FACETS.version, entry, part.name, part.rows, countPeople(part.rows))
  }
  for (const { name: group, rows: shares } of split(portions, (portion) => portion.group)) {
    for (const { rows: same } of split(shares, (portion) => portion.rows[0]!.stage)) {
      const all = same.flatMap((portion) => portion.rows)
      const most = same.reduce((people, portion) => Math.max(people, portion.people), 0)
      add(group, FACETS.group, group, 0, all, most)
      for (const part of partition(all, ({ agent }) => agent)) add(group, FACETS.agent, part.name, 0, part.rows, 0)
      for (const part of partition(all, ({ project }) => project))
        add(group, FACETS.project, part.name, 0, part.rows, 0)
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
