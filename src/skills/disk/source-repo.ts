import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cloneRepository, cloneSource } from '../../machine/clone.ts'
import { asLoadoutError, exists, isFolder, removeFolder } from '../../machine/files.ts'
import { needsLogin, withoutPassword } from '../../machine/git-process.ts'
import { staysInside } from '../../machine/inside.ts'
import { ownedName, withScratch } from '../../machine/leftovers.ts'
import { acquireLock } from '../../machine/lock.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { type Patience, Repository } from '../../machine/repository.ts'
import { type Finding, failWith, LoadoutError, report, retell } from '../../text/trouble.ts'
import { groupBy, sha256 } from '../../text/values.ts'
import type { ForeignSkill } from '../rules/candidates.ts'
import { type Locked, type TextKind, versionKey } from '../rules/lock.ts'
import type { SourceAddress } from '../rules/manifest.ts'
import { type SkillSource, withoutSource } from '../rules/skill.ts'
import { publisherOf } from '../rules/source-name.ts'
import { contentOf, readForeignSkill, writeSkillFolder } from './foreign-skill.ts'
import { keptText } from './kept-text.ts'
import { checkOutSnapshot } from './library-git.ts'
import { keepVersion, versionPlace } from './registry.ts'
import { hashFile, hashTree, listTree } from './tree.ts'

/** A bare copy in the cache of a repository that skills came from, with only the fetched commits. */
export interface SourceRepo {
  repo: Repository
  /** The current commit of the branch or tag. */
  head: string
  /** Requested commits that the source no longer has. */
  gone: ReadonlySet<string>
}

const NETWORK_MS = 120_000

/** The folder of the caches. */
export function sourceCaches(machine: Machine): string {
  return join(machine.cacheFolder, 'sources')
}

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
  const path = join(sourceCaches(machine), sha256(source).slice(0, 32))
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
  if (isRefMissing(reason)) return failWith('REMOTE_UNREACHABLE/source-ref', { source }, { cause: error })
  if (needsLogin(reason)) return failWith('REMOTE_UNREACHABLE/source-login', { source }, { cause: error })
  if (isGone) return failWith('REMOTE_UNREACHABLE/source-gone', { source }, { cause: error })
  return failWith('REMOTE_UNREACHABLE/source', { source, reason }, { cause: error })
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

/** A source of loadout.json, with its files at one commit. */
export interface OpenSource {
  /** The folder with the part that the address names. */
  root: string
  /** That part: empty for the whole source. */
  part: string
  commit?: string
}

/** Fetches the present version of a source into the cache, and writes its files below `scratch`. */
export async function openAddress(
  machine: Machine,
  project: string,
  { key, url, ref, folder }: SourceAddress,
  scratch: string,
  signal: AbortSignal | undefined,
): Promise<OpenSource> {
  if (url === undefined) {
    const root = join(project, folder)
    if (isFolder(root) && staysInside(project, folder)) return { root, part: folder }
    throw failWith('MANIFEST/address', {
      key,
      problem: isFolder(root) ? 'it leads out of the project' : 'it does not exist',
    })
  }
  const ask = ['remote', 'get-url', 'origin']
  const own = await new Repository(machine, project).git(ask, { okCodes: [0, 2, 128] })
  const self = [own.stdout.trim(), project, `file://${project}`].filter((each) => each !== '').map(publisherOf)
  if (self.includes(publisherOf(url))) throw failWith('MANIFEST/address', { key, problem: 'it is the project itself' })
  const wanted = isShortCommit(ref) ? await wholeCommit(machine, url, ref) : ref
  const { repo, head } = await fetchSourceRepo(machine, url, { ref: wanted, commits: [], signal })
  const found = await checkOutSnapshot({ repo, commit: head, folder, isForeign: true }, scratch, `source-${sources++}`)
  if (found === undefined) throw failWith('MANIFEST/address', { key, problem: `it has no folder ${folder}` })
  return { root: found, part: folder, commit: head }
}

let sources = 0

function isShortCommit(ref: string | undefined): ref is string {
  return ref !== undefined && /^[0-9a-f]{7,39}$/.test(ref)
}

/** Only a whole clone knows the commits that a short id can mean; a branch or tag of such a name goes first. */
async function wholeCommit(machine: Machine, url: string, ref: string): Promise<string> {
  return withScratch(async (scratch) => {
    const folder = join(scratch, 'clone')
    await cloneRepository(machine, url, folder)
    return new Repository(machine, folder).commitOf(ref)
  })
}

