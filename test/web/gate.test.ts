import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { send, startWeb, type WebServer } from './web-world.ts'

let server: WebServer
let headers: WebServer['headers']
beforeAll(async () => {
  server = await startWeb(makeFolder())
  headers = server.headers
})

describe('the gate of the page', () => {
  const origin = () => server.origin
  const host = () => new URL(server.origin).host
  const token = () => headers.authorization.slice('Bearer '.length)
  it.each<[string, () => [path: string, headers: Record<string, string>], number]>([
    ['the token', () => ['/api/place', headers], 200],
    ['its own origin', () => ['/api/place', { ...headers, origin: origin() }], 200],
    ['the page without data, which needs no token', () => ['/', {}], 200],
    ['a screen of the page without data', () => ['/health?scope=project', {}], 200],
    ['no token', () => ['/api/place', {}], 401],
    ['no token for changes', () => ['/api/live', {}], 401],
    ['no token for what is not there', () => ['/api/nothing', {}], 401],
    ['a guessed token', () => ['/api/place', { authorization: `Bearer ${'x'.repeat(43)}` }], 401],
    ['an empty token', () => ['/api/place', { authorization: 'Bearer ' }], 401],
    ['the token as a cookie', () => ['/api/place', { cookie: `token=${token()}` }], 401],
    ['the token in the address', () => [`/api/place?token=${token()}`, {}], 401],
    ['a foreign host', () => ['/', { host: 'evil.example' }], 403],
    ['a foreign host with the token', () => ['/api/place', { ...headers, host: 'evil.example' }], 403],
    ['a foreign host on our port', () => ['/', { host: host().replace('127.0.0.1', 'evil.example') }], 403],
    ['a foreign page', () => ['/api/place', { ...headers, origin: 'https://evil.example' }], 403],
    ['a page that hides itself', () => ['/api/place', { ...headers, origin: 'null' }], 403],
    ['a path that leads out', () => ['/assets/..%2f..%2fpackage.json', headers], 404],
    ['a path that leads out of the page', () => ['/assets/../../package.json', headers], 404],
    ['a file that is not there', () => ['/assets/x.js', headers], 404],
    ['what is not there', () => ['/api/nothing', headers], 404],
  ])('%s', async (_, asked, status) => {
    const [path, sent] = asked()
    const reply = await send(origin(), path, { headers: sent })
    expect(reply.status, reply.text).toBe(status)
    expect(Object.keys(reply.headers).filter((name) => /^access-control|^set-cookie/.test(name))).toEqual([])
  })

  it('every route for data refuses a request without the token', async () => {
    const source = readFileSync(join(import.meta.dirname, '../../src/web/routes.ts'), 'utf8')
    const routes = [...source.matchAll(/app\.(get|post)\(\s*'([^']+)'/g)]
    expect(routes.length).toBeGreaterThan(20)
    for (const [, method = '', path = ''] of routes) {
      const { status, text } = await send(origin(), path, { method: method.toUpperCase() })
      expect([path, status, text.includes('NOT_SERVED')]).toEqual([path, 401, true])
    }
  })

  it('the page without data may load nothing from elsewhere, and no page may frame it', async () => {
    const reply = await send(server.origin, '/')
    expect(reply.headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(reply.headers['referrer-policy']).toBe('no-referrer')
    expect(reply.text).not.toMatch(/https?:/)
    expect(reply.text).not.toContain(token())
  })

  it.each([
    ['a form of another page', 'text/plain', '{"scope":""}', 400],
    ['no JSON', 'application/json', '{', 400],
    ['a list', 'application/json', '[]', 400],
    ['a body that is too long', 'application/json', `{"x":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('a change from %s is refused', async (_, type, body, status) => {
    const sent = { ...headers, 'content-type': type }
    expect((await send(server.origin, '/api/change/equip', { method: 'POST', headers: sent, body })).status).toBe(
      status,
    )
  })
})

it('the whole page has at most 120 kB, compressed', () => {
  const folder = join(import.meta.dirname, '../../dist/web')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length)
  expect(files.length).toBeGreaterThan(5)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000)
})
