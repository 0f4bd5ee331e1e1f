import { type ChildProcess, spawn } from 'node:child_process'
import { CLI, CODE_CACHE } from '../cli/run.ts'
import { pathWithAgents } from '../installed-agents.ts'

export interface WebServer {
  child: ChildProcess
  origin: string
  /** The address that was not opened yet; after it was, the next one. */
  address(): string
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
  const addresses = () => said.match(/http:\S+/g) ?? []
  await new Promise<void>((done, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (addresses().length > 0) done()
    })
    child.once('exit', () => reject(new Error(`the server did not start: ${said}`)))
  })
  const address = () => addresses().at(-1) ?? ''
  return { child, origin: new URL(address()).origin, address, stop: () => void child.kill() }
}
