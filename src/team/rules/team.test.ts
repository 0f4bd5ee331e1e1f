import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UsageEvent } from '../../usage/rules/usage-event.ts'
import { formatToken, keyPrint, mayUse, parseToken, pseudonym, type Right, ROLES, tokenId } from './access.ts'
import { type Batch, formatBatch, hoursOff, LARGEST_BATCH, MOST_ROWS, parseBatch, type SentRow } from './batch.ts'
import { nextAttemptMs, parseMembership, serverAddress } from './membership.ts'
import { SendableRows } from './sendable.ts'

const row: SentRow = {
  kind: 'skill',
  id: 'release-notes',
  agent: 'claude',
  stage: 'used',
  version: '0123456789abcdef',
  hour: '2026-11-17T10',
  tokens: 12,
  times: 2,
}
const id = 'a'.repeat(32)
const batch: Batch = { format: 1, team: id, machine: id, sequence: 1, person: id, client: '0.1.0', rows: [row] }

describe('a batch', () => {
  it('is read back as it was written', () => {
    expect(parseBatch(formatBatch(batch))).toEqual({ batch })
  })

  it('loses what this version does not know', () => {
    const json = { ...batch, prompt: 'secret', rows: [{ ...row, task: 'secret' }] }
    expect(parseBatch(JSON.stringify(json))).toEqual({ batch })
  })

  const bad: [change: object, problem: string][] = [
    [{ format: 'x' }, '"format" is missing'],
    [{ format: 99 }, 'format 99 is not accepted'],
    [{ team: 'x' }, '"team" is not an id'],
    [{ machine: `${id}'` }, '"machine" is not an id'],
    [{ sequence: 0 }, '"sequence" is not a number from 1 to 2147483647'],
    [{ sequence: 1.5 }, '"sequence" is not a number from 1 to 2147483647'],
    [{ person: 'admin@example.com' }, '"person" is not a pseudonym'],
    [{ client: 'a b' }, '"client" is not a version'],
    [{ rows: [] }, '"rows" is empty'],
    [{ rows: {} }, '"rows" is empty'],
    [{ rows: Array(MOST_ROWS + 1).fill(row) }, `"rows" has more than ${MOST_ROWS} rows`],
    [{ rows: [null] }, 'rows[0]: it is not an object'],
    [{ rows: [row, { ...row, kind: 'prompt' }] }, 'rows[1]: "kind" is unknown'],
    [{ rows: [{ ...row, stage: 'seen' }] }, 'rows[0]: "stage" is unknown'],
    [{ rows: [{ ...row, id: '../secret' }] }, 'rows[0]: "id" is not the name of an entry'],
    [{ rows: [{ ...row, id: 'two words' }] }, 'rows[0]: "id" is not the name of an entry'],
    [{ rows: [{ ...row, agent: 'Claude Code' }] }, 'rows[0]: "agent" is not the name of an agent'],
    [{ rows: [{ ...row, version: "1'; DROP" }] }, 'rows[0]: "version" is not a digest'],
    [{ rows: [{ ...row, project: '/home/admin/shop' }] }, 'rows[0]: "project" is not a name'],
    [{ rows: [{ ...row, hour: '2026-02-30T10' }] }, 'rows[0]: "hour" is not an hour such as 2026-11-17T10'],
    [{ rows: [{ ...row, hour: '2026-11-17T24' }] }, 'rows[0]: "hour" is not an hour such as 2026-11-17T10'],
    [{ rows: [{ ...row, tokens: -1 }] }, 'rows[0]: "tokens" is not a number'],
    [{ rows: [{ ...row, times: 0 }] }, 'rows[0]: "times" is not a number from 1'],
  ]
  it.each(bad)('is refused: %j', (change, problem) => {
    expect(parseBatch(JSON.stringify({ ...batch, ...change }))).toMatchObject({ problem })
  })

  it('is never larger than a server takes', () => {
    const largest = {
      ...row,
      id: 'x'.repeat(128),
      agent: 'x'.repeat(32),
      version: 'f'.repeat(64),
      tokens: 1e9,
      times: 1e6,
    }
    const rows = Array(MOST_ROWS).fill({ ...largest, project: 'ä'.repeat(64) })
    expect(Buffer.byteLength(formatBatch({ ...batch, rows }))).toBeLessThan(LARGEST_BATCH)
  })

  it('never throws, whatever arrives', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseBatch(text)))
  })
})

