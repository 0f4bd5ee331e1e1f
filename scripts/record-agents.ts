// Installs the agents that the npm registry has, runs each against a scripted model, and writes down what it sent:
//   npm run record-agents                     all of them, the newest and the versions that the table names
//   npm run record-agents -- claude codex@0.166.0
// A client runs in a network of its own that has only the loopback address: it reaches the scripted model and nothing else.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { INSTRUCTION_WORLDS, libraryWorld, placesWorld, SIZES, type World } from '../test/agents/worlds.ts'
import { CLIENTS, type Client, programOf, type Run } from './record/clients.ts'
import {
  instructionsOf,
  listedSkills,
  mainRequest,
  modelOf,
  ownOf,
  placesOf,
  shownOf,
  textsOf,
} from './record/facts.ts'
import { type ModelRequest, type ScriptedModel, startModel } from './record/scripted-model.ts'

const RECORDINGS = 'test/agents/recorded'
const LOADOUT = resolve('dist/cli.js')
const PATIENCE = 120_000
const SENTINEL = 'the-heron-waits-at-the-lock'
/** Set in the process that sees only the loopback address. */
const ALONE = 'LOADOUT_RECORDING_ALONE'

interface Installed {
  client: Client
  version: string
  folder: string
}

const [asked, scratch] = [process.argv.slice(2), process.env[ALONE]]
if (scratch === undefined) await begin()
else await recordAll(chosen(asked), scratch)

async function begin(): Promise<void> {
  if (!existsSync(LOADOUT)) throw new Error('build it first: npm run build')
  if (spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) {
    throw new Error(
      'this needs Linux with unshare and ip: without them a client could reach more than the scripted model',
    )
  }
  const folder = resolve(process.env.LOADOUT_RECORDING_FOLDER ?? mkdtempSync(join(tmpdir(), 'loadout-recording-')))
  for (const { client, version, folder: at } of chosen(asked).map((each) => placed(each, folder))) {
    install(client, version, at)
  }
  const inside = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.execArgv]
  const child = spawn('unshare', [...inside, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [ALONE]: folder },
  })
  process.exitCode = await new Promise<number>((done) => child.on('close', (code) => done(code ?? 1)))
}

type Chosen = Pick<Installed, 'client' | 'version'>

function chosen(words: readonly string[]): Chosen[] {
  const wanted =
    words.length > 0 ? words : CLIENTS.flatMap(({ agent, also }) => [agent, ...also.map((v) => `${agent}@${v}`)])
  return wanted.map((word) => {
    const [agent, version] = word.split('@')
    const client = CLIENTS.find((each) => each.agent === agent)
    if (client === undefined) throw new Error(`no client is called ${word}`)
    return { client, version: version ?? 'latest' }
  })
}

function placed({ client, version }: Chosen, folder: string): Installed {
  return { client, version, folder: join(folder, `${client.agent}-${version}`) }
}

