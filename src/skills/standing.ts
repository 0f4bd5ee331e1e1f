import type { Machine } from '../machine/machine.ts'
import type { Report } from '../text/trouble.ts'
import { fetchRemote, lastAsked, readRemote, readRepoState } from './disk/library-state.ts'
import { listMerges } from './disk/pending-merge.ts'
import { foreseeEdits, observe } from './observe.ts'
import { EDIT_OUTCOMES, isInstalled, type PlacementStatus, placeOf } from './rules/skill.ts'
import { type LibraryStanding, standingOf } from './rules/standing.ts'
import { everyRoot, openGitSetup, type ScopeRequest } from './setup.ts'

export interface StandingRequest extends ScopeRequest {
  /** Contact the remote first. Only for callers that do not block the user: it takes as long as the network does. */
  fetch?: boolean
  signal?: AbortSignal
}

/** The state of the library relative to its remote and to the installs, as of the last fetch. */
export async function readStanding(machine: Machine, request: StandingRequest): Promise<Report<LibraryStanding>> {
  const setup = await openGitSetup(machine, request)
  if (request.fetch) {
    const remote = await readRemote(setup.repo)
    const { signal } = request
    if (remote !== undefined) await fetchRemote(setup.repo, remote, { signal })
  }
  const state = await readRepoState(setup.repo)
  const observation = await observe(setup, everyRoot(setup))
  const { registry, statuses } = observation
  const edits = await foreseeEdits(setup, observation)
  const placements = statuses.flatMap((status) => status.placements)
  const isKept = (found: PlacementStatus) => found.state === 'edited' && edits.get(placeOf(found)) === 'kept'
  const drift = placements.filter(
    (found) => found.state !== 'current' && found.state !== 'unmanaged' && !isKept(found),
  ).length
  const edited = placements.flatMap((found) => {
    const [path, edit] = [placeOf(found), edits.get(placeOf(found))]
    return edit === undefined ? [] : [{ skill: found.placement.name, path, edit, reason: EDIT_OUTCOMES[edit] }]
  })
  const merges = listMerges(machine).map(({ skill }) => skill)
  const equipped = statuses.filter(isInstalled).map(({ name }) => name)
  const { library } = setup
  const standing = standingOf(state, lastAsked(library))
  return {
    value: { ...standing, library, skills: registry.skills.length, equipped, drift, edited, merges },
    findings: [],
  }
}
