import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { commitAll, connect, makeLibrary, write } from '../test/tui/machine.ts'
import { Session } from '../test/tui/pty.ts'
import { benchEnvironment, median, ms, printTable, processTimes, ratio } from './measure.ts'

const SKILLS = 2_000

/** The terminal interface over a large library: how soon it shows a list, and how soon it answers a key. */
export async function benchTui(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  try {
    makeLargeHome(home)
    await benchFirstPaint(home)
    await benchKeys(home)
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** Three files in each skill, and every one of them equipped for two agents. */
function makeLargeHome(home: string): void {
  const names = Array.from({ length: SKILLS }, (_, at) => `skill-${String(at).padStart(4, '0')}`)
  const body = '# Steps\n\n1. Read what is there\n2. Change as little as possible\n\n- a point\n- another\n'
  const skills = Object.fromEntries(names.map((name) => [name, { description: `What ${name} is for.`, body }]))
  const library = makeLibrary(join(home, 'skills'), skills)
  for (const name of names) write(join(library, 'skills', name, 'scripts', 'run.sh'), `echo ${name}\n`)
  commitAll(library, 'Add scripts')
  connect(home, library)
  execFileSync(process.execPath, [resolve('dist/cli.cjs'), 'equip', '--all'], {
    cwd: home,
    env: benchEnvironment(home),
    stdio: 'ignore',
  })
}

async function benchFirstPaint(home: string): Promise<void> {
  const env = benchEnvironment(home)
  const bare = processTimes([{ name: 'node', command: [process.execPath, '-e', '0'], cwd: home }], env).get('node')!
  const cache = join(home, '.cache', 'loadout', 'inventories')
  const cold = await medianOf(5, () => {
    rmSync(cache, { recursive: true, force: true })
    return timeToList(home)
  })
  const warm = await medianOf(15, () => timeToList(home))
  printTable(`The terminal interface, ${SKILLS} skills: until the list is seen`, [
    ['', 'processor ms', 'of bare Node', 'ms'],
    ['node -e 0', ms(bare), '', ''],
    ['with what was known', ms(warm.processor), ratio(warm.processor, bare), ms(warm.clock)],
    ['for the first time', ms(cold.processor), ratio(cold.processor, bare), ms(cold.clock)],
  ])
}

interface Times {
  processor: number
  clock: number
}

/** Loaded into the program: says how much processor time had been used when the first row of the list was written. */
const WATCH = `const fs = require('node:fs')
const write = fs.writeSync
if (require('node:worker_threads').isMainThread) {
  fs.writeSync = (file, bytes, ...rest) => {
    if (file !== 1 || !bytes.includes('skill-0000')) return write(file, bytes, ...rest)
    fs.writeSync = write
    const { user, system } = process.cpuUsage()
    fs.writeFileSync(process.env.PAINTED, String((user + system) / 1000))
    require('node:module').syncBuiltinESMExports()
    return write(file, bytes, ...rest)
  }
  require('node:module').syncBuiltinESMExports()
}
`

async function timeToList(home: string): Promise<Times> {
  const [watch, painted] = [join(home, 'watch.cjs'), join(home, 'painted')]
  write(watch, WATCH)
  const env = { ...benchEnvironment(home), NODE_OPTIONS: `--require ${watch}`, PAINTED: painted }
  const start = performance.now()
  const session = new Session({ home, env })
  await session.until('skill-0000')
  const clock = performance.now() - start
  const processor = Number(readFileSync(painted, 'utf8'))
  await session.until((screen) => !screen.includes('reading…'))
  session.send('q')
  await session.ended()
  session.dispose()
  return { processor, clock }
}

async function medianOf(rounds: number, measure: () => Promise<Times>): Promise<Times> {
  const times: Times[] = []
  for (let round = 0; round < rounds; round++) times.push(await measure())
  return { processor: median(times.map((each) => each.processor)), clock: median(times.map((each) => each.clock)) }
}

const CTRL_D = '\u0004'
const CTRL_U = '\u0015'

async function benchKeys(home: string): Promise<void> {
  const session = new Session({ home, env: benchEnvironment(home) })
  await session.until((screen) => screen.includes('skill-0000') && !screen.includes('reading…'))
  await session.quiet(1_000)
  const moves = [...'jjjjjjjjjjkkkkk'.repeat(8), ...(CTRL_D.repeat(20) + CTRL_U.repeat(20))]
  const filters = ['skill-12', 'what is', '0500', 'claude'].flatMap((text) => ['/', ...text, '\u001b'])
  const kinds: Record<string, string[]> = { 'moving the cursor': moves, 'typing a filter': [...filters, ...filters] }
  const rows: string[][] = []
  for (const [name, keys] of Object.entries(kinds)) {
    const times: number[] = []
    for (const key of keys) times.push(await timeKey(session, key))
    rows.push([name, `${times.length}`, ms(median(times)), ms(Math.max(...times))])
  }
  session.send('\u0003')
  await session.ended()
  session.dispose()
  const title = `The terminal interface, ${SKILLS} skills: from a key to the changed screen`
  printTable(title, [['', 'keys', 'median ms', 'worst ms'], ...rows])
}

/** The list answers a key; the details beside it may still follow an earlier one. */
async function timeKey(session: Session, key: string): Promise<number> {
  const list = (screen: string) => screen.replace(/^(.{30}).*$/gm, '$1')
  const before = list(session.screen())
  const start = performance.now()
  session.send(key)
  await session.until((screen) => list(screen) !== before)
  const time = performance.now() - start
  // About as fast as a held key repeats.
  await session.quiet(30)
  return time
}
