import { compareText } from '../../domain/shared/order.ts'
import { runGit } from '../git.ts'
import { refuseUnsafeConfig } from '../git-config.ts'
import type { Machine } from '../machine.ts'

export interface Change {
  /** Of the index, then of the file, as git's short status has them. */
  status: string
  path: string
}

/** Without rename detection: both names of a renamed file are listed. */
export async function readChanges(
  machine: Machine,
  repo: string,
  paths: readonly string[],
  ...flags: readonly string[]
) {
  const all = ['--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all', ...flags]
  const { stdout } = await runGit(machine, repo, ['status', ...all, '--', ...paths.map(literal)])
  const items = stdout.split('\0').filter((item) => item !== '')
  return items.map((item): Change => ({ status: item.slice(0, 2), path: item.slice(3) }))
}

/** What differs from the last commit, staged or not, new files included. */
export async function uncommittedPaths(machine: Machine, repo: string, under = 'skills'): Promise<string[]> {
  await refuseUnsafeConfig(machine, repo)
  return changedPaths(machine, repo, under)
}

/** The same for a repository whose settings are known to be safe. */
export async function changedPaths(machine: Machine, repo: string, under = 'skills'): Promise<string[]> {
  const changes = await readChanges(machine, repo, under === '' ? [] : [under])
  return changes.map(({ path }) => path).sort(compareText)
}

/** Odd characters in a path are part of its name. */
export function literal(path: string): string {
  return `:(literal)${path}`
}
