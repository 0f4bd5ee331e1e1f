import { basename, join } from 'node:path'
import { readJson } from '../../machine/files.ts'
import type { Repository } from '../../machine/repository.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { formatSkill, parseSkill, SKILL_FILE, type Skill, withoutSource } from '../rules/skill.ts'
import type { SkillContent } from './foreign-skill.ts'
import { checkOutSnapshot } from './git-folders.ts'
import { literal } from './library-commit.ts'
import { type HashRow, hashContent, hashFile, hashRows, hashTree, listTree } from './tree.ts'

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

/** Enough history for any merge. Each commit costs a call of git. */
const MOST_COMMITS = 200

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
  const list = ['log', '--format=%H', `--max-count=${MOST_COMMITS}`, '--', literal(folder)]
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
