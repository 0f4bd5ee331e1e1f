import type { Money } from '../../text/cost.ts'
import { compareText } from '../../text/values.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'
import type { SentStage } from './batch.ts'
import { LARGEST_HIDDEN_GROUP, partition, peopleIn, SEVERAL, TEAM } from './portions.ts'

/** A number of people or machines, or null if it is from one to five, which is not shown. */
type People = number | null

/** What the published figures add up to. Null: no figure was published, because there was nothing or of too few people. */
interface StageCounts {
  planned: number | null
  delivered: number | null
  used: number | null
  /** Delivered, or opened by an agent. */
  tokens: number
}

interface VersionReport extends StageCounts {
  /** Empty if unknown; `*` for several that are shown together. */
  version: string
  people: People
  /** The Mondays of the first and of the last week. */
  firstWeek: string
  lastWeek: string
}

interface EntryReport extends StageCounts {
  kind: EntryKind
  id: string
  /** At least so many, in the week with the most. */
  people: People
  /** Tokens of its line in the lists that agents read at a start. */
  listing: number
  versions: VersionReport[]
}

/** A version that machines have, as the catalog knows it. */
interface InstalledVersion {
  digest: string
  /** Its name in the catalog. */
  name?: string
  state?: string
}

/** Which versions the machines with a skill have today. */
interface RolloutReport {
  kind: EntryKind
  id: string
  machines: People
  /** What the catalog says about all its versions. */
  state?: string
  /** Versions that few machines have are shown together with others. Share: per cent of the machines that have it. */
  versions: { versions: InstalledVersion[]; machines: People; share: number | null; since: string | null }[]
}

interface Attention {
  /** Stopped: the catalog has stopped these versions, and machines still have them. Behind: older than the approved one. */
  about: 'stopped' | 'behind' | 'gone'
  kind: EntryKind
  id: string
  versions: string[]
  /** The newest approved version. */
  wanted?: string
  machines: People
}

interface NamedSums {
  events: number
  used: number
  tokens: number
  listing: number
}

export interface TeamReport {
  /** The first and the last day, both included: a Monday and a Sunday. */
  from: string
  to: string
  people: People
  events: number
  tokens: number
  /** Tokens of the lists of skills that agents read at a start. */
  listing: number
  /** What all these tokens cost, by the prices of the reader. */
  money?: Money
  /** Batches that arrived and are not counted yet. */
  waiting: number
  /** Until when a week that is not over was published. */
  running?: string
  /** Machines that have not sent anything for so long that they are not in the roll-out. */
  silent?: People
  entries: EntryReport[]
  /** Installed or planned, but received or used by five people or fewer. The one with the most expensive line first. */
  deadWeight: { kind: EntryKind; id: string; planned: number; listing: number; machines: People }[]
  /** Delivered, but used by five people or fewer. */
  inVain: { kind: EntryKind; id: string; delivered: number; tokens: number }[]
  rollout: RolloutReport[]
  /** What a maintainer should act on, and what is done with. Versions by their names in the catalog. */
  attention: Attention[]
  groups: ({ group: string; people: People } & NamedSums)[]
  agents: ({ agent: string; money?: Money } & NamedSums)[]
  projects: ({ project: string } & NamedSums)[]
}

/** A sum of published figures. */
interface SummedRow {
  entry: string
  name: string
  version: string
  /** Of several versions, groups, agents or projects. */
  isJoined: boolean
  stage: SentStage
  times: number
  tokens: number
  people: number
  first: string
  last: string
}

/** The rows from the database. */
export interface ReportRows {
  usage: SummedRow[]
  versions: SummedRow[]
  groups: SummedRow[]
  agents: SummedRow[]
  projects: SummedRow[]
  /** One for each skill, version and group; its machines stand for people. */
  holdings: { entry: string; version: string; group: number; machines: readonly number[]; since: string }[]
  /** The newest first. */
  catalog: { entry: string; version: string; state: string; digest: string }[]
  /** The group of the report, or `TEAM`. */
  group: number
  people: number
  waiting: number
  silent: number | undefined
  running: string | undefined
}

function shownPeople(people: number): People {
  return people > 0 && people <= LARGEST_HIDDEN_GROUP ? null : people
}

