import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runLoadout } from '../cli/run.ts'
import { type HttpServer, makeMcpWorld, startHttp } from './mcp-world.ts'

const world = makeMcpWorld()
let http: HttpServer
beforeAll(async () => {
  http = await startHttp(world)
})
afterAll(() => {
  http.child.kill()
})

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

interface Sent {
  method?: string
  path?: string
  headers?: Record<string, string | undefined>
  body?: string
}

/** Not with fetch, which cannot send a false host. */
function send({ method = 'POST', path = '/mcp', headers = {}, body = PING }: Sent) {
  const all = {
    authorization: `Bearer ${http.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return new Promise<{ status: number | undefined; headers: object; text: string }>((done, reject) => {
    const { port } = new URL(http.url)
    const sent = request({ host: '127.0.0.1', port, method, path, headers: given }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      done({ status: response.statusCode, headers: response.headers, text })
    })
    sent.on('error', reject).end(body)
  })
}

describe('over HTTP', () => {
  it.each<[string, Sent, number]>([
    ['the token', {}, 200],
    ['a page of ours', { headers: { origin: 'http://localhost:PORT' } }, 200],
    ['no token', { headers: { authorization: undefined } }, 401],
    ['another token', { headers: { authorization: `Bearer ${'x'.repeat(43)}` } }, 401],
    ['a foreign host', { headers: { host: 'evil.example' } }, 403],
    ['a foreign host on our port', { headers: { host: 'evil.example:PORT' } }, 403],
    ['a host that only begins like ours', { headers: { host: '127.0.0.1:PORT.evil' } }, 403],
    ['a foreign page', { headers: { origin: 'https://evil.example' } }, 403],
    ['a page that hides itself', { headers: { origin: 'null' } }, 403],
    ['a question of a foreign page’s browser', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }, 403],
    ['another path', { path: '/' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['another kind of body', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a question with a body', { method: 'GET' }, 400],
    ['a method that is refused everywhere', { method: 'TRACE' }, 400],
    ['no JSON', { body: '{' }, 400],
    ['a body that is too long', { body: PING + ' '.repeat(1024 * 1024) }, 413],
    [
      'a body that is too long and does not say so',
      { body: PING + ' '.repeat(1024 * 1024), headers: { 'transfer-encoding': 'chunked' } },
      413,
    ],
  ])('%s', async (_, sent, status) => {
    const { port } = new URL(http.url)
    const headers = Object.fromEntries(
      Object.entries(sent.headers ?? {}).map(([name, value]) => [name, value?.replace('PORT', port)]),
    )
    const reply = await send({ ...sent, headers })
    expect(reply.status).toBe(status)
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('a taken port, a weak token and --json are reported before anything is served', () => {
    const { port } = new URL(http.url)
    const run = (words: string[], env = {}) =>
      runLoadout(['mcp', ...words], { cwd: world.project, home: world.home, env })
    expect(run(['--http', '--port', port])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`port ${port} is already in use`),
    })
    expect(run(['--http', '--port', '70000'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('port 70000 cannot'),
    })
    const weak = run(['--http', '--port', '0'], { LOADOUT_MCP_TOKEN: 'secret' })
    expect(weak).toMatchObject({ code: 2, stderr: expect.stringContaining('16 characters') })
    expect(run(['--port', '0'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--http') })
    expect(run(['--json'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--json') })
    expect(run(['--project', 'nowhere'])).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') })
  })
})
