import { isUtf8 } from 'node:buffer'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { isConflicted, mergeTexts, type Sides, writeMerge } from '../../text/merge.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { type MergedFile, type MergeFile, mergeJson, mergeTrees, type TreeConflict } from '../rules/merge-tree.ts'
import { formatSkill, parseSkill, SKILL_FILE, type Skill, type SkillSource, withoutSource } from '../rules/skill.ts'
import { copyFile, hashFile, listTree, treeProblem, writeTreeFile } from './tree.ts'

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
export const LARGEST_MERGED = 4 * 1024 * 1024

/** `source`: the record of its import to write into the merged skill. */
export function mergeSkillFolders(versions: SkillVersions, sides: Sides, source: SkillSource | undefined): SkillMerge {
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(readTree)
  const merge = mergeTrees({ base: base!, ours: ours!, theirs: theirs! })
  const described = mergeDescriptions(versions, source)
  const conflicts = [...merge.conflicts, ...('conflict' in described ? [described.conflict] : [])]
  const write = (target: string) => {
    mkdirSync(target, { recursive: true })
    for (const [path, file] of merge.files) writeFile(file, versions, join(target, path))
    for (const conflict of conflicts) writeConflict(conflict, versions, target, sides)
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
export function textIn(folder: string, path: string): string | undefined {
  const { bytes, failure } = readInside(folder, path, { most: LARGEST_MERGED })
  if (bytes === undefined) throw failure
  const isText = !bytes.includes(0) && isUtf8(bytes)
  return isText ? Buffer.from(bytes).toString() : undefined
}

function readSkill(folder: string, name: string): Skill {
  const parsed = parseSkill(readJson(join(folder, SKILL_FILE)), name)
  if (parsed.skill !== undefined) return withoutSource(parsed.skill)
  throw failWith('INVALID_SKILL/merge', { folder: join(folder, SKILL_FILE), problems: parsed.problems.join('; ') })
}

function mergeDescriptions(
  versions: SkillVersions,
  source: SkillSource | undefined,
): { text: string } | { conflict: TreeConflict } {
  const { name } = versions
  const texts = [versions.base, versions.ours, versions.theirs].map((folder) => formatSkill(readSkill(folder, name)))
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

function writeFile(file: MergedFile, versions: SkillVersions, target: string): void {
  if (file.from === 'merge') writeTreeFile(target, file.text, file.isExecutable)
  else copyFile(versions[file.from], file.path, target, file.isExecutable)
}

/** Endings of the two versions of a file that could not be merged. */
export const OURS_END = '.library'
export const THEIRS_END = '.other'

/** Writes a text with conflict markers, never executable; any other file as two files with different endings. */
function writeConflict(conflict: TreeConflict, versions: SkillVersions, target: string, sides: Sides): void {
  const { ours, theirs, path, kind, chunks } = conflict
  if (kind === 'text' && chunks !== undefined) {
    writeTreeFile(join(target, path), writeMerge(chunks, sides), false)
    return
  }
  if (ours) copyFile(versions.ours, ours.path, `${target}/${ours.path}${OURS_END}`, ours.isExecutable)
  if (theirs) copyFile(versions.theirs, theirs.path, `${target}/${theirs.path}${THEIRS_END}`, theirs.isExecutable)
}

/** Reads skill.json of a merged folder. Returns `known` if it has conflicts. */
export function skillIn(folder: string, known: Skill): Skill {
  try {
    const { skill } = parseSkill(readJson(join(folder, SKILL_FILE)), known.name)
    return skill ?? known
  } catch (error) {
    if (error instanceof LoadoutError) return known
    throw error
  }
}
