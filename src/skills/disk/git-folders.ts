import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../../machine/repository.ts'
import { literal } from './library-commit.ts'
import { copyTree } from './tree.ts'

/** Without filters and other settings of the user: git neither changes a foreign file nor a byte of a diff. */
const NO_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_SYSTEM: undefined,
}

/** A folder of a repository at a commit. An empty `folder` is the whole repository. */
export interface Snapshot {
  repo: Repository
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
  { repo, commit, folder, isForeign = false }: Snapshot,
  scratch: string,
  name: string,
): Promise<string | undefined> {
  if (!/^(?:HEAD|[0-9a-f]{7,64}\^?)$/.test(commit)) return undefined
  const target = join(scratch, name)
  mkdirSync(target)
  const foreign = { ...NO_SETTINGS, GIT_DIR: repo.path, GIT_WORK_TREE: target, GIT_ATTR_NOSYSTEM: '1' }
  const env = { GIT_INDEX_FILE: join(scratch, `${name}.index`), ...(isForeign ? foreign : {}) }
  const settings = isForeign ? ['core.attributesFile=/dev/null', 'core.autocrlf=false'] : []
  const git = (args: readonly string[], okCodes = [0]) => repo.git(args, { env, settings, okCodes })
  if ((await git(['read-tree', commit], [0, 128])).code !== 0) {
    if ((await git(['cat-file', '-e', `${commit}^{tree}`], [0, 1, 128])).code !== 0) return undefined
    // It is there: the error says what else is wrong, for example a full disk.
    await git(['read-tree', commit])
  }
  const paths = folder === '' ? [] : [literal(folder)]
  const { stdout } = await git(['ls-files', '-z', '--', ...paths])
  if (stdout === '') return undefined
  const write = ['checkout-index', '--force', '-z', '--stdin', `--prefix=${target}/`]
  await repo.git(write, { env, settings, input: stdout })
  return join(target, folder)
}

/** The diff of two folders in `parent`, under their own names. `parent` is a folder outside of any repository. */
export async function diffFolders(parent: Repository, a: string, b: string): Promise<string> {
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-prefix', '--no-renames']
  const { stdout } = await parent.git(['diff', ...flags, '--', a, b], {
    okCodes: [0, 1],
    env: NO_SETTINGS,
    settings: ['core.attributesFile=/dev/null'],
  })
  return stdout
}

/** The diff of two versions of a skill, under its name. A missing version counts as empty. */
export async function diffSkillFolders(
  scratch: Repository,
  skill: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  for (const [side, folder] of [['before', before] as const, ['after', after] as const]) {
    const target = join(scratch.path, side, skill)
    if (folder === undefined) mkdirSync(target, { recursive: true })
    else copyTree(folder, target)
  }
  return diffFolders(scratch, 'before', 'after')
}
