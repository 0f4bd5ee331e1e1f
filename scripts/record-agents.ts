// Installs the agents that the npm registry has, runs each against a scripted model, and writes down what it sent:
//   npm run record-agents                     all of them, the newest and the versions that the table names
//   npm run record-agents -- claude codex@0.166.0
// A client runs as "loadout see --verify" runs it: without network, and it can write only its own home.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { mergeSettings } from '../src/agents/disk/client-home.ts'
import { type ClientRun, MODEL_ADDRESS, runClient } from '../src/agents/disk/client-run.ts'
import { requireAgent } from '../src/agents/rules/agents.ts'
import { type Client, clientOf } from '../src/agents/rules/clients.ts'
import { listedSkills, type ModelRequest, mainRequest, modelOf, textsOf } from '../src/agents/rules/sent.ts'
import { INSTRUCTION_WORLDS, libraryWorld, placesWorld, SIZES, type World } from '../test/agents/worlds.ts'
import { RECORDED_CLIENTS, type Recorded } from './record/clients.ts'
import { instructionsOf, ownOf, placesOf, shownOf } from './record/facts.ts'

const RECORDINGS = 'test/agents/recorded'
const LOADOUT = resolve('dist/cli.js')
const PATIENCE = 120_000
const SENTINEL = 'the-heron-waits-at-the-lock'

interface Installed {
  client: Client
  recorded: Recorded
  version: string
  folder: string
}

const folder = resolve(process.env.LOADOUT_RECORDING_FOLDER ?? mkdtempSync(join(tmpdir(), 'loadout-recording-')))
mkdirSync(RECORDINGS, { recursive: true })
for (const chosen of choose(process.argv.slice(2))) {
  const at = chosen.folder
  install(chosen)
  const { version } = JSON.parse(readFileSync(join(at, 'node_modules', chosen.client.package, 'package.json'), 'utf8'))
  console.log(`${chosen.client.label} ${version}`)
  const recording = await record({ ...chosen, version })
  writeFileSync(join(RECORDINGS, `${chosen.client.agent}-${version}.json`), print(recording))
}

function choose(asked: readonly string[]): Installed[] {
  const all = RECORDED_CLIENTS.flatMap(({ agent, also = [] }) => [agent, ...also.map((v) => `${agent}@${v}`)])
  return (asked.length > 0 ? asked : all).map((word) => {
    const [agent = '', version = 'latest'] = word.split('@')
    const recorded = RECORDED_CLIENTS.find((each) => each.agent === agent)
    const client = clientOf(agent)
    if (client === undefined || recorded === undefined) throw new Error(`no client is called ${word}`)
    return { client, recorded, version, folder: join(folder, `${agent}-${version}`) }
  })
}

function install({ client: { package: name }, version, folder: at }: Installed): void {
  if (existsSync(join(at, 'node_modules', name))) return
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), '{"private":true}')
  // Some ask for a newer Node than their program needs: it is a binary.
  const flags = ['--engine-strict=false', '--force', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', `${name}@${version}`, ...flags], { cwd: at, stdio: 'inherit' })
}

async function record(installed: Installed) {
  const { client, recorded, version } = installed
  const { userFolder = '' } = requireAgent(client.agent)
  const listed = (main: ModelRequest, home: string) =>
    listedSkills(
      client,
      main,
      [home, installed.folder].map((each) => [each, '~'] as const),
    )
  const libraries = []
  for (const size of SIZES) {
    for (const name of recorded.models ?? [undefined]) {
      const { main, budget, home } = await run(installed, libraryWorld(userFolder, size), { model: name })
      const skills = listed(main, home)
      console.log(`  ${size} skills, ${modelOf(main)}: ${skills.length} listed`)
      libraries.push({
        size,
        ...(name === undefined ? {} : { asked: name }),
        model: modelOf(main),
        ...(budget === undefined ? {} : { budget }),
        requestBytes: main.bytes,
        characters: skills.reduce((sum, { characters }) => sum + characters, 0),
        own: ownOf(skills),
        shown: shownOf(skills, size),
      })
    }
  }
  const inPlaces = await run(installed, placesWorld())
  const places = placesOf(listed(inPlaces.main, inPlaces.home))
  console.log(`  ${places.read.length} places`)
  const instructions: Record<string, unknown> = {}
  for (const [name, world] of Object.entries(INSTRUCTION_WORLDS)) {
    instructions[name] = instructionsOf(world, (await run(installed, world)).main)
  }
  const [size] = SIZES
  const switches = recorded.switches && (await run(installed, libraryWorld(userFolder, size), { isSwitched: true }))
  const switched = switches && shownOf(listed(switches.main, switches.home), size)
  const mcp = recorded.server === undefined ? null : await recordMcp(installed)
  const hooks = await recordHooks(installed)
  console.log(`  MCP ${JSON.stringify(mcp)}, hooks ${JSON.stringify(hooks)}`)
  const day = new Date().toISOString().slice(0, 10)
  const about = { agent: client.agent, label: client.label, version, recorded: day }
  return { ...about, mcp, hooks, places, instructions, ...(switched && { switched }), libraries }
}

