import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { parseRoles, ROLES, roleOf } from '../../src/team/rules/access.ts'
import { ask, askForPostgres, makeDatabase } from './postgres.ts'
import { startInstance, startTeam, type TestInstance, type TestServer } from './server.ts'

/** A real provider. Whom it lets in, and how it cheats, is up to the test. */
const people: Record<string, object> = {
  'an administrator': { email: 'admin@example.com', groups: ['all', 'platform'] },
  'a member': { email: 'member@example.com', groups: ['all'] },
  'a stranger': { email: 'stranger@example.com', groups: ['others'] },
}
let team: TestServer
let instance: TestInstance
let issuer: Server
let issuerUrl: string
/** Changes what the token endpoint answers. */
let cheat: ((answer: Record<string, unknown>) => unknown) | undefined

beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  issuer = createServer()
  await new Promise<void>((ready) => issuer.listen(0, '127.0.0.1', ready))
  issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  instance = await startInstance(team.databaseUrl, {
    provider: {
      ...{ issuer: issuerUrl, client: 'loadout', secret: 'a secret', claim: 'groups' },
      roles: { admin: 'platform', member: 'all' },
    },
  })
  const provider = new Provider(issuerUrl, {
    clients: [{ client_id: 'loadout', client_secret: 'a secret', redirect_uris: [`${instance.url}/sign-in/done`] }],
    claims: { openid: ['sub', 'groups', 'email'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, interaction: { uid: string }) => `/let-in/${interaction.uid}` },
    cookies: { keys: ['key'] },
    // Everybody who signs in agrees.
    loadExistingGrant: async (context: { oidc: { provider: Provider; session: { accountId: string } } }) => {
      const { Grant } = context.oidc.provider
      const grant = new Grant({ clientId: 'loadout', accountId: context.oidc.session.accountId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    scopes: ['openid', 'profile', 'email'],
  } as ConstructorParameters<typeof Provider>[1])
  const answer = provider.callback()
  issuer.on('request', (request, response) => {
    const [, who] = /^\/let-in\/.*[?&]who=([^&]+)/.exec(request.url ?? '') ?? []
    if (who !== undefined) {
      void provider.interactionFinished(request, response, { login: { accountId: decodeURIComponent(who) } })
      return
    }
    if (request.url === '/token' && cheat !== undefined) {
      const change = cheat
      const end = response.end.bind(response)
      response.end = ((body: Buffer) => {
        const text = JSON.stringify(change(JSON.parse(String(body))))
        response.setHeader('content-length', Buffer.byteLength(text))
        return end(text)
      }) as typeof response.end
    }
    void answer(request, response)
  })
})
afterAll(async () => {
  issuer?.closeAllConnections()
  issuer?.close()
  await instance?.stop()
  await team?.stop()
})

/** A browser without scripts: keeps cookies by port, follows redirects by hand. */
class Visitor {
  readonly cookies: Map<string, string>

  constructor(cookies: Iterable<readonly [string, string]> = []) {
    this.cookies = new Map(cookies)
  }

  async get(address: string): Promise<{ status: number; to: string }> {
    const { port } = new URL(address)
    const own = [...this.cookies].filter(([name]) => name.startsWith(`${port} `))
    const reply = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: own.map(([name, value]) => `${name.split(' ')[1]}=${value}`).join('; ') },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0|01 Jan 1970/i.test(line)) this.cookies.delete(`${port} ${name}`)
      else this.cookies.set(`${port} ${name}`, value)
    }
    const to = reply.headers.get('location')
    return { status: reply.status, to: to === null ? '' : new URL(to, address).href }
  }

  /** Up to the address with the code, which is not opened yet. */
  async upToCode(who: string): Promise<string> {
    let { to } = await this.get(`${instance.url}/sign-in`)
    for (let left = 8; left > 0 && !to.startsWith(`${instance.url}/sign-in/done`); left--) {
      const next = to.includes('/let-in/') ? `${to}?who=${encodeURIComponent(who)}` : to
      ;({ to } = await this.get(next))
    }
    return to
  }

  async signIn(who: string): Promise<string> {
    return (await this.get(await this.upToCode(who))).to
  }
}

const roleAt = async (address: string) => {
  const secret = /#token=(.+)$/.exec(address)?.[1]
  const reply = await fetch(`${instance.url}/v1/reader`, { headers: { authorization: `Bearer ${secret}` } })
  return [reply.status, ((await reply.json()) as { role?: string }).role]
}

