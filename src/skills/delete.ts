import { join } from 'node:path'
import { targetRoots } from '../agents/target-roots.ts'
import type { Machine } from '../machine/machine.ts'
import { requireRepository } from '../machine/repository.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { backUp } from './disk/backups.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { knownProjects } from './disk/projects.ts'
import { asWriter, observe } from './observe.ts'
import { placeOf } from './rules/attention.ts'
import { missing, requireName } from './rules/skill.ts'
import { allRoots, openSetup, type ScopeRequest, type Setup } from './settings.ts'

export interface DeleteRequest extends ScopeRequest {
  name: string
  /** Default: what the configuration says. */
  commit?: boolean | undefined
  dryRun?: boolean | undefined
}

export interface Deletion {
  name: string
  library: string
  folder: string
  commit?: string
  /** Where its files are kept, when git does not have them all. */
  backup?: string
  isDryRun: boolean
}

/** Removes a skill from the library, unless an install still depends on it. */
export async function deleteSkill(machine: Machine, request: DeleteRequest): Promise<Report<Deletion>> {
  const name = requireName(request.name)
  const setup = openSetup(machine, request)
  await requireRepository(machine, setup.library)
  const run = async (recovered: Finding[]): Promise<Report<Deletion>> => {
    const { statuses, state } = await observe(setup, everyRoot(setup), true)
    const status = statuses.find((each) => each.name === name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    const managed = status.placements.filter(({ state: at }) => at !== 'unmanaged')
    if (managed.length > 0) throw stillInstalled(name, managed.map(placeOf))
    const { folder, sourceHash } = status.registered
    const isDryRun = request.dryRun ?? false
    const deletion = { name, library: setup.library, folder, isDryRun }
    if (isDryRun) return { value: deletion, findings: recovered }
    const backup = state.uncommittedFolders.has(folder)
      ? backUp(machine, join(setup.library, folder), name, 'library', sourceHash)
      : undefined
    const message = (request.commit ?? setup.config.commitsDeletes) ? `Delete skill ${name}` : undefined
    const commit = await changeLibrary(machine, setup.library, { changes: [{ folder }], message })
    return {
      value: { ...deletion, ...(commit && { commit }), ...(backup && { backup }) },
      findings: recovered,
    }
  }
  return request.dryRun ? run([]) : asWriter(setup, [], 'delete', run)
}

/** The user's folders, those of the project, and those of every project that this machine has installed into. */
function everyRoot(setup: Setup) {
  const { machine, config, project } = setup
  const projects = new Set([...knownProjects(machine), ...(project === undefined ? [] : [project])])
  return [
    ...allRoots({ ...setup, project: undefined }),
    ...[...projects].flatMap((each) => targetRoots(machine, config, each, () => true)),
  ]
}

function stillInstalled(name: string, places: readonly string[]): LoadoutError {
  return new LoadoutError('SKILL_INSTALLED', `${name} is still installed: ${places.join(', ')}`, {
    hint: `loadout unequip ${name} first; in a project with --project <folder>`,
  })
}
