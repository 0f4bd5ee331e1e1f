import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readJson } from '../../machine/files.ts'
import type { Repository } from '../../machine/repository.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { formatSkill, parseSkill, SKILL_FILE, type Skill, withoutSource } from '../rules/skill.ts'
import type { SkillContent } from './foreign-skill.ts'
import { literal } from './library-git.ts'
import { copyTree, type HashRow, hashContent, hashFile, hashRows, hashTree, listTree } from './tree.ts'

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

/** The hash of a skill in its form for the library, without the record of its source. */
export function libraryHash({ skill, document, files }: SkillContent): string {
  const copied = files.map(({ path, folder, isExecutable }): HashRow => {
    return [path, isExecutable, hashFile(folder, { path, kind: 'file' })]
  })
  return hashRows([...copied, [DOCUMENT_FILE, false, hashContent(document)], skillRow(skill)])
}

/** The `libraryHash` of a folder; undefined unless it is a skill. */
export function libraryHashOf(folder: string, name: string): string | undefined {
  const { files } = listTree(folder)
  if (!files.some(({ path }) => path === SKILL_FILE)) return undefined
  const { skill } = parseSkill(readJson(join(folder, SKILL_FILE)), name)
  if (skill === undefined) return undefined
  const rows = files.flatMap((file): HashRow[] =>
    file.path === SKILL_FILE ? [] : [[file.path, file.isExecutable, hashFile(folder, file)]],
  )
  return hashRows([...rows, skillRow(skill)])
}

function skillRow(skill: Skill): HashRow {
  return [SKILL_FILE, false, hashContent(formatSkill(withoutSource(skill)))]
}

/** What to look for in the history of a library's folder. */
export interface Wanted {
  /** Tried first. */
  commit?: string
  /** The hash of the folder: `sourceHash` of a marker, or `libraryHash`. */
  hash: string
  kind: 'source' | 'library'
}

/**
 * Finds the version of a folder with a given hash, and writes it below `scratch`; undefined if no commit has it. The
 * recorded commit alone is not enough: files may have been installed or imported before they were committed.
 */
export async function findInHistory(
  repo: Repository,
  folder: string,
  wanted: Wanted,
  scratch: string,
): Promise<string | undefined> {
  await repo.settings()
  // Enough history for any merge. Each commit costs a call of git.
  const list = ['log', '--format=%H', '--max-count=200', '--', literal(folder)]
  const { stdout, code } = await repo.git(list, { okCodes: [0, 128] })
  const commits = code === 0 ? stdout.split('\n').filter((line) => line !== '') : []
  const hashOf = (path: string) =>
    wanted.kind === 'library' ? libraryHashOf(path, basename(folder)) : hashTree(path, listTree(path).files)
  for (const [at, commit] of new Set([...(wanted.commit ? [wanted.commit] : []), ...commits]).entries()) {
    const found = await checkOutSnapshot({ repo, commit, folder }, scratch, `history-${at}`)
    if (found !== undefined && hashOf(found) === wanted.hash) return found
  }
  return undefined
}