/** Whether the client connects to `loadout mcp`, and whether it names the tools to its model at once. */
async function recordMcp(installed: Installed): Promise<Record<string, boolean>> {
  const { requests, isConnected } = await run(installed, {}, { isMcp: true })
  const isNamed = requests.some((request) => JSON.stringify(request.body).includes('load_context'))
  return { connected: isConnected, named: isNamed }
}

/** Which of our hooks reach the model; null where Loadout offers none. */
async function recordHooks(installed: Installed): Promise<Record<string, boolean> | null> {
  const payload = (id: string, more: string) =>
    `---\nid: ${id}\nsummary: About ${id}\n${more}\n---\n\n# ${id}\n\n${SENTINEL}-${id}\n`
  const world = {
    'proj/.claude/loadout/always.md': payload('always', 'priority: core'),
    'proj/.claude/loadout/canal.md': payload('canal', 'keywords: [canal, lock-gate]'),
  }
  const { requests, isHooked } = await run(installed, world, { isHooked: true })
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

interface RunResult extends ClientRun {
  home: string
  main: ModelRequest
  isHooked: boolean
  /** It asked our MCP server for its tools. */
  isConnected: boolean
}

/** One prompt to one client in a fresh home. */
async function run(
  { client, recorded, folder: at }: Installed,
  world: World,
  { model, isMcp, isHooked: wantsHooks, isSwitched }: RunOptions = {},
): Promise<RunResult> {
  const root = mkdtempSync(join(tmpdir(), 'loadout-recorded-'))
  try {
    const home = join(root, 'home')
    const asked = join(home, 'asked-of-mcp.txt')
    const server = { command: 'sh', args: ['-c', `tee ${asked} | ${process.execPath} ${LOADOUT} mcp`] }
    const place = { address: MODEL_ADDRESS, model }
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    for (const [path, text] of Object.entries({ 'proj/sub/.keep': '', ...world })) write(path, text)
    const settings = [
      client.settings ? { [client.settings.file]: client.settings.values(place) } : {},
      (isMcp && recorded.server?.(server)) || {},
      (isSwitched && recorded.switches?.(home)) || {},
    ]
    for (const [path, values] of settings.flatMap((each) => Object.entries(each))) {
      const full = join(home, path)
      write(path, mergeSettings(path, existsSync(full) ? readFileSync(full, 'utf8') : '', values))
    }
    execFileSync('git', ['init', '--quiet', join(home, 'proj')])
    const cwd = join(home, 'proj', 'sub')
    const env = { PATH: process.env.PATH ?? '', HOME: home }
    const loadout = (...words: string[]) => spawnSync(process.execPath, [LOADOUT, ...words], { cwd, env })
    const isHooked = wantsHooks === true && loadout('connect', client.agent, '--no-mcp').status === 0
    if (wantsHooks) loadout('index', 'build')
    const program = join(at, 'node_modules', '.bin', client.command)
    const call = { client, program, prompt: 'open the canal lock-gate', model, root, home, cwd, kept: [] }
    const more = isHooked ? client.hookArgs : undefined
    const ran = await runClient({ env: process.env }, { ...call, more, patienceMs: PATIENCE })
    const main = mainRequest(ran.requests)
    if (main === undefined) throw new Error(`${program} sent nothing to its model: ${ran.said}`)
    const isConnected = existsSync(asked) && readFileSync(asked, 'utf8').includes('"tools/list"')
    return { ...ran, main, home, isHooked, isConnected }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** One line for each run, so that a difference can be read. */
function print(recording: object): string {
  const rows = Object.entries(recording).map(([key, value]) => {
    if (key !== 'libraries') return `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`
    return `  "libraries": [\n${(value as object[]).map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`
  })
  return `{\n${rows.join(',\n')}\n}\n`
}
