import { isUtf8 } from 'node:buffer'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, isFolder, readJson, readText, requireFile } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { ownedName, removeOldScratch, removeOrphans } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { findMarker, isConflicted, mergeTexts, type Sides, writeMerge } from '../../text/merge.ts'
import { type Finding, failWith, type LoadoutError, report, unlessTrouble } from '../../text/trouble.ts'
import { compareText, isRecord, isTextList } from '../../text/values.ts'
import { type MergeFile, mergeJson, mergeTrees, type TreeConflict } from '../rules/merge-tree.ts'
import {
  formatSkill,
  formatSource,
  nameProblem,
  parseSkill,
  parseSource,
  SKILL_FILE,
  type Skill,
  type SkillSource,
  withoutSource,
} from '../rules/skill.ts'
import { Backups } from './apply.ts'
import { copyFile, copyTree, hashFile, hashPath, listTree, treeProblem, writeTreeFile } from './tree.ts'

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
  copies?: readonly { /** The folder of the agent. */ root: string /** The hash of the edit. */; edit: string }[]
}

/** A pending merge with its folder and its open conflicts. */
export interface OpenMerge extends PendingMerge {
  /** The folder that the user edits. */
  files: string
  conflicts: { path: string; message: string }[]
}

/** The open merges of this machine. */
export class Merges {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  list(): OpenMerge[] {
    const all = this.machine.records.path(MERGES)
    if (!isFolder(all)) return []
    const names = readdirSync(all).filter((name) => nameProblem(name) === undefined && this.has(name))
    return names.sort(compareText).map((name) => this.open(name))
  }

  has(skill: string): boolean {
    return exists(join(this.folderOf(skill), FILE))
  }

  open(skill: string): OpenMerge {
    const folder = this.folderOf(skill)
    if (!this.has(skill)) {
      throw failWith('SKILL_NOT_FOUND/merge', { skill })
    }
    const merge = this.read(folder)
    const files = join(folder, MERGED)
    const conflicts = remake(folder, merge).conflicts.flatMap((conflict) => waiting(files, conflict))
    return { ...merge, files, conflicts }
  }

  /** Stores all three versions and the merged files. */
  add(merge: PendingMerge, made: SkillMerge, versions: SkillVersions): OpenMerge {
    const folder = this.folderOf(merge.skill)
    this.machine.records.privateFolder(MERGES)
    const partial = `${ownedName(folder)}.partial`
    const kept = versionsIn(partial, merge.skill)
    try {
      for (const side of ['base', 'ours', 'theirs'] as const) copyTree(versions[side], kept[side])
      made.write(join(partial, MERGED))
      writeTreeFile(join(partial, FILE), this.format(merge), false)
      move(partial, folder)
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      throw asLoadoutError(error, folder, 'write')
    }
    return this.open(merge.skill)
  }

  /** Writes a merge that the user has finished, in its form for the library. */
  write({ files, skill, source }: OpenMerge, target: string): void {
    const executables = this.executablesOf(skill)
    const tree = listTree(files)
    const problem = treeProblem(tree.files)
    if (problem !== undefined) throw problem
    const parsed = parseSkill(readJson(join(files, SKILL_FILE)), skill)
    if (parsed.skill === undefined || parsed.skill.name !== skill) {
      const reason = parsed.problems?.join('; ') ?? `it renames the skill to "${parsed.skill?.name}"`
      throw failWith('INVALID_SKILL/merged', { files: join(files, SKILL_FILE), reason, skill })
    }
    for (const { path, isExecutable } of tree.files) {
      if (path !== SKILL_FILE) copyFile(files, path, join(target, path), isExecutable || executables.has(path))
    }
    const merged = { ...parsed.skill, ...(source && { source }) }
    writeTreeFile(join(target, SKILL_FILE), formatSkill(merged), false)
  }

  /** Every conflict that is still open and was not edited by hand. */
  texts(skill: string): ConflictText[] {
    const { files, sides, waits } = this.conflictsOf(skill)
    return waits.flatMap((conflict): ConflictText[] => {
      const { path, kind, message } = conflict
      if (kind === 'text') {
        const text = readText(join(files, path))
        return stretchesIn(text, conflict, sides).map((each) => {
          return { path, stretch: each.stretch, message, ours: each.ours, theirs: each.theirs }
        })
      }
      const textOf = (name: string | undefined) =>
        // Not a file that is too large to show.
        name && exists(join(files, name)) && requireFile(join(files, name)).size <= LARGEST_MERGED
          ? textIn(files, name)
          : undefined
      const versions = versionsOf(conflict)
      return [{ path, message, ours: textOf(versions.ours), theirs: textOf(versions.theirs) }]
    })
  }