describe('a person who signs in with the provider of the organization', () => {
  it.each([
    ['an administrator', [200, 'admin']],
    ['a member', [200, 'member']],
  ])('%s gets a session with the role that the claim says', async (who, role) => {
    expect(await roleAt(await new Visitor().signIn(who))).toEqual(role)
  })

  it('gets nothing without a role in the team', async () => {
    expect(await new Visitor().signIn('a stranger')).toBe(`${instance.url}/?refused=role`)
  })

  it('is in the audit log, and in no list of tokens; the session ends after some hours, or when the person is revoked', async () => {
    const session = await new Visitor().signIn('a member')
    const rows = await ask(team.databaseUrl, "SELECT * FROM token WHERE person = 'member@example.com' AND is_session")
    expect(rows.length).toBeGreaterThan(0)
    for (const { expires } of rows) expect(Date.parse(String(expires)) - Date.now()).toBeLessThan(13 * 3_600_000)
    const secret = (await team.token('admin')).slice(4, 36)
    const call = async (path: string, body?: object) => {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const reply = await fetch(`${instance.url}${path}`, { ...init, headers: { authorization: `Bearer ${secret}` } })
      return JSON.stringify(await reply.json())
    }
    expect(await call('/v1/tokens')).not.toContain('member@example.com')
    expect(await call('/v1/audit')).toContain('person signed in')
    expect(await roleAt(session)).toEqual([200, 'member'])
    await call('/v1/people/revoke', { person: 'member@example.com' })
    expect(await roleAt(session)).toEqual([401, undefined])
    expect(await call('/v1/audit')).toContain('person revoked')
  })
})

describe('an answer that is not the one this browser asked for gives no session', () => {
  const refused = () => `${instance.url}/?refused=answer`
  const sessions = async () => Number((await ask(team.databaseUrl, 'SELECT count(*) FROM token'))[0]?.count)

  const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const withPayload = (token: string, change: object) => {
    const [head, , signature] = token.split('.')
    const payload = Buffer.from(JSON.stringify({ ...payloadOf(token), ...change })).toString('base64url')
    return `${head}.${payload}.${signature}`
  }
  const rows: [name: string, visit: () => Promise<string>][] = [
    [
      'a code in another browser',
      async () => (await new Visitor().get(await new Visitor().upToCode('an administrator'))).to,
    ],
    [
      'a code that was used before',
      async () => {
        const visitor = new Visitor()
        const code = await visitor.upToCode('an administrator')
        const again = new Visitor(visitor.cookies)
        await visitor.get(code)
        return (await again.get(code)).to
      },
    ],
    [
      'another state',
      async () => {
        const visitor = new Visitor()
        const code = new URL(await visitor.upToCode('an administrator'))
        code.searchParams.set('state', 'other')
        return (await visitor.get(code.href)).to
      },
    ],
    ['no code at all', async () => (await new Visitor().get(`${instance.url}/sign-in/done`)).to],
    [
      'a cookie that is no JSON',
      async () => {
        const visitor = new Visitor()
        visitor.cookies.set(`${new URL(instance.url).port} loadout_sign_in`, 'AAAA')
        return (await visitor.get(`${instance.url}/sign-in/done?code=x&state=y`)).to
      },
    ],
  ]
  it.each(rows)('%s', async (_, visit) => {
    const before = await sessions()
    const to = await visit()
    expect(to).toBe(refused())
    // The one row whose code was used before got its one session.
    expect((await sessions()) - before).toBeLessThan(2)
  })

  it.each([
    ['of another audience', { aud: 'another' }],
    ['of another issuer', { iss: 'http://127.0.0.1:1' }],
    ['that has expired', { exp: 1 }],
    ['with another nonce', { nonce: 'other' }],
    ['of another person, with the signature of the first', { sub: 'a stranger', groups: ['platform'] }],
  ])('a token %s', async (_, change) => {
    const before = await sessions()
    cheat = (answer) => ({ ...answer, id_token: withPayload(String(answer.id_token), change) })
    try {
      expect(await new Visitor().signIn('a member')).toBe(refused())
    } finally {
      cheat = undefined
    }
    expect(await sessions()).toBe(before)
  })

  it('a provider that is down is said, and works when it is back', async () => {
    const other = await startInstance(team.databaseUrl, {
      provider: { issuer: 'http://127.0.0.1:1', client: 'loadout', claim: 'groups', roles: { member: '*' } },
    })
    expect((await new Visitor().get(`${other.url}/sign-in`)).to).toBe(`${other.url}/?refused=provider`)
    expect(other.logs.join('')).not.toContain('secret')
    await other.stop()
  })
})

describe('roles', () => {
  it.each([
    [['all', 'platform'], 'admin'],
    ['platform', 'admin'],
    [['all'], 'member'],
    [['ALL'], undefined],
    [undefined, undefined],
    [{ admin: true }, undefined],
  ])('the claim %j gives %s', (claim, role) => {
    expect(roleOf(claim, { admin: 'platform', member: 'all' })).toBe(role)
  })

  it('are read from one line, and a line with another word is refused', () => {
    expect(parseRoles('admin=platform, member=*')).toEqual({ admin: 'platform', member: '*' })
    expect(roleOf('anything', { member: '*' })).toBe('member')
    for (const text of ['', 'owner=x', 'admin', 'admin=', 'admin=x,,']) expect(parseRoles(text)).toBeUndefined()
    expect(ROLES).toEqual(['member', 'maintainer', 'admin'])
  })
})
