import { describe, expect, it } from 'vitest'
import { LoadoutError } from '../text/trouble.ts'
import { createHttpApp, HttpRefusal, isSameSecret, refuseOrigin, requireBearer } from './http.ts'

const HOSTS = ['127.0.0.1:8417', 'localhost:8417', '[::1]:8417']
const TOKEN = 'a-token-of-some-length'

/** An app without a port: the connection is a value. */
function makeApp(options: { largestBody?: () => number } = {}) {
  const seen: unknown[] = []
  const app = createHttpApp({ ...options, onError: (error) => seen.push(error) })
  const ask = async (headers: Record<string, string> = {}, init: RequestInit = {}, path = '/') => {
    const incoming = { headers, method: init.method ?? 'GET' }
    const response = await app.request(path, { ...init, headers }, { incoming })
    return { status: response.status, body: await response.text(), headers: response.headers }
  }
  return { app, ask, seen }
}

describe('host and origin', () => {
  it.each([
    [{}, undefined],
    [{ host: 'localhost:8417' }, undefined],
    [{ host: 'LOCALHOST:8417' }, undefined],
    [{ host: '[::1]:8417' }, undefined],
    [{ host: undefined }, 403],
    [{ host: '127.0.0.1' }, 403],
    [{ host: '127.0.0.1:80' }, 403],
    [{ host: 'localhost.evil.example:8417' }, 403],
    [{ host: 'evil.example:8417' }, 403],
    [{ origin: 'http://127.0.0.1:8417' }, undefined],
    [{ origin: 'http://localhost:8417' }, undefined],
    [{ origin: 'http://localhost:3000' }, 403],
    [{ origin: 'https://localhost:8417' }, 403],
    [{ origin: 'http://localhost:8417.evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: '' }, 403],
  ])('%j: %s', (headers, status) => {
    expect(refuseOrigin({ host: '127.0.0.1:8417', ...headers }, HOSTS)?.status).toBe(status)
  })

  it.each([
    [{ host: 'team.example' }, undefined],
    [{ host: 'team.example', origin: 'https://team.example' }, undefined],
    [{ host: 'team.example', origin: 'https://evil.example' }, 403],
    [{ host: '127.0.0.1:8417' }, 403],
  ])('a server with a name of its own, perhaps behind a proxy: %j: %s', (headers, status) => {
    expect(refuseOrigin(headers, ['team.example'], false)?.status).toBe(status)
  })
})

describe('the bearer token', () => {
  it.each([
    [`Bearer ${TOKEN}`, 200],
    [`bearer ${TOKEN}`, 200],
    [undefined, 401],
    ['Bearer', 401],
    [TOKEN, 401],
    [`Basic ${TOKEN}`, 401],
    [`Bearer ${TOKEN}x`, 401],
    [`Bearer ${TOKEN.slice(1)}`, 401],
    [`Bearer ${TOKEN} ${TOKEN}`, 401],
  ])('%s: %s', async (authorization, status) => {
    const { app, ask } = makeApp()
    app.use(requireBearer((given) => isSameSecret(given, TOKEN), 'look at the start'))
    app.get('/', (context) => context.text('hello'))
    const answer = await ask(authorization === undefined ? {} : { authorization })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  })
})

describe('an error is JSON', () => {
  const { app, ask, seen } = makeApp({ largestBody: () => 10 })
  app.post('/', async (context) => context.text(await context.req.text()))
  app.get('/usage', () => {
    throw new LoadoutError('USAGE', 'no such flag', { hint: 'leave it out' })
  })
  app.get('/waiting', () => {
    throw new LoadoutError('CONFIRMATION_NEEDED', 'may it?')
  })
  app.get('/absent', () => {
    throw new LoadoutError('PACK_NOT_FOUND', 'no such pack')
  })
  app.get('/refused', () => {
    throw new HttpRefusal(409, new LoadoutError('USAGE', 'changed meanwhile'))
  })
  app.get('/bug', () => {
    throw new TypeError('x is not a function')
  })

  it.each<[string, RequestInit, number, string]>([
    ['/', { method: 'POST', body: '0123456789' }, 200, '0123456789'],
    [
      '/',
      { method: 'POST', body: '01234567890' },
      413,
      '{"error":{"code":"FILE_TOO_LARGE","message":"the request is larger than 10 bytes"}}',
    ],
    ['/usage', {}, 400, '{"error":{"code":"USAGE","message":"no such flag","hint":"leave it out"}}'],
    ['/waiting', {}, 409, '{"error":{"code":"CONFIRMATION_NEEDED","message":"may it?"}}'],
    ['/absent', {}, 404, '{"error":{"code":"PACK_NOT_FOUND","message":"no such pack"}}'],
    ['/refused', {}, 409, '{"error":{"code":"USAGE","message":"changed meanwhile"}}'],
    ['/nowhere', {}, 404, '{"error":{"code":"NOT_SERVED","message":"/nowhere is not served here"}}'],
    [
      '/bug',
      {},
      500,
      '{"error":{"code":"UNEXPECTED","message":"Unexpected error: x is not a function. This is a bug in Loadout."}}',
    ],
  ])('%s %j', async (path, init, status, body) => {
    const answer = await ask({}, init, path)
    expect([answer.status, answer.body]).toEqual([status, body])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('only a bug is reported to the server', () => {
    expect(seen).toEqual([expect.any(TypeError)])
  })
})
