import { join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { type ConflictPlace, type ConflictText, conflictTexts, takeSide } from './disk/merge-sides.ts'
import { dropMerge, hasMerge, listMerges, type OpenMerge, openMerge, writeMerged } from './disk/pending-merge.ts'
import { asWriter, observe } from './observe.ts'
import { requireName } from './rules/skill.ts'
import { openSetup } from './setup.ts'

export interface MergeRequest {
  /** Default: list all open merges. */
  name?: string | undefined
  /** Store the merged skill in the library. */
  continue?: boolean | undefined
  /** Abandon the merge; the library stays unchanged. */
  abort?: boolean | undefined
  /** Resolve every remaining conflict by taking one side. */
  take?: 'library' | 'other' | undefined
  /** Only this conflict. */
  only?: ConflictPlace | undefined
  commit?: boolean | undefined
}

export interface MergeResult {
  merges: OpenMerge[]
  /** The skill that is now in the library. */
  merged?: string
  aborted?: string
  commit?: string
}

/** Lists open merges, and finishes one. */
export async function finishMerge(machine: Machine, request: MergeRequest): Promise<Report<MergeResult>> {
  const name = request.name === undefined ? undefined : requireName(request.name)
  if (name === undefined) {
    if (!request.continue && !request.abort && request.take === undefined) {
      return { value: { merges: listMerges(machine) }, findings: [] }
    }
    throw new LoadoutError('USAGE', 'Missing argument: the skill to merge', {
      hint: 'loadout merge lists the open merges',
    })
  }
  const setup = openSetup(machine, {})
  if (!request.continue && !request.abort && request.take === undefined) {
    return { value: { merges: [openMerge(machine, name)] }, findings: [] }
  }
  const wasOpen = hasMerge(machine, name)
  return asWriter(setup, [], 'merge', async (recovered) => {
    // A killed command was ending this merge, and has just been finished.
    if (wasOpen && !hasMerge(machine, name)) return { value: { merges: [], merged: name }, findings: recovered }
    if (request.abort) return abortMerge(machine, name, recovered)
    const merge =
      request.take === undefined ? openMerge(machine, name) : takeSide(machine, name, SIDES[request.take], request.only)
    if (!request.continue) return { value: { merges: [merge] }, findings: recovered }
    const [first] = merge.conflicts
    if (first !== undefined) throw unresolved(name, merge.conflicts.length, first)
    const { registry } = await observe({ ...setup, verdicts: [] }, [], true)
    const current = registry.skills.find(({ folder }) => folder === merge.folder)
    if (merge.library !== setup.library || current?.sourceHash !== merge.sourceHash) throw changedSince(name)
    const write = (stage: string) => writeMerged(machine, merge, stage)
    const message = (request.commit ?? setup.config.commitsImports) ? merge.message : undefined
    const change = { changes: [{ path: merge.folder, write }], message, merge: name }
    const commit = await changeLibrary(machine, setup.library, change)
    return { value: { merges: [], merged: name, ...(commit && { commit }) }, findings: recovered }
  })
}

/** An open merge, with the text of each version in every remaining conflict. */
export interface MergeView extends OpenMerge {
  places: ConflictText[]
}

/** Both texts of every conflict of one skill. */
export function showMerge(machine: Machine, { name }: { name: string }): Report<MergeView> {
  const merge = openMerge(machine, requireName(name))
  return { value: { ...merge, places: conflictTexts(machine, merge.skill) }, findings: [] }
}

const SIDES = { library: 'ours', other: 'theirs' } as const

function abortMerge(machine: Machine, name: string, recovered: readonly Finding[]): Report<MergeResult> {
  openMerge(machine, name)
  const kept = dropMerge(machine, name, false)
  const message = `the merge of ${name} was abandoned; a copy is in ${kept}`
  return {
    value: { merges: [], aborted: name },
    findings: [...recovered, { severity: 'info', code: 'BACKED_UP', message, subject: name }],
  }
}

function unresolved(name: string, count: number, { path, message }: OpenMerge['conflicts'][number]): LoadoutError {
  const more = count > 1 ? ` (and ${count - 1} more)` : ''
  return new LoadoutError('MERGE_CONFLICT', `${name} still has conflicts: ${message}${more}`, {
    hint: `edit ${path}, or end all of them with one side: loadout merge ${name} --take library|other --continue`,
  })
}

function changedSince(name: string): LoadoutError {
  return new LoadoutError('MERGE_CONFLICT', `the library's ${name} has changed since this merge began`, {
    hint: `loadout merge ${name} --abort keeps a copy of your work; then run the command that began the merge again`,
  })
}

/** The finding about a merge with conflicts that the user must resolve. */
export function conflictFinding(skill: string, { files, conflicts }: OpenMerge): Finding {
  const [first] = conflicts
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : ''
  return {
    severity: 'error',
    code: 'MERGE_CONFLICT',
    message: `${skill} needs a decision: ${first?.message ?? 'both sides changed it'}${more}. The library was not changed.`,
    subject: skill,
    hint: `edit the files in ${join(files)}, then loadout merge ${skill} --continue`,
  }
}

export function waitingMerge(name: string): LoadoutError {
  return new LoadoutError('MERGE_CONFLICT', `a merge of ${name} waits for a decision`, {
    hint: `loadout merge ${name} shows it; --continue or --abort ends it`,
  })
}
