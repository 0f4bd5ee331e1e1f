import { basename, join } from 'node:path'
import { exists, isFolder } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import { Repository } from '../machine/repository.ts'
import { asFinding, type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { groupBy, sortedBy } from '../text/values.ts'
import { checkOutSnapshot } from './disk/library-git.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { mergeUpdate, type UpdateMerge } from './disk/merge-skill.ts'
import { conflictFinding, Merges, waitingMerge } from './disk/pending-merge.ts'
import { readForReview } from './disk/registry.ts'
import { fetchSourceRepo, findMoved, folderIds, type SourceRepo } from './disk/source-repo.ts'
import { copyTree, hashPath, writeTreeFile } from './disk/tree.ts'
import { readAnswers, sheetOf } from './gate.ts'
import { type Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, type RunOptions, refreshInstalls, type WaitingSkill } from './observe.ts'
import type { Operation } from './rules/operations.ts'
import { type Capability, type FindTwin, findTwinIn } from './rules/review/sheet.ts'
import {
  formatSkill,
  type RegisteredSkill,
  requireName,
  requireSkill,
  SKILL_FILE,
  type SkillSource,
} from './rules/skill.ts'

export interface UpdateRequest extends Pick<ScopeRequest, 'verdicts'>, RunOptions {
  names?: readonly string[]
  /** Every imported skill, as without names. Required to use `ref` or `take` without names. */
  all?: boolean
  /** Another branch, tag or commit of the source. */
  ref?: string
  /** Do not merge: take one version unchanged. */
  take?: 'library' | 'source'
  commit?: boolean
}

/** The result, or the expected result, for one skill. */
export interface SkillUpdate extends SourceState {
  result: 'updated' | 'conflict' | 'unchanged' | 'undecided'
  /** Unified diff of the library's skill. */
  diff: string
  /** The library had its own changes, which were kept. */
  isMerged: boolean
  conflicts: { path: string; message: string }[]
  /** What the new version can do and the old one cannot. */
  review: Capability[]
}

export interface UpdateResult {
  updates: SkillUpdate[]
  commit?: string
  /** The changes of installed copies. */
  operations: Operation[]
  /** Skills whose copies stay as they are until a person allows what the new version can do. */
  waiting?: WaitingSkill[]
  isDryRun: boolean
}

/** Updates imported skills from their sources: merged with the library's own changes, in one commit. */
export const updateSkills = withInstalls(async (installs, request: UpdateRequest): Promise<UpdateResult> => {
  const { names = [], ref, take } = request
  const all = request.all || names.length === 0
  if (names.length === 0 && !request.all && (ref ?? take) !== undefined) {
    throw failWith('USAGE/no-update-skill')
  }
  await installs.repo.require()
  const { skills, withoutSource } = importedSkills(installs, all ? [] : names)
  const unknown = all ? [] : withoutSource
  if (unknown.length > 0) throw failWith('NO_SOURCE/unknown', { names: unknown.join(', ') })
  const asked = await askSources(installs, skills, ref, request)
  const roots = installs.roots.filter(({ path }) => isFolder(path))
  const run = () =>
    withScratch(async (scratch): Promise<UpdateResult> => {
      const pinned = asked.filter(({ state }) => state.state === 'pinned' && names.includes(state.name))
      installs.machine.report(
        ...pinned.map(({ state: { name } }) => {
          return report('LEFT_OUT/pinned-skill', { name }, { subject: name })
        }),
      )
      const made: Made[] = []
      const now = new Map(importedSkills(installs).skills.map(({ skill, sourceHash }) => [skill.name, sourceHash]))
      const findTwin = findTwinIn(readForReview(installs.repo).skills.map(({ skill }) => skill.name))
      for (const [at, each] of asked.entries()) {
        request.signal?.throwIfAborted()
        request.onProgress?.(at, asked.length, each.state.name)
        const update: SkillUpdate = {
          ...each.state,
          result: 'unchanged',
          diff: '',
          isMerged: false,
          conflicts: [],
          review: [],
        }
        try {
          // The sources were checked before the library was locked.
          if (now.get(each.state.name) !== each.skill.sourceHash)
            throw failWith('LOCKED/meanwhile', { name: each.state.name })
          if (each.state.state === 'removed')
            installs.machine.report(
              report(
                'NO_SOURCE/removed',
                { source: each.state.source, name: each.state.name },
                { subject: each.state.name },
              ),
            )
          if (each.state.state !== 'outdated') made.push({ asked: each, update })
          else made.push(await mergeOne(installs, each, request, scratch, at, findTwin))
        } catch (error) {
          request.signal?.throwIfAborted()
          installs.machine.report(asFinding(error, { severity: 'error', subject: each.state.name }))
          made.push({ asked: each, update: { ...update, result: 'undecided' } })
        }
      }
      request.onProgress?.(asked.length, asked.length, '')
      installs.machine.report(
        ...made.flatMap(({ update }) => {
          const { name, result, diff } = update
          if (result !== 'undecided' || diff === '') return []
          return [report('MERGE_CONFLICT/undecided', { name }, { subject: name })]
        }),
      )
      const done = await takeAll(installs, made, request)
      const updates = made.map(({ update }) => update)
      const waiting = made.flatMap(({ update, open = [] }) => (open.length > 0 ? [{ skill: update.name, open }] : []))
      const waits = request.dryRun && waiting.length > 0 ? { waiting } : {}
      const value = { updates, isDryRun: request.dryRun ?? false, operations: [], ...waits }
      const updated = made.flatMap(({ update: { name, result }, made: merge }) =>
        result === 'updated' && merge !== undefined ? [[name, merge.result] as const] : [],
      )
      if (updated.length === 0) {
        return value
      }
      const folders = new Map(updated)
      const refreshed = await refreshInstalls(installs, roots, new Set(folders.keys()), request, { folders })
      return { ...value, ...done, ...refreshed }
    })
  return request.dryRun ? run() : asWriter(installs, roots, 'update', run, request.signal)
})

interface Made {
  asked: AskedSkill
  update: SkillUpdate
  made?: UpdateMerge
  /** What the new version can do and the user has not allowed. */
  open?: Capability[]
}

async function mergeOne(
  installs: Installs,
  asked: AskedSkill,
  request: UpdateRequest,
  scratch: string,
  at: number,
  findTwin: FindTwin,
): Promise<Made> {
  const { machine } = installs
  const { skill, state, repo } = asked
  if (!request.dryRun && new Merges(machine).has(state.name)) throw waitingMerge(state.name)
  const folder = state.folder ?? skill.source.folder
  const theirs =
    repo === undefined
      ? sourceFolder(installs, skill.source)
      : await checkOutSnapshot({ repo: repo.repo, commit: repo.head, folder, isForeign: true }, scratch, `${at}-source`)
  if (theirs === undefined) throw failWith('FILE_NOT_FOUND/source-folder', { source: state.source, folder })
  const { ref, take, signal } = request
  const history = repo ?? (await sourceHistory(installs, skill.source))
  const input = {
    library: installs.repo,
    registered: skill,
    source: skill.source,
    theirs,
    commit: history?.head,
    ref,
    folder,
    take,
  }
  const made = await mergeUpdate({ ...input, repo: history?.repo, now: machine.now() }, join(scratch, `${at}`))
  const { isBaseUnknown, isEdited, diff, merge } = made
  const conflicts = merge.conflicts.map(({ path, message }) => ({ path, message }))
  const known = new Set((await sheetOf(made.versions.ours, skill.skill, findTwin, signal)).map(({ id }) => id))
  // Also looks at conflicting files, because the user may take their content.
  const sheet = await sheetOf(made.result, made.skill, findTwin, signal)
  const review = sheet.filter(({ id }) => !known.has(id))
  const answers = readAnswers(installs.repo)
  const open = sheet.filter((each) => !answers.allow(skill.skill, each))
  const result = isBaseUnknown ? 'undecided' : conflicts.length > 0 ? 'conflict' : 'updated'
  const update: SkillUpdate = { ...state, result, diff, isMerged: isEdited && take === undefined, conflicts, review }
  return { asked, update, made, open }
}

/** Commits all merged skills together. Stores conflicts for the user to resolve. */
async function takeAll(installs: Installs, all: readonly Made[], request: UpdateRequest): Promise<{ commit?: string }> {
  const { machine, library, repo, config } = installs
  if (request.dryRun) return {}
  const findings = all.flatMap(({ asked: { skill }, update, made }): Finding[] => {
    if (update.result !== 'conflict' || made === undefined) return []
    const { name } = skill.skill
    const { folder, sourceHash } = skill
    const { sides, source, merge, versions } = made
    const pending = { skill: name, folder, library, sourceHash, message: `Update ${name}`, sides, source }
    return [conflictFinding(name, new Merges(machine).add(pending, merge, versions))]
  })
  const ready = all.filter(({ update }) => update.result === 'updated')
  const changes = ready.flatMap(({ asked, made }) =>
    made ? [{ path: asked.skill.folder, write: made.merge.write }] : [],
  )
  if (changes.length === 0) {
    machine.report(...findings)
    return {}
  }
  const names = ready.map(({ update }) => update.name)
  const message = names.length === 1 ? `Update ${names[0]}` : `Update ${names.length} skills\n\n${names.join('\n')}`
  const isCommitted = request.commit ?? config.commitsImports
  const change = { changes, message: isCommitted ? message : undefined, copies: names }
  const commit = await changeLibrary(repo, change)
  machine.report(...findings)
  return { commit }
}

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
function importedSkills(
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
async function askSources(
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
      installs.machine.report(report('UNREACHABLE/folder', { path, subject }, { subject }))
      return value
    }
    const value = skills.map((skill): AskedSkill => {
      const folder = sourceFolder(installs, skill.source)
      if (folder === undefined) return { skill, state: stateOf(skill, 'removed') }
      const isSame = hashPath(folder) === skill.source.treeHash
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

function sourceFolder({ machine }: Installs, { path = '', folder }: SkillSource): string | undefined {
  const found = join(machine.expandHome(path), folder)
  return path !== '' && isFolder(found) ? found : undefined
}

/** The commits of a folder that is a git repository, to find the imported version in. */
async function sourceHistory({ machine }: Installs, { path, commit }: SkillSource): Promise<SourceRepo | undefined> {
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
      write: (stage: string) => {
        const folder = join(installs.library, skill.folder)
        const { source } = skill
        const { pinned: _, ...others } = source.others
        copyTree(folder, stage, [SKILL_FILE])
        const record = { ...source, others: request.isPinned ? { ...others, pinned: true } : others }
        writeTreeFile(join(stage, SKILL_FILE), formatSkill({ ...skill.skill, source: record }), false)
      },
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