describe('what may be sent of an event', () => {
  const event: UsageEvent = {
    timestamp: '2026-11-17T10:59:59.999Z',
    taskHash: 'hash-canary',
    entryId: 'release-notes',
    trigger: 'trigger-canary',
    mode: 'lazy',
    tokensEst: 3.6,
    sourceLayer: 'layer-canary',
    stage: 'delivered',
    kind: 'skill',
    via: 'claude',
    session: 'session-canary',
    task: 'words-canary',
    asked: { project: '/path/canary' },
  }
  const sent = (...events: UsageEvent[]) => {
    const rows = new SendableRows()
    for (const each of events)
      rows.add(each, (skill, agent) => (skill + agent === 'release-notesclaude' ? 'abcdef01' : undefined))
    return { rows: rows.list(), leftOut: rows.leftOut }
  }

  it('is a fixed choice of fields; what is alike in an hour is one row', () => {
    expect(sent(event, { ...event, timestamp: '2026-11-17T10:00:00Z' })).toEqual({
      rows: [
        {
          ...{ kind: 'skill', id: 'release-notes', agent: 'claude', stage: 'delivered' },
          ...{ version: 'abcdef01', hour: '2026-11-17T10', tokens: 8, times: 2 },
        },
      ],
      leftOut: 0,
    })
  })

  const rows: [change: Partial<UsageEvent>, leftOut: number, rows: number][] = [
    [{ entryId: '' }, 0, 0],
    [{ entryId: 'src/a.ts' }, 1, 0],
    [{ entryId: 'fix the login of admin' }, 1, 0],
    [{ via: '/bin/agent' }, 1, 0],
    [{ timestamp: 'yesterday' }, 1, 0],
    [{ entryId: 'plugin:skill' }, 0, 1],
  ]
  it.each(rows)('%j', (change, leftOut, count) => {
    const found = sent({ ...event, ...change })
    expect([found.leftOut, found.rows.length]).toEqual([leftOut, count])
  })

  it('holds no canary, whatever the fields hold', () => {
    const canary = fc.string().map((text) => `${text} canary ${text}`)
    fc.assert(
      fc.property(
        fc.record({
          task: canary,
          trigger: canary,
          session: canary,
          sourceLayer: canary,
          version: canary,
          taskHash: canary,
        }),
        (change) => {
          expect(JSON.stringify(sent({ ...event, ...change }).rows)).not.toContain('canary')
        },
      ),
    )
  })
})

describe('tokens and pseudonyms', () => {
  const token = { secret: 's'.repeat(32), key: 'k'.repeat(32) }
  it('a token is read back, and anything else is none', () => {
    expect(parseToken(` ${formatToken(token)}\n`)).toEqual(token)
    for (const text of ['', 'ldt_', formatToken(token).slice(1), `${formatToken(token)}x`])
      expect(parseToken(text)).toBe(undefined)
    expect(tokenId(token.secret)).toMatch(/^[0-9a-f]{12}$/)
  })

  it('a person is one in a team, whatever the case, and another in the next team', () => {
    expect(pseudonym('key', 'Admin@example.com ')).toBe(pseudonym('key', 'admin@example.com'))
    expect(pseudonym('other', 'admin@example.com')).not.toBe(pseudonym('key', 'admin@example.com'))
    expect(keyPrint('key')).not.toBe(keyPrint('other'))
  })
})

it.each<[machine: number | undefined, server: number, hours: number]>([
  [undefined, 1_000_000, 0],
  [1_000_000, 1_001_000, 0],
  [1_000_000, 1_003_600, 1],
  [1_007_200, 1_000_000, -2],
  [Number.NaN, 0, 0],
  [0, 1e15, 876_600],
])('a clock at %s beside one at %i is off by %i hours', (machine, server, hours) => {
  expect(hoursOff(machine, server)).toBe(hours)
})

it.each<[text: string, address: string | undefined]>([
  ['https://team.example.com/', 'https://team.example.com'],
  ['https://team.example.com/loadout/', 'https://team.example.com/loadout'],
  ['http://127.0.0.1:8418', 'http://127.0.0.1:8418'],
  ['http://[::1]:8418', 'http://[::1]:8418'],
  ['http://team.example.com', undefined],
  ['http://localhost.evil.example', undefined],
  ['https://user:pass@team.example.com', undefined],
  ['https://team.example.com?x=1', undefined],
  ['file:///etc/passwd', undefined],
  ['team.example.com', undefined],
])('a server at %s', (text, address) => {
  const found = serverAddress(text)
  expect(typeof found === 'string' ? found : undefined).toBe(address)
})

describe('what a machine stored about its team is refused with', () => {
  const valid = {
    ...{
      url: 'https://team.example.com',
      team: 'a',
      secret: 's',
      keyPrint: 'k',
      person: 'p',
      group: 'g',
      role: 'member',
    },
    joined: '2026-11-17T10:00:00.000Z',
  }
  const NULS = Object.keys(valid).map((key): [what: string, changes: object] => [`a NUL in ${key}`, { [key]: 'a\0b' }])
  it.each([
    ...NULS,
    ['31 February', { joined: '2026-02-31' }],
    ['another role', { role: 'owner' }],
    ['no group', { group: undefined }],
  ] as [what: string, changes: object][])('%s', (_, changes) => {
    expect(parseMembership(valid, 'x')).toEqual(valid)
    expect(() => parseMembership({ ...valid, ...changes }, 'x')).toThrow('x does not say which team')
  })
})

it('waits longer after each failure, up to half a day', () => {
  expect([0, 1, 3, 50].map((failures) => nextAttemptMs(failures) / 60_000)).toEqual([15, 30, 120, 720])
})

it('every role may do what the one below it may', () => {
  const rights: Right[] = [
    'usage.send',
    'report.read',
    'machines.read',
    'tokens.manage',
    'catalog.read',
    'catalog.publish',
    'catalog.approve',
  ]
  const table = rights.map((right) => ROLES.map((role) => mayUse(role, right)))
  expect(table).toEqual([
    [true, true, true],
    [true, true, true],
    [false, true, true],
    [false, false, true],
    [true, true, true],
    [false, true, true],
    [false, false, true],
  ])
})
