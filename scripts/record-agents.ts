// Installs the agents that the npm registry has, runs each against a scripted model, and writes down what it sent:
//   npm run record-agents                     all of them, the newest and the versions that the table names
//   npm run record-agents -- claude codex@0.166.0
//   npm run record-agents -- --hooks claude   only what comes by hooks and MCP, in its recording of this version
// A client runs as "loadout see --verify" runs it: without network, and it can write only its own home.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { mergeSettings } from '../src/agents/disk/client-home.ts'
import { type ClientRun, MODEL_ADDRESS, runClient } from '../src/agents/disk/client-run.ts'
import type { ScriptedCall } from '../src/agents/disk/scripted-model.ts'
import { requireAgent } from '../src/agents/rules/agents.ts'
import { type Client, clientOf } from '../src/agents/rules/clients.ts'
import { HOOK_HOSTS } from '../src/agents/rules/hook-hosts.ts'
import { listedSkills, type ModelRequest, mainRequest, modelOf, textsOf } from '../src/agents/rules/sent.ts'
import { INSTRUCTION_WORLDS, libraryWorld, placesWorld, SIZES, type World } from '../test/agents/worlds.ts'
import { RECORDED_CLIENTS, type Recorded } from './record/clients.ts'
import { instructionsOf, ownOf, placesOf, shownOf } from './record/facts.ts'

const RECORDINGS = 'test/agents/recorded'
const LOADOUT = resolve('dist/cli.cjs')
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
const asked = process.argv.slice(2)
for (const chosen of choose(asked.filter((word) => word !== '--hooks'))) {
  const at = chosen.folder
  install(chosen)
  const { version } = JSON.parse(readFileSync(join(at, 'node_modules', chosen.client.package, 'package.json'), 'utf8'))
  console.log(`${chosen.client.label} ${version}`)
  const path = join(RECORDINGS, `${chosen.client.agent}-${version}.json`)
  const installed = { ...chosen, version }
  const connected = await recordConnected(installed)
  const known = asked.includes('--hooks') ? JSON.parse(readFileSync(path, 'utf8')) : await record(installed)
  writeFileSync(path, print({ ...known, ...connected }))
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
  const day = new Date().toISOString().slice(0, 10)
  const about = { agent: client.agent, label: client.label, version, recorded: day }
  return { ...about, places, instructions, ...(switched && { switched }), libraries }
}

/** What `loadout connect` brings to the model and to its subagents. */
async function recordConnected(installed: Installed) {
  const payload = (id: string, more: string) =>
    `---\nid: ${id}\nsummary: About ${id}\n${more}\n---\n\n# ${id}\n\n${SENTINEL}-${id}\n`
  const world = {
    'proj/.claude/loadout/always.md': payload('always', 'priority: core'),
    'proj/.claude/loadout/canal.md': payload('canal', 'keywords: [canal, lock-gate]'),
    'proj/.claude/loadout/release.md': payload('release', 'keywords: [release, cut]'),
  }
  const { subagent } = installed.recorded
  const ran = await run(installed, world, { isConnected: true, script: subagent })
  const text = ran.requests.map(({ body }) => textsOf(body).join('\n'))
  const has = (id: string) => text.some((each) => each.includes(`${SENTINEL}-${id}`))
  const isHooked = HOOK_HOSTS.some(({ agent }) => agent === installed.client.agent)
  const recording = {
    connected: new Date().toISOString().slice(0, 10),
    mcp: ran.isAsked ? { connected: true, named: ran.isNamed } : null,
    hooks: isHooked ? { start: has('always'), prompt: has('canal') } : null,
    // Null: it has no tool that starts one, or did not offer it here.
    subagents: subagent === undefined || ran.pending.length > 0 ? null : has('release'),
  }
  console.log(`  ${JSON.stringify(recording)}`)
  return recording
}

interface RunOptions {
  model?: string
  /** `loadout connect`, as its user would. */
  isConnected?: boolean
  isSwitched?: boolean
  script?: readonly ScriptedCall[]
}

interface RunResult extends ClientRun {
  home: string
  main: ModelRequest
  /** It asked our MCP server for its tools; and named them to its model. */
  isAsked: boolean
  isNamed: boolean
}

/** One prompt to one client in a fresh home. */
async function run(
  { client, recorded, folder: at }: Installed,
  world: World,
  { model, isConnected, isSwitched, script }: RunOptions = {},
): Promise<RunResult> {
  const root = mkdtempSync(join(tmpdir(), 'loadout-recorded-'))
  try {
    const home = join(root, 'home')
    const asked = join(home, 'asked-of-mcp.txt')
    const place = { address: MODEL_ADDRESS, model }
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    for (const [path, text] of Object.entries({ 'proj/sub/.keep': '', ...world })) write(path, text)
    const settings = [
      client.settings ? { [client.settings.file]: client.settings.values(place) } : {},
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
    if (isConnected) {
      loadout('index', 'build')
      const { status, stdout, stderr } = loadout('connect', client.agent, '--json')
      if (status !== 0) throw new Error(`connect ${client.agent}: ${stderr}`)
      const { changes }: { changes: { part: string; path: string }[] } = JSON.parse(String(stdout))
      // The server also writes down what it is asked.
      const spy = join(home, 'cli.cjs')
      writeFileSync(
        spy,
        `const { emit } = process.stdin
process.stdin.emit = function (name, bytes) {
  if (name === 'data') require('node:fs').appendFileSync(${JSON.stringify(asked)}, bytes)
  return emit.apply(this, arguments)
}
process.argv[1] = ${JSON.stringify(LOADOUT)}
require(process.argv[1])
`,
      )
      for (const { part, path } of changes) {
        if (part !== 'mcp') continue
        const text = readFileSync(path, 'utf8')
        const cut = text.lastIndexOf(JSON.stringify(LOADOUT).slice(0, -1))
        writeFileSync(path, text.slice(0, cut) + text.slice(cut).replace(LOADOUT, spy))
      }
    }
    const program = join(at, 'node_modules', '.bin', client.command)
    const call = { client, program, prompt: 'open the canal lock-gate', model, root, home, cwd, kept: [] }
    const more = isConnected ? client.hookArgs : undefined
    const ran = await runClient({ env: process.env }, { ...call, more, script, patienceMs: PATIENCE })
    const main = mainRequest(ran.requests)
    if (main === undefined) throw new Error(`${program} sent nothing to its model: ${ran.said}`)
    const isAsked = existsSync(asked) && readFileSync(asked, 'utf8').includes('"tools/list"')
    const isNamed = ran.requests.some((request) => JSON.stringify(request.body).includes('load_context'))
    return { ...ran, main, home, isAsked, isNamed }
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