export function assembleReport({ from, to }: { from: string; to: string }, rows: ReportRows): TeamReport {
  const entries = entriesOf(rows)
  const rollout = rolloutOf(rows)
  const used = entries.filter(({ planned, delivered, used: times }) => (planned ?? delivered ?? times) !== null)
  const agents = sumNamed(rows.agents, 'several agents')
  const groups = sumNamed(rows.groups, 'other groups')
  const mostIn = (group: string) =>
    Math.max(
      ...rows.groups.filter((row) => (row.isJoined ? 'other groups' : row.name) === group).map((row) => row.people),
    )
  return {
    from,
    to,
    people: rows.people === 0 ? null : shownPeople(rows.people),
    events: agents.reduce((sum, { events }) => sum + events, 0),
    tokens: entries.reduce((sum, { tokens }) => sum + tokens, 0),
    listing: entries.reduce((sum, { listing }) => sum + listing, 0),
    waiting: rows.waiting,
    running: rows.running,
    silent: rows.silent === undefined ? undefined : shownPeople(rows.silent),
    entries: used,
    deadWeight: deadWeightOf(entries, rollout),
    inVain: used
      .filter((entry) => entry.delivered !== null && entry.used === null)
      .map(({ kind, id, delivered, tokens }) => ({ kind, id, delivered: delivered ?? 0, tokens }))
      .sort((a, b) => b.tokens - a.tokens || compareText(a.id, b.id)),
    rollout,
    attention: attentionOf(rollout, rows),
    groups: groups.map(({ name, ...sums }) => ({ group: name, people: shownPeople(mostIn(name)), ...sums })),
    agents: agents.map(({ name, ...sums }) => ({ agent: name, ...sums })),
    projects: sumNamed(
      rows.projects.filter((row) => row.name !== ''),
      '',
    ).map(({ name, ...sums }) => ({ project: name, ...sums })),
  }
}

const NO_STAGES: StageCounts = { planned: null, delivered: null, used: null, tokens: 0 }

function addStage(counts: StageCounts, { stage, times, tokens }: SummedRow): void {
  if (stage === 'installed') return
  counts[stage] = (counts[stage] ?? 0) + times
  if (stage !== 'planned') counts.tokens += tokens
}

function entriesOf({ usage, versions }: ReportRows): EntryReport[] {
  const entries = new Map<string, EntryReport>()
  for (const row of usage) {
    const report = entries.get(row.entry) ?? {
      ...entryOf(row.entry),
      ...NO_STAGES,
      people: null,
      listing: 0,
      versions: [],
    }
    entries.set(row.entry, report)
    addStage(report, row)
    if (row.stage === 'installed') report.listing += row.tokens
    // Planning is done by a machine.
    else if (row.stage !== 'planned') report.people = Math.max(report.people ?? 0, row.people)
  }
  for (const row of versions) {
    const all = entries.get(row.entry)?.versions
    if (all === undefined || row.stage === 'installed') continue
    const version = row.isJoined ? '*' : row.version
    let found = all.find((each) => each.version === version)
    if (found === undefined) {
      found = { version, ...NO_STAGES, people: null, firstWeek: row.first, lastWeek: row.last }
      all.push(found)
    }
    addStage(found, row)
    if (row.stage !== 'planned') found.people = Math.max(found.people ?? 0, row.people)
    if (row.first < found.firstWeek) found.firstWeek = row.first
    if (row.last > found.lastWeek) found.lastWeek = row.last
  }
  const most = (number: number | null) => number ?? 0
  for (const report of entries.values())
    report.versions.sort((a, b) => compareText(b.lastWeek, a.lastWeek) || most(b.used) - most(a.used))
  return [...entries.values()].sort(
    (a, b) =>
      most(b.used) - most(a.used) ||
      most(b.delivered) - most(a.delivered) ||
      most(b.planned) - most(a.planned) ||
      compareText(a.id, b.id),
  )
}

function entryOf(entry: string): { kind: EntryKind; id: string } {
  const at = entry.indexOf(':')
  return { kind: entry.slice(0, at) as EntryKind, id: entry.slice(at + 1) }
}

function deadWeightOf(entries: readonly EntryReport[], rollout: readonly RolloutReport[]): TeamReport['deadWeight'] {
  const known = new Map(entries.map((entry) => [`${entry.kind}:${entry.id}`, entry]))
  const machines = new Map(rollout.map(({ kind, id, machines: count }) => [`${kind}:${id}`, count]))
  return [...new Set([...known.keys(), ...machines.keys()])]
    .flatMap((name) => {
      const { delivered = null, used = null, planned = null, listing = 0 } = known.get(name) ?? {}
      if (delivered !== null || used !== null) return []
      return [{ ...entryOf(name), planned: planned ?? 0, listing, machines: machines.get(name) ?? null }]
    })
    .sort((a, b) => b.listing - a.listing || b.planned - a.planned || compareText(a.id, b.id))
}

/**
 * The same portions as for usage: a machine stands for a person. That few machines have a version is said, not how many:
 * after an incident, the question is whether any has it.
 */
