import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { ownScratch, withScratch } from '../../machine/leftovers.ts'
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
  /** Lets it ask its user's own model over the network, instead of a scripted one without. */
  own?: {
    args: readonly string[]
    env: Readonly<Record<string, string | undefined>>
    /** No network after all. */
    isClosed?: boolean
    /** Gets each line that it prints. True: that is enough, and it is stopped. */
    onLine(line: string): boolean
  }
}

export interface ClientRun {
  /** In their order. */
  requests: readonly ModelRequest[]
  /** Calls of the script that the client never offered a tool for. */
  pending: readonly ScriptedCall[]
  /** Absent: it was stopped. */
  code?: number
  /** It was stopped because `onLine` had enough. */
  isEnough: boolean
  /** The end of what it printed. */
  said: string
  /** The size of the list of skills, where its log says it. */
  budget?: number
}

/** Where the model answers in a network that has nothing else. */
export const MODEL_ADDRESS = 'http://127.0.0.1:41414'

/**
 * Runs as the first process of a namespace, so that everything ends with it. Its standard input ends when Loadout does,
 * however that was killed. For a scripted model it passes connections on to the model outside, which has a socket in a
 * folder and no network.
 */
const FIRST = `
const [socket, ready, program, ...args] = process.argv.slice(1)
const fs = require('node:fs')
const net = require('node:net')
process.stdin.resume().on('end', () => process.exit(1))
const start = () => {
  fs.writeFileSync(ready, '')
  require('node:child_process').spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    .on('error', (error) => { console.error(error.message); process.exit(127) })
    .on('close', (code) => process.exit(code ?? 1))
}
if (socket === '') start()
else {
  const server = net.createServer((client) => {
    const model = net.connect(socket)
    client.pipe(model).pipe(client)
    client.on('error', () => model.destroy())
    model.on('error', () => client.destroy())
  })
  server.listen(41414, '127.0.0.1', start)
}`

/** Removes the folders when Loadout has ended, unless it said a word before. What was killed may still write for a moment. */
const WATCH = `read -r _ || for _ in 1 2 3 4 5 6 7 8 9; do rm -rf "$1"* && break; sleep 1; done`

/** A temporary folder that is removed at once, however Loadout is killed: clients leave logins and work in it. */
export async function withClientFolder<T>(run: (root: string) => Promise<T>): Promise<T> {
  const stdio = ['pipe', 'ignore', 'ignore'] as const
  // Before the folder is made, so that there is no moment without it.
  const watcher = spawn('sh', ['-c', WATCH, 'sh', ownScratch()], { ...childOptions(), cwd: '/', stdio: [...stdio] })
  for (const each of [watcher, watcher.stdin]) each?.on('error', () => {}) // Where there is no shell, no client runs.
  try {
    return await withScratch(run)
  } finally {
    watcher.stdin?.end('done\n')
  }
}

/**
 * Nothing but the first folder can be written, and a new /tmp that has links to what was there: some clients write to
 * that place whatever the environment says. Without a name of a socket, the network stays.
 */
const CLOSE = `
root=$1 socket=$2; shift 2
[ -z "$socket" ] || ip link set lo up 2>/dev/null || ifconfig lo up || exit 96
here=$PWD
mount --bind "$root" "$root" && cd /tmp && mount -t tmpfs -o mode=1777 tmpfs /tmp &&
  mkdir /tmp/.before && mount -c --bind . /tmp/.before || exit 96
case "$root" in /tmp/*)
  (at=/tmp from=/tmp/.before IFS=/; for part in \${root#/tmp/}; do
    mkdir -p "$at/$part"; ln -s "$from"/* "$at" 2>/dev/null; at=$at/$part from=$from/$part
  done)
  mount -c --bind "./\${root#/tmp/}" "$root" || exit 96 ;;
*) ln -s /tmp/.before/* /tmp 2>/dev/null ;; esac
while read -r _ place _; do
  case "$place" in "$root"|"$root"/*|/tmp|/proc|/proc/*|/sys|/sys/*|/dev|/dev/*) ;;
    *) mount -o remount,bind,ro "$place" 2>/dev/null ;;
  esac
done < /proc/self/mounts
printf '%s\\n' "$LOADOUT_KEPT" | while read -r folder; do
  case "$folder" in /tmp|/tmp/*) folder=/tmp/.before\${folder#/tmp} ;; esac
  [ ! -w "$folder" ] || exit 1
done || exit 96
unset LOADOUT_KEPT
cd "$here" && exec "$@"`

