import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expandHome } from '../../machine/config-file.ts'
import { asLoadoutError, exists, isFolder, readJson, readText, requireFile } from '../../machine/files.ts'
import { ownedName, removeOrphans } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { privateFolder, recordPath } from '../../machine/records.ts'
import { removeOldScratch } from '../../machine/scratch.ts'
import { findMarker, type Sides, writeMerge } from '../../text/merge.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { compareText, isRecord, isTextList } from '../../text/values.ts'
import type { TreeConflict } from '../rules/merge-tree.ts'
import {
  formatSkill,
  formatSource,
  nameProblem,
  parseSkill,
  parseSource,
  SKILL_FILE,
  type SkillSource,
} from '../rules/skill.ts'
import { backUp, removePartialBackups } from './backups.ts'
import {
  LARGEST_MERGED,
  mergeSkillFolders,
  OURS_END,
  type SkillMerge,
  type SkillVersions,
  THEIRS_END,
  textIn,
} from './merge-folders.ts'
import { copyFile, copyTree, hashTree, listTree, treeProblem, writeTreeFile } from './tree.ts'

const MERGES = 'merges'
const FILE = 'merge.json'
const MERGED = 'merged'

/** A merge that the user must finish. It is in the state folder, so that nothing half-merged reaches the library. */
export interface PendingMerge {
  skill: string
  /** `skills/<folder>` in the library. */
  folder: string
  library: string
  /** The hash of the library's folder when the merge began. */
  sourceHash: string
  sides: Sides
  message: string
  /** The record of its import, for the merged skill. */
  source?: SkillSource
  /** The edited copies that the merge takes in: they get its result. */
  copies?: readonly MergedCopy[]
}

/** An edited copy: the folder of the agent, and the hash of the edit. */
interface MergedCopy {
  root: string
  edit: string
}

interface WaitingConflict {
  path: string
  message: string
}

/** A pending merge with its folder and its open conflicts. */
export interface OpenMerge extends PendingMerge {
  /** The folder that the user edits. */
  files: string
  conflicts: WaitingConflict[]
}

function folderOf(machine: Machine, skill: string): string {
  return recordPath(machine, `${MERGES}/${skill}`)
}

function versionsIn(folder: string, name: string): SkillVersions {
  return { name, base: join(folder, 'base'), ours: join(folder, 'library'), theirs: join(folder, 'other') }
}

