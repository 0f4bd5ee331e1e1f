import { Config } from '../agents/config.ts'
import { type HookStatuses, type HookStatusRequest, judgeHooks } from '../agents/hooks-status.ts'
import { ListSwitch, type Switches } from '../agents/list-switch.ts'
import { AGENTS, type Agent } from '../agents/rules/agents.ts'
import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import { isCrowdedOut } from '../agents/rules/visibility.ts'
import { openScan, type SeenByAgent, type SkillScan, seeAgent } from '../agents/see.ts'
import { offeredPacks } from '../answer/session/start-parts.ts'
import type { Machine } from '../machine/machine.ts'
import type { TrustedPack } from '../packs/rules/gates/trust.ts'
import { brokenLayers, readKnowledge } from '../payloads/knowledge.ts'
import { usedSkills } from '../skills/equip.ts'
import { describeRemote } from '../skills/rules/sync-decision.ts'
import { readStanding } from '../skills/sync.ts'
import { testResults } from '../skills/tested-skills.ts'
import { LoadoutError } from '../text/trouble.ts'
import { getOwn } from '../text/values.ts'
import { usageOverTime } from '../usage/look-back.ts'
import { moneyFor, type Prices } from '../usage/rules/cost.ts'
import { readPrices } from '../usage/usage.ts'
import { type AgentStatus, type LibraryStatus, type MachineStatus, nextSteps } from './rules/status.ts'

export interface StatusRequest {
  /** The project in which the agents work; undefined for none. */
  project?: string
}

/**
 * Reports what the agents of this machine see and what that costs, the state of the library, and what to do next.
 */
export async function readStatus(machine: Machine, { project }: StatusRequest): Promise<MachineStatus> {
  // A missing project has no agents to report.
  if (project !== undefined) machine.openProject(project)
  const config = new Config(machine)
  // The shared folder is not an agent: those that read it are shown with its skills.
  const found = AGENTS.filter((agent) => agent.id !== 'agents' && config.isFound(agent))
  const prices = readPrices(machine)
  const scan = openScan(machine)
  const agents = found.map((agent) => statusOf(machine, agent, project, prices, scan))
  const library = await libraryOf(machine, project)
  const neverRan = AGENTS.filter((agent) => !found.includes(agent)).flatMap((agent) => {
    const { id } = agent
    const program = RECORDED_AGENTS.includes(id) ? seeAgent(machine.quiet(), { agent: id }).program : undefined
    return program === undefined ? [] : [{ agent: id, label: agent.label, program }]
  })
  const { starts, cost } = usageOverTime(machine.quiet(), { since: `${COST_DAYS}d` })
  const usage = { days: COST_DAYS, starts, cost }
  const offered = offeredPacks(machine, machine.openProject(project)).map(({ pack }) => pack)
  const named = (isIt: (trust: TrustedPack['trust']) => boolean | undefined) =>
    offered.filter(({ trust }) => isIt(trust)).map(({ manifest }) => manifest.name)
  const { hooks } = judgeHooks(machine, { agents: [] })
  const status = {
    agents,
    neverRan,
    library,
    usage,
    hooks: hooks.filter(({ state }) => state === 'installed').map(({ agent }) => agent),
    packs: named(({ isOpen, isUndecided }) => !isOpen || isUndecided),
    following: named(({ follows }) => follows),
    changed: named(({ kept }) => kept !== undefined),
    readable: named(({ isOpen }) => isOpen).length,
    regressed: testResults(machine).regressed,
  }
  return { ...status, next: nextSteps(status, project) }
}

const COST_DAYS = 30

function statusOf(
  machine: Machine,
  { id, label }: Agent,
  project: string | undefined,
  prices: Prices | undefined,
  scan: SkillScan,
): AgentStatus {
  try {
    const own = ListSwitch.open(machine, id, undefined)?.own ?? {}
    return summed(seeAgent(machine.quiet(), { agent: id, project }, scan), own, prices)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return { agent: id, label, problem: error.message }
  }
}

function summed(sight: SeenByAgent, own: Switches, prices: Prices | undefined): AgentStatus {
  const { agent, label, program, recordedFrom, skills, budget, instructions } = sight
  const count = (...fates: SeenByAgent['skills'][number]['fate'][]) =>
    skills.filter(({ fate }) => fates.includes(fate)).length
  const listed = skills.reduce((sum, skill) => sum + skill.tokens, sight.own.tokens)
  const read = instructions.reduce((sum, file) => sum + Math.ceil(file.read / 4), 0)
  const money = moneyFor(listed + read, prices, agent, budget?.model)
  return {
    agent,
    label,
    program,
    recordedFrom,
    skills: skills.length,
    seen: count('visible'),
    undescribed: count('undescribed'),
    cut: count('cut'),
    dropped: count('dropped'),
    crowded: skills.filter(isCrowdedOut).length,
    named: count('named'),
    hooked: skills.filter(({ fate, name }) => fate === 'hidden' && getOwn(own, name) === 'off').length,
    doubles: count('shadowed', 'ambiguous'),
    unreadable: count('unreadable'),
    room: budget ? { size: budget.budget, unit: budget.unit === 'tokens' ? 'tokens' : 'characters' } : undefined,
    tokens: listed + read,
    money,
    cutFiles: instructions.flatMap(({ path, bytes, read: taken, state }) =>
      state === 'cut' ? [{ path, bytes, read: taken }] : [],
    ),
  }
}

/** Undefined without a library; for an unusable one, the reason. */
async function libraryOf(machine: Machine, project: string | undefined): Promise<LibraryStatus | undefined> {
  try {
    const value = await readStanding(machine.quiet(), { project })
    const used = usedSkills(machine)
    const unused = used && value.equipped.filter((name) => !used.has(name))
    return { ...value, unused, stands: describeRemote(value, machine.now()) }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return error.code === 'CONFIG_NOT_FOUND' ? undefined : { problem: error.message }
  }
}

/** Whether the hooks are installed and can run, and whether they can read the layers. */
export function statusOfHooks(machine: Machine, request: HookStatusRequest): HookStatuses {
  const { hooks, findings, project } = judgeHooks(machine, request)
  const layers = brokenLayers(readKnowledge(machine, { projectRoot: project }, true))
  machine.report(...findings, ...layers)
  return { hooks }
}
