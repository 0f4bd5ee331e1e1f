import type { Machine } from '../machine/machine.ts'
import { Library } from '../skills/library-skills.ts'
import { LoadoutError } from '../text/trouble.ts'
import { quickDigest } from '../text/values.ts'
import { VERSION } from '../text/version.ts'
import { markAt, visitFrom } from '../usage/log.ts'
import type { Team } from './disk/team.ts'
import { formatBatch, formatOf, MOST_ROWS, SENT_TEXTS, type SentRow } from './rules/batch.ts'
import type { Membership, OutboxState } from './rules/membership.ts'
import { SendableRows } from './rules/sendable.ts'

/** New batches for the outbox, and its state afterwards. */
export interface Collection {
  batches: { sequence: number; bytes: string }[]
  state: OutboxState
}

// The rest is collected in the next round: a log of years must not fill the memory.
const MOST_BATCHES = 100

/** Makes batches of everything new in the usage log. Changes nothing: a dry run prints them, a push stores them. */
export function collect(team: Team, before: OutboxState): Collection {
  const { machine, membership } = team
  const log = machine.usageLog
  const versions = versionsHere(team)
  const versionOf = (skill: string, agent: string) => versions?.get(`${agent} ${skill}`) ?? versions?.get(skill)
  const state = { ...before }
  // The log was erased or replaced: everything in it is new.
  if (state.offset > 0 && markAt(log, state.offset) !== state.mark) state.offset = 0
  const batches: Collection['batches'] = []
  let rows = new SendableRows()
  // The number of the batch in which a list began that the next batch completes.
  let listedFrom: number | undefined
  const close = () => {
    const list = rows.list()
    state.leftOut += rows.leftOut
    rows = new SendableRows()
    // One event may list more skills than a batch has room for.
    while (list.length > 0 || listedFrom !== undefined) {
      const part = list.splice(0, MOST_ROWS)
      const listed = listedFrom === undefined || list.length > 0 ? undefined : state.next - listedFrom
      if (list.length === 0) listedFrom = undefined
      batches.push({ sequence: state.next, bytes: bytesOf(membership, state, part, listed) })
      state.next++
    }
  }
  const [installed, first] = [newlyInstalled(machine, versions, state), state.next]
  for (const row of installed ?? []) {
    rows.put(row)
    if (rows.isFull) close()
  }
  if (installed !== undefined) listedFrom = first
  visitFrom(log, state.offset, (event, end) => {
    rows.add(event, versionOf)
    state.offset = end
    if (rows.isFull) close()
    return batches.length < MOST_BATCHES
  })
  close()
  return { batches, state: { ...state, mark: markAt(log, state.offset) } }
}

function bytesOf(
  { team, person }: Membership,
  { machine, next }: OutboxState,
  rows: SentRow[],
  listed?: number,
): string {
  return formatBatch({ format: formatOf(rows), team, machine, sequence: next, person, client: VERSION, listed, rows })
}

type Versions = ReadonlyMap<string, string>

/** By agent and skill; by skill alone for uses that no agent reports, such as over MCP. */
function versionsHere({ machine }: Team): Versions | undefined {
  try {
    const found = new Library(machine).installedVersions()
    return new Map([
      ...found.map(({ skill, version }) => [skill, version] as const),
      ...found.map(({ skill, agent, version }) => [`${agent} ${skill}`, version] as const),
    ])
  } catch (error) {
    // Without a readable configuration, events are sent without versions, and no list is sent: an empty one would be wrong.
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

/** The version of each skill that the agents have: once a day, and after a change, also to none. Else undefined. */
function newlyInstalled(machine: Machine, versions: Versions | undefined, state: OutboxState): SentRow[] | undefined {
  if (versions === undefined) return undefined
  const now = machine.now().toISOString()
  const list = [...versions].filter(([name]) => name.includes(' '))
  const digest = quickDigest(JSON.stringify(list))
  const installed = `${now.slice(0, 10)} ${digest}`
  // The server knows already that there is none.
  if (list.length === 0 && (state.installed === '' || state.installed.endsWith(digest))) return undefined
  if (installed === state.installed) return undefined
  state.installed = installed
  return list.flatMap(([name, version]): SentRow[] => {
    const [agent = '', id = ''] = name.split(' ')
    if (!SENT_TEXTS.id.test(id)) return []
    return [{ kind: 'skill', id, agent, stage: 'installed', version, hour: now.slice(0, 13), tokens: 0, times: 1 }]
  })
}
