import type { TargetRoot } from '../agents/rules/agents.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { failWith } from '../text/trouble.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { type ConflictPlace, type ConflictText, Merges, type OpenMerge } from './disk/pending-merge.ts'
import { Installs, type ScopeRequest } from './installs.ts'
import { asWriter, carryOut, observe } from './observe.ts'
import { type Operation, planRefresh } from './rules/operations.ts'
import { type PlacementStatus, requireName } from './rules/skill.ts'

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
      const message = `the merge of ${name} was abandoned; a copy is in ${merges.remove(name, false)}`
      machine.report({ severity: 'info', code: 'BACKED_UP', message, subject: name })
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
export function showMerge(machine: Machine, { name }: { name: string }): MergeView {
  const merges = new Merges(machine)
  const merge = merges.open(requireName(name))
  return { ...merge, places: merges.texts(merge.skill) }
}

const SIDES = { library: 'ours', other: 'theirs' } as const