function rolloutOf({ holdings, catalog, group }: ReportRows): RolloutReport[] {
  const said = new Map<string, ReportRows['catalog'][number]>()
  for (const row of catalog) {
    const key = `${row.entry} ${row.version === '*' ? '*' : row.digest}`
    if (!said.has(key)) said.set(key, row)
  }
  const byEntry = new Map<string, ReportRows['holdings']>()
  for (const row of holdings) {
    const known = byEntry.get(row.entry)
    if (known === undefined) byEntry.set(row.entry, [row])
    else known.push(row)
  }
  return [...byEntry]
    .flatMap(([entry, rows]): RolloutReport[] => {
      const state = said.get(`${entry} *`)?.state
      const about = { ...entryOf(entry), state }
      const digests = [...new Set(rows.map(({ version }) => version))].sort(compareText)
      const numberOf = new Map(digests.map((digest, at) => [digest, at]))
      const named = (names: readonly string[]) =>
        [...names].sort(compareText).map((digest): InstalledVersion => {
          const found = said.get(`${entry} ${digest}`)
          return found === undefined ? { digest } : { digest, name: found.version, state: found.state }
        })
      const parts = partition(rows, (row) => row.group).filter(({ name }) => group === TEAM || name === group)
      if (parts.length === 0) {
        const versions = [{ versions: named(digests), machines: null, share: null, since: null }]
        return group === TEAM ? [{ ...about, machines: null, versions }] : []
      }
      const all = parts.reduce((sum, part) => sum + peopleIn(part.rows).size, 0)
      const shown = new Map<string, { names: string[]; machines: number; since: string }>()
      for (const part of parts) {
        for (const version of partition(part.rows, (row) => numberOf.get(row.version) ?? 0)) {
          const names = [...new Set(version.rows.map((row) => row.version))]
          const since = [...new Set(version.rows.map((row) => row.since))].sort(compareText)[0] ?? ''
          const key = version.name === SEVERAL ? names.sort(compareText).join(' ') : (names[0] ?? '')
          const known = shown.get(key) ?? { names, machines: 0, since }
          const machines = known.machines + peopleIn(version.rows).size
          shown.set(key, { names, machines, since: [since, known.since].sort(compareText)[0] ?? '' })
        }
      }
      const versions = [...shown.values()]
        .sort((a, b) => compareText(b.since, a.since) || compareText(a.names.join(), b.names.join()))
        .map(({ names, machines, since }) => {
          return { versions: named(names), machines, share: Math.round((machines / all) * 100), since }
        })
      return [{ ...about, machines: all, versions }]
    })
    .sort((a, b) => b.versions.length - a.versions.length || compareText(a.id, b.id))
}

const STOPPED = ['quarantined', 'retired']

/** Of the roll-out, what differs from the catalog. That a version is gone is said of the whole team only. */
function attentionOf(rollout: readonly RolloutReport[], { catalog, group }: ReportRows): Attention[] {
  const found = rollout.flatMap(({ kind, id, state: all, versions: parts }) => {
    const approved = catalog.find((row) => row.entry === `${kind}:${id}` && row.state === 'approved')?.version
    return parts.flatMap(({ versions, machines }): Attention[] => {
      const names = versions.map(({ name, digest }) => name ?? digest.slice(0, 10))
      const stopped = names.filter((_, at) => STOPPED.includes(versions[at]?.state ?? all ?? ''))
      // A number stands for all versions of its part.
      const about = { kind, id, machines: versions.length === 1 ? machines : null }
      if (stopped.length > 0) return [{ ...about, about: 'stopped', versions: stopped }]
      if (approved === undefined || names.includes(approved)) return []
      return [{ ...about, about: 'behind', versions: names, wanted: approved }]
    })
  })
  const held = new Set(
    rollout.flatMap(({ kind, id, versions }) =>
      versions.flatMap((part) => part.versions.map(({ name }) => `${kind}:${id} ${name}`)),
    ),
  )
  const gone = catalog
    .filter((row) => group === TEAM && row.version !== '*' && STOPPED.includes(row.state))
    .filter((row) => !held.has(`${row.entry} ${row.version}`))
    .map((row): Attention => ({ about: 'gone', ...entryOf(row.entry), versions: [row.version], machines: 0 }))
  const order = ['stopped', 'behind', 'gone']
  return [...found, ...gone].sort(
    (a, b) =>
      order.indexOf(a.about) - order.indexOf(b.about) ||
      compareText(a.id, b.id) ||
      compareText(a.versions.join(), b.versions.join()),
  )
}

function sumNamed(rows: readonly SummedRow[], joined: string) {
  const sums = new Map<string, NamedSums & { name: string }>()
  for (const { name: own, isJoined, stage, times, tokens } of rows) {
    if (stage === 'installed' && tokens === 0) continue
    const name = isJoined ? joined : own
    const sum = sums.get(name) ?? { name, events: 0, used: 0, tokens: 0, listing: 0 }
    sums.set(name, sum)
    if (stage === 'installed') {
      sum.listing += tokens
      continue
    }
    sum.events += times
    if (stage === 'used') sum.used += times
    if (stage !== 'planned') sum.tokens += tokens
  }
  return [...sums.values()].sort((a, b) => b.events - a.events || compareText(a.name, b.name))
}
