import { Config, switchAgents } from '../agents/config.ts'
import type { Profile } from '../agents/rules/config.ts'
import { opening } from '../machine/machine.ts'
import type { RecordFile } from '../machine/records.ts'
import { type Finding, failWith, retell } from '../text/trouble.ts'
import { compareText, isRecord, nearest, setOwn, sortedBy } from '../text/values.ts'
import { readLibraryProfiles, requireProfileName, writeLibraryProfile } from './disk/profiles.ts'
import { type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, carryOut, type Outcome, observe, type RunOptions } from './observe.ts'
import { type Operation, planProfile } from './rules/operations.ts'
import type { PlacementStatus } from './rules/skill.ts'

export interface SavedProfile {
  name: string
  profile: Profile
  /** Where it is stored: in the library, which all machines share, or in the configuration of this machine. */
  place: 'library' | 'machine'
}

export interface ProfileSaving extends SavedProfile {
  commit?: string
  isDryRun: boolean
}

/** Saves in the library which agent has which skill now, under a name. */
export const saveProfile = withInstalls(
  async (installs, request: ScopeRequest & { name: string; dryRun?: boolean }): Promise<ProfileSaving> => {
    const name = requireProfileName(request.name)
    const { statuses } = await observe(installs, installs.roots)
    const profile: Profile = {}
    for (const { name: skill, placements } of statuses) {
      const agents = placements
        .filter(({ state }) => state !== 'unmanaged' && state !== 'broken')
        .map(({ agent }) => agent)
      if (agents.length > 0) setOwn(profile, skill, agents.sort(compareText))
    }
    const value = { name, profile, place: 'library' as const, isDryRun: request.dryRun ?? false }
    if (request.dryRun) return value
    await installs.repo.require()
    return asWriter(installs, [], 'profile', async () => {
      const isCommitted = installs.config.commitsImports
      const commit = await writeLibraryProfile(installs.repo, { name, profile, isCommitted })
      return { ...value, commit }
    })
  },
)

/** Profiles of the library, then those that only this machine's configuration has. */
export const listProfiles = opening(Config, (config, _: object): SavedProfile[] => {
  const { profiles, findings } = profilesOf(config)
  config.machine.report(...findings)
  return profiles
})

function profilesOf(config: Config): { profiles: SavedProfile[]; findings: Finding[] } {
  const { library } = config
  const known: ReturnType<typeof readLibraryProfiles> =
    library === undefined ? { profiles: new Map(), findings: [] } : readLibraryProfiles(library)
  const own = Object.entries(config.profiles).filter(([name]) => !known.profiles.has(name))
  const profiles = [
    ...[...known.profiles].map(([name, profile]): SavedProfile => ({ name, profile, place: 'library' })),
    ...own.map(([name, profile]): SavedProfile => ({ name, profile, place: 'machine' })),
  ]
  return { profiles: sortedBy(profiles, ({ name }) => name), findings: known.findings }
}

/** Copies that a profile brought: the folder of the agent → skill → profile. */
const BROUGHT: RecordFile<Readonly<Record<string, Readonly<Record<string, string>>>>> = {
  place: 'profile-copies.json',
  empty: {},
  parse(json, path) {
    const isMap = (value: unknown) => isRecord(value) && Object.values(value).every((name) => typeof name === 'string')
    if (isRecord(json) && Object.values(json).every(isMap)) return json as typeof BROUGHT.empty
    throw failWith('BAD_JSON/undo', { path, edited: 'what a profile brought' })
  },
  format: (value) => `${JSON.stringify(value, null, 2)}\n`,
  broken: (_, cause) => cause,
}

export interface ProfileRequest extends ScopeRequest, RunOptions {
  name: string
  /** Unequip all others. */
  exact?: boolean
  /** Take back what an earlier call brought, and nothing that was there before. */
  undo?: boolean
}

/** Equips every skill of a profile, or takes them back. */
export const applyProfile = withInstalls(async (installs, request: ProfileRequest): Promise<Outcome> => {
  const { machine, roots, config } = installs
  const { name, undo = false, exact = false, dryRun = false } = request
  const profile = undo ? {} : requireProfile(config, name).profile
  const run = async () => {
    const observation = await observe(installs, roots, true)
    const brought = machine.records.read(BROUGHT)
    const isBrought = (skill: string, { placement }: PlacementStatus) => brought[placement.root.path]?.[skill] === name
    const isOther = (skill: string, { agent }: PlacementStatus) => !profile[skill]?.includes(agent)
    const plan = planProfile(observation.statuses, profile, roots, undo ? isBrought : exact ? isOther : undefined)
    const isNew = ({ kind }: Operation) => kind === 'install'
    const change = (each: (root: string, skills: Readonly<Record<string, string>>) => Record<string, string>) =>
      machine.records.change(BROUGHT, 'profile', (before) => ({
        ...before,
        ...Object.fromEntries(roots.map(({ path }) => [path, each(path, before[path] ?? {})])),
      }))
    // Before the copies: what is killed in the middle can still be taken back.
    if (!undo && !dryRun) {
      await change((path, before) => ({
        ...before,
        ...Object.fromEntries(
          plan.operations.filter((each) => isNew(each) && each.root === path).map(({ skill }) => [skill, name]),
        ),
      }))
    }
    const outcome = await carryOut(installs, observation, plan, request)
    if (undo && !dryRun) {
      await change((_, before) => Object.fromEntries(Object.entries(before).filter(([, by]) => by !== name)))
    }
    return outcome
  }
  if (dryRun) return run()
  installs.rememberProject()
  return asWriter(installs, roots, 'profile', run, request.signal)
})

/** Restores what the library says about a machine: the agents and the skills of its profile. */
export const restoreLibrary = opening(Config, async (config, request: RunOptions): Promise<Outcome> => {
  const { machine } = config
  const library = config.requireLibrary()
  const { profiles: all } = profilesOf(config)
  const only = all.length === 1 ? all[0]?.name : undefined
  const name = machine.projectAt(library).settings.profile ?? only
  if (name === undefined) throw failWith('ENTRY_NOT_FOUND/no-profile', { library })
  const ids = [...new Set(Object.values(requireProfile(config, name).profile).flat())]
  const off = ids.filter((id) => !config.isEnabled(id))
  if (off.length > 0) await switchAgents(machine, { ids: off, isOn: true, dryRun: request.dryRun })
  return applyProfile(machine, { ...request, name })
})

export function requireProfile(config: Config, name: string): SavedProfile {
  const { profiles: all, findings } = profilesOf(config)
  const names = all.map((each) => each.name)
  const found = all.find((each) => each.name === name)
  const broken = findings.find(({ subject }) => subject === `${name}.json`)
  if (found === undefined && broken !== undefined) {
    throw retell(broken, { hint: `repair it, or loadout profile save ${name}` })
  }
  if (found === undefined) {
    const close = nearest(name, names)
    throw failWith(names.length > 0 ? 'ENTRY_NOT_FOUND/profile' : 'ENTRY_NOT_FOUND/first-profile', {
      name,
      close,
      names: names.join(', '),
    })
  }
  return found
}
