import { join } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { isFolder } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import { type Machine, opening } from '../machine/machine.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { Backups } from './disk/apply.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { type EditMerge, mergeEdit } from './disk/merge-skill.ts'
import {
  type ConflictPlace,
  type ConflictText,
  conflictFinding,
  Merges,
  type OpenMerge,
  waitingMerge,
} from './disk/pending-merge.ts'
import { buildFor, hashBuild } from './disk/tree.ts'
import { Installs, namedAgents, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, carryOut, observe, type RunOptions } from './observe.ts'
import { type Operation, planRefresh } from './rules/operations.ts'
import {
  isEdited,
  missing,
  type PlacementStatus,
  placeOf,
  type RegisteredSkill,
  requireName,
  type SkillStatus,
} from './rules/skill.ts'

export interface AdoptRequest extends ScopeRequest, RunOptions {
  name: string
  targets?: readonly string[]
  commit?: boolean
  /** Take the copy unchanged, although the library has changed too. */
  force?: boolean
}

export interface Adoption {
  name: string
  from: string
  /** Unified diff of the library's skill. */
  diff: string
  commit?: string
  /** The library had changed too, and both changes were merged. */
  isMerged: boolean
  /** Conflicts; the library is unchanged. */
  conflicts: { path: string; message: string }[]
  operations: Operation[]
  isDryRun: boolean
}

/** Copies an edit of an installed copy, or of the user's folder with the skill's name, back into the library. */
export const adopt = withInstalls(async (installs, request: AdoptRequest): Promise<Adoption> => {
  const name = requireName(request.name)
  await installs.repo.require()
  const roots = installs.rootsFor(namedAgents(request.targets)).filter(({ path }) => isFolder(path))
  const run = async (): Promise<Adoption> => {
    // An edit goes into the newest version, whatever version the catalog has approved.
    const { statuses, state } = await observe(installs.with({ verdicts: [] }), roots, true)
    const status = statuses.find((each) => each.name === name)
    if (status?.registered === undefined) throw missing(name, status, statuses)
    const { registered } = status
    if (!request.dryRun && new Merges(installs.machine).has(name)) throw waitingMerge(name)
    const edited = editedCopies(status)
    if (edited.length === 0) throw failWith('NOT_EQUIPPED/not-edited', { name })
    return withScratch(async (scratch) => {
      const edit = await editOf(installs, registered, edited, scratch, request.force)
      const isUncommitted = state.uncommittedFolders.has(registered.folder)
      const taken = await takeEdit(installs, registered, edit, edited, isUncommitted, request)
      const isDone = !request.dryRun && taken.conflicts.length === 0
      const operations = isDone ? await refreshCopies(installs, name, roots, edited, request) : []
      return { ...taken, operations }
    })
  }
  return request.dryRun ? run() : asWriter(installs, roots, 'adopt', run)
})

/** The copies that were edited, or may have been; else folders under the skill's name that Loadout did not install, with other content. */
export function editedCopies({ placements }: SkillStatus): PlacementStatus[] {
  const own = placements.filter((found) => (found.state === 'edited' || found.state === 'outdated') && isEdited(found))
  return own.length > 0
    ? own
    : placements.filter(
        ({ state, isIdentical, placement }) =>
          state === 'unmanaged' && !isIdentical && placement.kind === 'folder' && placement.isSkill,
      )
}

/** Merges the edits of all copies with the library's skill. Throws if two copies were edited differently. */
export async function editOf(
  installs: Installs,
  registered: RegisteredSkill,
  edited: readonly PlacementStatus[],
  scratch: string,
  force = false,
): Promise<EditMerge> {
  const { library, repo } = installs
  const folder = join(library, registered.folder)
  const edits: EditMerge[] = []
  for (const [at, copy] of edited.entries()) {
    edits.push(await mergeEdit({ repo, folder, registered, copy }, join(scratch, `copy-${at}`), force))
  }
  const changed = edits.filter(({ isUnchanged }) => !isUnchanged)
  const first = changed[0] ?? edits[0]
  if (first !== undefined && changed.every(({ hash }) => hash === first.hash)) return first
  const { name } = registered.skill
  throw failWith('MERGE_CONFLICT/copies', {
    name,
    edited: edited.map(placeOf).join(', '),
    agent: String(edited[0]?.agent),
  })
}

