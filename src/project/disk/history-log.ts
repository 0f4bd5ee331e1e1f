import { join, relative, sep } from 'node:path'
import type { CacheKey, Codec } from '../../machine/cache.ts'
import { isFile, readText } from '../../machine/files.ts'
import { commonGitFolder, gitFolder } from '../../machine/git-folder.ts'
import { Kept } from '../../machine/kept.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { runGit } from '../../machine/repository.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { type History, ID_DIGITS, LOG_FORMAT, NO_HISTORY, readLog } from '../rules/history.ts'
import { limitTo } from './listed-paths.ts'

/** How many commits are read; the second number if the first is too slow. */
const COMMITS = [2000, 200]
const GIT_MS = 15_000

const KEPT_PROJECTS = 4
const kept = new Kept<History>(KEPT_PROJECTS)

/** The last commits of a project, only for ranking. Empty without git or commits. */
export async function readHistory(
  machine: Machine,
  { root, repository }: Pick<Project, 'root' | 'repository'>,
  { isOnlySaved = false }: { isOnlySaved?: boolean } = {},
): Promise<History> {
  if (repository === undefined) return NO_HISTORY
  try {
    const head = await headOf(machine, repository)
    if (head === undefined) return NO_HISTORY
    const inside = relative(repository, root).split(sep).join('/')
    const prefix = inside === '' ? '' : `${inside}/`
    const isShallow = isFile(join(commonGitFolder(gitFolder(repository)), 'shallow'))
    const key = { kind: 'project-history', version: 4, name: [root], state: `${head} ${isShallow}` }
    const name = JSON.stringify([machine.cacheFolder, root, key.state])
    const known = kept.get(name)
    if (known !== undefined) return known
    if (isOnlySaved) return machine.cache.read(key, HISTORY.decode) ?? NO_HISTORY
    const history = await cachedLater(machine, key, () => readCommits(machine, repository, prefix, isShallow))
    kept.set(name, history)
    return history
  } catch (error) {
    if (error instanceof LoadoutError) return NO_HISTORY
    throw error
  }
}

async function cachedLater(machine: Machine, key: CacheKey, read: () => Promise<History>): Promise<History> {
  const missing = Symbol('missing')
  try {
    return machine.cache.keep(key, HISTORY, () => {
      throw missing
    })
  } catch (error) {
    if (error !== missing) throw error
  }
  const history = await read()
  return machine.cache.keep(key, HISTORY, () => history)
}

// Five numbers, the keys of paths, the other arrays one after another, the ids.
const HISTORY: Codec<History> = {
  encode({ ids, termStarts, terms, fileStarts, files, paths, isShallow }) {
    const head = Uint32Array.of(ids.length, terms.length, files.length, paths.length, Number(isShallow), 0)
    const parts = [head, paths, termStarts, terms, fileStarts, files]
    const bytes = parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength))
    return Buffer.concat([...bytes, Buffer.from(ids.join(''))])
  },
  decode(bytes) {
    let at = bytes.byteOffset
    const next = (length: number) => {
      at += 4 * length
      return new Uint32Array(bytes.buffer, at - 4 * length, length)
    }
    const [commits = 0, termCount = 0, fileCount = 0, pathCount = 0, isShallow] = next(6)
    const paths = new Float64Array(bytes.buffer, at, pathCount)
    at += paths.byteLength
    const [termStarts, terms, fileStarts, files] = [commits + 1, termCount, commits + 1, fileCount].map(next)
    if (!termStarts || !terms || !fileStarts || !files) return undefined
    const digits = Buffer.from(bytes.buffer, at, commits * ID_DIGITS).toString('latin1')
    const ids = Array.from({ length: commits }, (_, i) => digits.slice(i * ID_DIGITS, (i + 1) * ID_DIGITS))
    return { ids, termStarts, terms, fileStarts, files, paths, isShallow: isShallow === 1 }
  },
}

async function readCommits(machine: Machine, repository: string, prefix: string, isShallow: boolean): Promise<History> {
  for (const most of COMMITS) {
    try {
      const { stdout } = await runGit(machine, repository, logArguments(most, prefix), {
        timeoutMs: GIT_MS,
        // Never fetches: a partial clone would run programs from its settings.
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

/** The checked-out commit, read from git's files if they state it plainly. */
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
    const loose = join(commonGitFolder(own), ref)
    const found = isFile(loose) ? readText(loose, LARGEST).trim() : undefined
    return found !== undefined && COMMIT.test(found) ? found : undefined
  } catch {
    return undefined
  }
}
