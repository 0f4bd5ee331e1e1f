import { basename, join } from 'node:path'
import { requireAgent } from '../agents/rules/agents.ts'
import { CLIENTS } from '../agents/rules/clients.ts'
import { joinStarts, SESSION_SETS } from '../agents/rules/session-set.ts'
import { seeAgent } from '../agents/see.ts'
import { ownedName } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { failWith, report, retell } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { runWithFolder } from './disk/run-with-folder.ts'
import { createBuilder } from './disk/tree.ts'
import { Installs } from './installs.ts'
import { requireProfile } from './profiles.ts'
import { chooseSkills, skillFiles } from './share.ts'

export interface SessionRequest {
  profile: string
  /** The program of an agent, and its arguments. */
  command: readonly string[]
  /** Keep the user's other skills. */
  add?: boolean
  dryRun?: boolean
}

export interface SessionSkills {
  agent: string
  label: string
  /** Those of the profile that the agent had already, and those that it has for this session. */
  installed: string[]
  added: string[]
  /** The user's other skills, not listed in this session. */
  hidden: string[]
  command: string[]
  env: Readonly<Record<string, string>>
  /** The exit code of the program. */
  code?: number
}

/**
 * Starts an agent's program with the skills of a profile. They lie in a folder of this session alone, and what else is
 * listed is decided by arguments of this start: no other session sees a difference, and nothing has to be taken back.
 */
export async function startSession(machine: Machine, request: SessionRequest): Promise<SessionSkills> {
  const { command, profile: name, add = false, dryRun = false } = request
  const [program = '', ...words] = command
  const known = CLIENTS.filter(({ agent }) => SESSION_SETS.some((set) => set.agent === agent))
  const client = known.find((each) => each.command === basename(program).replace(/\.(?:cmd|exe)$/, ''))
  if (client === undefined) {
    throw failWith('UNKNOWN_AGENT/session', { program, programs: known.map((each) => each.command).join(', ') })
  }
  const { agent } = client
  const set = SESSION_SETS.find((each) => each.agent === agent)!
  const { label } = requireAgent(agent)
  const installs = new Installs(machine, {})
  const { profile } = requireProfile(installs.config, name)
  const { skills, findings } = chooseSkills(installs, { names: [], profile: name })
  machine.report(...findings)
  const wanted = skills.filter(({ skill }) => profile[skill.name]?.includes(agent))
  const held = findings.find(({ severity }) => severity === 'error')
  if (wanted.length === 0 && held !== undefined) throw retell(held, {})
  if (wanted.length === 0) throw failWith('ENTRY_NOT_FOUND/profile-agent', { name, label })

  const seen = seeAgent(machine.quiet(), { agent, project: machine.cwd }).skills
  const isThere = new Set(
    seen.filter(({ fate }) => fate !== 'hidden' && fate !== 'unreadable').map((skill) => skill.name),
  )
  const missing = wanted.filter(({ skill }) => !isThere.has(skill.name))
  const own = seen.filter(({ scope, path }) => scope === 'user' && basename(path) === 'SKILL.md')
  const others = new Set(own.map((skill) => skill.name))
  for (const { skill } of wanted) others.delete(skill.name)
  const hidden = add ? [] : [...others].sort(compareText)
  if (missing.length > 0 && set.add === undefined) {
    const names = missing.map(({ skill }) => skill.name).join(' ')
    throw failWith('UNSUPPORTED_TARGET/session', { label, names, agent })
  }
  if (hidden.length > 0 && set.hide === undefined) {
    machine.report(report('NOT_SEEN/session', { label, count: hidden.length }))
  }

  const folder = join(machine.stateFolder, 'session-skills', ownedName('set'))
  const { args, env } = joinStarts([
    ...(missing.length > 0 ? [set.add!(folder)] : []),
    ...(hidden.length > 0 && set.hide !== undefined ? [set.hide(hidden)] : []),
  ])
  const value = {
    agent,
    label,
    installed: wanted.filter((each) => !missing.includes(each)).map(({ skill }) => skill.name),
    added: missing.map(({ skill }) => skill.name),
    hidden: set.hide === undefined ? [] : hidden,
    command: [program, ...args, ...words],
    env,
  }
  if (dryRun) return value
  const build = createBuilder()
  const files = missing.flatMap(({ skill, path }) => skillFiles(skill.name, build(path, skill, agent)))
  const run = { program, args: [...args, ...words], folder, place: set.place, files }
  const variables = { ...machine.env, ...env, LOADOUT_HIDDEN_SKILLS: value.hidden.join(',') }
  return { ...value, code: await runWithFolder({ ...run, env: variables }) }
}
