import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ROUTES } from '../../src/team/disk/service.ts'
import { keyPrint, mayUse, ROLES, type Role } from '../../src/team/rules/access.ts'
import { type Batch, formatBatch, LARGEST_BATCH, type SentRow } from '../../src/team/rules/batch.ts'
import { ask, askForPostgres, makeDatabase } from './postgres.ts'
import { KEY, makeMachine, startTeam, type TestServer } from './server.ts'

let team: TestServer
const secrets: Partial<Record<Role, string>> = {}
const MACHINE = '1'.repeat(32)

beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  for (const role of ROLES) secrets[role] = (await team.token(role)).slice(4, 36)
  const body = JSON.stringify({ machine: MACHINE, client: '0.1.0', key: keyPrint(KEY) })
  expect((await send('POST', '/v1/machines', { secret: secrets.member, body })).status).toBe(200)
})
afterAll(() => team.stop())

interface Sending {
  secret?: string
  body?: string
  headers?: Record<string, string>
}

async function send(method: string, path: string, { secret, body, headers = {} }: Sending = {}) {
  const authorization: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` }
  const reply = await fetch(`${team.url}${path}`, {
    method,
    headers: { ...authorization, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const json = (await reply.json()) as { error?: { code: string; message: string } }
  return { status: reply.status, code: json.error?.code, json: json as Record<string, unknown>, headers: reply.headers }
}

const row: SentRow = {
  kind: 'skill',
  id: 'a',
  agent: 'claude',
  stage: 'used',
  hour: '2026-11-17T10',
  tokens: 1,
  times: 1,
}

async function batchOf(change: Partial<Batch> = {}): Promise<string> {
  const [found] = await ask(team.databaseUrl, 'SELECT id FROM team')
  const base = {
    format: 1,
    team: String(found?.id),
    machine: MACHINE,
    sequence: 1,
    person: '2'.repeat(32),
    client: '0.1.0',
  }
  return formatBatch({ ...base, rows: [row], ...change })
}

describe('every role at every route', () => {
  const cases = ROUTES.flatMap((route) => [...ROLES, 'nobody' as const].map((role) => ({ route, role })))
  it.each(cases)('$route.method $route.path as $role', async ({ route, role }) => {
    const path = route.path.replace(/:\w+/g, 'ffffffffffff')
    const secret = role === 'nobody' ? undefined : secrets[role]
    const { status } = await send(route.method, path, { secret, ...(route.method === 'POST' ? { body: '{}' } : {}) })
    if (role === 'nobody') expect(status).toBe(401)
    else if (!mayUse(role, route.right)) expect(status).toBe(403)
    // 426: a route that only older programs call.
    else expect([200, 400, 404, 426]).toContain(status)
  })

  it.each(['', 'x', 'x'.repeat(32), "' OR 1=1 --", `${'y'.repeat(31)}'`])(
    'a forged token is refused: %j',
    async (secret) => {
      expect(await send('GET', '/v1/report', { secret })).toMatchObject({ status: 401, code: 'TEAM_TOKEN_REFUSED' })
    },
  )

  it('life, readiness and metrics need no token, and nothing else is served', async () => {
    for (const path of ['/live', '/health', '/ready']) expect((await send('GET', path)).status).toBe(200)
    const metrics = await fetch(`${team.url}/metrics`)
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4')
    expect(await metrics.text()).toMatch(
      /^# TYPE loadout_team_database_up gauge\nloadout_team_database_up 1\n[\s\S]*^loadout_team_machines_active 1$/m,
    )
    expect(await send('GET', '/v1/nothing', { secret: secrets.admin })).toMatchObject({
      status: 404,
      code: 'NOT_SERVED',
    })
    expect((await send('PUT', '/v1/report', { secret: secrets.admin })).status).toBe(404)
  })
})

