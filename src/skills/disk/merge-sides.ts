import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, readText, requireFile } from '../../machine/files.ts'
import { ownedName } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { type Sides, writeMerge } from '../../text/merge.ts'
import type { TreeConflict } from '../rules/merge-tree.ts'
import { LARGEST_MERGED, OURS_END, THEIRS_END, textIn } from './merge-folders.ts'
import { conflictsOf, type OpenMerge, openMerge } from './pending-merge.ts'
import { writeTreeFile } from './tree.ts'

/** One conflict: a file, and of a text that merged in part, which of its stretches. */
export interface ConflictPlace {
  path: string
  stretch?: number | undefined
}

/** What each version says in one place; undefined for a version that removed the file, or whose file is not text. */
export interface ConflictText extends ConflictPlace {
  message: string
  ours: string | undefined
  theirs: string | undefined
}

/** Every place that still waits for a decision, and was not edited by hand. */
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
  /** As it stands in the merged text. */
  marked: string
}

/** The stretches of a text that are still there with their markers, as they were written. */
function stretchesIn(text: string, { chunks = [] }: TreeConflict, sides: Sides): Stretch[] {
  return chunks.flatMap((chunk, stretch) => {
    if (chunk.kind === 'merged') return []
    const { ours, theirs } = chunk
    const marked = writeMerge([chunk], sides)
    return text.includes(marked) ? [{ stretch, ours, theirs, marked }] : []
  })
}

/** Undefined for what is not text, or more than anybody would read here. */
function plainText(folder: string, name: string): string | undefined {
  return requireFile(join(folder, name)).size > LARGEST_MERGED ? undefined : textIn(folder, name)
}

/** Ends every conflict that is left, or only one, with the version of one side. What a person wrote elsewhere stays. */
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
  // Not beside the file: what a kill leaves there would become part of the skill.
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
