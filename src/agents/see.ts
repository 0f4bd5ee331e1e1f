import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { compareText, getOwn } from '../text/values.ts'
import { AgentFiles, type FoundPlace } from './disk/agent-files.ts'
import { bodyTokensOf, findSkills, openScan, type SkillScan } from './disk/found-skills.ts'
import { type KnownRules, rulesOf } from './disk/rules-on-machine.ts'
import { ListSwitch } from './list-switch.ts'
import {
  type AgentSettings,
  decideInstructions,
  isSwitchedOff,
  type Limits,
  limitsOf,
  type SeenInstructions,
} from './rules/agent-settings.ts'
import { requireAgent } from './rules/agents.ts'
import type { Switches } from './rules/hook-settings/list-switch.ts'
import type { InstructionRules, Listing } from './rules/reading-rules.ts'
import { RECORDED, readingOf, recordedRules } from './rules/recorded-rules.ts'
import { decideVisibility, type FoundSkill, type SeenSkills, type Visibility } from './rules/visibility.ts'

/** What `loadout see` asks: which skills and instructions an agent would show its model, and which it would leave out. */
export interface SeeRequest {
  agent: string
  /** The working folder of the agent; undefined for no project. */
  project?: string
  /** The context window of the model, in tokens. */
  window?: number
  /** Assume that the settings of the agent name this model. */
  model?: string
  /** Names of skills to leave out. */
  without?: readonly string[]
  /** Assume that the settings say this about these skills. */
  switched?: Switches
  /** Assume that the descriptions of these skills end after so many characters. */
  shorten?: Readonly<Record<string, number>>
}

export interface SeenByAgent extends SeenSkills, Pick<KnownRules, 'program' | 'recordedFrom' | 'measured'> {
  agent: string
  label: string
  /** What the user must do before it reads the folders of a project; absent if nothing. */
  trust?: string
  cwd?: string
  home: string
  places: FoundPlace[]
  /** The maximum size of the list; absent if it is unknown or unlimited. */
  budget?: Limits & { unit: Listing['unit'] }
  instructions: SeenInstructions[]
  /** Skill → a score of its recent use, according to the agent's own record. */
  usage: Readonly<Record<string, number>>
  /** Skills that its settings mention. */
  overridden: string[]
  mostInstructionBytes?: number
}

/** The recorded rules of one agent. */
export interface KnownAgentRules {
  agent: string
  /** The recorded versions, the oldest first. */
  versions: string[]
  /** The day of the newest recording. */
  day: string
}

/** The rules that `see` uses. */
export function listRules(_: Machine, _request: object): KnownAgentRules[] {
  const value = Object.values(RECORDED).map(({ agent, rows }) => ({
    agent,
    versions: rows.map(({ version }) => version),
    day:
      rows
        .map(({ recorded }) => recorded)
        .sort(compareText)
        .at(-1) ?? '',
  }))
  return value
}

const TROUBLE: readonly Visibility[] = ['undescribed', 'cut', 'dropped', 'shadowed', 'ambiguous', 'unreadable']

/** Computes what an agent's program does with the skills and instructions on this machine. */
export function seeAgent(machine: Machine, request: SeeRequest, scan?: SkillScan): SeenByAgent {
  const agent = requireAgent(request.agent)
  if (request.window === 0) {
    throw failWith('USAGE/window')
  }
  const cwd = request.project === undefined ? undefined : machine.openProject(request.project).place
  const { rules: known, recordedFrom, program, measured } = rulesOf(machine, agent)
  const { reading: rules, listing } = known
  const files = new AgentFiles(machine, agent, cwd)
  const settings = withSwitches(files.settings(known.settings), request.switched)
  const places = [...files.places(rules), ...files.plugins(rules, settings)]
  const found = asIf(request, findSkills(machine, places, rules, scan))
  const limits = listing && limitsOf(listing, settings, { window: request.window, model: request.model })
  const seen = decideVisibility(found, rules, settings, listing && { listing, limits })
  const value: SeenByAgent = {
    agent: agent.id,
    label: agent.label,
    program,
    recordedFrom,
    measured,
    trust: cwd === undefined ? undefined : rules.trust,
    cwd,
    home: machine.home,
    places,
    budget: listing && limits && { ...limits, unit: listing.unit },
    ...seen,
    ...seeInstructions(files, known.instructions, settings),
    usage: settings.usage,
    overridden: Object.keys(settings.overrides),
  }
  machine.report(...findingsOf(value))
  return value
}

