import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../machine/git.ts'
import type { Machine } from '../../machine/machine.ts'
import { literal } from './library-commit.ts'

/** Turns off filters and other settings of the user, so that git writes the files of a foreign repository unchanged. */
const NO_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_SYSTEM: undefined,
}

/** A folder of a repository at a commit. An empty `folder` is the whole repository. */
export interface Snapshot {
  repo: string
  /** A commit id, its parent (`<id>^`), or `HEAD`. */
  commit: string
  folder: string
  /** A foreign repository without a work tree. */
  isForeign?: boolean
}

/**
 * Writes a snapshot below `scratch`, a temporary folder of the caller, and returns its path. Does not change the index
 * or the files of the repository. Undefined if the commit or the folder does not exist.
 */
export async function checkOutSnapshot(
  machine: Machine,
  { repo, commit, folder, isForeign = false }: Snapshot,
  scratch: string,
  name: string,
): Promise<string | undefined> {
  if (!/^(?:HEAD|[0-9a-f]{7,64}\^?)$/.test(commit)) return undefined
  const target = join(scratch, name)
  mkdirSync(target)
  const foreign = { ...NO_SETTINGS, GIT_DIR: repo, GIT_WORK_TREE: target, GIT_ATTR_NOSYSTEM: '1' }
  const env = { GIT_INDEX_FILE: join(scratch, `${name}.index`), ...(isForeign ? foreign : {}) }
  const settings = isForeign ? ['core.attributesFile=/dev/null', 'core.autocrlf=false'] : []
  const { code } = await runGit(machine, repo, ['read-tree', commit], { env, settings, okCodes: [0, 128] })
  if (code !== 0) return undefined
  const paths = folder === '' ? [] : [literal(folder)]
  const { stdout } = await runGit(machine, repo, ['ls-files', '-z', '--', ...paths], { env, settings })
  if (stdout === '') return undefined
  const write = ['checkout-index', '--force', '-z', '--stdin', `--prefix=${target}/`]
  await runGit(machine, repo, write, { env, settings, input: stdout })
  return join(target, folder)
}