/** Never throws because of what the client does: it may hang, fail, ask for a login or send nothing. */
export async function runClient({ env }: Pick<Machine, 'env'>, call: ClientCall): Promise<ClientRun> {
  const { client, program, root, home, cwd, signal, own } = call
  const [model, ready, log, temporary] = ['model', 'ready', 'log', 'tmp'].map((name) => join(root, name)) as Four
  const socket = own === undefined ? model : ''
  mkdirSync(temporary, { recursive: true })
  const place = { address: MODEL_ADDRESS, model: call.model }
  const scripted = own === undefined ? await startModel(socket, call.script ?? []) : undefined
  const asked = own?.args ?? [
    ...client.args(call.prompt, place),
    ...(client.log?.args(log) ?? []),
    ...(call.more ?? []),
  ]
  const flags = [
    '--map-root-user',
    ...(own && !own.isClosed ? [] : ['--net']),
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ]
  const first = [process.execPath, '-e', FIRST, socket, ready, program, ...asked]
  const inside = [...flags, 'sh', '-c', CLOSE, 'sh', root, socket, ...first]
  const child = spawn('unshare', inside, {
    ...childOptions(),
    cwd,
    env: {
      PATH: env.PATH,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      CI: '',
      HOME: home,
      TMPDIR: temporary,
      LOADOUT_KEPT: call.kept.join('\n'),
      ...(own?.env ?? client.env(place)),
    },
  })
  let said = ''
  let rest = ''
  let ended: 'enough' | 'stopped' | undefined
  const stop = (why: typeof ended) => {
    ended ??= why
    endTree(child, 'SIGKILL')
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said = (said + chunk).slice(-2_000)))
  }
  const decoder = new StringDecoder()
  if (own !== undefined) {
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split('\n')
      // A line that has not ended is not JSON yet.
      rest = (lines.pop() ?? '').slice(0, LONGEST_LINE)
      if (ended === undefined && lines.some((line) => own.onLine(line))) stop('enough')
    })
  }
  child.stdin.on('error', () => {}) // It is held open as long as this process lives.
  const timer = setTimeout(() => stop('stopped'), call.patienceMs)
  const abort = () => stop('stopped')
  signal?.addEventListener('abort', abort)
  const code = await new Promise<number | null>((done) => {
    child.on('error', () => done(null)).on('close', done)
  })
  clearTimeout(timer)
  signal?.removeEventListener('abort', abort)
  scripted?.close()
  if (!existsSync(ready) && ended === undefined) throw failWith('NOT_SEEN/closed', { said: said.trim().slice(-200) })
  const budget = client.log && existsSync(log) ? client.log.budget.exec(readFileSync(log, 'utf8'))?.[1] : undefined
  return {
    requests: scripted?.requests ?? [],
    pending: scripted?.pending ?? [],
    code: ended === undefined ? (code ?? undefined) : undefined,
    isEnough: ended === 'enough',
    said: said.trim(),
    budget: budget === undefined ? undefined : Number(budget),
  }
}

/** The files below a folder by path, without those of git. */
export function filesBelow(folder: string): string[] {
  const found: string[] = []
  if (!existsSync(folder)) return found
  const visit = (inside: string): void => {
    for (const entry of readdirSync(join(folder, inside), { withFileTypes: true })) {
      const path = join(inside, entry.name)
      if (path === '.git' || found.length >= MOST_FILES) continue
      if (entry.isDirectory()) visit(path)
      else if (entry.isFile()) found.push(path)
    }
  }
  visit('')
  return found.sort()
}

const MOST_FILES = 1_000

type Four = [string, string, string, string]
const LONGEST_LINE = 16 * 1024 * 1024
