import { join } from 'node:path'
import { changeFiles } from '../change/edits.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { failWith } from '../text/trouble.ts'
import { makeTrialHome, type TrialSkill } from './disk/client-home.ts'
import { filesBelow, runClient, withClientFolder } from './disk/client-run.ts'
import { rulesOf } from './disk/rules-on-machine.ts'
import { hooksPlan } from './hooks-change.ts'
import { judgeHooks } from './hooks-status.ts'
import { type Agent, requireAgent } from './rules/agents.ts'
import { type ClientTrace, openedBy, TraceReader } from './rules/client-trace.ts'
import { CLIENTS, type Client, type OwnModel } from './rules/clients.ts'
import { HOOK_HOSTS, SETTINGS_HOSTS } from './rules/hook-hosts.ts'
import type { Visibility } from './rules/visibility.ts'
import { seeAgent } from './see.ts'

export type { TrialSkill } from './disk/client-home.ts'

type OwnClient = Client & { own: OwnModel }

/** A client of this machine that can run a prompt by itself. */
export interface UsableClient {
  agent: Agent
  client: OwnClient
  program: string
  version?: string
  /** Its user has the hooks of Loadout, so that a trial has them too. */
  isConnected: boolean
}

/** The clients that are installed here, or the named ones. Throws for one that is not. `connects`: only those that can have our hooks or server. */
export function usableClients(machine: Machine, named: readonly string[] = [], connects = false): UsableClient[] {
  const canConnect = (agent: string) => SETTINGS_HOSTS.some((host) => host.agent === agent)
  const known = CLIENTS.filter(
    (client): client is OwnClient => client.own !== undefined && (!connects || canConnect(client.agent)),
  )
  const wanted = named.length > 0 ? named : known.map(({ agent }) => agent)
  return wanted.flatMap((name) => {
    const agent = requireAgent(name)
    const client = known.find((each) => each.agent === agent.id)
    const { program } = rulesOf(machine, agent)
    if (client !== undefined && program !== undefined) {
      const isHost = HOOK_HOSTS.some((host) => host.agent === agent.id)
      const hooks = isHost ? judgeHooks(machine.quiet(), { agents: [agent.id] }).hooks : []
      const isConnected = hooks.some(({ scope, state }) => scope === 'user' && state === 'installed')
      return [{ agent, client, program: program.path, version: program.version, isConnected }]
    }
    if (named.length === 0) return []
    const { label } = agent
    if (client !== undefined) throw failWith('NOT_SEEN/no-program', { label, command: client.command })
    throw failWith('NOT_SEEN/no-client', { label, agents: known.map((each) => each.agent).join(', ') })
  })
}

const COMMAND_MS = 60_000

export interface TrialRequest {
  client: UsableClient
  prompt: string
  skills: readonly TrialSkill[]
  /** Files of the task, in the working folder. */
  files?: Readonly<Record<string, Uint8Array>>
  model?: string
  /** It may edit files of the working folder. */
  edits?: boolean
  /** After so many calls of tools it is stopped. */
  turns: number
  seconds: number
  dollars?: number
  signal?: AbortSignal
  /** With the hooks and the server of Loadout, as its user may have them. */
  connects?: boolean
  /** Puts more into the new home and its working folder. */
  prepare?(there: Machine): void | Promise<void>
  /** Parts of a call by which it asks for something: name → parts. */
  marks?: ReadonlyMap<string, readonly string[]>
  /** True: the rest of the run does not matter. */
  isEnough?(opened: readonly string[], there: Machine): boolean
}

/** One run of a client. */
export interface Trial extends ClientTrace {
  /** Skills in the order in which its model opened them. */
  opened: string[]
  /** `enough`: stopped by us, because the rest does not matter. `answer`: by itself. Otherwise there is no result. */
  ended: 'answer' | 'enough' | 'turns' | 'dollars' | 'time' | 'failed'
  /** Why there is no answer. */
  problem?: string
  seconds: number
}

/** The working folder after a run. */
export interface Work {
  /** All files, without those of git. */
  files: readonly string[]
  read(path: string): string
  /** As Loadout saw it in the run. */
  there: Machine
  /** Runs a command in it, without network; returns its exit code, or undefined if it took too long. */
  run(command: string): Promise<number | undefined>
}

