import { join } from 'node:path'
import { isFolder } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import { asFinding } from '../text/trouble.ts'
import { sortedBy } from '../text/values.ts'
import {
  checkOutSnapshot,
  diffSkillFolders,
  fetchRemote,
  lastAsked,
  pushBranch,
  readRemote,
  readRepoState,
} from './disk/library-git.ts'

import { fastForwardLibrary } from './disk/library-transaction.ts'
import { Merges } from './disk/pending-merge.ts'
import { findClosed } from './gate.ts'
import { type Installs, type ScopeRequest, withInstalls } from './installs.ts'
import {
  asWriter,
  carryOut,
  foreseeEdits,
  type Observation,
  type Outcome,
  observe,
  type RunOptions,
} from './observe.ts'
import { planRefresh } from './rules/operations.ts'
import { stateFrom } from './rules/reconcile.ts'
import { EDIT_OUTCOMES, isInstalled, type PlacementStatus, placeOf } from './rules/skill.ts'
import {
  decideSync,
  type FastForward,
  type Fetched,
  remoteStateOf,
  type SyncState,
  type SyncStep,
} from './rules/sync-decision.ts'

export interface SyncResult extends Outcome {
  /** The changes of the repository. */
  steps: SyncStep[]
  /** The commit of the library. */
  head: string | undefined
  /** In a dry run: the changes on the remote, skill by skill. */
  changes?: SkillChange[]
}

/** How the library's skill would change with the commits of the remote. */
interface SkillChange {
  skill: string
  kind: 'added' | 'changed' | 'removed'
  /** Only on request. */
  diff?: string
}

export interface SyncCommand extends ScopeRequest, RunOptions {
  push?: boolean
  /** Replace edited copies with the library's version, after a backup. */
  replace?: boolean
  /** With a dry run: how the text of each skill would change. */
  diff?: boolean
}

/** Updates the library from its remote, and every managed install from the library. */
export const sync = withInstalls(async (installs, request: SyncCommand): Promise<SyncResult> => {
  await installs.repo.require()
  const inScope = installs.project === undefined ? installs.roots : [...installs.userRoots, ...installs.roots]
  const roots = [...inScope, ...installs.otherProjectRoots()].filter(({ path }) => isFolder(path))
  if (request.dryRun) return withScratch((scratch) => previewSync(installs, roots, request, scratch))
  const run = async (): Promise<SyncResult> => {
    const updated = await updateLibrary(installs, request, await fetchTracked(installs, request))
    const observation = await observe(installs, roots, true, updated.state)
    const plan = planRefresh(observation.statuses, observation.state, () => request.replace ?? false)
    const value = await carryOut(installs, observation, plan, request)
    installs.machine.report(...observation.registry.findings)
    return { ...value, steps: updated.steps, head: observation.state.head }
  }
  return asWriter(installs, roots, 'sync', run, request.signal)
})

/** Makes the plan for the library as it would be after the fast-forward. Only `git fetch` writes anything. */
async function previewSync(
  installs: Installs,
  roots: Installs['roots'],
  request: SyncCommand,
  scratch: string,
): Promise<SyncResult> {
  const updated = await updateLibrary(installs, request, await fetchTracked(installs, request))
  const { steps, state } = updated
  const step = steps.find((each): each is FastForward => each.kind === 'fast-forward')
  const now = await observe(installs, roots, true, state)
  const next = step === undefined ? now : await observeNext(installs, roots, step, scratch)
  const plan = planRefresh(next.statuses, next.state, () => request.replace ?? false)
  const value = await carryOut(installs, next, plan, request)
  const changes = step === undefined ? [] : compareLibraries(now.registry, next.registry)
  if (request.diff) {
    for (const [at, change] of changes.entries()) {
      const folderIn = ({ registry }: Observation, library: string) => {
        const found = registry.skills.find(({ skill }) => skill.name === change.skill)
        return found && join(library, found.folder)
      }
      const sides = [folderIn(now, installs.library), folderIn(next, join(scratch, 'next'))] as const
      change.diff = await diffSkillFolders(installs.repo.at(join(scratch, `diff-${at}`)), change.skill, ...sides)
    }
  }
  installs.machine.report(...next.registry.findings)
  return { ...value, steps, head: now.state.head, changes }
}

