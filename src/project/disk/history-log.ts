import { join, relative, sep } from 'node:path'
import { cached, jsonCodec } from '../../machine/cache.ts'
import { isFile, readText } from '../../machine/files.ts'
import { runGit } from '../../machine/git.ts'
import { gitFolder } from '../../machine/git-folder.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { type History, LOG_FORMAT, NO_HISTORY, readLog } from '../rules/history.ts'
import { limitTo } from './listing.ts'

/** So many commits are read; where that is too much, so few. */
const COMMITS = [2000, 200]
const GIT_MS = 15_000

/** The last commits of a project: only to rank by. Nothing when there is no git, or no commit yet. */
export async function readHistory(
  machine: Machine,
  { root, repository }: Pick<Project, 'root' | 'repository'>,
): Promise<History> {
  if (repository === undefined) return NO_HISTORY
  try {
    const head = await headOf(machine, repository)
    if (head === undefined) return NO_HISTORY
    const inside = relative(repository, root).split(sep).join('/')
    const prefix = inside === '' ? '' : `${inside}/`
    const isShallow = isFile(join(commonFolder(repository), 'shallow'))
    const key = { kind: 'project-history', version: 2, name: [root], state: `${head} ${isShallow}` }
    return await cachedLater(machine, key, () => readCommits(machine, repository, prefix, isShallow))
  } catch (error) {
    if (error instanceof LoadoutError) return NO_HISTORY
    throw error
  }
}

type Key = Parameters<typeof cached>[1]

async function cachedLater(machine: Machine, key: Key, read: () => Promise<History>): Promise<History> {
  const missing = Symbol('missing')
  try {
    return cached(machine, key, HISTORY, () => {
      throw missing
    })
  } catch (error) {
    if (error !== missing) throw error
  }
  const history = await read()
  return cached(machine, key, HISTORY, () => history)
}

const HISTORY = jsonCodec((json: unknown): json is History => {
  if (!isRecord(json) || !Array.isArray(json.paths) || !Array.isArray(json.commits)) return false
  return (
    typeof json.isShallow === 'boolean' &&
    json.commits.every((commit) => isRecord(commit) && Array.isArray(commit.terms) && Array.isArray(commit.files))
  )
})

async function readCommits(machine: Machine, repository: string, prefix: string, isShallow: boolean): Promise<History> {
  for (const most of COMMITS) {
    try {
      const { stdout } = await runGit(machine, repository, logArguments(most, prefix), {
        timeoutMs: GIT_MS,
        // Reading the past never fetches: a partial clone would run what its settings name.
        env: { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' },
      })
      return readLog(stdout, prefix, isShallow)
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
    }
  }
  return { ...NO_HISTORY, isShallow }
}

function logArguments(most: number, prefix: string): string[] {
  const quiet = ['--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-color', '--no-notes', '--no-mailmap']
  const what = ['--no-merges', '--no-renames', '--name-only', '-z', LOG_FORMAT]
  return ['log', '-n', String(most), ...quiet, ...what, 'HEAD', ...limitTo(prefix)]
}

/** The commit that is checked out, read from the files of git where they say it plainly. */
async function headOf(machine: Machine, repository: string): Promise<string | undefined> {
  return headInFiles(repository) ?? (await headByGit(machine, repository))
}

async function headByGit(machine: Machine, repository: string): Promise<string | undefined> {
  const { stdout } = await runGit(machine, repository, ['rev-parse', '--quiet', '--verify', 'HEAD'], {
    okCodes: [0, 1],
  })
  return stdout.trim() || undefined
}

const LARGEST = 4 * 1024 * 1024
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

function headInFiles(repository: string): string | undefined {
  try {
    const own = gitFolder(repository)
    const head = readText(join(own, 'HEAD'), LARGEST).trim()
    if (COMMIT.test(head)) return head
    const ref = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1]
    if (ref === undefined || ref.includes('..')) return undefined
    const loose = join(commonFolder(repository), ref)
    const found = isFile(loose) ? readText(loose, LARGEST).trim() : undefined
    return found !== undefined && COMMIT.test(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** What the worktrees of a repository share. */
function commonFolder(repository: string): string {
  const own = gitFolder(repository)
  const link = join(own, 'commondir')
  return isFile(link) ? join(own, readText(link, LARGEST).trim()) : own
}
