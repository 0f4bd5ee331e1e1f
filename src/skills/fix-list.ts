import { Config } from '../agents/config.ts'
import { hooksPlan, reportUnreadable } from '../agents/hooks-change.ts'
import { judgeHooks } from '../agents/hooks-status.ts'
import { ListSwitch, type Switches } from '../agents/list-switch.ts'
import { HOOK_HOSTS } from '../agents/rules/hook-hosts.ts'
import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import { isCrowdedOut, type SeenSkill } from '../agents/rules/visibility.ts'
import { openScan, type SeenByAgent, type SeeRequest, type SkillScan, seeAgent, workedIn } from '../agents/see.ts'
import { changeFiles, Edits } from '../change/edits.ts'
import { openExamples } from '../examples/examples.ts'
import { type Machine, opening } from '../machine/machine.ts'
import { findRepository } from '../machine/open-project.ts'
import { openRanking } from '../machine/ranking.ts'
import { unlessTrouble } from '../text/trouble.ts'
import { compareText, getOwn } from '../text/values.ts'
import { summarizeLog } from '../usage/usage.ts'
import { describeProject } from './disk/project-words.ts'
import { readLibrary } from './gate.ts'
import { enabledAgents, Installs } from './installs.ts'
import { type KeptSkill, skillSegment } from './skill-source.ts'
import { isPinned } from './update.ts'

/** How many skills the list has in which form. */
export interface ListCounts {
  /** With the whole description. */
  described: number
  /** With a part of it. */
  cut: number
  named: number
  /** Not in the list: only a hook can name them. */
  absent: number
}

/** A change of an agent's settings after which its list is not full, and every skill can be used. */
export interface FixPlan {
  agent: string
  label: string
  project?: string
  now: ListCounts
  after: ListCounts
  /** What the settings file will say; the same as before if there is nothing to do. */
  switches: Switches
  isChange: boolean
  settingsFile?: string
  /** Skills that keep their description because they are pinned, used, or about a project on this machine. */
  kept: { pinned: string[]; used: string[]; fits: string[] }
  /** The projects that were compared. */
  projects: string[]
  /** The hook that names a skill when a task fits: there, added by this plan, or impossible. */
  hook: 'there' | 'added' | 'none'
  /** What must happen before an added hook runs. */
  untilItRuns?: string
}

/** Plans for one agent, or for every enabled agent whose list is known. */
export const planFix = opening(
  Config,
  async (config, request: Omit<SeeRequest, 'agent'> & { agent?: string }): Promise<FixPlan[]> => {
    const { machine } = config
    const enabled = enabledAgents(config)
    const agents = request.agent === undefined ? RECORDED_AGENTS.filter((id) => enabled.includes(id)) : [request.agent]
    const scan = openScan(machine)
    return agents.map((agent) => planFor(machine, { ...request, agent }, scan))
  },
)

function planFor(machine: Machine, request: SeeRequest, scan: SkillScan): FixPlan {
  const see = (switched: Switches = {}) => seeAgent(machine.quiet(), { ...request, switched }, scan)
  const now = see()
  const { agent, label, cwd } = now
  const place = ListSwitch.open(machine, agent, request.project)
  const inherited = request.project === undefined ? {} : (ListSwitch.open(machine, agent, undefined)?.own ?? {})
  const own = place?.own ?? {}
  const free: Switches = Object.fromEntries(Object.keys({ ...inherited, ...own }).map((name) => [name, 'on']))
  const bare = see(free)
  const order = place === undefined ? [] : orderByWorth(machine, bare, free)
  const leaving = (kept: number) => order.slice(kept).map(({ name }) => name)
  const as = (names: readonly string[], what: Switches[string]): Switches =>
    Object.fromEntries(names.map((name) => [name, what]))
  const leaves = place?.leaves ?? 'off'
  const isFull = (kept: number) => see({ ...free, ...as(leaving(kept), leaves) }).skills.some(isCrowdedOut)
  // As many as fit, the most useful first.
  let [least, most] = [0, order.length]
  if (isFull(most)) {
    while (least < most) {
      const middle = Math.ceil((least + most) / 2)
      if (isFull(middle)) most = middle - 1
      else least = middle
    }
  }
  const rest = leaving(most)
  const isInherited = (name: string) => Object.hasOwn(inherited, name)
  const switches: Switches = {
    ...as(
      rest.filter((name) => !isInherited(name)),
      leaves,
    ),
    ...as(
      Object.keys(inherited).filter((name) => !rest.includes(name)),
      'on',
    ),
  }
  const host = HOOK_HOSTS.find((each) => each.agent === agent)
  const isHooked = host && judgeHooks(machine, { agents: [agent] }).hooks.some(({ state }) => state !== 'not installed')
  const adds = host !== undefined && !isHooked && rest.length > 0
  const isSet = JSON.stringify(switches) === JSON.stringify(own) && place?.holds(switches) !== false
  const isChange = adds || !isSet
  const namesOf = (is: (worth: Worth) => boolean) =>
    order
      .slice(0, most)
      .filter(is)
      .map(({ name }) => name)
  if (isChange) place?.plan(new Edits(machine), switches)
  return {
    agent,
    label,
    project: cwd,
    now: countsOf(now, own),
    after: countsOf(see({ ...free, ...as(rest, leaves) }), as(rest, leaves)),
    switches,
    isChange,
    settingsFile: place?.path,
    kept: {
      pinned: namesOf(({ isPinned: it }) => it),
      used: namesOf(({ use }) => use > 0),
      fits: namesOf(({ fit }) => fit > 0),
    },
    projects: order.length === 0 ? [] : projectsOf(machine, request),
    hook: adds ? 'added' : isHooked ? 'there' : 'none',
    untilItRuns: adds ? host.untilTheyRun : undefined,
  }
}