/**
 * Runs a user's own client with the user's own model, in a home folder that has only some skills. It can write nothing
 * else on this computer. `look` sees the working folder before everything is removed.
 */
export function tryClient<T>(
  machine: Machine,
  request: TrialRequest,
  look: (trial: Trial, work: Work) => T | Promise<T>,
): Promise<T> {
  const { agent, client, program } = request.client
  return withClientFolder(async (root) => {
    const { skills, files = {}, model, turns, dollars } = request
    const made = makeTrialHome(machine, { agent, client, root, skills, files })
    const { there, places } = made
    for (const [name, parts] of request.marks ?? []) places.set(name, [...(places.get(name) ?? []), ...parts])
    await request.prepare?.(there)
    if (request.connects) {
      const plan = hooksPlan(there, { agents: [agent.id], mcp: true }, true)
      await changeFiles(there, { purpose: 'hooks', isDryRun: false }, plan)
    }
    const trace = new TraceReader()
    const opened: string[] = []
    let ended: Trial['ended'] | undefined
    let read = 0
    const readCalls = () => {
      for (; read < trace.calls.length; read++) {
        for (const name of openedBy(trace.calls[read]!, client.own.tool, places))
          if (!opened.includes(name)) opened.push(name)
      }
    }
    const onLine = (line: string): boolean => {
      trace.read(line)
      readCalls()
      ended = request.isEnough?.(opened, there)
        ? 'enough'
        : trace.calls.length > turns
          ? 'turns'
          : (trace.dollars ?? 0) > (dollars ?? Infinity)
            ? 'dollars'
            : undefined
      return ended !== undefined
    }
    const { own } = client
    const hooked = request.connects ? [...(client.hookArgs ?? []), ...(own.serverArgs ?? [])] : []
    const args = [...own.args(request.prompt, model), ...(request.edits ? own.edits : []), ...hooked]
    // Monotonic: the clock of the machine is only for what is written down.
    const start = performance.now()
    const { home, cwd, env } = made
    const run = await runClient(machine, {
      client,
      program,
      prompt: request.prompt,
      root,
      home,
      cwd,
      kept: [machine.home, machine.cwd],
      patienceMs: request.seconds * 1000,
      signal: request.signal,
      own: { args, env, onLine },
    })
    made.keepLogin()
    for (const path of own.sessions === undefined ? [] : filesBelow(join(home, own.sessions)))
      trace.readSession(readTextInside(home, join(own.sessions!, path)))
    readCalls()
    request.signal?.throwIfAborted()
    const { answer, calls, error, tokens } = trace
    // A client that asked its model nothing says why in words.
    const isSilent = answer === '' && calls.length === 0 && tokens === undefined
    const isFailed = error !== undefined || (isSilent && ended === undefined)
    const problem = isFailed ? (error ?? lastWords(run.said)) : undefined
    const how = ended ?? (run.code === undefined ? 'time' : isFailed ? 'failed' : 'answer')
    const seconds = Math.round((performance.now() - start) / 100) / 10
    const { model: asked, dollars: cost } = trace
    const trial = { model: asked, calls, answer, tokens, dollars: cost, error, opened, ended: how, problem, seconds }
    const work: Work = {
      files: filesBelow(cwd),
      read: (path) => readTextInside(cwd, path),
      there,
      run: async (command) => {
        const shell = { args: ['-c', command], env: {}, isClosed: true, onLine: () => false }
        const kept = [machine.home, machine.cwd]
        const call = { client, program: 'sh', prompt: '', root, home, cwd, kept, patienceMs: COMMAND_MS, own: shell }
        return (await runClient(machine, { ...call, signal: request.signal })).code
      },
    }
    return look(trial, work)
  })
}

/** The last lines of a client that are not JSON. */
function lastWords(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'))
  return lines.slice(-3).join(' ').slice(-300) || 'it printed nothing'
}

/** What the user's agent would list of these skills, if it had no others: by name. */
export function listedInTrial(
  machine: Machine,
  { agent, client }: UsableClient,
  skills: readonly TrialSkill[],
): Promise<ReadonlyMap<string, Visibility>> {
  return withClientFolder(async (root) => {
    const { there } = makeTrialHome(machine, { agent, client, root, skills, files: {} })
    return new Map(seeAgent(there, { agent: agent.id }).skills.map(({ name, fate }) => [name, fate]))
  })
}
