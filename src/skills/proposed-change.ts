import { join } from 'node:path'
import { isFolder, makeFolder } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import { failWith } from '../text/trouble.ts'
import { editedCopies, editOf } from './adopt.ts'
import { applyPatch, checkOutSnapshot, diffFolders, patchBetween } from './disk/library-git.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { conflictFinding, Merges, mergeSkillFolders, skillIn, waitingMerge } from './disk/pending-merge.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { copyTree, hashPath, listTree, treeProblem } from './disk/tree.ts'
import { sheetOf } from './gate.ts'
import { namedAgents, withInstalls } from './installs.ts'
import { asWriter, observe } from './observe.ts'
import { type Capability, findTwinIn } from './rules/review/sheet.ts'
import { missing, requireName } from './rules/skill.ts'

/** A change of one skill that other machines with the same library can take. */
export interface ProposedChange {
  name: string
  /** The commit of the library that it changes; empty for a new skill. */
  base: string
  /** The digest of the skill's folder afterwards. */
  result: string
  patch: string
}

export interface DraftRequest {
  name: string
  /** A commit that the others have; without it the skill is new to them. */
  base?: string
  /** The agents whose edited copies count. */
  targets?: readonly string[]
}

/** What the edits of a skill's installed copies, or else the library here, change about the version that others have. Changes nothing. */
export const draftChange = withInstalls(async (installs, request: DraftRequest): Promise<ProposedChange> => {
  const name = requireName(request.name)
  const { repo, library } = installs
  await repo.require()
  const roots = installs.rootsFor(namedAgents(request.targets)).filter(({ path }) => isFolder(path))
  const { statuses } = await observe(installs.with({ verdicts: [] }), roots, true)
  const status = statuses.find((each) => each.name === name)
  if (status?.registered === undefined) throw missing(name, status, statuses)
  const { registered } = status
  return withScratch(async (scratch) => {
    const edited = editedCopies(status)
    const edit = edited.length === 0 ? undefined : await editOf(installs, registered, edited, scratch)
    const [conflict] = edit?.merge.conflicts ?? []
    if (conflict !== undefined) throw failWith('MERGE_CONFLICT/proposal', { name, message: conflict.message })
    const after = edit?.result ?? join(library, registered.folder)
    const { base = '' } = request
    const before = await checkOutSnapshot({ repo, commit: base, folder: registered.folder }, scratch, 'base')
    const result = hashPath(after)
    if (before !== undefined && hashPath(before) === result) throw failWith('NOT_EQUIPPED/not-changed', { name })
    const patch = await patchBetween(repo.at(scratch), name, before, after)
    return { name, base: before === undefined ? '' : base, result, patch }
  })
})

export interface TakeRequest {
  change: ProposedChange
  /** The user has read what it can do, and allows that. */
  isAllowed?: boolean
  dryRun?: boolean
}

export interface TakenChange {
  name: string
  /** Unified diff of the library's skill. */
  diff: string
  /** What it adds to what the skill can do, worst first. */
  adds: Capability[]
  /** A person must allow what it adds first. */
  isUndecided: boolean
  conflicts: { path: string; message: string }[]
  commit?: string
  isDryRun: boolean
}

/** Takes a change into the library, merged with what changed there since, as a commit. */
export const takeChange = withInstalls(async (installs, request: TakeRequest): Promise<TakenChange> => {
  const { change, isAllowed = false, dryRun: isDryRun = false } = request
  const { machine, library, repo } = installs
  const name = requireName(change.name)
  await repo.require()
  const run = () =>
    withScratch(async (scratch): Promise<TakenChange> => {
      const { registry, statuses, state } = await observe(installs.with({ verdicts: [] }), [], true)
      const registered = registry.skills.find(({ skill }) => skill.name === name)
      const folder = registered?.folder ?? `${SKILLS_FOLDER}/${name}`
      const merges = new Merges(machine)
      if (!isDryRun && merges.has(name)) throw waitingMerge(name)
      if (state.uncommittedFolders.has(folder)) throw failWith('UNCOMMITTED/skill', { changed: folder })
      const base = await checkOutSnapshot({ repo, commit: change.base, folder }, scratch, 'base')
      if (base === undefined && change.base !== '')
        throw failWith('CATALOG_UNVERIFIED/base', { name, commit: change.base.slice(0, 12) })
      if (base === undefined && registered !== undefined) throw failWith('FILE_EXISTS/proposal', { name })
      const [ours, theirs] = [join(scratch, 'library'), join(scratch, 'proposal')]
      if (registered === undefined) makeFolder(ours)
      else copyTree(join(library, folder), ours)
      if (base === undefined) makeFolder(theirs)
      else copyTree(base, theirs)
      const isApplied = await applyPatch(repo.at(theirs), change.patch)
      const problem = treeProblem(listTree(theirs).files)
      if (problem !== undefined) throw problem
      if (!isApplied || hashPath(theirs) !== change.result) throw failWith('CATALOG_UNVERIFIED/proposal', { name })
      const sides = { ours: 'the library', theirs: 'the proposal' }
      const versions = { name, base: base ?? theirs, ours: registered === undefined ? theirs : ours, theirs }
      const { source } = registered?.skill ?? {}
      const merge = mergeSkillFolders(versions, sides, source)
      const merged = join(scratch, 'merged')
      merge.write(merged)
      const known = { name, description: '', tags: [], targets: [], metadata: {}, others: {} }
      const findTwin = findTwinIn(statuses.flatMap((each) => each.registered?.skill.name ?? []))
      const sheet = (path: string) => sheetOf(path, skillIn(path, registered?.skill ?? known), findTwin)
      const had = new Set((registered === undefined ? [] : await sheet(ours)).map(({ id }) => id))
      const adds = (await sheet(merged)).filter(({ id }) => !had.has(id))
      const isUndecided = !isAllowed && adds.some(({ isUsual }) => !isUsual)
      const diff = await diffFolders(repo.at(scratch), 'library', 'merged', name)
      const conflicts = merge.conflicts.map(({ path, message }) => ({ path, message }))
      const value = { name, diff, adds, isUndecided, conflicts, isDryRun }
      if (isDryRun || isUndecided) return value
      const message = `Adopt a proposed change of ${name}`
      if (registered !== undefined && conflicts.length > 0) {
        const pending = { skill: name, folder, library, sourceHash: registered.sourceHash, message, sides, source }
        machine.report(conflictFinding(name, merges.add(pending, merge, versions)))
        return value
      }
      const changes = [{ path: folder, write: (stage: string) => copyTree(merged, stage) }]
      return { ...value, commit: await changeLibrary(repo, { changes, message }) }
    })
  return isDryRun ? run() : asWriter(installs, [], 'adopt', run)
})