function install({ package: name }: Client, version: string, folder: string): void {
  if (existsSync(join(folder, 'node_modules', name))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  // Some ask for a newer Node than their program needs: it is a binary.
  const flags = ['--engine-strict=false', '--force', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', `${name}@${version}`, ...flags], { cwd: folder, stdio: 'inherit' })
}

async function recordAll(clients: readonly Chosen[], folder: string): Promise<void> {
  mkdirSync(RECORDINGS, { recursive: true })
  const model = await startModel()
  try {
    for (const { client, folder: at } of clients.map((each) => placed(each, folder))) {
      const { version } = JSON.parse(readFileSync(join(at, 'node_modules', client.package, 'package.json'), 'utf8'))
      console.log(`${client.label} ${version}`)
      const recording = await record({ client, version, folder: at }, model)
      writeFileSync(join(RECORDINGS, `${client.agent}-${version}.json`), print(recording))
    }
  } finally {
    model.close()
  }
}

async function record(installed: Installed, model: ScriptedModel) {
  const { client, version } = installed
  const libraries = []
  for (const size of SIZES) {
    for (const name of client.models) {
      const { requests, budget, home } = await run(installed, model, libraryWorld(client.skills, size), { model: name })
      const main = mainRequest(requests)
      const skills = listedSkills(client, main, [home, installed.folder])
      console.log(`  ${size} skills, ${modelOf(main)}: ${skills.length} listed`)
      libraries.push({
        size,
        ...(name === undefined ? {} : { asked: name }),
        model: modelOf(main),
        ...budget,
        requestBytes: main.bytes,
        characters: skills.reduce((sum, { characters }) => sum + characters, 0),
        own: ownOf(skills),
        shown: shownOf(skills, size),
      })
    }
  }
  const places = placesOf(listedSkills(client, mainRequest((await run(installed, model, placesWorld())).requests), []))
  console.log(`  ${places.read.length} places`)
  const instructions: Record<string, unknown> = {}
  for (const [name, world] of Object.entries(INSTRUCTION_WORLDS)) {
    instructions[name] = instructionsOf(world, mainRequest((await run(installed, model, world)).requests))
  }
  const switched = await recordSwitches(installed, model)
  const mcp = await recordMcp(installed, model)
  const hooks = await recordHooks(installed, model)
  console.log(`  MCP ${JSON.stringify(mcp)}, hooks ${JSON.stringify(hooks)}`)
  const recorded = new Date().toISOString().slice(0, 10)
  const about = { agent: client.agent, label: client.label, version, recorded }
  return { ...about, mcp, hooks, places, instructions, ...(switched && { switched }), libraries }
}

/** What is listed of the smallest library when the settings switch some of its skills. */
async function recordSwitches(installed: Installed, model: ScriptedModel): Promise<(number | null)[] | undefined> {
  const { client } = installed
  const [size] = SIZES
  if (client.switchFiles === undefined) return undefined
  const { requests } = await run(installed, model, libraryWorld(client.skills, size), { isSwitched: true })
  return shownOf(listedSkills(client, mainRequest(requests), []), size)
}

/** Whether the client connects to `loadout mcp`, and whether it names the tools to its model at once. */
async function recordMcp(installed: Installed, model: ScriptedModel): Promise<Record<string, boolean>> {
  const { requests, isConnected } = await run(installed, model, {}, { isMcp: true })
  const isNamed = requests.some((request) => JSON.stringify(request.body).includes('load_context'))
  return { connected: isConnected, named: isNamed }
}

/** Which of our hooks reach the model; null where Loadout offers none. */
async function recordHooks(installed: Installed, model: ScriptedModel): Promise<Record<string, boolean> | null> {
  const payload = (id: string, more: string) =>
    `---\nid: ${id}\nsummary: About ${id}\n${more}\n---\n\n# ${id}\n\n${SENTINEL}-${id}\n`
  const world = {
    'proj/.claude/loadout/always.md': payload('always', 'priority: core'),
    'proj/.claude/loadout/canal.md': payload('canal', 'keywords: [canal, lock-gate]'),
  }
  const { requests, isHooked } = await run(installed, model, world, { isHooked: true })
  if (!isHooked) return null
  const text = requests.flatMap(({ body }) => textsOf(body)).join('\n')
  return { start: text.includes(`${SENTINEL}-always`), prompt: text.includes(`${SENTINEL}-canal`) }
}

interface RunOptions {
  model?: string
  isMcp?: boolean
  isHooked?: boolean
  isSwitched?: boolean
}

interface RunResult {
  home: string
  requests: ModelRequest[]
  budget: { budget?: number }
  isHooked: boolean
  /** Whether it asked our MCP server for its tools. */
  isConnected: boolean
}

/** One prompt to one client in a fresh home. */
async function run(
  { client, folder }: Installed,
  model: ScriptedModel,
  world: World,
  options: RunOptions = {},
): Promise<RunResult> {
  const home = mkdtempSync(join(tmpdir(), 'loadout-recorded-home-'))
  try {
    const asked = join(home, 'asked-of-mcp.txt')
    const mcp = { command: 'sh', args: ['-c', `tee ${asked} | ${process.execPath} ${LOADOUT} mcp`] }
    const about: Run = { home, address: model.address, mcp, model: options.model }
    const files = {
      'proj/sub/.keep': '',
      ...client.files(about),
      ...world,
      ...(options.isMcp ? client.mcpFiles(about) : {}),
      ...(options.isSwitched ? client.switchFiles?.(about) : {}),
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    execFileSync('git', ['init', '--quiet', join(home, 'proj')])
    const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'dumb', CI: '', ...client.env(about) }
    const cwd = join(home, 'proj', 'sub')
    const loadout = (...words: string[]) => spawnSync(process.execPath, [LOADOUT, ...words], { cwd, env })
    const isHooked = options.isHooked === true && loadout('hooks', 'install', client.agent).status === 0
    if (options.isHooked) loadout('index', 'build')
    const debug = join(home, 'debug.txt')
    const more = [
      ...(isHooked ? (client.hookArgs ?? []) : []),
      ...(client.agent === 'claude' ? ['--debug-file', debug] : []),
    ]
    model.play([])
    await runProgram(programOf(client, folder), [...client.args(about, 'open the canal lock-gate'), ...more], cwd, env)
    const isConnected = existsSync(asked) && readFileSync(asked, 'utf8').includes('"tools/list"')
    return { home, requests: [...model.requests], budget: budgetIn(debug), isHooked, isConnected }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function runProgram(program: string, args: readonly string[], cwd: string, env: Record<string, string>): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: PATIENCE })
    let trouble = ''
    child.stderr.on('data', (chunk: Buffer) => (trouble += chunk))
    child.on('error', failed)
    child.on('close', (code) => {
      if (code === 0) done()
      else failed(new Error(`${program} ended with ${code}: ${trouble.slice(-500)}`))
    })
  })
}

/** Claude Code says in its log how much its list may take, when it takes more. */
function budgetIn(file: string): { budget?: number } {
  const said = existsSync(file) ? /chars > (\d+) budget/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  return said === undefined ? {} : { budget: Number(said) }
}

/** One line for each run, so that a difference can be read. */
function print(recording: object): string {
  const rows = Object.entries(recording).map(([key, value]) => {
    if (key !== 'libraries') return `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`
    return `  "libraries": [\n${(value as object[]).map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`
  })
  return `{\n${rows.join(',\n')}\n}\n`
}
