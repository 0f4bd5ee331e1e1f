import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import { childOptions, endTree } from '../../machine/platform.ts'
import { failWith } from '../../text/trouble.ts'
import type { Client } from '../rules/clients.ts'
import type { ModelRequest } from '../rules/sent.ts'
import { type ScriptedCall, startModel } from './scripted-model.ts'

/** One prompt to one client, in a home folder of its own. */
export interface ClientCall {
  client: Client
  program: string
  prompt: string
  /** The model that the client should ask for; absent: the one that it takes by itself. */
  model?: string
  /** Calls of tools that the model makes before it says one word. */
  script?: readonly ScriptedCall[]
  /** The only folder that the client can write, with its home and its working folder inside. */
  root: string
  home: string
  cwd: string
  /** Folders that the client must not be able to write: the run is refused if it could. */
  kept: readonly string[]
  more?: readonly string[]
  patienceMs: number
  signal?: AbortSignal
}

export interface ClientRun {
  /** In their order. */
  requests: readonly ModelRequest[]
  /** Calls of the script that the client never offered a tool for. */
  pending: readonly ScriptedCall[]
  /** Absent: it was stopped. */
  code?: number
  /** The end of what it printed. */
  said: string
  /** The size of the list of skills, where its log says it. */
  budget?: number
}

/** Where the model answers in a network that has nothing else. */
export const MODEL_ADDRESS = 'http://127.0.0.1:41414'

/**
 * Runs as the first process of a namespace, so that everything ends with it. Passes connections on to the model outside,
 * which has a socket in a folder and no network.
 */
const PASS_ON = `
const [socket, ready, program, ...args] = process.argv.slice(1)
const net = require('node:net')
net.connect(socket).on('error', () => process.exit(1)).on('close', () => process.exit(1))
const server = net.createServer((client) => {
  const model = net.connect(socket)
  client.pipe(model).pipe(client)
  client.on('error', () => model.destroy())
  model.on('error', () => client.destroy())
})
server.listen(41414, '127.0.0.1', () => {
  require('node:fs').writeFileSync(ready, '')
  require('node:child_process').spawn(program, args, { stdio: 'inherit' })
    .on('error', (error) => { console.error(error.message); process.exit(127) })
    .on('close', (code) => process.exit(code ?? 1))
})`

/** Nothing but the first folder can be written, and the network has only the loopback address. */
const CLOSE = `
root=$1; shift
ip link set lo up 2>/dev/null || ifconfig lo up || exit 96
mount --bind "$root" "$root" || exit 96
while read -r _ place _; do
  case "$place" in "$root"|"$root"/*|/proc|/proc/*|/sys|/sys/*|/dev|/dev/*) ;;
    *) mount -o remount,bind,ro "$place" 2>/dev/null ;;
  esac
done < /proc/self/mounts
printf '%s\\n' "$LOADOUT_KEPT" | while read -r folder; do [ ! -w "$folder" ] || exit 1; done || exit 96
unset LOADOUT_KEPT
cd "$PWD" && exec "$@"`

/** Never throws because of what the client does: it may hang, fail, ask for a login or send nothing. */
export async function runClient({ env }: Pick<Machine, 'env'>, call: ClientCall): Promise<ClientRun> {
  const { client, program, root, home, cwd, signal } = call
  const [socket, ready, log, temporary] = ['model', 'ready', 'log', 'tmp'].map((name) => join(root, name)) as Four
  mkdirSync(temporary, { recursive: true })
  const place = { address: MODEL_ADDRESS, model: call.model }
  const model = await startModel(socket, call.script ?? [])
  const args = [...client.args(call.prompt, place), ...(client.log?.args(log) ?? []), ...(call.more ?? [])]
  const closed = ['--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const inside = ['sh', '-c', CLOSE, 'sh', root, process.execPath, '-e', PASS_ON, socket, ready, program, ...args]
  const child = spawn('unshare', [...closed, ...inside], {
    ...childOptions(),
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: env.PATH,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      CI: '',
      HOME: home,
      TMPDIR: temporary,
      LOADOUT_KEPT: call.kept.join('\n'),
      ...client.env(place),
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk).slice(-2_000)))
  }
  let isStopped = false
  const stop = () => {
    isStopped = true
    endTree(child, 'SIGKILL')
  }
  const timer = setTimeout(stop, call.patienceMs)
  signal?.addEventListener('abort', stop)
  const code = await new Promise<number | null>((done) => {
    child.on('error', () => done(null)).on('close', done)
  })
  clearTimeout(timer)
  signal?.removeEventListener('abort', stop)
  model.close()
  if (!existsSync(ready) && !isStopped) throw failWith('NOT_SEEN/closed', { said: said.trim().slice(-200) })
  const budget = client.log && existsSync(log) ? client.log.budget.exec(readFileSync(log, 'utf8'))?.[1] : undefined
  return {
    requests: model.requests,
    pending: model.pending,
    code: isStopped ? undefined : (code ?? undefined),
    said: said.trim(),
    budget: budget === undefined ? undefined : Number(budget),
  }
}

type Four = [string, string, string, string]