/** Applies the assumptions `without` and `shorten`. */
function asIf({ without = [], shorten = {} }: SeeRequest, found: readonly FoundSkill[]): FoundSkill[] {
  const gone = new Set(without)
  return found
    .filter(({ name }) => !gone.has(name))
    .map((skill) => ({ ...skill, description: skill.description.slice(0, getOwn(shorten, skill.name)) }))
}

function withSwitches(settings: AgentSettings, switched: Switches = {}): AgentSettings {
  const others = settings.off.filter(({ name }) => name === undefined || getOwn(switched, name) !== 'on')
  const off = Object.keys(switched).flatMap((name) => (switched[name] === 'off' ? [{ name }] : []))
  return { ...settings, overrides: { ...settings.overrides, ...switched }, off: [...others, ...off] }
}

function seeInstructions(agentFiles: AgentFiles, rules: InstructionRules | undefined, settings: AgentSettings) {
  if (rules === undefined) return { instructions: [] }
  const files = agentFiles.instructions(rules, settings)
  const most = rules.mostBytes === undefined ? undefined : (settings.mostBytes ?? rules.mostBytes)
  const instructions = decideInstructions(files, rules, most)
  return { instructions, mostInstructionBytes: most }
}

/** One finding for each problem. */
function findingsOf({ skills, places, instructions }: SeenByAgent): Finding[] {
  type Seen = { path: string; state: string; why?: string | undefined }
  const ofFiles = (files: readonly Seen[]) =>
    files
      .filter(({ state }) => state === 'cut' || state === 'unreadable')
      .map(({ path, why = '' }) => report('NOT_SEEN/file', { path, why }, { subject: path }))
  const ofSkills = skills.flatMap(({ name, path, fate, why }) =>
    TROUBLE.includes(fate) ? [report('NOT_SEEN/skill', { name, fate, why }, { subject: path })] : [],
  )
  return [...ofFiles(places), ...ofSkills, ...ofFiles(instructions)]
}

/** A skill that an agent can call, with its SKILL.md. */
export interface CallableSkill {
  name: string
  description: string
  file: string
}

export { openScan, type SkillScan }

/**
 * The skills in the folders that an agent reads, even if its list has no room for them, and those that `see --fix` took
 * out of it. Not those that the user switched off. The first of each name.
 */
export function callableSkills(machine: Machine, agentId: string, scan?: SkillScan): CallableSkill[] {
  const agent = requireAgent(agentId)
  const rules = readingOf(agent)
  const files = new AgentFiles(machine, agent, machine.cwd)
  const settings = files.settings(recordedRules(agent.id)?.rows.at(-1)?.rules.settings)
  const ours = ListSwitch.open(machine, agentId, undefined)?.own ?? {}
  const skills = new Map<string, CallableSkill>()
  for (const found of findSkills(machine, files.places(rules), rules, scan)) {
    const { name, description, path: file, problem, hidden, isCommand, isWorkflow, scope } = found
    const isSkill = problem === undefined && hidden === undefined && !isCommand && !isWorkflow && scope !== 'agent'
    const isOff = isSwitchedOff(settings, found) && !Object.hasOwn(ours, name)
    if (isSkill && !isOff && !skills.has(name)) skills.set(name, { name, description, file })
  }
  return [...skills.values()].slice(0, 1000).sort((a, b) => compareText(a.name, b.name))
}

/** The folders in which an agent worked, as far as it keeps a record. */
export function workedIn(machine: Machine, agentId: string): string[] {
  const agent = requireAgent(agentId)
  return new AgentFiles(machine, agent, undefined).workedIn(rulesOf(machine, agent).rules.settings)
}

/** The SKILL.md behind the name that an agent calls; undefined if no folder that it reads has one. */
export function skillFile(machine: Machine, agentId: string, name: string): string | undefined {
  const agent = requireAgent(agentId)
  const rules = readingOf(agent)
  const files = new AgentFiles(machine, agent, machine.cwd)
  const places = files.places(rules)
  // A skill is nearly always called as its folder; a look at every skill takes long.
  const direct = /^[\w-]+$/.test(name)
    ? places.map(({ path }) => join(path, name, DOCUMENT_FILE)).find(exists)
    : undefined
  if (direct !== undefined) return direct
  const known = recordedRules(agent.id)?.rows.at(-1)?.rules.settings
  const plugins = files.plugins(rules, files.settings(known))
  return findSkills(machine, [...places, ...plugins], rules).find(
    (skill) => skill.name === name && !skill.isCommand && !skill.isWorkflow,
  )?.path
}

/** What the text of a SKILL.md costs when an agent opens it, without its frontmatter; 0 if it cannot be read. */
export function bodyTokens(file: string): number {
  return bodyTokensOf(file)
}
