import { NameOnly } from '../agents/name-only.ts'
import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import type { SeenSkill } from '../agents/rules/visibility.ts'
import { type SeenByAgent, type SeeRequest, seeAgent } from '../agents/see.ts'
import type { Machine } from '../machine/machine.ts'
import { grouped } from '../text/count.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import type { ListChange } from './disk/library-transaction.ts'
import { unequip, usedSkills } from './equip.ts'
import { enabledAgents, Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, changeList, type Outcome, recoverAll } from './observe.ts'

/** How full an agent's list of skills for its model is. */
export interface ListingRoom {
  agent: string
  label: string
  /** Skills in the list, with or without their whole descriptions. */
  skills: number
  cut: number
  dropped: number
  used: number
  /** The maximum size of the list, and its unit. */
  room: number
  unit: 'characters' | 'tokens'
  /** What to do if the list is too full. */
  problem?: Finding
}

/** The room in the lists of the enabled agents, if their rules are known. */
export const readListing = withInstalls((installs, _: ScopeRequest): Report<ListingRoom[]> => {
  const { machine, config, project } = installs
  return { value: seeRooms(machine, enabledAgents(config), project), findings: [] }
})

/** Reports which agents cannot show their model all installed skills, and what helps. */
export function listingFindings(machine: Machine, agents: readonly string[], project: string | undefined): Finding[] {
  return seeRooms(machine, agents, project).flatMap(({ problem }) => problem ?? [])
}

function seeRooms(machine: Machine, agents: readonly string[], project: string | undefined): ListingRoom[] {
  const limited = RECORDED_AGENTS.filter((id) => agents.includes(id))
  return limited.flatMap((id) => {
    try {
      return roomOf(seeAgent(machine, { agent: id, project }).value, project)
    } catch (error) {
      // `loadout see` reports settings of an agent that cannot be read.
      if (error instanceof LoadoutError) return []
      throw error
    }
  })
}

const LISTED: readonly string[] = ['visible', 'undescribed', 'cut', 'dropped']

function roomOf(seen: SeenByAgent, project: string | undefined): ListingRoom[] {
  const { agent, label, budget, used = 0 } = seen
  if (budget === undefined) return []
  const listed = seen.skills.filter(({ fate }) => LISTED.includes(fate))
  const cut = listed.filter(({ fate }) => fate === 'cut')
  const dropped = listed.filter(({ fate }) => fate === 'dropped')
  const room: ListingRoom = {
    agent,
    label,
    skills: listed.length,
    cut: cut.length,
    dropped: dropped.length,
    used,
    room: budget.budget,
    unit: budget.unit === 'tokens' ? 'tokens' : 'characters',
  }
  const isCrowded = room.cut + room.dropped > 0
  return [isCrowded ? { ...room, problem: crowded(room, seen.skills.length, project) } : room]
}

function crowded(
  { agent, label, cut, dropped, used, room, unit }: ListingRoom,
  all: number,
  project?: string,
): Finding {
  const what = [
    dropped > 0 ? `does not show the descriptions of ${grouped(dropped)} of ${grouped(all)} skills` : '',
    cut > 0 ? `cuts ${cut} of ${all} descriptions` : '',
  ].filter((part) => part !== '')
  const needed = used > room ? `, and the names alone take ${grouped(used)}` : ''
  const message = `${label} ${what.join(' and ')}: its list has room for ${grouped(room)} ${unit}${needed}`
  const scope = project === undefined ? '' : ' --project .'
  const hint = `loadout see ${agent} --fix --dry-run${scope} shows what makes room; loadout see ${agent} --longest${scope} what takes it`
  return { severity: 'warning', code: 'NOT_SEEN', message, subject: agent, hint }
}

/** The smallest set of changes after which the agent's list shows all remaining skills. */
export interface FixPlan extends ListChange {
  label: string
  /** Skills that the list now drops or cuts because it is full. */
  crowded: string[]
  /** The settings file for `nameOnly`; absent if there are none. */
  settingsFile?: string
  /** Descriptions to shorten by hand: their length now, and the maximum that leaves room for all. */
  shorten: { name: string; from: number; to: number }[]
  /** How many skills the list would still drop or cut after that. */
  left: number
  /** Why Loadout does not know which skills are unused. */
  unusedUnknown?: string
}

