import { basename, join } from 'node:path'
import { exists, isFolder } from '../machine/files.ts'
import { Repository } from '../machine/repository.ts'
import { asFinding, type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { groupBy, sortedBy } from '../text/values.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { readForReview } from './disk/registry.ts'
import { fetchSourceRepo, findMoved, folderIds, type SourceRepo } from './disk/source-repo.ts'
import { copyTree, hashTree, listTree, writeTreeFile } from './disk/tree.ts'
import { type Installs, withInstalls } from './installs.ts'
import { asWriter } from './observe.ts'
import {
  formatSkill,
  type RegisteredSkill,
  requireName,
  requireSkill,
  SKILL_FILE,
  type SkillSource,
} from './rules/skill.ts'

export interface OutdatedRequest {
  /** Default: every skill with a source. */
  names?: readonly string[]
  signal?: AbortSignal
  onProgress?: (done: number, total: number, what: string) => void
}

/** The current state of a skill's source. */
export interface SourceState {
  name: string
  state: 'current' | 'outdated' | 'removed' | 'pinned' | 'unreachable'
  /** The URL or the path. */
  source: string
  ref?: string
  /** The commit that the library's skill came from, and the current commit of the source. */
  from?: string
  to?: string
  /** The current folder of the skill in the source, if it was moved. */
  folder?: string
  /** The source no longer has the commit of the library's skill. */
  isRewritten?: boolean
}

/** Checks the sources of imported skills: one fetch for each repository, four at once. */
export const findOutdated = withInstalls(async (installs, request: OutdatedRequest): Promise<SourceState[]> => {
  const { skills } = importedSkills(installs, request.names)
  const asked = await askSources(installs, skills, undefined, request)
  return asked.map(({ state }) => state)
})

/** A skill with the record of its import. */
export interface ImportedSkill extends RegisteredSkill {
  source: SkillSource
}

/** The imported skills; every named one must have been imported. */
export function importedSkills(
  { repo }: Installs,
  names: readonly string[] = [],
): { skills: ImportedSkill[]; withoutSource: string[] } {
  const registry = readForReview(repo)
  for (const name of names.map(requireName)) requireSkill(registry, name)
  const wanted = registry.skills.filter(({ skill }) => names.length === 0 || names.includes(skill.name))
  return {
    skills: wanted.flatMap((each) => (each.skill.source ? [{ ...each, source: each.skill.source }] : [])),
    withoutSource: wanted.flatMap(({ skill }) => (skill.source ? [] : [skill.name])),
  }
}

export function libraryNames({ repo }: Installs): string[] {
  return readForReview(repo).skills.map(({ skill }) => skill.name)
}

export function isPinned({ others }: SkillSource): boolean {
  return others.pinned === true
}

/** A skill, the current state of its source, and where that was fetched to. */
export interface AskedSkill {
  skill: ImportedSkill
  state: SourceState
  repo?: SourceRepo
}

/** Fetches the sources of skills and compares them. `ref` replaces the branch or tag of each skill and ignores pins. */
export async function askSources(
  installs: Installs,
  skills: readonly ImportedSkill[],
  ref: string | undefined,
  { signal, onProgress }: OutdatedRequest,
): Promise<AskedSkill[]> {
  const groups = groupBy(skills, ({ source }) =>
    isPinned(source) && ref === undefined ? 'pinned' : JSON.stringify([nameOf(source), ref ?? source.ref]),
  )
  const value: AskedSkill[] = []
  // Sources answer in any order.
  const findings: Finding[] = []
  const listening = installs.with({ machine: installs.machine.reportingTo((...found) => void findings.push(...found)) })
  const rest = [...groups].reverse()
  let done = 0
  const work = async () => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const [key, group] = next
      signal?.throwIfAborted()
      onProgress?.(done, groups.size, nameOf(group[0]!.source))
      const asked = key === 'pinned' ? pinned(group) : await askSource(listening, group, ref, signal)
      value.push(...asked)
      done++
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  onProgress?.(groups.size, groups.size, '')
  installs.machine.report(...sortedBy(findings, ({ message }) => message))
  return sortedBy(value, ({ state }) => state.name)
}

function nameOf({ url, path }: SkillSource): string {
  return url ?? path ?? ''
}

function stateOf(
  { skill, source }: ImportedSkill,
  state: SourceState['state'],
  more: Partial<SourceState> = {},
): SourceState {
  const { ref, commit } = source
  return {
    name: skill.name,
    state,
    source: nameOf(source),
    ref,
    from: commit,
    ...more,
  }
}

function pinned(skills: readonly ImportedSkill[]): AskedSkill[] {
  return skills.map((skill) => ({ skill, state: stateOf(skill, 'pinned') }))
}

async function askSource(
  installs: Installs,
  skills: readonly ImportedSkill[],
  ref: string | undefined,
  signal: AbortSignal | undefined,
): Promise<AskedSkill[]> {
  const { source } = skills[0]!
  const { ref: recorded } = source
  const url = source.url ?? (await repositoryAt(installs, source, ref))
  if (url === undefined) {
    // Compares skills with a folder, which may be on the machine that imported them.
    const path = skills[0]!.source.path ?? ''
    if (!isFolder(installs.machine.expandHome(path))) {
      const value = skills.map((skill): AskedSkill => ({ skill, state: stateOf(skill, 'unreachable') }))
      const subject = skills.map(({ skill }) => skill.name).join(', ')
      installs.machine.report(report('REMOTE_UNREACHABLE/folder', { path, subject }, { subject }))
      return value
    }
    const value = skills.map((skill): AskedSkill => {
      const folder = sourceFolder(installs, skill.source)
      if (folder === undefined) return { skill, state: stateOf(skill, 'removed') }
      const isSame = hashTree(folder, listTree(folder).files) === skill.source.treeHash
      return { skill, state: stateOf(skill, isSame ? 'current' : 'outdated') }
    })
    return value
  }
  const commits = skills.flatMap(({ source }) => source.commit ?? [])
  try {
    const repo = await fetchSourceRepo(installs.machine, url, { ref: ref ?? recorded, commits, signal })
    const value: AskedSkill[] = []
    const groups = groupBy(skills, ({ source }) => source.commit ?? '')
    const folders = skills.map(({ source }) => source.folder)
    const now = await folderIds(repo.repo, repo.head, folders)
    for (const [commit, group] of groups) {
      const isKnown = commit !== '' && !repo.gone.has(commit)
      const then = isKnown ? await folderIds(repo.repo, commit, folders) : new Map<string, string>()
      for (const skill of group) value.push(await judge(skill, repo, now, then))
    }
    installs.machine.report(...rewritten(value, url))
    return value
  } catch (error) {
    const value = skills.map((skill): AskedSkill => ({ skill, state: stateOf(skill, 'unreachable') }))
    const names = skills.map(({ skill }) => skill.name).join(', ')
    installs.machine.report(asFinding(error, { severity: 'error', subject: names }))
    return value
  }
}

async function judge(
  skill: ImportedSkill,
  repo: SourceRepo,
  now: ReadonlyMap<string, string>,
  then: ReadonlyMap<string, string>,
): Promise<AskedSkill> {
  const { folder, commit = '' } = skill.source
  const more = { to: repo.head, isRewritten: repo.gone.has(commit) || undefined }
  const id = now.get(folder)
  if (id === undefined) {
    const moved = folder === '' ? undefined : await findMoved(repo.repo, repo.head, basename(folder))
    if (moved === undefined) return { skill, repo, state: stateOf(skill, 'removed', more) }
    return { skill, repo, state: stateOf(skill, 'outdated', { ...more, folder: moved }) }
  }
  const isSame = repo.head === commit || id === then.get(folder)
  return { skill, repo, state: stateOf(skill, isSame ? 'current' : 'outdated', more) }
}

/** Reports commits that the source no longer has: rewritten history, or another repository at the same URL. */
function rewritten(asked: readonly AskedSkill[], url: string): Finding[] {
  const names = asked.filter(({ state }) => state.isRewritten).map(({ state }) => state.name)
  if (names.length === 0) return []
  return [report('NO_SOURCE/rewritten', { url, names: names.join(', ') }, { subject: names.join(', ') })]
}

/** The repository at a path, if a commit is meant and not the files there: it is bare, or on another branch. */
async function repositoryAt(
  { machine }: Installs,
  source: SkillSource,
  ref: string | undefined,
): Promise<string | undefined> {
  const path = machine.expandHome(source.path ?? '')
  if (source.commit === undefined || !isFolder(path)) return undefined
  if (!exists(join(path, '.git'))) return isFolder(join(path, 'objects')) ? path : undefined
  if (ref !== undefined) return path
  return source.ref !== undefined && (await new Repository(machine, path).branch()) !== source.ref ? path : undefined
}

export function sourceFolder({ machine }: Installs, { path = '', folder }: SkillSource): string | undefined {
  const found = join(machine.expandHome(path), folder)
  return path !== '' && isFolder(found) ? found : undefined
}

/** The commits of a folder that is a git repository, to find the imported version in. */
export async function sourceHistory(
  { machine }: Installs,
  { path, commit }: SkillSource,
): Promise<SourceRepo | undefined> {
  const place = machine.expandHome(path ?? '')
  if (path === undefined || commit === undefined || !exists(join(place, '.git'))) return undefined
  try {
    return await fetchSourceRepo(machine, place, { ref: undefined, commits: [commit] })
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

export interface PinRequest {
  names: readonly string[]
  /** False: allow updates again. */
  isPinned: boolean
  commit?: boolean
}

export interface PinResult {
  pinned: { name: string; source: string; commit?: string }[]
  isPinned: boolean
  commit?: string
}

/** Keeps imported skills at their current commit, or allows updates again. */
export const pinSkills = withInstalls(async (installs, request: PinRequest): Promise<PinResult> => {
  await installs.repo.require()
  return asWriter(installs, [], 'pin', async () => {
    const { skills, withoutSource } = importedSkills(installs, request.names)
    const [unknown] = withoutSource
    if (unknown !== undefined) {
      throw failWith('NO_SOURCE/not-imported', { unknown })
    }
    const changed = skills.filter(({ source }) => isPinned(source) !== request.isPinned)
    const changes = changed.map((skill) => ({
      path: skill.folder,
      write: (stage: string) => writePin(join(installs.library, skill.folder), skill, request.isPinned, stage),
    }))
    const names = changed.map(({ skill }) => skill.name).join(', ')
    const isCommitted = request.commit ?? installs.config.commitsImports
    const message = isCommitted ? `${request.isPinned ? 'Pin' : 'Unpin'} ${names}` : undefined
    const commit = changes.length === 0 ? undefined : await changeLibrary(installs.repo, { changes, message })
    const pinned = skills.map(({ skill: { name }, source: { url, path, commit: at } }) => {
      return { name, source: url ?? path ?? '', commit: at }
    })
    return { pinned, isPinned: request.isPinned, commit }
  })
})

function writePin(folder: string, { skill, source }: ImportedSkill, isOn: boolean, stage: string): void {
  const { pinned: _, ...others } = source.others
  copyTree(folder, stage, [SKILL_FILE])
  const record = { ...source, others: isOn ? { ...others, pinned: true } : others }
  writeTreeFile(join(stage, SKILL_FILE), formatSkill({ ...skill, source: record }), false)
}
