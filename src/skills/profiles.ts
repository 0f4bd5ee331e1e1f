import { changeConfig, readConfig } from '../agents/config.ts'
import { type Profile, withProfile } from '../agents/rules/config.ts'
import type { Machine } from '../machine/machine.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { compareText, getOwn, nearest, setOwn } from '../text/values.ts'
import { rememberProject } from './disk/projects.ts'
import { asWriter, type Carrying, carryOut, type Outcome, observe } from './observe.ts'
import { planProfile } from './rules/plan-profile.ts'
import { openSetup, type ScopeRequest } from './settings.ts'

export interface SavedProfile {
  name: string
  profile: Profile
}

export interface ProfileSaving extends SavedProfile {
  isDryRun: boolean
}

/** Writes down which agent has which skill now, under a name. */
export async function saveProfile(
  machine: Machine,
  request: ScopeRequest & { name: string; dryRun?: boolean | undefined },
): Promise<Report<ProfileSaving>> {
  const setup = openSetup(machine, request)
  const { statuses } = await observe(setup, setup.roots)
  const profile: Profile = {}
  for (const { name, placements } of statuses) {
    const agents = placements
      .filter(({ state }) => state !== 'unmanaged' && state !== 'broken')
      .map(({ agent }) => agent)
    if (agents.length > 0) setOwn(profile, name, agents.sort(compareText))
  }
  const isDryRun = request.dryRun ?? false
  if (!isDryRun) await changeConfig(machine, (json) => withProfile(json, request.name, profile))
  return { value: { name: request.name, profile, isDryRun }, findings: [] }
}

export function listProfiles(machine: Machine, _request: object): Report<SavedProfile[]> {
  const { profiles } = readConfig(machine)
  const value = Object.entries(profiles).map(([name, profile]) => ({ name, profile }))
  return { value: value.sort((a, b) => compareText(a.name, b.name)), findings: [] }
}

/** Equips everything that a profile names; with `exact` also unequips what it does not. */
export async function applyProfile(
  machine: Machine,
  request: ScopeRequest & Carrying & { name: string; exact?: boolean | undefined },
): Promise<Report<Outcome>> {
  const setup = openSetup(machine, request)
  const profile = getOwn(setup.config.profiles, request.name)
  if (profile === undefined) throw noProfile(request.name, Object.keys(setup.config.profiles))
  const run = async () => {
    const observation = await observe(setup, setup.roots, true)
    const plan = planProfile(observation.statuses, profile, setup.roots, request.exact ?? false)
    return carryOut(setup, observation, plan, request)
  }
  if (request.dryRun) return run()
  if (setup.project !== undefined) rememberProject(machine, setup.project)
  return asWriter(
    setup,
    setup.roots,
    'profile',
    async (recovered) => {
      const { value, findings } = await run()
      return { value, findings: [...recovered, ...findings] }
    },
    request.signal,
  )
}

function noProfile(name: string, known: readonly string[]): LoadoutError {
  const close = nearest(name, known)
  const message = `there is no profile "${name}"${close === undefined ? '' : `; did you mean ${close}?`}`
  const hint = known.length > 0 ? `profiles: ${known.join(', ')}` : `loadout profile save ${name} makes one`
  return new LoadoutError('PROFILE_NOT_FOUND', message, { hint })
}