/** Plans how to make every skill visible: first removes unused ones, then shortens descriptions. */
export async function planFix(machine: Machine, request: SeeRequest): Promise<Report<FixPlan>> {
  const see = (what: Pick<SeeRequest, 'without' | 'nameOnly' | 'shorten'> = {}) =>
    seeAgent(machine, { ...request, ...what }).value
  const findings = await ifLibrary(() => {
    const installs = new Installs(machine, { project: request.project })
    return recoverAll(installs, installs.everyRoot())
  }, [])
  const now = see()
  const { agent, label, cwd } = now
  const crowded = crowdedIn(now).map(({ name }) => name)
  const about = { agent, label, project: cwd, crowded }
  if (crowded.length === 0) return { value: { ...about, unequip: [], nameOnly: [], shorten: [], left: 0 }, findings }
  const logged = usedSkills(machine)
  // Skills with a use in our log or in the agent's own; undefined if neither has any.
  const used =
    logged === undefined && now.usedByAgent.length === 0 ? undefined : new Set([...(logged ?? []), ...now.usedByAgent])
  const removable = used === undefined ? [] : await unusedCopies(machine, now, used)
  const removed = shortestPrefix(removable, (names) => crowdedIn(see({ without: names })).length === 0)
  const place = used && NameOnly.open(machine, agent, request.project)
  const quiet = used === undefined || place === undefined ? [] : unusedOthers(see({ without: removed }), used)
  const nameOnly = shortestPrefix(quiet, (names) => crowdedIn(see({ without: removed, nameOnly: names })).length === 0)
  if (nameOnly.length > 0) place?.plan(nameOnly)
  const kept = { without: removed, nameOnly }
  const rest = see(kept)
  const shorten = crowdedIn(rest).length === 0 ? [] : shortened(rest, (lengths) => see({ ...kept, shorten: lengths }))
  const lengths = Object.fromEntries(shorten.map(({ name, to }) => [name, to]))
  const left = crowdedIn(see({ ...kept, shorten: lengths })).length
  const unusedUnknown = used === undefined && 'nothing has recorded which skills are used: loadout hooks install does'
  return {
    value: {
      ...about,
      unequip: removed,
      nameOnly,
      settingsFile: place && nameOnly.length > 0 ? place.path : undefined,
      shorten,
      left,
      unusedUnknown: unusedUnknown || undefined,
    },
    findings,
  }
}

/** Applies a plan, except for the descriptions to shorten by hand. Returns the removed copies, if there are any. */
export async function applyFix(machine: Machine, plan: FixPlan): Promise<Report<Outcome | undefined>> {
  const { unequip: names, nameOnly, agent, project } = plan
  if (names.length === 0) {
    await NameOnly.open(machine, agent, project)?.apply(nameOnly)
    return { value: undefined, findings: [] }
  }
  const installs = new Installs(machine, { project })
  const roots = installs.removalRoots([agent])
  return asWriter(installs, roots, 'see', async (recovered) => {
    const report = await changeList(installs, roots, plan)
    return { ...report, findings: [...recovered, ...report.findings] }
  })
}

/** Unused skills that Loadout did not install and the settings do not mention, the largest in the list first. */
function unusedOthers({ skills, overridden }: SeenByAgent, used: ReadonlySet<string>): string[] {
  const isOwn = ({ scope }: SeenSkill) => scope === 'user' || scope === 'project'
  const isListed = ({ fate }: SeenSkill) => fate === 'visible' || fate === 'cut' || fate === 'dropped'
  return skills
    .filter((skill) => isOwn(skill) && isListed(skill) && !used.has(skill.name) && !overridden.includes(skill.name))
    .sort((a, b) => b.characters.description - a.characters.description)
    .map(({ name }) => name)
}

/** Skills that the list drops or cuts because it is full, not because their own description is too long. */
function crowdedIn({ skills }: SeenByAgent): SeenSkill[] {
  return skills.filter(({ fate, why }) => fate === 'dropped' || (fate === 'cut' && why.startsWith('the list is full')))
}

/** Unused installs, the largest in the list first. */
async function unusedCopies(machine: Machine, seen: SeenByAgent, used: ReadonlySet<string>): Promise<string[]> {
  const ours = await ifLibrary(async () => {
    const all = { names: [], all: true, targets: [seen.agent], project: seen.cwd, dryRun: true }
    const { operations } = (await unequip(machine, all)).value
    return new Set(operations.filter(({ kind }) => kind === 'remove').map(({ skill }) => skill))
  }, new Set<string>())
  return seen.skills
    .filter(({ name }) => ours.has(name) && !used.has(name))
    .sort((a, b) => b.characters.description - a.characters.description)
    .map(({ name }) => name)
}

/** Without a library, or without a managed project, there is nothing to remove and nothing to repair. */
async function ifLibrary<T>(run: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof LoadoutError) return otherwise
    throw error
  }
}

/** The shortest prefix of a list that is enough; the whole list if none is. */
function shortestPrefix(names: readonly string[], isEnough: (names: readonly string[]) => boolean): string[] {
  let [least, most] = [0, names.length]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (isEnough(names.slice(0, middle))) most = middle
    else least = middle + 1
  }
  return names.slice(0, most)
}

const SHORTEST = 40

/** Cuts all longer descriptions to one length: the largest that leaves room for every skill. */
function shortened({ skills }: SeenByAgent, see: (lengths: Record<string, number>) => SeenByAgent): FixPlan['shorten'] {
  const own = skills.filter(({ scope, fate }) => (scope === 'user' || scope === 'project') && fate !== 'unreadable')
  const longerThan = (to: number) =>
    own.flatMap(({ name, characters: { description: from } }) => (from > to ? [{ name, from, to }] : []))
  const isEnough = (to: number) =>
    crowdedIn(see(Object.fromEntries(longerThan(to).map(({ name }) => [name, to])))).length === 0
  let [least, most] = [SHORTEST, Math.max(SHORTEST, ...own.map(({ characters }) => characters.description))]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (isEnough(middle)) least = middle
    else most = middle - 1
  }
  return longerThan(least).sort((a, b) => b.from - a.from)
}