/** Writes an edit into the library, or stores it for a manual merge if there are conflicts. */
async function takeEdit(
  installs: Installs,
  registered: RegisteredSkill,
  edit: EditMerge,
  edited: readonly PlacementStatus[],
  isUncommitted: boolean,
  request: Pick<AdoptRequest, 'commit' | 'dryRun'>,
): Promise<Omit<Adoption, 'operations'>> {
  const { machine, library, repo, config } = installs
  const { name } = registered.skill
  const { from, diff, isMerged, merge, versions } = edit
  const conflicts = merge.conflicts.map(({ path, message }) => ({ path, message }))
  const value = { name, from, diff, isMerged, conflicts, isDryRun: request.dryRun ?? false }
  const message = `Adopt edits of ${name}`
  if (conflicts.length > 0) {
    if (request.dryRun) return value
    const { folder, sourceHash } = registered
    const { sides, source } = edit
    const copies = edited.map(({ placement }) => ({ root: placement.root.path, edit: placement.contentHash ?? '' }))
    const pending = { skill: name, folder, library, sourceHash, message, sides, source, copies }
    machine.report(conflictFinding(name, new Merges(machine).add(pending, merge, versions)))
    return value
  }
  if (request.dryRun || diff === '') return value
  const kept = isUncommitted ? backUpLibrary(installs, registered) : []
  const isCommitted = request.commit ?? config.commitsImports
  const changes = [{ path: registered.folder, write: merge.write }]
  const commit = await changeLibrary(repo, { changes, message: isCommitted ? message : undefined })
  machine.report(...kept)
  return { ...value, commit }
}

/** Backs up the library's version, because no commit has it. */
function backUpLibrary({ machine, library }: Installs, { skill, folder, sourceHash }: RegisteredSkill): Finding[] {
  const kept = new Backups(machine).add(join(library, folder), skill.name, 'library', sourceHash)
  return [report('BACKED_UP/uncommitted', { folder, kept }, { subject: skill.name })]
}

/** Renews the edited copies, most of which only need a new marker, and refreshes all other copies of the skill. */
async function refreshCopies(
  installs: Installs,
  name: string,
  roots: Installs['roots'],
  edited: readonly PlacementStatus[],
  request: RunOptions,
): Promise<Operation[]> {
  const observation = await observe(installs, roots, true)
  const status = observation.statuses.find((each) => each.name === name)
  if (status?.registered === undefined) return []
  const { skill, folder } = status.registered
  const own = edited.map(({ state, agent, placement: { root, contentHash = '' } }): Operation => {
    const isSame = hashBuild(buildFor(join(installs.library, folder), skill, agent)) === contentHash
    const place = { skill: name, agent, scope: root.scope, root: root.path }
    if (state !== 'unmanaged') return { kind: 'refresh', keepsCopy: !isSame, ...place }
    return isSame ? { kind: 'adopt', contentHash, ...place } : { kind: 'adopt', ...place }
  })
  const places = new Set(edited.map(({ placement }) => placement.root.path))
  const others = status.placements.filter(({ placement }) => !places.has(placement.root.path))
  const plan = planRefresh([{ ...status, placements: others }], observation.state)
  const operations = [...own, ...plan.operations]
  const value = await carryOut(installs, observation, { operations, findings: plan.findings }, request)
  return value.operations
}

export interface MergeRequest extends Pick<ScopeRequest, 'verdicts'> {
  /** Default: list all open merges. */
  name?: string
  /** Store the merged skill in the library. */
  continue?: boolean
  /** Abandon the merge; the library stays unchanged. */
  abort?: boolean
  /** Resolve every remaining conflict by taking one side. */
  take?: 'library' | 'other'
  /** Only this conflict. */
  only?: ConflictPlace
  commit?: boolean
}