/** The hash of a folder, or of a file. */
export function digestOf(path: string): string {
  if (isFolder(path)) return hashTree(path, listTree(path).files)
  return hashFile(dirname(path), { path: basename(path), kind: 'file' })
}

/** Keeps a version in its form for a library, with a record of its source that is the same on every machine. */
export function keepSkill(machine: Machine, row: Locked, found: ForeignSkill): void {
  const content = contentOf({ ...found, skill: { ...withoutSource(found.skill), name: row.name } })
  const { url, folder, ref, commit, digest, at } = row
  const place = url === undefined ? { path: `./${folder}` } : { url }
  const source: SkillSource = { ...place, folder, ref, commit, treeHash: digest, importedAt: at, others: {} }
  keepVersion(machine, versionKey(row), row.name, (stage) =>
    writeSkillFolder({ ...content, skill: { ...content.skill, source } }, stage),
  )
}

/**
 * The files of versions, as their sources have them, below `scratch`. Throws if one of them is not what the lock pins, or
 * cannot be had. Asks a source only about what the cache lacks.
 */
export async function* openVersions(
  machine: Machine,
  project: string,
  rows: readonly Locked[],
  scratch: string,
  signal?: AbortSignal,
): AsyncGenerator<{ row: Locked; place: string; findings: Finding[] }> {
  for (const [url, group] of groupBy(rows, (row) => row.url ?? '')) {
    signal?.throwIfAborted()
    const commits = [...new Set(group.flatMap(({ commit }) => commit ?? []))]
    const fetch = { ref: undefined, commits, isEnough: true, signal }
    const repo = url === '' ? undefined : await fetchSourceRepo(machine, url, fetch)
    for (const row of group) {
      const { name, folder, ref, from, digest, commit = '' } = row
      const at = `restored-${sources++}`
      const findings: Finding[] = []
      let place: string | undefined
      if (repo === undefined) {
        place = join(project, folder)
        const isThere = staysInside(project, folder) && exists(place)
        if (!isThere) throw failWith('MANIFEST/address', { key: from, problem: `${name} is not in it` })
      } else if (!repo.gone.has(commit)) {
        place = await checkOutSnapshot({ repo: repo.repo, commit, folder, isForeign: true }, scratch, at)
      }
      if (place === undefined) {
        // A source whose history was rewritten may still have the very files.
        const isBranch = ref === undefined || !commit.startsWith(ref)
        const now = await fetchSourceRepo(machine, url, { ref: isBranch ? ref : undefined, commits: [], signal })
        const newest = { repo: now.repo, commit: now.head, folder, isForeign: true }
        place = await checkOutSnapshot(newest, scratch, `${at}-now`)
        const facts = { name, source: url, commit: commit.slice(0, 12) }
        if (place === undefined || digestOf(place) !== digest) throw failWith('LOCK_MISMATCH/gone', facts)
        const found = now.head.slice(0, 12)
        findings.push(report('LOCK_MISMATCH/same-content', { ...facts, found }, { subject: name }))
      }
      if (digestOf(place) !== digest) {
        const source = repo === undefined ? `./${folder}` : url
        throw failWith('LOCK_MISMATCH/digest', { name, source, commit: commit.slice(0, 12) || 'none' })
      }
      yield { row, place, findings }
    }
  }
}

/** Makes sure that the files of all these versions are in the cache, as `openVersions`. `fetched`: from the sources. */
export async function restoreVersions(
  machine: Machine,
  project: string,
  rows: readonly Locked[],
  { signal, kind }: { signal?: AbortSignal; kind?: TextKind },
): Promise<{ fetched: string[]; findings: Finding[] }> {
  const placeOf = (row: Locked) =>
    kind === undefined ? versionPlace(machine, versionKey(row), row.name) : keptText(machine, kind, row)
  const absent = rows.filter((row) => !exists(placeOf(row)))
  const told: Finding[] = []
  await withScratch(async (scratch) => {
    for await (const { row, place, findings } of openVersions(machine, project, absent, scratch, signal)) {
      told.push(...findings)
      if (kind !== undefined) {
        keptText(machine, kind, row, place)
        continue
      }
      let skill: ForeignSkill
      try {
        skill = readForeignSkill(place, { agents: [] })
      } catch (error) {
        if (!(error instanceof LoadoutError)) throw error
        throw retell(error, { message: error.message.replaceAll(place, basename(place)) })
      }
      keepSkill(machine, row, skill)
    }
  })
  return { fetched: absent.map(({ name }) => name), findings: told }
}

/** Removes a version from the cache, so that it is made again. */
export function forgetVersion(machine: Machine, row: Locked): void {
  removeFolder(join(versionPlace(machine, versionKey(row), row.name), '..'))
}