  /** Resolves all remaining conflicts, or only one, by taking one side. Other edits of the user stay. */
  takeSide(skill: string, side: 'ours' | 'theirs', only?: ConflictPlace): OpenMerge {
    const { folder, files, sides, waits } = this.conflictsOf(skill)
    for (const conflict of waits) {
      if (only !== undefined && only.path !== conflict.path) continue
      if (conflict.kind !== 'text') {
        const versions = versionsOf(conflict)
        const [taken, dropped] = [versions[side], versions[side === 'ours' ? 'theirs' : 'ours']]
        const place = conflict[side]?.path
        if (dropped) rmSync(join(files, dropped), { force: true })
        if (taken && place && exists(join(files, taken))) move(join(files, taken), join(files, place))
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
    return this.open(skill)
  }

  /** Removes a merge. Unless it is done, backs up its files and returns the path. */
  remove(skill: string, isDone: boolean): string | undefined {
    const folder = this.folderOf(skill)
    const kept = isDone ? undefined : new Backups(this.machine).add(folder, skill, 'merge', hashPath(folder))
    const gone = `${ownedName(folder)}.partial`
    move(folder, gone)
    rmSync(gone, { recursive: true, force: true })
    return kept
  }

  /** Removes merges, backups and temporary folders that a killed process left unfinished. */
  removePartial(): void {
    new Backups(this.machine).removePartial()
    removeOldScratch()
    removeOrphans(this.machine.records.path(MERGES))
  }

  private folderOf(skill: string): string {
    return this.machine.records.path(`${MERGES}/${skill}`)
  }

  /** A pending merge with the details of its open conflicts. */
  private conflictsOf(skill: string) {
    const folder = this.folderOf(skill)
    const { files, sides } = this.open(skill)
    const waits = remake(folder, this.read(folder)).conflicts.filter((each) => waiting(files, each).length > 0)
    return { folder, files, sides, waits }
  }

  /** Executable files that were written without their bit, because they had conflict markers. */
  private executablesOf(skill: string): ReadonlySet<string> {
    const folder = this.folderOf(skill)
    const merge = this.read(folder)
    const texts = remake(folder, merge).conflicts.filter(({ kind }) => kind === 'text')
    return new Set(
      texts.flatMap(({ path, ours, theirs }) => (ours?.isExecutable || theirs?.isExecutable ? [path] : [])),
    )
  }

  private read(folder: string): PendingMerge {
    const merge = parseMerge(readJson(join(folder, FILE)), join(folder, FILE))
    return { ...merge, library: this.machine.expandHome(merge.library) }
  }

  private format({ source, library, ...merge }: PendingMerge): string {
    const { home } = this.machine
    // `~`, so that the merge still works if the home folder moves.
    const place = library.startsWith(`${home}/`) ? `~${library.slice(home.length)}` : library
    const json = { version: 1, ...merge, library: place, source: source ? formatSource(source) : undefined }
    return `${JSON.stringify(json, null, 2)}\n`
  }
}

function versionsIn(folder: string, name: string): SkillVersions {
  return { name, base: join(folder, 'base'), ours: join(folder, 'library'), theirs: join(folder, 'other') }
}

function remake(folder: string, { skill, sides, source }: PendingMerge): SkillMerge {
  return mergeSkillFolders(versionsIn(folder, skill), sides, source)
}

/** Whether a conflict is open: its text still has markers, or one of its two files still exists. */
function waiting(files: string, conflict: TreeConflict): OpenMerge['conflicts'] {
  const { path, kind, message } = conflict
  if (kind === 'text') {
    const line = exists(join(files, path)) ? findMarker(readText(join(files, path))) : undefined
    return line === undefined ? [] : [{ path: join(files, path), message: `${message} (line ${line})` }]
  }
  return Object.values(versionsOf(conflict)).flatMap((name) =>
    name && exists(join(files, name)) ? [{ path: join(files, name), message }] : [],
  )
}

/** The finding about a merge with conflicts that the user must resolve. */
export function conflictFinding(skill: string, { files, conflicts }: OpenMerge): Finding {
  const [first] = conflicts
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : ''
  return report(
    'MERGE_CONFLICT/decision',
    { skill, problem: first?.message ?? 'both sides changed it', more, files },
    { subject: skill },
  )
}

export function waitingMerge(name: string): LoadoutError {
  return failWith('MERGE_CONFLICT/waits', { name })
}

function parseMerge(json: unknown, path: string): PendingMerge {
  const texts = ['skill', 'folder', 'library', 'sourceHash', 'message'] as const
  if (isRecord(json) && isRecord(json.sides) && isTextList(texts.map((key) => json[key]))) {
    const [skill = '', folder = '', library = '', sourceHash = '', message = ''] = texts.map((key) => String(json[key]))
    const sides = { ours: String(json.sides.ours), theirs: String(json.sides.theirs) }
    const source = parseSource(json.source)
    const copies = (Array.isArray(json.copies) ? json.copies : []).flatMap((each: unknown) =>
      isRecord(each) ? [{ root: String(each.root), edit: String(each.edit) }] : [],
    )
    return { skill, folder, library, sourceHash, message, sides, source, copies }
  }
  throw failWith('BAD_JSON/merge', { path })
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

/** The conflicting sections of a text whose markers are still unchanged, each as it is marked in the text. */
function stretchesIn(text: string, { chunks = [] }: TreeConflict, sides: Sides) {
  return chunks.flatMap((chunk, stretch) => {
    if (chunk.kind === 'merged') return []
    const { ours, theirs } = chunk
    const marked = writeMerge([chunk], sides)
    return text.includes(marked) ? [{ stretch, ours, theirs, marked }] : []
  })
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

/** The endings of the two versions of a file that could not be merged line by line. */
function versionsOf({ ours, theirs }: TreeConflict): { ours: string | undefined; theirs: string | undefined } {
  return { ours: ours && `${ours.path}.library`, theirs: theirs && `${theirs.path}.other` }
}

/** Three versions of one skill, each a folder in its form for the library. */
export interface SkillVersions {
  /** The default for a skill.json without a name. */
  name: string
  base: string
  ours: string
  theirs: string
}

/** The merge of three versions. */
export interface SkillMerge {
  conflicts: TreeConflict[]
  /** Writes the merged skill into a new folder; for each conflict, both versions. */
  write(target: string): void
}

/** In bytes. Larger files, and files that are not UTF-8, are not merged line by line. */
const LARGEST_MERGED = 4 * 1024 * 1024

/** `source`: the record of its import to write into the merged skill. */
export function mergeSkillFolders(versions: SkillVersions, sides: Sides, source: SkillSource | undefined): SkillMerge {
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(readTree)
  const merge = mergeTrees({ base: base!, ours: ours!, theirs: theirs! })
  const described = mergeDescriptions(versions, source)
  const conflicts = [...merge.conflicts, ...('conflict' in described ? [described.conflict] : [])]
  const write = (target: string) => {
    mkdirSync(target, { recursive: true })
    for (const [path, file] of merge.files) {
      if (file.from === 'merge') writeTreeFile(join(target, path), file.text, file.isExecutable)
      else copyFile(versions[file.from], file.path, join(target, path), file.isExecutable)
    }
    // A text with conflict markers, never executable; any other file as two files with different endings.
    for (const conflict of conflicts) {
      const { path, kind, chunks } = conflict
      const names = versionsOf(conflict)
      for (const side of kind === 'text' && chunks ? [] : (['ours', 'theirs'] as const)) {
        const file = conflict[side]
        if (file) copyFile(versions[side], file.path, join(target, names[side] ?? ''), file.isExecutable)
      }
      if (kind === 'text' && chunks) writeTreeFile(join(target, path), writeMerge(chunks, sides), false)
    }
    if ('text' in described) writeTreeFile(join(target, SKILL_FILE), described.text, false)
  }
  return { conflicts, write }
}

/** All files except skill.json, which `mergeDescriptions` merges by its keys. */
function readTree(folder: string): Map<string, MergeFile> {
  const { files } = listTree(folder)
  const problem = treeProblem(files)
  if (problem !== undefined) throw problem
  return new Map(
    files.flatMap((file): [string, MergeFile][] => {
      if (file.path === SKILL_FILE) return []
      const id = hashFile(folder, file)
      const text = file.size > LARGEST_MERGED ? undefined : textIn(folder, file.path)
      return [[file.path, { id, isExecutable: file.isExecutable, text }]]
    }),
  )
}

/** Undefined if the file is not text. */
function textIn(folder: string, path: string): string | undefined {
  const { bytes, failure } = readInside(folder, path, { most: LARGEST_MERGED })
  if (bytes === undefined) throw failure
  const isText = !bytes.includes(0) && isUtf8(bytes)
  return isText ? Buffer.from(bytes).toString() : undefined
}

function mergeDescriptions(
  versions: SkillVersions,
  source: SkillSource | undefined,
): { text: string } | { conflict: TreeConflict } {
  const { name } = versions
  const texts = [versions.base, versions.ours, versions.theirs].map((folder) => {
    const path = join(folder, SKILL_FILE)
    const { skill, problems } = parseSkill(readJson(path), name)
    if (skill === undefined) throw failWith('INVALID_SKILL/merge', { folder: path, problems: problems.join('; ') })
    return formatSkill(withoutSource(skill))
  })
  const [base, ours, theirs] = texts.map((text): unknown => JSON.parse(text))
  const { value, conflicts } = mergeJson(base, ours, theirs)
  const parsed = parseSkill(value, name)
  if (conflicts.length === 0 && parsed.skill !== undefined) {
    return { text: formatSkill({ ...parsed.skill, ...(source && { source }) }) }
  }
  const what = conflicts.length > 0 ? `"${conflicts.join('", "')}"` : (parsed.problems ?? []).join('; ')
  const file = { path: SKILL_FILE, isExecutable: false }
  const chunks = mergeTexts(texts[0]!, texts[1]!, texts[2]!)
  const message = `${SKILL_FILE} changed on both sides: ${what}`
  const kind = isConflicted(chunks) ? 'text' : 'binary'
  return { conflict: { path: SKILL_FILE, kind, message, ours: file, theirs: file, chunks } }
}

/** Reads skill.json of a merged folder. Returns `known` if it has conflicts. */
export function skillIn(folder: string, known: Skill): Skill {
  return unlessTrouble(() => {
    const { skill } = parseSkill(readJson(join(folder, SKILL_FILE)), known.name)
    return skill ?? known
  }, known)
}
