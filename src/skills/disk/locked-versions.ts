import { basename, join } from 'node:path'
import { cloneRepository } from '../../machine/clone.ts'
import { isFolder, removeFolder } from '../../machine/files.ts'
import { staysInside } from '../../machine/inside.ts'
import { withScratch } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { Repository } from '../../machine/repository.ts'
import { type Finding, failWith, LoadoutError, report } from '../../text/trouble.ts'
import { groupBy } from '../../text/values.ts'
import type { ForeignSkill } from '../rules/candidates.ts'
import { type Locked, type SourceAddress, versionKey } from '../rules/manifest.ts'
import { type SkillSource, withoutSource } from '../rules/skill.ts'
import { keepVersion, versionPlace } from './approved-versions.ts'
import { contentOf, readForeignSkill, writeSkillFolder } from './foreign-skill.ts'
import { checkOutSnapshot } from './git-folders.ts'
import { fetchSourceRepo, type SourceRepo } from './source-repo.ts'
import { hashTree, listTree } from './tree.ts'

/** A source of loadout.json, with its files at one commit. */
export interface OpenSource {
  /** The folder with the part that the address names. */
  root: string
  /** That part: empty for the whole source. */
  part: string
  commit?: string
}

/** Fetches a source into the cache and writes its files below `scratch`. `commit`: at this commit, not the newest. */
export async function openAddress(
  machine: Machine,
  project: string,
  { key, url, ref, folder }: SourceAddress,
  scratch: string,
  { commit, signal }: { commit?: string; signal?: AbortSignal },
): Promise<OpenSource> {
  if (url === undefined) {
    const root = join(project, folder)
    if (isFolder(root) && staysInside(project, folder)) return { root, part: folder }
    throw failWith('MANIFEST/address', {
      key,
      problem: isFolder(root) ? 'it leads out of the project' : 'it does not exist',
    })
  }
  const wanted = commit ?? (isShortCommit(ref) ? await wholeCommit(machine, url, ref) : ref)
  const commits = commit === undefined ? [] : [commit]
  const { repo, head } = await fetchSourceRepo(machine, url, {
    ref: wanted,
    commits,
    isEnough: commits.length > 0,
    signal,
  })
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

export interface Restored {
  /** From the sources; all others were in the cache. */
  fetched: string[]
  findings: Finding[]
}

/**
 * Makes sure that the files of all these versions are in the cache. Throws if one of them is not what the lock pins, or
 * cannot be had: then nothing is installed. Asks a source only about what the cache lacks.
 */
export async function restoreVersions(
  machine: Machine,
  project: string,
  rows: readonly Locked[],
  keep: (row: Locked, folder: string) => void,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Restored> {
  const absent = rows.filter((row) => !isFolder(versionPlace(machine, versionKey(row), row.name)))
  const findings: Finding[] = []
  await withScratch(async (scratch) => {
    for (const [url, group] of groupBy(absent, (row) => row.url ?? '')) {
      signal?.throwIfAborted()
      const repo = url === '' ? undefined : await openCommits(machine, url, group, signal)
      for (const row of group) {
        const { name, folder, digest, commit = '' } = row
        const at = `restored-${sources++}`
        const source = repo === undefined ? `./${folder}` : url
        const place =
          repo === undefined
            ? inProject(project, row)
            : repo.gone.has(commit)
              ? undefined
              : await checkOutSnapshot({ repo: repo.repo, commit, folder, isForeign: true }, scratch, at)
        const found = place ?? (await sameElsewhere(machine, row, scratch, `${at}-now`, signal))
        if (typeof found !== 'string') findings.push(found.finding)
        const path = typeof found === 'string' ? found : found.place
        if (digestOf(path) !== digest) {
          throw failWith('LOCK_MISMATCH/digest', { name, source, commit: commit.slice(0, 12) || 'none' })
        }
        keep(row, path)
      }
    }
  })
  return { fetched: absent.map(({ name }) => name), findings }
}

/** The hash of a folder as a source has it. */
function digestOf(folder: string): string {
  return hashTree(folder, listTree(folder).files)
}

function inProject(project: string, { name, folder, from }: Locked): string {
  if (staysInside(project, folder) && isFolder(join(project, folder))) return join(project, folder)
  throw failWith('MANIFEST/address', { key: from, problem: `${name} is not in it` })
}

function openCommits(
  machine: Machine,
  url: string,
  rows: readonly Locked[],
  signal: AbortSignal | undefined,
): Promise<SourceRepo> {
  const commits = [...new Set(rows.flatMap(({ commit }) => commit ?? []))]
  return fetchSourceRepo(machine, url, { ref: undefined, commits, isEnough: true, signal })
}

/** A source whose history was rewritten may still have the very files. */
async function sameElsewhere(
  machine: Machine,
  { name, url = '', ref, folder, digest, commit = '' }: Locked,
  scratch: string,
  at: string,
  signal: AbortSignal | undefined,
): Promise<{ place: string; finding: Finding }> {
  const isBranch = ref === undefined || !commit.startsWith(ref)
  const { repo, head } = await fetchSourceRepo(machine, url, { ref: isBranch ? ref : undefined, commits: [], signal })
  const place = await checkOutSnapshot({ repo, commit: head, folder, isForeign: true }, scratch, at)
  const facts = { name, source: url, commit: commit.slice(0, 12) }
  if (place === undefined || digestOf(place) !== digest) throw failWith('LOCK_MISMATCH/gone', facts)
  const finding = report('LOCK_MISMATCH/same-content', { ...facts, found: head.slice(0, 12) }, { subject: name })
  return { place, finding }
}

/** Removes a version from the cache, so that it is made again. */
export function forgetVersion(machine: Machine, row: Locked): void {
  removeFolder(join(versionPlace(machine, versionKey(row), row.name), '..'))
}

/** The skill in a folder of a source. */
export function skillAt(path: string): ForeignSkill {
  try {
    return readForeignSkill(path, { agents: [] })
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    throw new LoadoutError(error.code, error.message.replaceAll(path, basename(path)), { hint: error.hint })
  }
}
