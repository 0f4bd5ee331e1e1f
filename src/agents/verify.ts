import { readText } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { failWith, report } from '../text/trouble.ts'
import { copyForClient } from './disk/client-home.ts'
import { type ClientCall, MODEL_ADDRESS, runClient, withClientFolder } from './disk/client-run.ts'
import { keepMeasured, rulesOf } from './disk/rules-on-machine.ts'
import { requireAgent } from './rules/agents.ts'
import { CLIENTS, clientOf } from './rules/clients.ts'
import { compareInstructions, compareSkills, type Difference, type MeasuredRow } from './rules/measured.ts'
import { listedSkills, mainRequest, modelOf } from './rules/sent.ts'
import { type SeeRequest, seeAgent } from './see.ts'

export interface VerifyRequest extends Pick<SeeRequest, 'agent' | 'project' | 'model'>, Pick<ClientCall, 'signal'> {
  /** How long the client may take. */
  seconds?: number
}

/** What an agent really sent to its model, beside what `see` says. */
export interface Verification {
  agent: string
  label: string
  program: string
  version?: string
  home: string
  /** The model that it asked for. */
  model: string
  requests: number
  /** Of the request with the prompt. */
  bytes: number
  /** All entries of its list of skills, and their size. */
  listed: { skills: number; characters: number }
  instructions: { path: string; bytes: number }[]
  /** How many skills and instruction files were compared. */
  compared: number
  differences: Difference[]
  /** Kept for this version: from now on `see` uses it. Absent if the version is unknown. */
  measured?: MeasuredRow
}

/**
 * Runs the user's own client in a copy of what it reads, against a model that Loadout scripts on this computer, and
 * compares what it sent with `see`. Nothing leaves the computer, and no file outside of the copy can change.
 */
export async function verifyAgent(machine: Machine, request: VerifyRequest): Promise<Verification> {
  const { project, model, seconds = 120 } = request
  const agent = requireAgent(request.agent)
  const client = clientOf(agent.id)
  if (client === undefined) {
    throw failWith('NOT_SEEN/no-client', { label: agent.label, agents: CLIENTS.map((each) => each.agent).join(', ') })
  }
  const { rules, program } = rulesOf(machine, agent)
  if (program === undefined) throw failWith('NOT_SEEN/no-program', { label: agent.label, command: client.command })
  const sight = seeAgent(machine.quiet(), { agent: agent.id, project, model })
  return withClientFolder(async (root) => {
    const place = { address: MODEL_ADDRESS, model }
    const { home, cwd, moved } = copyForClient(machine, { agent, client, cwd: sight.cwd, rules, root, place })
    const { path: file, version } = program
    const kept = [machine.home, ...(sight.cwd === undefined ? [] : [sight.cwd])]
    const call = {
      client,
      program: file,
      prompt: 'Say one word.',
      model,
      root,
      home,
      cwd,
      kept,
      signal: request.signal,
    }
    const run = await runClient(machine, { ...call, patienceMs: seconds * 1000 })
    const main = mainRequest(run.requests)
    if (main === undefined) {
      const said = run.said.slice(-300)
      throw failWith(run.code === undefined ? 'NOT_SEEN/hung' : 'NOT_SEEN/silent', { file, seconds, said })
    }
    const sent = listedSkills(
      client,
      main,
      moved.map(([from, to]) => [to, from]),
    )
    const { differences, own } = compareSkills(sight, sent, rules.listing !== undefined)
    const files = sight.instructions.filter(({ state }) => state !== 'unreadable')
    const texts = files.map((each) => ({ ...each, text: readText(each.path, Number.POSITIVE_INFINITY) }))
    const instructions = compareInstructions(texts, main)
    const all = [...differences, ...instructions.differences]
    const day = machine.now().toISOString().slice(0, 10)
    const wrong = differences.map(({ name }) => name)
    // Codex has its own skills in a folder, which it fills when it first runs.
    const inside = rules.listing?.overflow === 'shorten' ? [] : own
    const measured = { day, skills: sight.skills.length, wrong, own: inside, budget: run.budget }
    if (version !== undefined) keepMeasured(machine, agent.id, version, measured)
    if (all.length > 0) machine.report(report('NOT_SEEN/differs', { label: agent.label, count: all.length }))
    return {
      agent: agent.id,
      label: agent.label,
      program: file,
      version,
      home: machine.home,
      model: modelOf(main),
      requests: run.requests.length,
      bytes: main.bytes,
      listed: { skills: sent.length, characters: sent.reduce((sum, { characters }) => sum + characters, 0) },
      instructions: instructions.sent,
      compared: sight.skills.length + files.length,
      differences: all,
      measured: version === undefined ? undefined : measured,
    }
  })
}
