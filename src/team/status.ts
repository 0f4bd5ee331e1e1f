import { count } from '../text/count.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { collect } from './collect.ts'
import { type Team, withTeam } from './disk/team.ts'
import { parseBatch } from './rules/batch.ts'
import type { OutboxState } from './rules/membership.ts'

export interface TeamStatus {
  url: string
  group: string
  role: string
  person: string
  joined: string
  server: 'ready' | 'not ready'
  /** Batches and events that were not sent yet, including new ones in the usage log. */
  waiting: { batches: number; events: number }
  sent: number
  leftOut: number
  last?: OutboxState['last']
}

const SERVER_MS = 5_000

/** What this machine has sent, what waits, and whether its server answers. */
export const teamStatus = withTeam(async (team, _request: object): Promise<TeamStatus> => {
  const state = team.outbox.require()
  const collected = collect(team, state)
  const waiting = team.outbox.batchesIn('outbox', state)
  const bodies = [
    ...waiting.map((sequence) => team.outbox.readBatch(state, sequence)),
    ...collected.batches.map((each) => each.bytes),
  ]
  const { url, group, role, person, joined } = team.membership
  const findings = [...(await askServer(team)), ...stateFindings(state)]
  const isReady = findings.every(({ severity }) => severity !== 'error')
  team.machine.report(...findings)
  return {
    ...{ url, group, role, person, joined },
    server: isReady ? 'ready' : 'not ready',
    waiting: { batches: bodies.length, events: bodies.reduce((sum, body) => sum + eventsIn(body), 0) },
    sent: state.next - 1 - waiting.length,
    leftOut: collected.state.leftOut,
    last: state.last,
  }
})

function eventsIn(body: string): number {
  const read = parseBatch(body)
  return 'batch' in read ? read.batch.rows.reduce((sum, { times }) => sum + times, 0) : 0
}

async function askServer(team: Team): Promise<Finding[]> {
  try {
    await team.call({ method: 'GET', path: '/ready', milliseconds: SERVER_MS })
    return []
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    return [
      {
        severity: 'error',
        code,
        message,
        hint: hint ?? 'nothing is lost: events are sent when the server answers again',
      },
    ]
  }
}

function stateFindings({ last }: OutboxState): Finding[] {
  const findings: Finding[] = []
  if (last?.hoursOff !== undefined) {
    findings.push(report('TEAM_CLOCK', { hours: count(Math.abs(last.hoursOff), 'hour') }))
  }
  return findings
}
