import { join } from 'node:path'
import { isFolder } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import { asFinding, type Finding, failWith, report } from '../text/trouble.ts'
import { checkOutSnapshot } from './disk/git-folders.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { mergeUpdate, type UpdateMerge } from './disk/merge-update.ts'
import { conflictFinding, Merges, waitingMerge } from './disk/pending-merge.ts'
import { readAnswers, sheetOfFolder } from './gate.ts'
import { type Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, type RunOptions, refreshInstalls, type WaitingSkill } from './observe.ts'
import {
  type AskedSkill,
  askSources,
  importedSkills,
  libraryNames,
  type SourceState,
  sourceFolder,
  sourceHistory,
} from './outdated.ts'
import type { Operation } from './rules/operations.ts'
import type { Capability } from './rules/review/sheet.ts'
import { type FindTwin, findTwinIn } from './rules/review/sheet.ts'

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
          return report('PINNED/skill', { name }, { subject: name })
        }),
      )
      const made: Made[] = []
      const now = new Map(importedSkills(installs).skills.map(({ skill, sourceHash }) => [skill.name, sourceHash]))
      const findTwin = findTwinIn(libraryNames(installs))
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
  const known = new Set((await sheetOfFolder(made.versions.ours, skill.skill, findTwin, signal)).map(({ id }) => id))
  // Also looks at conflicting files, because the user may take their content.
  const sheet = await sheetOfFolder(made.result, made.skill, findTwin, signal)
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