function countsOf({ skills }: SeenByAgent, own: Switches): ListCounts {
  const count = (is: (skill: SeenSkill) => boolean) => skills.filter(is).length
  return {
    described: count(({ fate }) => fate === 'visible' || fate === 'undescribed'),
    cut: count(({ fate }) => fate === 'cut'),
    named: count(({ fate, characters }) => fate === 'named' || (fate === 'dropped' && characters.line > 0)),
    absent: count(
      ({ fate, name, characters }) =>
        (fate === 'dropped' && characters.line === 0) || (fate === 'hidden' && getOwn(own, name) === 'off'),
    ),
  }
}

interface Worth {
  name: string
  isPinned: boolean
  /** A score of its recent use. */
  use: number
  /** How well it fits a project on this machine. */
  fit: number
  characters: number
}

/** The skills whose setting may change, the most useful first; of equally useful ones, the shortest description. */
function orderByWorth(machine: Machine, seen: SeenByAgent, free: Switches): Worth[] {
  const isOpen = ({ name, scope, fate }: SeenSkill) =>
    (scope === 'user' || scope === 'project') &&
    ['visible', 'undescribed', 'cut', 'dropped'].includes(fate) &&
    (!seen.overridden.includes(name) || Object.hasOwn(free, name))
  const skills = seen.skills.filter(isOpen)
  if (!skills.some(isCrowdedOut)) return []
  const logged = new Map(
    summarizeLog(machine.quiet(), {}).flatMap(({ kind, entryId, used }) =>
      kind === 'skill' && used > 0 ? [[entryId, used] as const] : [],
    ),
  )
  const installs = installsOf(machine)
  const library = installs === undefined ? [] : readLibrary(installs.repo).skills
  const pinned = new Set(library.flatMap(({ skill }) => (skill.source && isPinned(skill.source) ? [skill.name] : [])))
  // Skill → how well its text fits what the projects are made of.
  const { agent, cwd } = seen
  const fits = new Map<string, number>()
  const cards = skills.map(({ name, path }) => ({ name, file: path }))
  const ranking = openRanking(machine, [skillSegment([agent, 'list'], cards, openExamples({}))])
  for (const project of projectsOf(machine, { agent, project: cwd })) {
    const words = describeProject(project)
    for (const { kept, confidence } of words === '' ? [] : ranking.rank(words, { limit: 12 })) {
      const { name } = kept as KeptSkill
      fits.set(name, Math.max(confidence, fits.get(name) ?? 0))
    }
  }
  return skills
    .map(({ name, characters }) => ({
      name,
      isPinned: pinned.has(name),
      use: (logged.get(name) ?? 0) + (getOwn(seen.usage, name) ?? 0),
      fit: fits.get(name) ?? 0,
      characters: characters.description,
    }))
    .sort(
      (a, b) =>
        Number(b.isPinned) - Number(a.isPinned) ||
        b.use - a.use ||
        b.fit - a.fit ||
        a.characters - b.characters ||
        compareText(a.name, b.name),
    )
}

/** Undefined without a usable library. */
function installsOf(machine: Machine): Installs | undefined {
  return unlessTrouble(() => new Installs(machine, {}), undefined)
}

/** The named project alone, else those that Loadout or the agent knows, and the one around the working folder. */
function projectsOf(machine: Machine, { agent, project }: SeeRequest): string[] {
  if (project !== undefined) return [project]
  const here = findRepository(machine.cwd)
  const known = [
    ...(here === undefined ? [] : [here]),
    ...(installsOf(machine)?.knownProjects() ?? []),
    ...workedIn(machine, agent),
  ]
  return [...new Set(known)].filter((folder) => folder !== machine.home).slice(0, 30)
}

/** Carries out all plans, or none of them. */
export async function applyFix(machine: Machine, plans: readonly FixPlan[]): Promise<FixPlan[]> {
  const changes = plans.filter(({ isChange }) => isChange)
  const hooks = await changeFiles(machine, { purpose: 'see' }, (edits) =>
    changes.flatMap(({ agent, project, switches, hook }) => {
      ListSwitch.open(machine, agent, project)?.plan(edits, switches, hook === 'added')
      return hook === 'added' ? hooksPlan(machine, { agents: [agent] }, true)(edits) : []
    }),
  )
  reportUnreadable(machine, hooks)
  return [...plans]
}

export interface UndoneFix {
  agent: string
  path: string
  names: string[]
}

/** Takes back what `applyFix` did, for one agent or for all. */
export async function undoFix(machine: Machine, request: { agent?: string; project?: string }): Promise<UndoneFix[]> {
  return changeFiles(machine, { purpose: 'see' }, (edits) =>
    (request.agent === undefined ? RECORDED_AGENTS : [request.agent]).flatMap((agent) => {
      const place = ListSwitch.open(machine, agent, request.project)
      if (place === undefined) return []
      // The hooks came later into a file that both may share.
      if (place.cameWithHooks) hooksPlan(machine, { agents: [agent] }, false)(edits)
      const names = place.planUndo(edits)
      return names.length > 0 ? [{ agent, path: place.path, names }] : []
    }),
  )
}
