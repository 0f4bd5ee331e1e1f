// Runs the README's test command in fresh clones with an empty home, and prints one line for each run.
// npm run test:steady [-- --only 1,5]
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'

const { values } = parseArgs({ options: { only: { type: 'string', default: '1,2,3,4,5,6,7,8,9,10' } } })
const isRoot = process.getuid?.() === 0
const NOBODY = 65534
const COMMAND = 'npm ci --no-audit --no-fund && npm test'
if (!isRoot) console.log('Not started as root: every run is of this user.')

let failures = 0
for (const number of values.only.split(',').map(Number)) {
  const at = number - 1
  // Each pair differs by the hog alone; four pairs are all of who and where.
  const [isBusy, isOther, isClosed] = [at % 2 === 1, isRoot && (at & 4) !== 0, (at & 2) === 0]
  const folder = mkdtempSync(join(tmpdir(), 'loadout-steady-'))
  const place = join(folder, isClosed ? 'closed' : 'open')
  const [home, clone] = [join(place, 'home'), join(place, 'clone')]
  mkdirSync(home, { recursive: true })
  chmodSync(folder, 0o755)
  chmodSync(place, isClosed ? 0o700 : 0o755)
  if (isOther) for (const each of [place, home]) chownSync(each, NOBODY, NOBODY)
  const owner = isOther ? { uid: NOBODY, gid: NOBODY } : {}
  const env = { PATH: process.env.PATH, HOME: home }
  spawnSync('git', ['clone', '--quiet', '--no-hardlinks', resolve('.'), clone], { stdio: 'inherit' })
  if (isOther) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, clone])
  const hog = isBusy ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined
  const start = Date.now()
  const run = spawnSync('sh', ['-c', COMMAND], { ...owner, env, cwd: clone, encoding: 'utf8', maxBuffer: 1 << 28 })
  const seconds = Math.round((Date.now() - start) / 1000)
  hog?.kill('SIGKILL')
  const isGreen = run.status === 0
  const output = run.stdout + run.stderr
  const counts = /^ *Tests +(.*)$/m.exec(stripVTControlCharacters(output))?.[1] ?? 'no tests were run'
  const who = isOther ? 'another user' : isRoot ? 'root' : 'this user'
  const words = [
    isGreen ? 'passed' : 'FAILED',
    who,
    isClosed ? 'closed folder' : 'open folder',
    isBusy ? 'busy' : 'idle',
  ]
  console.log([String(number).padStart(2), ...words, `${seconds} s`, counts].join('  '))
  if (!isGreen) {
    failures++
    const log = join(tmpdir(), `loadout-steady-${process.pid}-${number}.txt`)
    writeFileSync(log, output)
    console.log(`    its output: ${log}`)
  }
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1
