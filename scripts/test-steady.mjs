// Runs the README's test command ten times, in fresh clones with an empty home. Prints what runs, how long it has taken
// so far, and one line for each run. Everything a run writes is below one folder, which is removed, also after Ctrl-C.
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
const PROGRESS_MS = 30_000
if (!isRoot) console.log('Not started as root: every run is of this user.')

const begin = Date.now()
let failures = 0
let stop = () => {}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    console.log('Interrupted: ending the run and removing its files.')
    stop()
  })
}

const numbers = values.only.split(',').map(Number)
for (const [done, number] of numbers.entries()) {
  const at = number - 1
  // Each pair differs by the hog alone; four pairs are all of who and where.
  const [isBusy, isOther, isClosed] = [at % 2 === 1, isRoot && (at & 4) !== 0, (at & 2) === 0]
  const who = isOther ? 'another user' : isRoot ? 'root' : 'this user'
  const about = [who, isClosed ? 'closed folder' : 'open folder', isBusy ? 'busy' : 'idle'].join('  ')
  console.log(`${String(number).padStart(2)}  starts  ${about}  (${done} of ${numbers.length} done, ${since(begin)})`)

  // Short, because the names of sockets below it may not be long.
  const folder = mkdtempSync(join(tmpdir(), 'steady-'))
  const place = join(folder, isClosed ? 'closed' : 'open')
  const [home, clone, temporary] = [join(place, 'home'), join(place, 'clone'), join(folder, 't')]
  for (const each of [home, temporary]) mkdirSync(each, { recursive: true })
  chmodSync(folder, 0o755)
  chmodSync(temporary, 0o1777)
  chmodSync(place, isClosed ? 0o700 : 0o755)
  if (isOther) for (const each of [place, home]) chownSync(each, NOBODY, NOBODY)
  spawnSync('git', ['clone', '--quiet', '--no-hardlinks', resolve('.'), clone], { stdio: 'inherit' })
  if (isOther) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, clone])

  const hog = isBusy ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined
  const start = Date.now()
  const run = spawn('sh', ['-c', COMMAND], {
    ...(isOther ? { uid: NOBODY, gid: NOBODY } : {}),
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: temporary },
    cwd: clone,
    // A group of its own: it is ended as a whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let isStopped = false
  stop = () => {
    isStopped = true
    endGroup(run.pid, 'SIGTERM')
  }
  let output = ''
  for (const stream of [run.stdout, run.stderr]) stream.on('data', (bytes) => (output += bytes))
  const progress = setInterval(() => {
    const lines = stripVTControlCharacters(output.slice(-4000)).split('\n')
    const last = lines.findLast((line) => line.trim() !== '') ?? ''
    console.log(`    ${since(start)}  ${last.trim().slice(-80)}`)
  }, PROGRESS_MS)
  const code = await new Promise((settle) => run.once('close', settle))
  clearInterval(progress)
  // Whatever of the group is still there after its first process.
  endGroup(run.pid, 'SIGKILL')
  hog?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  if (isStopped) process.exit(130)

  const counts = /^ *Tests +(.*)$/m.exec(stripVTControlCharacters(output))?.[1] ?? 'no tests were run'
  const result = code === 0 ? 'passed' : 'FAILED'
  console.log([String(number).padStart(2), result, about, since(start), counts].join('  '))
  if (code !== 0) {
    failures++
    const log = join(tmpdir(), `loadout-steady-${process.pid}-${number}.txt`)
    writeFileSync(log, output)
    console.log(`    its output: ${log}`)
  }
}
console.log(`${numbers.length - failures} of ${numbers.length} runs passed in ${since(begin)}.`)
process.exitCode = failures === 0 ? 0 : 1

function since(time) {
  return `${Math.round((Date.now() - time) / 1000)} s`
}

function endGroup(id, signal) {
  try {
    process.kill(-id, signal)
  } catch {
    // It has ended.
  }
}
