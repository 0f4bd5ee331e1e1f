import { type Machine, usageLogPath } from '../machine/machine.ts'
import { installedVersions } from '../skills/installed-versions.ts'
import { LoadoutError } from '../text/trouble.ts'
import { quickDigest } from '../text/values.ts'
import { VERSION } from '../text/version.ts'
import { markAt, visitFrom } from '../usage/log.ts'
import { FORMAT, formatBatch, SENT_TEXTS, type SentRow } from './rules/batch.ts'
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
export function collect(machine: Machine, membership: Membership, before: OutboxState): Collection {
  const log = usageLogPath(machine)
  const versions = versionsHere(machine)
  const versionOf = (skill: string, agent: string) => versions.get(`${agent} ${skill}`) ?? versions.get(skill)
  const state = { ...before }
  // The log was erased or replaced: everything in it is new.
  if (state.offset > 0 && markAt(log, state.offset) !== state.mark) state.offset = 0
  const batches: Collection['batches'] = []
  let rows = new SendableRows()
  const close = () => {
    const list = rows.list()
    state.leftOut += rows.leftOut
    rows = new SendableRows()
    if (list.length === 0) return
    batches.push({ sequence: state.next, bytes: bytesOf(membership, state, list) })
    state.next++
  }
  for (const row of newlyInstalled(machine, versions, state)) {
    rows.put(row)
    if (rows.isFull) close()
  }
  visitFrom(log, state.offset, (event, end) => {
    rows.add(event, versionOf)
    state.offset = end
    if (rows.isFull) close()
    return batches.length < MOST_BATCHES
  })
  close()
  return { batches, state: { ...state, mark: markAt(log, state.offset) } }
}

function bytesOf({ team, person }: Membership, { machine, next }: OutboxState, rows: SentRow[]): string {
  return formatBatch({ format: FORMAT, team, machine, sequence: next, person, client: VERSION, rows })
}

type Versions = ReadonlyMap<string, string>

/** By agent and skill; by skill alone for uses that no agent reports, such as over MCP. */
function versionsHere(machine: Machine): Versions {
  try {
    const found = installedVersions(machine)
    return new Map([
      ...found.map(({ skill, version }) => [skill, version] as const),
      ...found.map(({ skill, agent, version }) => [`${agent} ${skill}`, version] as const),
    ])
  } catch (error) {
    // Without a readable configuration, events are sent without versions.
    if (error instanceof LoadoutError) return new Map()
    throw error
  }
}

/** The version of each skill that the agents have: once a day, and after a change. */
function newlyInstalled(machine: Machine, versions: Versions, state: OutboxState): SentRow[] {
  const now = machine.now().toISOString()
  const list = [...versions].filter(([name]) => name.includes(' '))
  const installed = `${now.slice(0, 10)} ${quickDigest(JSON.stringify(list))}`
  if (list.length === 0 || installed === state.installed) return []
  state.installed = installed
  return list.flatMap(([name, version]): SentRow[] => {
    const [agent = '', id = ''] = name.split(' ')
    if (!SENT_TEXTS.id.test(id)) return []
    return [{ kind: 'skill', id, agent, stage: 'installed', version, hour: now.slice(0, 13), tokens: 0, times: 1 }]
  })
}
