import { join } from 'node:path'
import { readJson } from '../../machine/files.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { formatSkill, parseSkill, SKILL_FILE } from '../rules/skill.ts'
import type { OpenMerge } from './pending-merge.ts'
import { copyFile, listTree, treeProblem, writeTreeFile } from './tree.ts'

/** Writes a merge that the user has finished, in its form for the library. */
export function writeMerged(
  { files, skill, source }: OpenMerge,
  executables: ReadonlySet<string>,
  target: string,
): void {
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