/** Stores all three versions and the merged files. */
export function keepMerge(machine: Machine, merge: PendingMerge, made: SkillMerge, versions: SkillVersions): OpenMerge {
  const folder = folderOf(machine, merge.skill)
  privateFolder(machine, MERGES)
  const partial = `${ownedName(folder)}.partial`
  const kept = versionsIn(partial, merge.skill)
  try {
    for (const side of ['base', 'ours', 'theirs'] as const) copyTree(versions[side], kept[side])
    made.write(join(partial, MERGED))
    writeTreeFile(join(partial, FILE), formatMerge(machine, merge), false)
    move(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw asLoadoutError(error, folder, 'write')
  }
  return openMerge(machine, merge.skill)
}

/** Removes merges, backups and temporary folders that a killed process left unfinished. */
export function removePartialCopies(machine: Machine): void {
  removePartialBackups(machine)
  removeOldScratch()
  removeOrphans(recordPath(machine, MERGES))
}

export function hasMerge(machine: Machine, skill: string): boolean {
  return exists(join(folderOf(machine, skill), FILE))
}

export function listMerges(machine: Machine): OpenMerge[] {
  const all = recordPath(machine, MERGES)
  if (!isFolder(all)) return []
  const names = readdirSync(all).filter((name) => nameProblem(name) === undefined && hasMerge(machine, name))
  return names.sort(compareText).map((name) => openMerge(machine, name))
}

export function openMerge(machine: Machine, skill: string): OpenMerge {
  const folder = folderOf(machine, skill)
  if (!hasMerge(machine, skill)) {
    throw new LoadoutError('SKILL_NOT_FOUND', `there is no open merge of ${skill}`, {
      hint: 'loadout merge lists them',
    })
  }
  const merge = readMerge(machine, folder)
  const files = join(folder, MERGED)
  const conflicts = remake(folder, merge).conflicts.flatMap((conflict) => waiting(files, conflict))
  return { ...merge, files, conflicts }
}

function remake(folder: string, { skill, sides, source }: PendingMerge): SkillMerge {
  return mergeSkillFolders(versionsIn(folder, skill), sides, source)
}

/** Whether a conflict is open: its text still has markers, or one of its two files still exists. */
function waiting(files: string, { path, kind, message, ours, theirs }: TreeConflict): WaitingConflict[] {
  if (kind === 'text') {
    const line = exists(join(files, path)) ? findMarker(readText(join(files, path))) : undefined
    return line === undefined ? [] : [{ path: join(files, path), message: `${message} (line ${line})` }]
  }
  const left = [ours && `${ours.path}${OURS_END}`, theirs && `${theirs.path}${THEIRS_END}`]
  return left.flatMap((name) => (name && exists(join(files, name)) ? [{ path: join(files, name), message }] : []))
}

/** A pending merge with the details of its open conflicts. */
function conflictsOf(machine: Machine, skill: string) {
  const folder = folderOf(machine, skill)
  const { files, sides } = openMerge(machine, skill)
  const waits = remake(folder, readMerge(machine, folder)).conflicts.filter((each) => waiting(files, each).length > 0)
  return { folder, files, sides, waits }
}

/** Writes a merge that the user has finished, in its form for the library. */
export function writeMerged(machine: Machine, { files, skill, source }: OpenMerge, target: string): void {
  const executables = executablesOf(machine, skill)
  const tree = listTree(files)
  const problem = treeProblem(tree.files)
  if (problem !== undefined) throw problem
  const parsed = parseSkill(readJson(join(files, SKILL_FILE)), skill)
  if (parsed.skill === undefined || parsed.skill.name !== skill) {
    const reason = parsed.problems?.join('; ') ?? `it renames the skill to "${parsed.skill?.name}"`
    throw new LoadoutError('INVALID_SKILL', `${join(files, SKILL_FILE)} cannot be used: ${reason}`, {
      hint: `repair it, then loadout merge ${skill} --continue`,
    })
  }
  for (const { path, isExecutable } of tree.files) {
    if (path !== SKILL_FILE) copyFile(files, path, join(target, path), isExecutable || executables.has(path))
  }
  const merged = { ...parsed.skill, ...(source && { source }) }
  writeTreeFile(join(target, SKILL_FILE), formatSkill(merged), false)
}

/** Executable files that were written without their bit, because they had conflict markers. */
function executablesOf(machine: Machine, skill: string): ReadonlySet<string> {
  const folder = folderOf(machine, skill)
  const merge = readMerge(machine, folder)
  const texts = remake(folder, merge).conflicts.filter(({ kind }) => kind === 'text')
  return new Set(texts.flatMap(({ path, ours, theirs }) => (ours?.isExecutable || theirs?.isExecutable ? [path] : [])))
}

/** Removes a merge. Unless it is done, backs up its files and returns the path. */
export function dropMerge(machine: Machine, skill: string, isDone: boolean): string | undefined {
  const folder = folderOf(machine, skill)
  const kept = isDone ? undefined : backUp(machine, folder, skill, 'merge', hashTree(folder, listTree(folder).files))
  const gone = `${ownedName(folder)}.partial`
  move(folder, gone)
  rmSync(gone, { recursive: true, force: true })
  return kept
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
    hint: `edit the files in ${files}, then loadout merge ${skill} --continue`,
  }
}

export function waitingMerge(name: string): LoadoutError {
  return new LoadoutError('MERGE_CONFLICT', `a merge of ${name} waits for a decision`, {
    hint: `loadout merge ${name} shows it; --continue or --abort ends it`,
  })
}

function formatMerge({ home }: Machine, { source, library, ...merge }: PendingMerge): string {
  // `~`, so that the merge still works if the home folder moves.
  const place = library.startsWith(`${home}/`) ? `~${library.slice(home.length)}` : library
  const json = { version: 1, ...merge, library: place, source: source ? formatSource(source) : undefined }
  return `${JSON.stringify(json, null, 2)}\n`
}

function readMerge(machine: Machine, folder: string): PendingMerge {
  const merge = parseMerge(readJson(join(folder, FILE)), join(folder, FILE))
  return { ...merge, library: expandHome(machine, merge.library) }
}

