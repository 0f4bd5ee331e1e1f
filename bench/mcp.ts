import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { benchEnvironment, median, ms, printTable, processTimes, ratio } from './measure.ts'
import { SampleText } from './sample-text.ts'

const PAYLOADS = 200
const CALLS = 50
const ROUNDS = 5
const TOKEN = 'only-for-this-bench'
const cli = resolve('dist/cli.cjs')

/** What a conversation pays to start the server, and how fast the server answers when it is asked a lot at once. */
export async function benchMcp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  try {
    const env = { ...benchEnvironment(join(folder, 'home')), LOADOUT_MCP_TOKEN: TOKEN } as Record<string, string>
    const cwd = writeProject(folder)
    spawnSync(process.execPath, [cli, 'index', 'build'], { cwd, env })
    const times = processTimes(
      [
        { name: 'node -e 0', command: [process.execPath, '-e', '0'], cwd },
        { name: 'start and end', command: ['sh', '-c', `'${process.execPath}' '${cli}' mcp </dev/null`], cwd },
      ],
      env,
      6,
    )
    const bare = times.get('node -e 0') ?? Number.NaN
    printTable('mcp: processor time of a server that nobody asks', [
      ['', 'ms', 'of bare Node'],
      ...[...times].map(([name, time]) => [name, ms(time), ratio(time, bare)]),
    ])
    printTable(`mcp: ${CALLS} calls of load_context at once, ${PAYLOADS} payloads`, [
      ['', 'ms', 'calls a second'],
      ['stdio', ...(await overStdio(cwd, env))],
      ['HTTP', ...(await overHttp(cwd, env))],
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeProject(folder: string): string {
  const project = join(folder, 'project')
  mkdirSync(join(project, '.claude', 'rules'), { recursive: true })
  mkdirSync(join(project, '.git'))
  writeFileSync(join(project, 'AGENTS.md'), '# Rules\n\nBe kind.\n')
  new SampleText(3000).documents(PAYLOADS, 2000).forEach(({ body = '' }, at) => {
    const head = `---\nid: rule-${at}\nkeywords: [word${at}, group${at % 20}]\n---\n`
    writeFileSync(join(project, '.claude', 'rules', `rule-${at}.md`), head + body)
  })
  return project
}

async function overStdio(cwd: string, env: Record<string, string>): Promise<string[]> {
  const options = { command: process.execPath, args: [cli, 'mcp'], cwd, env, stderr: 'ignore' as const }
  return measure(new StdioClientTransport(options))
}

async function overHttp(cwd: string, env: Record<string, string>): Promise<string[]> {
  const server = spawn(process.execPath, [cli, 'mcp', '--http', '--port', '0'], { cwd, env })
  try {
    const said = await new Promise<Buffer>((done) => server.stderr.once('data', done))
    const url = new URL(/http:\S+/.exec(String(said))?.[0] ?? '')
    const headers = { authorization: `Bearer ${TOKEN}` }
    return await measure(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  } finally {
    server.kill()
  }
}

async function measure(transport: Parameters<Client['connect']>[0]): Promise<string[]> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  const times: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now()
    const tasks = Array.from({ length: CALLS }, (_, at) => `word${(round * CALLS + at) % PAYLOADS} of group${at % 20}`)
    await Promise.all(tasks.map((task) => client.callTool({ name: 'load_context', arguments: { task } })))
    // The first round compiles and fills caches.
    if (round > 0) times.push(performance.now() - start)
  }
  await client.close()
  const time = median(times)
  return [ms(time), (CALLS / (time / 1000)).toFixed(0)]
}
