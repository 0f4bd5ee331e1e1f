import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { openSession, send, startWeb, type WebServer } from './web-world.ts'

let server: WebServer
let first: string
let cookie: string
beforeAll(async () => {
  server = await startWeb(makeFolder())
  first = server.address()
  cookie = await openSession(server)
})

describe('the gate of the page', () => {
  const origin = () => server.origin
  const host = () => new URL(server.origin).host
  it.each<[string, () => [path: string, headers: Record<string, string>], number]>([
    ['the cookie', () => ['/api/place', { cookie }], 200],
    ['the cookie on the page', () => ['/', { cookie }], 200],
    ['a screen of the page', () => ['/health?scope=project', { cookie }], 200],
    ['its own origin', () => ['/api/place', { cookie, origin: origin() }], 200],
    ['no cookie', () => ['/api/place', {}], 401],
    ['no cookie on the page', () => ['/', {}], 401],
    ['no cookie for a file', () => ['/assets/x.js', {}], 401],
    ['no cookie for changes', () => ['/api/live', {}], 401],
    ['a guessed cookie', () => ['/api/place', { cookie: `${cookie.split('=')[0]}=${'x'.repeat(43)}` }], 401],
    ['an empty cookie', () => ['/api/place', { cookie: `${cookie.split('=')[0]}=` }], 401],
    ['the cookie of another port', () => ['/api/place', { cookie: cookie.replace(/-\d+/, '-1') }], 401],
    ['an address that was used', () => [first.slice(origin().length), {}], 401],
    ['a guessed token', () => [`/?token=${'x'.repeat(43)}`, {}], 401],
    ['an empty token', () => ['/?token=', {}], 401],
    ['a token where there is no page', () => [`/api/place?token=${server.address().split('=')[1]}`, {}], 401],
    ['a foreign host', () => ['/', { cookie, host: 'evil.example' }], 403],
    ['a foreign host on our port', () => ['/', { cookie, host: host().replace('127.0.0.1', 'evil.example') }], 403],
    ['a foreign page', () => ['/api/place', { cookie, origin: 'https://evil.example' }], 403],
    ['a page that hides itself', () => ['/api/place', { cookie, origin: 'null' }], 403],
    ['a path that leads out', () => ['/assets/..%2f..%2fpackage.json', { cookie }], 404],
    ['a path that leads out of the page', () => ['/assets/../../package.json', { cookie }], 404],
    ['what is not there', () => ['/api/nothing', { cookie }], 404],
  ])('%s', async (_, asked, status) => {
    const [path, headers] = asked()
    const reply = await send(origin(), path, { headers })
    expect(reply.status, reply.text).toBe(status)
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('a page may load nothing from elsewhere, and no page may frame it', async () => {
    const { headers, text } = await send(server.origin, '/', { headers: { cookie } })
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(text).not.toMatch(/https?:/)
  })

  it('the cookie is of this browser alone, and every address opens the page once', async () => {
    const { pathname, search } = new URL(server.address())
    const { status, headers } = await send(server.origin, pathname + search)
    expect([status, headers['set-cookie']?.[0]]).toEqual([
      200,
      expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    expect((await send(server.origin, pathname + search)).status).toBe(401)
  })

  it.each([
    ['a form of another page', 'text/plain', '{"scope":""}', 400],
    ['no JSON', 'application/json', '{', 400],
    ['a list', 'application/json', '[]', 400],
    ['a body that is too long', 'application/json', `{"x":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('a change from %s is refused', async (_, type, body, status) => {
    const headers = { cookie, 'content-type': type }
    expect((await send(server.origin, '/api/installs', { method: 'POST', headers, body })).status).toBe(status)
  })
})

it('the whole page has at most 150 kB, compressed', () => {
  const folder = join(import.meta.dirname, '../../dist/web')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length)
  expect(files.length).toBeGreaterThan(5)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
})