describe('a request that is not what it should be', () => {
  const bodies: [name: string, body: () => Promise<string> | string, status: number, code: string][] = [
    ['no JSON', () => '{"format":1', 400, 'TEAM_FORMAT'],
    ['empty', () => '', 400, 'TEAM_FORMAT'],
    ['a list', () => '[]', 400, 'TEAM_FORMAT'],
    ['deep', () => '['.repeat(100_000), 400, 'TEAM_FORMAT'],
    ['of a later format', () => batchOf({ format: 7 }), 426, 'TEAM_FORMAT'],
    ['of an earlier format', () => batchOf({ format: 0 }), 426, 'TEAM_FORMAT'],
    ['of another team', () => batchOf({ team: '9'.repeat(32) }), 409, 'TEAM_OTHER'],
    ['of a machine that never joined', () => batchOf({ machine: '8'.repeat(32) }), 409, 'TEAM_UNKNOWN_MACHINE'],
    ['ahead of its turn', () => batchOf({ sequence: 5 }), 409, 'TEAM_BEHIND'],
    ['far ahead of its turn', () => batchOf({ sequence: 2 ** 31 }), 400, 'TEAM_FORMAT'],
    ['with a huge count', () => batchOf({ rows: [{ ...row, times: 2 ** 31 }] }), 400, 'TEAM_FORMAT'],
    ['with a huge number of tokens', () => batchOf({ rows: [{ ...row, tokens: 2 ** 53 }] }), 400, 'TEAM_FORMAT'],
    ['of an hour that is not', () => batchOf({ rows: [{ ...row, hour: '2026-02-31T10' }] }), 400, 'TEAM_FORMAT'],
    ...(['kind', 'id', 'agent', 'stage', 'hour', 'version', 'project'] as const).map((key): (typeof bodies)[number] => [
      `with a NUL in ${key}`,
      () => batchOf({ rows: [{ ...row, [key]: 'a\0b' }] }),
      400,
      'TEAM_FORMAT',
    ]),
    ...['machine', 'person', 'team'].map((key): (typeof bodies)[number] => [
      `with a NUL in its ${key}`,
      () => batchOf({ [key]: 'a\0b' }),
      400,
      'TEAM_FORMAT',
    ]),
    ['larger than allowed', () => 'x'.repeat(LARGEST_BATCH + 1), 413, 'FILE_TOO_LARGE'],
    ['SQL in an id', () => batchOf({ rows: [{ ...row, id: "a'); DROP TABLE event; --" }] }), 400, 'TEAM_FORMAT'],
    [
      'SQL in a version',
      () => batchOf({ rows: [{ ...row, version: "0'; DELETE FROM token; --" }] }),
      400,
      'TEAM_FORMAT',
    ],
  ]
  it.each(bodies)('a batch that is %s', async (_name, body, status, code) => {
    expect(await send('POST', '/v1/batches', { secret: secrets.member, body: await body() })).toMatchObject({
      status,
      code,
    })
  })

  it('a batch that another token forges for a machine is refused', async () => {
    const other = (await team.token()).slice(4, 36)
    expect(await send('POST', '/v1/batches', { secret: other, body: await batchOf() })).toMatchObject({
      status: 409,
      code: 'TEAM_UNKNOWN_MACHINE',
    })
  })

  it('a batch that is replayed counts once, and one that was changed on the way is told apart', async () => {
    const body = await batchOf()
    const results = [await send('POST', '/v1/batches', { secret: secrets.member, body })]
    results.push(await send('POST', '/v1/batches', { secret: secrets.member, body }))
    results.push(
      await send('POST', '/v1/batches', {
        secret: secrets.member,
        body: await batchOf({ rows: [{ ...row, times: 9 }] }),
      }),
    )
    expect(results.map(({ status, code, json }) => [status, code ?? json.result])).toEqual([
      [200, 'accepted'],
      [200, 'duplicate'],
      [409, 'TEAM_CLONED'],
    ])
    expect(team.logs()).toContain('"status":409,"code":"TEAM_CLONED"')
  })

  const queries: [query: string, status: number][] = [
    ['?from=2026-11-17', 200],
    ['?from=yesterday', 400],
    ['?from=2026-02-31', 400],
    ['?from=2026-11-17&to=2026-11-01', 400],
    [`?group=${encodeURIComponent("x' OR '1'='1")}`, 400],
    [`?group=${encodeURIComponent('x"; DROP SCHEMA loadout_team CASCADE')}`, 400],
    ['?from=2026-11-17T00:00:00', 400],
    ['?from=99999-01-01', 400],
    ['?group=payments', 403],
  ]
  it.each(queries)('a report %s', async (query, status) => {
    expect((await send('GET', `/v1/report${query}`, { secret: secrets.member })).status).toBe(status)
  })

  const texts = ['\0', 'a\0b', '\ud800', '\u202e', '2026-02-31', '0000-00-00', '1e400', '9'.repeat(400), "'"]
  const values = ['\0', '\ud800', '2026-02-31', 'x'.repeat(70_000), -1, 2 ** 31, 1e21, null, ['\0']]
  const valid = {
    ...{ machine: 'a'.repeat(32), client: '0.1.0', key: keyPrint(KEY), replaces: 'b'.repeat(32), resume: 1 },
    ...{ role: 'member', group: 'x', note: '', kind: 'skill', name: 'notes', version: '1.0.0', owner: 'x' },
    ...{ commit: 'a'.repeat(40), digest: 'b'.repeat(64), groups: ['x'], isHeld: true, statement: '{}', signature: 'x' },
  }
  it.each(ROUTES)('$method $path refuses a hostile value in any place, and blames no bug', async ({ method, path }) => {
    const inPath = texts.map((text) => path.replace(/:\w+/, encodeURIComponent(String(Buffer.from(text)))))
    const inQuery = ['from', 'to', 'group'].flatMap((key) =>
      texts.map((text) => `${path}?${key}=${encodeURIComponent(String(Buffer.from(text)))}`),
    )
    const inBody = Object.keys(valid).flatMap((key) =>
      values.map((value): [string, string] => [path, JSON.stringify({ ...valid, [key]: value })]),
    )
    const calls: [url: string, body?: string][] =
      method === 'GET'
        ? inQuery.map((url) => [url])
        : [...inPath.map((url): [string, string] => [url, '{}']), ...inBody]
    while (calls.length > 0) {
      const some = calls.splice(0, 20).map(async ([url, body]) => {
        const { status, json } = await send(method, url, { secret: secrets.admin, ...(body !== undefined && { body }) })
        expect(status, `${url} ${body?.slice(0, 1_000)} ${JSON.stringify(json)}`).toBeLessThan(500)
      })
      await Promise.all(some)
    }
  })

  const invitations: [body: object, status: number][] = [
    [{ role: 'member', group: 'x' }, 200],
    [{ role: 'owner', group: 'x' }, 400],
    [{ role: 'member', group: '../x' }, 400],
    [{ role: 'member', group: 'x', note: 'a\r\nset-cookie: b' }, 400],
    [{ role: 'member' }, 400],
  ]
  it.each(invitations)('an invitation %j', async (body, status) => {
    expect((await send('POST', '/v1/tokens', { secret: secrets.admin, body: JSON.stringify(body) })).status).toBe(
      status,
    )
  })

  it('headers cannot smuggle lines into answers, logs or traces', async () => {
    const evil = 'x\u00e9%0d%0aset-cookie: a=b'
    const reply = await send('GET', '/v1/report', {
      secret: secrets.member,
      headers: { traceparent: evil, 'x-loadout-clock': evil },
    })
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([200, null])
    expect(team.logs()).not.toContain('set-cookie')
    expect(
      team
        .logs()
        .split('\n')
        .filter(Boolean)
        .every((line) => JSON.parse(line)),
    ).toBe(true)
  })

  it('another host and a web page are refused', async () => {
    const statusWith = (headers: Record<string, string>) =>
      new Promise((told) => {
        httpRequest(`${team.url}/health`, { headers }, ({ statusCode }) => told(statusCode)).end()
      })
    expect(await statusWith({ host: 'evil.example' })).toBe(403)
    expect(await statusWith({ origin: 'https://evil.example' })).toBe(403)
  })

  it('after all of it the tables stand, and nothing that was refused is in them', async () => {
    const [counts] = await ask(
      team.databaseUrl,
      `SELECT (SELECT count(*) FROM batch) AS batches, (SELECT count(*) FROM token) > 3 AS tokens, to_regclass('event') IS NOT NULL AS events`,
    )
    expect(counts).toEqual({ batches: 1, tokens: true, events: true })
  })
})

it('the last administrator cannot be revoked', async () => {
  const admin = makeMachine()
  await admin.loadout.team.join({ url: team.url, token: await team.token('admin') })
  const { tokens } = (await admin.loadout.team.listTokens({})).value
  const admins = tokens.filter(({ role }) => role === 'admin')
  const own = admins.at(-1)?.id ?? ''
  for (const { id } of admins.slice(0, -1)) await admin.loadout.team.revokeToken({ id })
  await expect(admin.loadout.team.revokeToken({ id: own })).rejects.toMatchObject({ code: 'TEAM_ROLE' })
  await expect(admin.loadout.team.revokeToken({ id: 'ffffffffffff' })).rejects.toMatchObject({
    code: 'ENTRY_NOT_FOUND',
  })
})
