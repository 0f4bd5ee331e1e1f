import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cloneSource } from '../../machine/clone.ts'
import { asLoadoutError, exists, isFolder } from '../../machine/files.ts'
import { needsLogin, withoutPassword } from '../../machine/git-process.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { acquireLock } from '../../machine/lock.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { type Patience, Repository } from '../../machine/repository.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'

/** A bare copy in the cache of a repository that skills came from, with only the fetched commits. */
export interface SourceRepo {
  repo: Repository
  /** The current commit of the branch or tag. */
  head: string
  /** Requested commits that the source no longer has. */
  gone: ReadonlySet<string>
}

const NETWORK_MS = 120_000

/** Below the folder of the caches. */
export const SOURCES_FOLDER = 'sources'

/**
 * Fetches the current commit of a branch or tag, and some earlier commits, into the cache. One fetch is enough, unless a
 * commit has disappeared. Runs and checks out nothing of the repository. A cache that a killed git or a full disk left
 * unusable is replaced: if a fetch into it fails, a fetch into a new one decides.
 */
export async function fetchSourceRepo(
  machine: Machine,
  url: string,
  request: {
    ref: string | undefined
    commits: readonly string[]
    /** The commits are enough: nothing is fetched if the cache has them. */
    isEnough?: boolean
  } & Patience,
): Promise<SourceRepo> {
  const source = cloneSource(machine, url)
  const { ref } = request
  if (ref?.startsWith('-') || ref?.includes(':')) throw failWith('USAGE/ref', { ref: JSON.stringify(ref) })
  const path = join(machine.cacheFolder, SOURCES_FOLDER, sha256(source).slice(0, 32))
  const repo = new Repository(machine, path)
  if (request.isEnough && (await hasAll(repo, request.commits)))
    return { repo, head: request.ref ?? '', gone: new Set() }
  const release = await acquireLock(`${path}.lock`, { purpose: 'fetch', waitMs: NETWORK_MS, signal: request.signal })
  const [fresh, broken] = [ownedName(path), ownedName(path)]
  try {
    const cached = isFolder(path) ? await fetchInto(source, repo, request).catch(leaveIfRemote) : undefined
    if (cached !== undefined) return cached
    await repo.at(dirname(path)).git(['init', '--quiet', '--bare', '--template=', '--', fresh])
    const fetched = await fetchInto(source, repo.at(fresh), request)
    if (exists(path)) move(path, broken)
    move(fresh, path)
    return { ...fetched, repo }
  } catch (error) {
    throw unreachable(asLoadoutError(error, path, 'write'), url, ref)
  } finally {
    for (const each of [fresh, broken]) rmSync(each, { recursive: true, force: true })
    release()
  }
}

async function hasAll(repo: Repository, commits: readonly string[]): Promise<boolean> {
  if (!isFolder(repo.path)) return false
  const list = ['rev-list', '--objects', '--quiet', '--no-walk', '--end-of-options', ...commits]
  return (await repo.git(list, { env: { GIT_DIR: repo.path }, okCodes: [0, 1, 128] })).code === 0
}

/** Throws an error that a new cache cannot mend. */
function leaveIfRemote(error: unknown): undefined {
  const isLocal = error instanceof LoadoutError && error.code !== 'GIT_MISSING'
  if (!isLocal || needsLogin(error.message) || isRefMissing(error.message) || REMOTE.test(error.message)) throw error
}

// Git's words for a remote that does not answer or refuses, and ours for a git that was stopped.
const REMOTE =
  /[Cc]ould not resolve|Connection (?:refused|timed out|reset|closed)|unable to access 'http|Host key verification|and was stopped$/