async function observeNext(
  installs: Installs,
  roots: Installs['roots'],
  step: FastForward,
  scratch: string,
): Promise<Observation> {
  const { repo } = installs
  const commit = await repo.commitOf(step.trackingRef)
  await checkOutSnapshot({ repo, commit, folder: 'skills' }, scratch, 'next')
  return observe(installs.with({ library: join(scratch, 'next') }), roots, true, stateFrom(commit, []), true)
}

function compareLibraries(now: Observation['registry'], next: Observation['registry']): SkillChange[] {
  const hashes = ({ skills }: Observation['registry']) =>
    new Map(skills.map(({ skill, sourceHash }) => [skill.name, sourceHash]))
  const [before, after] = [hashes(now), hashes(next)]
  return sortedBy(new Set([...before.keys(), ...after.keys()]), (name) => name).flatMap((skill): SkillChange[] => {
    if (before.get(skill) === after.get(skill)) return []
    return [{ skill, kind: before.has(skill) ? (after.has(skill) ? 'changed' : 'removed') : 'added' }]
  })
}

interface Update {
  steps: SyncStep[]
  /** The state of git, if nothing has changed it since. */
  state?: Observation['state']
}

/** Returns errors as findings, so that sync refreshes the installs in any case. */
async function updateLibrary(installs: Installs, request: SyncCommand, fetched: Fetched): Promise<Update> {
  const { library, repo, config } = installs
  const state = await readRepoState(repo)
  const decision = decideSync(library, state, fetched, { push: request.push ?? config.pushesOnSync })
  const findings = [...decision.findings]
  if (request.dryRun || decision.steps.length === 0) {
    installs.machine.report(...findings)
    return { steps: decision.steps, state: stateFrom(state.head, state.uncommitted) }
  }
  const steps: SyncStep[] = []
  let { head } = state
  for (const step of decision.steps) {
    try {
      if (step.kind === 'fast-forward') head = await fastForwardLibrary(repo, step, state)
      else await pushBranch(repo, step, signalOf(request))
      steps.push(step)
    } catch (error) {
      findings.push(asFinding(error, { severity: 'error' }))
    }
  }
  // Git does not change uncommitted files. A first commit, or a failed step, may have changed more.
  const isKnown = state.head !== undefined && steps.length === decision.steps.length
  installs.machine.report(...findings)
  return { steps, state: isKnown ? stateFrom(head, state.uncommitted) : undefined }
}

async function fetchTracked({ repo }: Installs, request: SyncCommand): Promise<Fetched> {
  const remote = await readRemote(repo)
  return remote === undefined ? 'no remote' : fetchRemote(repo, remote, signalOf(request))
}

function signalOf({ signal }: RunOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

export interface StandingRequest extends ScopeRequest {
  /** Contact the remote first. Only for callers that do not block the user: it takes as long as the network does. */
  fetch?: boolean
  signal?: AbortSignal
}

/** The state of the library relative to its remote and to the installs, as of the last fetch. */
export const readStanding = withInstalls(async (installs, request: StandingRequest): Promise<SyncState> => {
  await installs.repo.require()
  if (request.fetch) {
    const remote = await readRemote(installs.repo)
    const { signal } = request
    if (remote !== undefined) await fetchRemote(installs.repo, remote, { signal })
  }
  const state = await readRepoState(installs.repo)
  const observation = await observe(installs, installs.everyRoot())
  const { registry, statuses } = observation
  const edits = await foreseeEdits(installs, observation)
  const placements = statuses.flatMap((status) => status.placements)
  const isKept = (found: PlacementStatus) => found.state === 'edited' && edits.get(placeOf(found)) === 'kept'
  const drift = placements.filter(
    (found) => found.state !== 'current' && found.state !== 'unmanaged' && !isKept(found),
  ).length
  const edited = placements.flatMap((found) => {
    const [path, edit] = [placeOf(found), edits.get(placeOf(found))]
    return edit === undefined ? [] : [{ skill: found.placement.name, path, edit, reason: EDIT_OUTCOMES[edit] }]
  })
  const merges = new Merges(installs.machine).list().map(({ skill }) => skill)
  const equipped = statuses.filter(isInstalled).map(({ name }) => name)
  const waiting = findClosed(installs.repo, registry).flatMap(({ skill, reason }) =>
    reason === 'denied' ? [] : [skill],
  )
  const { library } = installs
  const standing = remoteStateOf(state, lastAsked(library))
  return { ...standing, library, skills: registry.skills.length, equipped, drift, edited, merges, waiting }
})
