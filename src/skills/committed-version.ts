import { runGit } from '../machine/git.ts'
import type { Machine } from '../machine/machine.ts'
import { requireRepository } from '../machine/repository.ts'
import { withScratch } from '../machine/scratch.ts'
import { LoadoutError } from '../text/trouble.ts'
import { readVerdicts, writeVerdicts } from './disk/approved-versions.ts'
import { checkOutSnapshot } from './disk/check-out.ts'
import { literal, uncommittedPaths } from './disk/library-commit.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { hashTree, listTree } from './disk/tree.ts'
import { requireName } from './rules/skill.ts'
import type { Verdict } from './rules/verdict.ts'
import { openSetup } from './settings.ts'

/** A skill as a commit has it: what can be published, and installed again on any machine. */
export interface CommittedVersion {
  commit: string
  digest: string
}

/** The newest committed version of a skill. Throws while there are changes that no commit has. */
export async function committedVersion(machine: Machine, name: string): Promise<CommittedVersion> {
  const { library } = openSetup(machine, {})
  await requireRepository(machine, library)
  const folder = `${SKILLS_FOLDER}/${requireName(name)}`
  const changed = (await uncommittedPaths(machine, library)).find((path) => path.startsWith(`${folder}/`))
  if (changed !== undefined) {
    throw new LoadoutError('UNCOMMITTED', `${changed} is not committed`, { hint: 'commit it, then publish' })
  }
  const { stdout } = await runGit(machine, library, ['log', '-1', '--format=%H', 'HEAD', '--', literal(folder)])
  const commit = stdout.trim()
  const digest = await withScratch(async (scratch) => {
    const place = await checkOutSnapshot(machine, { repo: library, commit, folder }, scratch, 'version')
    return place === undefined ? undefined : hashTree(place, listTree(place).files)
  })
  if (digest !== undefined) return { commit, digest }
  throw new LoadoutError('SKILL_NOT_FOUND', `the library has no committed skill "${name}"`, {
    hint: 'loadout inventory',
  })
}

/** A file of the library as its last commit has it; undefined when there is none. */
export async function committedFile(machine: Machine, path: string): Promise<string | undefined> {
  const { library } = openSetup(machine, {})
  const { stdout, code } = await runGit(machine, library, ['show', `HEAD:${path}`], { okCodes: [0, 128] })
  return code === 0 ? stdout : undefined
}

/** What the catalog last said on this machine. */
export function lastVerdicts(machine: Machine): readonly Verdict[] {
  const { library } = openSetup(machine, {})
  return readVerdicts(machine, library)
}

/** From now on installs obey these. */
export async function obeyCatalog(machine: Machine, verdicts: readonly Verdict[]): Promise<void> {
  const { library } = openSetup(machine, {})
  await writeVerdicts(machine, library, verdicts)
}