function parseMerge(json: unknown, path: string): PendingMerge {
  const texts = ['skill', 'folder', 'library', 'sourceHash', 'message'] as const
  if (isRecord(json) && isRecord(json.sides) && isTextList(texts.map((key) => json[key]))) {
    const [skill = '', folder = '', library = '', sourceHash = '', message = ''] = texts.map((key) => String(json[key]))
    const sides = { ours: String(json.sides.ours), theirs: String(json.sides.theirs) }
    const source = parseSource(json.source)
    const copies = (Array.isArray(json.copies) ? json.copies : []).flatMap((each: unknown): MergedCopy[] =>
      isRecord(each) ? [{ root: String(each.root), edit: String(each.edit) }] : [],
    )
    return { skill, folder, library, sourceHash, message, sides, source, copies }
  }
  throw new LoadoutError('BAD_JSON', `${path} is not a merge of Loadout`, {
    hint: 'move the folder away, then run the original command again',
  })
}

/** One conflict: a file, or one conflicting section of a text. */
export interface ConflictPlace {
  path: string
  stretch?: number
}

/** Both versions of a conflict; undefined for a version that removed the file, or whose file is not text. */
export interface ConflictText extends ConflictPlace {
  message: string
  ours: string | undefined
  theirs: string | undefined
}

/** Every conflict that is still open and was not edited by hand. */
export function conflictTexts(machine: Machine, skill: string): ConflictText[] {
  const { files, sides, waits } = conflictsOf(machine, skill)
  return waits.flatMap((conflict): ConflictText[] => {
    const { path, kind, message, ours, theirs } = conflict
    if (kind === 'text') {
      const text = readText(join(files, path))
      return stretchesIn(text, conflict, sides).map((each) => {
        return { path, stretch: each.stretch, message, ours: each.ours, theirs: each.theirs }
      })
    }
    const textOf = (name: string | undefined) =>
      name && exists(join(files, name)) ? plainText(files, name) : undefined
    const [mine, other] = [ours && `${ours.path}${OURS_END}`, theirs && `${theirs.path}${THEIRS_END}`].map(textOf)
    return [{ path, message, ours: mine, theirs: other }]
  })
}

interface Stretch {
  stretch: number
  ours: string
  theirs: string
  /** The section with its markers, as in the merged text. */
  marked: string
}

/** The conflicting sections of a text whose markers are still unchanged. */
function stretchesIn(text: string, { chunks = [] }: TreeConflict, sides: Sides): Stretch[] {
  return chunks.flatMap((chunk, stretch) => {
    if (chunk.kind === 'merged') return []
    const { ours, theirs } = chunk
    const marked = writeMerge([chunk], sides)
    return text.includes(marked) ? [{ stretch, ours, theirs, marked }] : []
  })
}

/** Undefined if the file is not text, or too large to show. */
function plainText(folder: string, name: string): string | undefined {
  return requireFile(join(folder, name)).size > LARGEST_MERGED ? undefined : textIn(folder, name)
}

/** Resolves all remaining conflicts, or only one, by taking one side. Other edits of the user stay. */
export function takeSide(machine: Machine, skill: string, side: 'ours' | 'theirs', only?: ConflictPlace): OpenMerge {
  const { folder, files, sides, waits } = conflictsOf(machine, skill)
  for (const conflict of waits) {
    if (only !== undefined && only.path !== conflict.path) continue
    if (conflict.kind !== 'text') {
      takeFile(files, conflict, side)
      continue
    }
    const path = join(files, conflict.path)
    const text = readText(path)
    const meant = stretchesIn(text, conflict, sides).filter(({ stretch }) => (only?.stretch ?? stretch) === stretch)
    writeText(
      folder,
      path,
      meant.reduce((now, each) => now.replace(each.marked, () => each[side]), text),
    )
  }
  return openMerge(machine, skill)
}

function writeText(folder: string, target: string, text: string): void {
  // Not beside the file: a leftover of a killed process would become part of the skill.
  const stage = `${ownedName(folder)}.partial`
  try {
    writeTreeFile(stage, text, false)
    move(stage, target)
  } catch (error) {
    rmSync(stage, { force: true })
    throw asLoadoutError(error, target, 'write')
  }
}

function takeFile(files: string, { ours, theirs }: TreeConflict, side: 'ours' | 'theirs'): void {
  const [mine, other] = [ours && `${ours.path}${OURS_END}`, theirs && `${theirs.path}${THEIRS_END}`]
  const [taken, dropped] = side === 'ours' ? [mine, other] : [other, mine]
  const place = side === 'ours' ? ours?.path : theirs?.path
  if (dropped) rmSync(join(files, dropped), { force: true })
  if (taken && place && exists(join(files, taken))) move(join(files, taken), join(files, place))
}
