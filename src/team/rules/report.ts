import { compareText } from '../../text/values.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'
import type { SentStage } from './batch.ts'

/** Figures about this many people or fewer are hidden: individuals could be identified. */
export const LARGEST_HIDDEN_GROUP = 5

/** A number of people, or null if it is too small to be shown. */
type People = number | null

interface StageCounts {
  planned: number
  delivered: number
  used: number
  /** Delivered or used. */
  tokens: number
}

interface VersionReport extends StageCounts {
  /** Empty if unknown. */
  version: string
  /** Who received or used it. */
  people: People
  firstDay: string
  lastDay: string
}

interface EntryReport extends StageCounts {
  kind: EntryKind
  id: string
  people: People
  versions: VersionReport[]
}

/** Which versions the machines with a skill have today. */
interface RolloutReport {
  kind: EntryKind
  id: string
  machines: People
  versions: { version: string; machines: People; share: number; since: string }[]
}

export interface TeamReport {
  /** The first day, and the day after the last. */
  from: string
  to: string
  people: People
  events: number
  tokens: number
  /** Batches that arrived and are not counted yet. */
  waiting: number
  entries: EntryReport[]
  /** Installed or planned, but neither delivered nor used in this range. */
  deadWeight: { kind: EntryKind; id: string; planned: number; machines: People }[]
  /** Delivered, but never used in this range. */
  inVain: { kind: EntryKind; id: string; delivered: number; tokens: number }[]
  rollout: RolloutReport[]
  groups: { group: string; people: People; events: number; used: number; tokens: number }[]
  agents: { agent: string; events: number; used: number; tokens: number }[]
  projects: { project: string; events: number; used: number; tokens: number }[]
}

/** The rows from the database. */
export interface ReportRows {
  usage: {
    entry: string
    version: string
    stage: SentStage
    times: number
    tokens: number
    first: string
    last: string
  }[]
  people: { entry: string; version: string; people: number }[]
  entryPeople: { entry: string; people: number }[]
  holdings: { entry: string; version: string; machines: number; since: string }[]
  groups: { name: string; stage: SentStage; times: number; tokens: number }[]
  groupPeople: { name: string; people: number }[]
  agents: { name: string; stage: SentStage; times: number; tokens: number }[]
  projects: { name: string; stage: SentStage; times: number; tokens: number }[]
  allPeople: number
  waiting: number
}

function shownPeople(people: number): People {
  return people > LARGEST_HIDDEN_GROUP ? people : null
}

export function assembleReport({ from, to }: { from: string; to: string }, rows: ReportRows): TeamReport {
  const entries = entriesOf(rows)
  const agents = sumNamed(rows.agents)
  return {
    from,
    to,
    people: shownPeople(rows.allPeople),
    events: agents.reduce((sum, { events }) => sum + events, 0),
    tokens: entries.reduce((sum, { tokens }) => sum + tokens, 0),
    waiting: rows.waiting,
    entries,
    deadWeight: deadWeightOf(entries, rows),
    inVain: entries
      .filter(({ delivered, used }) => delivered > 0 && used === 0)
      .map(({ kind, id, delivered, tokens }) => ({ kind, id, delivered, tokens }))
      .sort((a, b) => b.tokens - a.tokens || compareText(a.id, b.id)),
    rollout: rolloutOf(rows),
    groups: groupsOf(rows),
    agents: agents.map(({ name, ...sums }) => ({ agent: name, ...sums })),
    projects: sumNamed(rows.projects).map(({ name, ...sums }) => ({ project: name, ...sums })),
  }
}

const NONE: StageCounts = { planned: 0, delivered: 0, used: 0, tokens: 0 }

function addStage(counts: StageCounts, stage: SentStage, times: number, tokens: number): void {
  if (stage === 'installed') return
  counts[stage] += times
  if (stage !== 'planned') counts.tokens += tokens
}

function entriesOf({ usage, people, entryPeople }: ReportRows): EntryReport[] {
  const peopleOf = new Map(people.map((row) => [`${row.entry} ${row.version}`, row.people]))
  const all = new Map(entryPeople.map((row) => [row.entry, row.people]))
  const entries = new Map<string, EntryReport>()
  for (const { entry, version, stage, times, tokens, first, last } of usage) {
    const report = entries.get(entry) ?? {
      ...nameOf(entry),
      ...NONE,
      people: shownPeople(all.get(entry) ?? 0),
      versions: [],
    }
    entries.set(entry, report)
    addStage(report, stage, times, tokens)
    let found = report.versions.find((each) => each.version === version)
    if (found === undefined) {
      const reached = shownPeople(peopleOf.get(`${entry} ${version}`) ?? 0)
      found = { version, ...NONE, people: reached, firstDay: first, lastDay: last }
      report.versions.push(found)
    }
    addStage(found, stage, times, tokens)
    if (first < found.firstDay) found.firstDay = first
    if (last > found.lastDay) found.lastDay = last
  }
  for (const { versions } of entries.values())
    versions.sort((a, b) => compareText(b.lastDay, a.lastDay) || b.used - a.used)
  return [...entries.values()].sort(
    (a, b) => b.used - a.used || b.delivered - a.delivered || b.planned - a.planned || compareText(a.id, b.id),
  )
}