async function fetchInto(
  source: string,
  repo: Repository,
  { ref, commits, ...patience }: { ref: string | undefined; commits: readonly string[] } & Patience,
): Promise<SourceRepo> {
  await repo.settings()
  const git = (args: readonly string[], okCodes = [0]) =>
    repo.git(args, { env: { GIT_DIR: repo.path }, timeoutMs: NETWORK_MS, ...patience, okCodes })
  const has = async (commit: string) => (await git(['cat-file', '-e', `${commit}^{commit}`], [0, 1, 128])).code === 0
  const fetch = (wanted: readonly string[]) =>
    git(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', source, ...wanted])
  const place = `refs/loadout/${sha256(ref ?? 'HEAD').slice(0, 16)}`
  const head = `+${ref ?? 'HEAD'}:${place}`
  const missing: string[] = []
  for (const commit of new Set(commits)) if (!(await has(commit))) missing.push(commit)
  const keep = (commit: string) => `+${commit}:refs/loadout/commits/${commit}`
  const gone = new Set<string>()
  try {
    await fetch([head, ...missing.map(keep)])
  } catch (error) {
    if (missing.length === 0 || patience.signal?.aborted) throw error
    await fetch([head])
    for (const commit of missing) await fetch([keep(commit)]).catch(() => gone.add(commit))
  }
  const now = (await git(['rev-parse', '--verify', `${place}^{commit}`])).stdout.trim()
  // Otherwise a skill whose files the cache has lost would count as removed from its source.
  await git([
    'rev-list',
    '--objects',
    '--quiet',
    '--end-of-options',
    now,
    ...commits.filter((commit) => !gone.has(commit)),
  ])
  return { repo, head: now, gone }
}

function isRefMissing(reason: string): boolean {
  return /couldn't find remote ref|not our ref|unadvertised object/.test(reason)
}

function unreachable(error: LoadoutError, url: string, ref: string | undefined): LoadoutError {
  const reason = /^git fetch failed in .*?: (.*)$/s.exec(error.message)?.[1]
  // Any other git works in the cache alone, and so does one that cannot write there.
  if (reason === undefined || /No space left|Disk quota|Read-only file system|Input\/output error/.test(reason))
    return error
  const source = isRefMissing(reason) && ref !== undefined ? `${withoutPassword(url)} (${ref})` : withoutPassword(url)
  const isGone = /not found|does not exist|does not appear to be a git repository|No such file/i.test(reason)
  if (isRefMissing(reason)) return failWith('UNREACHABLE/source-ref', { source }, { cause: error })
  if (needsLogin(reason)) return failWith('UNREACHABLE/source-login', { source }, { cause: error })
  if (isGone) return failWith('UNREACHABLE/source-gone', { source }, { cause: error })
  return failWith('UNREACHABLE/source', { source, reason }, { cause: error })
}

/** The git tree ids of folders at a commit, without folders that do not exist. */
export async function folderIds(
  repo: Repository,
  commit: string,
  folders: readonly string[],
): Promise<Map<string, string>> {
  const ask = [...new Set(folders)].filter((folder) => !folder.includes('\n'))
  const input = ask.map((folder) => `${commit}:${folder}\n`).join('')
  const { stdout } = await repo.git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    env: { GIT_DIR: repo.path },
    input,
  })
  const answers = stdout.split('\n')
  return new Map(
    ask.flatMap((folder, at) => {
      const id = /^([0-9a-f]{40,64}) tree$/.exec(answers[at] ?? '')?.[1]
      return id === undefined ? [] : [[folder, id] as const]
    }),
  )
}

/** The new path of a moved skill: the only folder of this name with a SKILL.md. */
export async function findMoved(repo: Repository, commit: string, name: string): Promise<string | undefined> {
  const list = ['ls-tree', '-r', '-z', '--name-only', commit]
  const { stdout } = await repo.git(list, { env: { GIT_DIR: repo.path } })
  const places = stdout.split('\0').filter((path) => path.endsWith(`/${name}/SKILL.md`) || path === `${name}/SKILL.md`)
  return places.length === 1 ? places[0]?.replace(/\/SKILL\.md$/, '') : undefined
}
