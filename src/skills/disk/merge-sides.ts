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
