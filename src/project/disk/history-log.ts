import { join } from 'node:path'
import { RecentValues } from '../../machine/cache.ts'
import { isFile, readText } from '../../machine/files.ts'
import { commonGitFolder, gitFolder } from '../../machine/git-process.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { Repository } from '../../machine/repository.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { type History, ID_DIGITS, LOG_FORMAT, NO_HISTORY, readLog } from '../rules/history.ts'
import { limitTo, prefixOf } from './listed-paths.ts'
import { bytesOf } from './stamps.ts'

const kept = new RecentValues<History>(4)

/** The last commits of a project, only for ranking. Empty without git or commits. */
export async function readHistory(
  machine: Machine,
  { root, repository }: Pick<Project, 'root' | 'repository'>,
  { isOnlySaved = false }: { isOnlySaved?: boolean } = {},
): Promise<History> {
  if (repository === undefined) return NO_HISTORY
  try {
    const git = new Repository(machine, repository)
    const head = await headOf(git)
    if (head === undefined) return NO_HISTORY
    const isShallow = isFile(join(commonGitFolder(gitFolder(repository)), 'shallow'))
    const key = { kind: 'project-history', version: 4, name: [root], state: `${head} ${isShallow}` }
    const name = JSON.stringify([machine.cacheFolder, root, key.state])
    const known = kept.get(name)
    if (known !== undefined) return known
    const saved = machine.cache.read(key, decode)
    if (isOnlySaved) return saved ?? NO_HISTORY
    const history = saved ?? (await readCommits(git, prefixOf(repository, root) ?? '', isShallow))
    if (saved === undefined) machine.cache.write(key, encode(history))
    kept.set(name, history)
    return history
  } catch (error) {
    if (error instanceof LoadoutError) return NO_HISTORY
    throw error
  }
}

// Five numbers, the keys of paths, the other arrays one after another, the ids.
function encode({ ids, termStarts, terms, fileStarts, files, paths, isShallow }: History): Uint8Array {
  const head = Uint32Array.of(ids.length, terms.length, files.length, paths.length, Number(isShallow), 0)
  const parts = [head, paths, termStarts, terms, fileStarts, files]
  return Buffer.concat([...parts.map(bytesOf), Buffer.from(ids.join(''))])
}

function decode(bytes: Uint8Array): History | undefined {
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
}

async function readCommits(repository: Repository, prefix: string, isShallow: boolean): Promise<History> {
  const quiet = ['--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-color', '--no-notes', '--no-mailmap']
  const what = ['--no-merges', '--no-renames', '--name-only', '-z', LOG_FORMAT]
  // Fewer if the first number is too slow.
  for (const most of [2000, 200]) {
    try {
      const words = ['log', '-n', String(most), ...quiet, ...what, 'HEAD', ...limitTo(prefix)]
      // Never fetches: a partial clone would run programs from its settings.
      const env = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }
      const { stdout } = await repository.git(words, { timeoutMs: 15_000, env })
      return readLog(stdout, prefix, isShallow)
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
    }
  }
  return { ...NO_HISTORY, isShallow }
}

const LARGEST = 4 * 1024 * 1024
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** The checked-out commit, read from git's files if they state it plainly. */
async function headOf(repository: Repository): Promise<string | undefined> {
  try {
    const own = gitFolder(repository.path)
    const head = readText(join(own, 'HEAD'), LARGEST).trim()
    if (COMMIT.test(head)) return head
    const ref = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1] ?? '..'
    const loose = join(commonGitFolder(own), ref)
    const found = !ref.includes('..') && isFile(loose) ? readText(loose, LARGEST).trim() : ''
    if (COMMIT.test(found)) return found
  } catch {
    // git says it, or why not.
  }
  return repository.head()
}