function nameOf(entry: string): { kind: EntryKind; id: string } {
  const at = entry.indexOf(':')
  return { kind: entry.slice(0, at) as EntryKind, id: entry.slice(at + 1) }
}

function deadWeightOf(entries: readonly EntryReport[], { holdings }: ReportRows): TeamReport['deadWeight'] {
  const machines = new Map<string, number>()
  for (const { entry, machines: count } of holdings) machines.set(entry, (machines.get(entry) ?? 0) + count)
  const dead = new Map(
    entries
      .filter(({ delivered, used }) => delivered + used === 0)
      .map(({ kind, id, planned }) => [`${kind}:${id}`, { kind, id, planned }]),
  )
  const met = new Set(entries.map(({ kind, id }) => `${kind}:${id}`))
  for (const entry of machines.keys()) if (!met.has(entry)) dead.set(entry, { ...nameOf(entry), planned: 0 })
  return [...dead]
    .map(([entry, row]) => ({ ...row, machines: shownPeople(machines.get(entry) ?? 0) }))
    .sort((a, b) => b.planned - a.planned || compareText(a.id, b.id))
}

/** A machine stands for a person, so small numbers of machines are hidden too; shares of many are shown. */
function rolloutOf({ holdings }: ReportRows): RolloutReport[] {
  const byEntry = new Map<string, ReportRows['holdings']>()
  for (const row of holdings) byEntry.set(row.entry, [...(byEntry.get(row.entry) ?? []), row])
  return [...byEntry]
    .flatMap(([entry, rows]) => {
      const all = rows.reduce((sum, { machines }) => sum + machines, 0)
      if (shownPeople(all) === null) return []
      const versions = rows
        .map(({ version, machines, since }) => {
          return { version, machines: shownPeople(machines), share: Math.round((machines / all) * 100), since }
        })
        .sort((a, b) => compareText(b.since, a.since) || compareText(a.version, b.version))
      return [{ ...nameOf(entry), machines: all, versions }]
    })
    .sort((a, b) => b.versions.length - a.versions.length || compareText(a.id, b.id))
}

function sumNamed(rows: ReportRows['agents']) {
  const sums = new Map<string, { name: string; events: number; used: number; tokens: number }>()
  for (const { name, stage, times, tokens } of rows) {
    if (stage === 'installed') continue
    const sum = sums.get(name) ?? { name, events: 0, used: 0, tokens: 0 }
    sums.set(name, sum)
    sum.events += times
    if (stage === 'used') sum.used += times
    if (stage !== 'planned') sum.tokens += tokens
  }
  return [...sums.values()].sort((a, b) => b.events - a.events || compareText(a.name, b.name))
}

const SMALLER = 'smaller groups'

/**
 * Adds up groups that are too small to be shown. If their sum is too small as well, adds the smallest of the others:
 * otherwise the sum could be calculated by subtracting the others from the total.
 */
function groupsOf({ groups, groupPeople }: ReportRows): TeamReport['groups'] {
  const people = new Map(groupPeople.map(({ name, people: count }) => [name, count]))
  const all = sumNamed(groups)
    .map((sum) => ({ ...sum, people: people.get(sum.name) ?? 0 }))
    .sort((a, b) => a.people - b.people || compareText(a.name, b.name))
  let merged = all.filter((group) => shownPeople(group.people) === null).length
  const together = () => all.slice(0, merged).reduce((sum, group) => sum + group.people, 0)
  while (merged > 0 && merged < all.length && shownPeople(together()) === null) merged++
  const [small, large] = [all.slice(0, merged), all.slice(merged)]
  const shown = large.map(({ name, people: count, ...sums }) => ({ group: name, people: shownPeople(count), ...sums }))
  shown.sort((a, b) => b.events - a.events || compareText(a.group, b.group))
  if (small.length === 0) return shown
  const rest = { group: SMALLER, people: shownPeople(together()), events: 0, used: 0, tokens: 0 }
  for (const { events, used, tokens } of small) {
    rest.events += events
    rest.used += used
    rest.tokens += tokens
  }
  return [...shown, rest]
}