export interface MergeResult {
  merges: OpenMerge[]
  /** The skill that is now in the library. */
  merged?: string
  aborted?: string
  commit?: string
  /** The copies that got the merged skill. */
  operations?: Operation[]
}

/** Lists open merges, and finishes one. */
export async function finishMerge(machine: Machine, request: MergeRequest): Promise<MergeResult> {
  const merges = new Merges(machine)
  const name = request.name === undefined ? undefined : requireName(request.name)
  if (name === undefined) {
    if (!request.continue && !request.abort && request.take === undefined) {
      return { merges: merges.list() }
    }
    throw failWith('USAGE/no-merge')
  }
  const installs = new Installs(machine, { allProjects: true, verdicts: request.verdicts })
  if (!request.continue && !request.abort && request.take === undefined) {
    return { merges: [merges.open(name)] }
  }
  const wasOpen = merges.has(name)
  const roots = rootsOf(installs, wasOpen ? merges.open(name) : undefined)
  return asWriter(installs, roots, 'merge', async () => {
    // A killed command was ending this merge, and has just been finished.
    if (wasOpen && !merges.has(name)) {
      return { merges: [], merged: name }
    }
    if (request.abort) {
      merges.open(name)
      machine.report(report('BACKED_UP/merge', { name, kept: `${merges.remove(name, false)}` }, { subject: name }))
      return { merges: [], aborted: name }
    }
    const merge =
      request.take === undefined ? merges.open(name) : merges.takeSide(name, SIDES[request.take], request.only)
    if (!request.continue) {
      return { merges: [merge] }
    }
    const [first] = merge.conflicts
    if (first !== undefined) {
      const { path, message } = first
      const more = merge.conflicts.length > 1 ? ` (and ${merge.conflicts.length - 1} more)` : ''
      throw failWith('MERGE_CONFLICT/unresolved', { name, message, more, path })
    }
    const { registry } = await observe(installs.with({ verdicts: [] }), [], true)
    const current = registry.skills.find(({ folder }) => folder === merge.folder)
    if (merge.library !== installs.library || current?.sourceHash !== merge.sourceHash)
      throw failWith('MERGE_CONFLICT/changed-since', { name })
    const write = (stage: string) => merges.write(merge, stage)
    const message = (request.commit ?? installs.config.commitsImports) ? merge.message : undefined
    const change = { changes: [{ path: merge.folder, write }], message, merge: name }
    const commit = await changeLibrary(installs.repo, change)
    // Gives the merged skill to the copies whose edit it contains, unless they were edited again since.
    const { skill, copies = [] } = merge
    const observation = await observe(installs, roots, true)
    const isMerged = ({ placement }: PlacementStatus) =>
      copies.some(({ root, edit }) => root === placement.root.path && edit === placement.contentHash)
    const statuses = observation.statuses
      .filter(({ name }) => name === skill)
      .map((status) => ({ ...status, placements: status.placements.filter(isMerged) }))
    const value = await carryOut(
      installs,
      observation,
      planRefresh(statuses, observation.state, () => true),
      {},
    )
    const refreshed = value.operations
    return { merges: [], merged: name, commit, operations: refreshed }
  })
}

/** The folders of the agents whose copies a merge takes in. */
function rootsOf(installs: Installs, merge: OpenMerge | undefined): TargetRoot[] {
  const wanted = new Set(merge?.copies?.map(({ root }) => root))
  return [...installs.userRoots, ...installs.otherProjectRoots()].filter(
    ({ path }) => wanted.has(path) && isFolder(path),
  )
}

/** An open merge, with the text of each version in every remaining conflict. */
export interface MergeView extends OpenMerge {
  places: ConflictText[]
}

/** Both texts of every conflict of one skill. */
export const showMerge = opening(Merges, (merges, { name }: { name: string }): MergeView => {
  const merge = merges.open(requireName(name))
  return { ...merge, places: merges.texts(merge.skill) }
})

const SIDES = { library: 'ours', other: 'theirs' } as const
