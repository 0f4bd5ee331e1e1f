import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { requireRepository } from '../machine/repository.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { fetchRemote, pushBranch, readRemote, readRepoState } from './disk/library-state.ts'
import { fastForwardLibrary } from './disk/library-transaction.ts'
import { asWriter, type Carrying, carryOut, type Outcome, observe, stateFrom } from './observe.ts'
import { planRefresh } from './rules/operations.ts'
import type { LibraryState } from './rules/reconcile.ts'
import { decideSync, type Fetched, type SyncStep } from './rules/sync-decision.ts'
import { openSetup, type ScopeRequest, type Setup } from './settings.ts'

export interface SyncResult extends Outcome {
  /** What was done with the repository. */
  steps: SyncStep[]
  /** The commit that the library is at. */
  head: string | undefined
}

export interface SyncCommand extends ScopeRequest, Carrying {
  push?: boolean | undefined
  keepEdits?: boolean | undefined
}

/** Brings the library up to its remote, and every managed install up to the library. */
export async function sync(machine: Machine, request: SyncCommand): Promise<Report<SyncResult>> {
  const setup = openSetup(machine, request)
  await requireRepository(machine, setup.library)
  const inScope = setup.project === undefined ? setup.roots : [...setup.userRoots, ...setup.roots]
  const roots = inScope.filter(({ path }) => isFolder(path))
  const run = async (recovered: Finding[]): Promise<Report<SyncResult>> => {
    const updated = await updateLibrary(setup, request)
    const observation = await observe(setup, roots, true, updated.value.state)
    const plan = planRefresh(observation.statuses, observation.state, { keepEdits: request.keepEdits ?? false })
    const { value, findings } = await carryOut(setup, observation, plan, request)
    return {
      value: { ...value, steps: updated.value.steps, head: observation.state.head },
      findings: [...recovered, ...updated.findings, ...observation.registry.findings, ...findings],
    }
  }
  return request.dryRun ? run([]) : asWriter(setup, roots, 'sync', run, request.signal)
}

interface Update {
  steps: SyncStep[]
  /** What git said, as long as nothing was done since. */
  state?: LibraryState
}

/** What goes wrong here is told, and never keeps the installs from being refreshed. */
async function updateLibrary(setup: Setup, request: SyncCommand): Promise<Report<Update>> {
  const { machine, library, config } = setup
  const fetched = await fetchTracked(setup, request)
  const state = await readRepoState(machine, library)
  const decision = decideSync(library, state, fetched, { push: request.push ?? config.pushesOnSync })
  const findings = [...decision.findings]
  if (request.dryRun || decision.steps.length === 0) {
    return { value: { steps: decision.steps, state: stateFrom(state.head, state.uncommitted) }, findings }
  }
  const steps: SyncStep[] = []
  for (const step of decision.steps) {
    try {
      if (step.kind === 'fast-forward') await fastForwardLibrary(machine, library, step)
      else await pushBranch(machine, library, step, patience(request))
      steps.push(step)
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      const { code, message, hint } = error
      findings.push({ severity: 'error', code, message, ...(hint ? { hint } : {}) })
    }
  }
  return { value: { steps }, findings }
}

async function fetchTracked({ machine, library }: Setup, request: SyncCommand): Promise<Fetched> {
  const remote = await readRemote(machine, library)
  return remote === undefined ? 'no remote' : fetchRemote(machine, library, remote, patience(request))
}

function patience({ signal }: Carrying): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
