import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI } from '../cli/run.ts'
import { type Child, environmentOf, makeMcpWorld, PROJECT, startHttp, startServer } from './mcp-world.ts'

/** Its adapter never answers, so that a call runs for as long as a test needs. */
const world = makeMcpWorld({
  ...PROJECT,
  'loadout.json': JSON.stringify({
    payloads: ['rules/*.md'],
    adapters: [{ id: 'slow', command: ['sh', 'slow.sh'], timeoutMs: 60_000 }],
  }),
  // Computed, because an approval covers every file that a script names.
  'slow.sh': 'name=adapter; echo $$ > "$name.pid"; sleep 60',
})
world.run(['adapters', 'allow'], { stdin: 'y\n' })
const pidFile = join(world.project, 'adapter.pid')

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const HELLO = message(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})
const CALL = message(2, 'tools/call', { name: 'load_context', arguments: { task: 'x' } })

const PATIENCE_MS = 100_000

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !isSo() && Date.now() < end; )
    await new Promise((done) => setTimeout(done, 20))
  expect(isSo()).toBe(true)
}

function isAlive(pid: number): boolean {
  try {
    // A zombie process is not alive.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The process that the call is waiting for. */
async function adapterPid(): Promise<number> {
  const read = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0)
  await until(() => read() > 0)
  const pid = read()
  rmSync(pidFile)
  return pid
}

const exitOf = (child: Child) => new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)))

function letGo({ stdin, stdout }: Child): void {
  stdin.destroy()
  stdout.destroy()
}

describe('in the middle of a call', () => {
  it.each([
    ['the client closes its end', (child: Child) => child.stdin.end(), 0],
    ['the client lets both ends go', letGo, 0],
    ['the system asks the server to end', (child: Child) => child.kill('SIGTERM'), 0],
    ['the terminal is closed', (child: Child) => child.kill('SIGHUP'), 0],
  ])('%s: the server ends, and what it started', async (_, act, code) => {
    const child = startServer(world)
    child.stdin.write(HELLO + CALL)
    const adapter = await adapterPid()
    const exit = exitOf(child)
    act(child)
    expect(await exit).toBe(code)
    await until(() => !isAlive(adapter))
  })

  it('the client is killed: the server ends, and what it started', async () => {
    const source = `
      const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(CLI)}, 'mcp'])
      child.stdin.write(${JSON.stringify(HELLO + CALL)})
      console.log(child.pid)`
    const client = spawn(process.execPath, ['-e', source], { cwd: world.project, env: environmentOf(world) })
    const server = Number(await new Promise((done) => client.stdout.once('data', done)))
    const adapter = await adapterPid()
    expect(isAlive(server)).toBe(true)
    client.kill('SIGKILL')
    await until(() => !isAlive(server) && !isAlive(adapter))
  })

  it('over HTTP the call is given up when its client goes, and the server serves on until it is asked to end', async () => {
    const { child, url, token } = await startHttp(world)
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const stop = new AbortController()
    const call = (body: string) => fetch(url, { method: 'POST', headers, body, signal: stop.signal })
    const lost = call(CALL)
      .then((response) => response.text())
      .catch(() => 'lost')
    const adapter = await adapterPid()
    stop.abort()
    expect(await lost).toBe('lost')
    await until(() => !isAlive(adapter))
    expect((await fetch(url, { method: 'POST', headers, body: HELLO })).status).toBe(200)
    const exit = exitOf(child)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })
})

it('standard output carries the protocol and nothing else', async () => {
  const child = startServer(world)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stdin.write(`no json\n{"jsonrpc":"2.0"}\n${HELLO}${message(3, 'no/such', {})}${message(4, 'tools/call', {})}`)
  await until(() => output.split('\n').length > 3)
  child.stdin.end()
  await exitOf(child)
  const replies = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(replies.map(({ id, error }) => [id, error?.code]).sort()).toEqual([
    [1, undefined],
    [3, -32601],
    [4, -32602],
  ])
})
