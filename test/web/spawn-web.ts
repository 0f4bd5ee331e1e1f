import { type ChildProcess, spawn } from 'node:child_process'
import { CLI, CODE_CACHE } from '../cli/run.ts'
import { pathWithAgents } from '../installed-agents.ts'

export interface WebServer {
  child: ChildProcess
  origin: string
  /** With its token. */
  address: string
  /** The header that the page sends with every question. */
  headers: { authorization: string }
  stop(): void
}

/** The real program, as a person starts it, as soon as it says where it is. */
export async function spawnWeb(
  home: string,
  cwd = home,
  words: readonly string[] = ['--port', '0'],
): Promise<WebServer> {
  const env = { PATH: pathWithAgents(), HOME: home, ...CODE_CACHE }
  const child = spawn(process.execPath, [CLI, 'web', ...words], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const address = await new Promise<string>((done, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk
      const whole = /(http:\S+)\s/.exec(said)?.[1]
      if (whole !== undefined) done(whole)
    })
    child.once('exit', () => reject(new Error(`the server did not start: ${said}`)))
  })
  const { origin, hash } = new URL(address)
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}` }
  return { child, origin, address, headers, stop: () => void child.kill() }
}
