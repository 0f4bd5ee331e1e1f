import { readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { stagePath, swapIn, workFolderIn } from '../../change/transaction.ts'
import { asLoadoutError, exists, isFolder, isLink, readText, removeFile, writeAtomically } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Finding, report } from '../../text/trouble.ts'
import { MARKER_FILE } from '../rules/reconcile.ts'
import { Backups, identityOf } from './apply.ts'
import { copyFolder } from './tree.ts'

/** An installed copy that Loadout no longer manages. */
export interface GivenBack {
  skill: string
  agent: string
  root: string
  /** The text of its marker. */
  marker: string
  /** The backup of what Loadout had taken over: it takes the place of the copy. Absent: the copy stays as it is. */
  before?: string
  /** Where the link leads that takes the place of the copy. */
  link?: string
  /** The backup of the copy, if it was replaced. */
  kept?: string
}

export function planGiveBack(
  machine: Machine,
  { skill, agent, root, tookOver }: Pick<GivenBack, 'skill' | 'agent' | 'root'> & { tookOver: string | undefined },
): GivenBack {
  const target = join(root, skill)
  const marker = readText(join(target, MARKER_FILE))
  const backups = new Backups(machine)
  const before = tookOver === undefined ? undefined : backups.place(skill, tookOver)
  if (before === undefined || !exists(before)) return { skill, agent, root, marker }
  const link = isLink(before) ? readlinkSync(before) : undefined
  return { skill, agent, root, marker, before, link, kept: backups.pathOf(skill, agent, identityOf(target)) }
}

export function giveBack(machine: Machine, { skill, agent, root, before }: GivenBack): void {
  const target = join(root, skill)
  if (before === undefined) {
    removeFile(join(target, MARKER_FILE))
    return
  }
  new Backups(machine).add(target, skill, agent, identityOf(target))
  const stage = stagePath(workFolderIn(root), skill)
  try {
    if (isLink(before)) symlinkSync(readlinkSync(before), stage)
    else copyFolder(before, stage)
  } catch (error) {
    throw asLoadoutError(error, target, 'write')
  }
  swapIn(stage, target)
}

/** Makes it a managed copy again, unless a person has changed what was given back. */
export function takeAgain({ skill, root, marker, before, kept }: GivenBack): Finding[] {
  const target = join(root, skill)
  const mark = join(target, MARKER_FILE)
  // It was installed since, or the undo was killed.
  if (!isLink(target) && exists(mark)) return []
  const isWhole = kept === undefined ? isFolder(target) && !isLink(target) : exists(kept)
  const isAsGiven =
    before === undefined || (exists(target) && exists(before) && identityOf(target) === identityOf(before))
  if (!isWhole || !isAsGiven) {
    const facts = { shown: target, what: 'was changed' }
    return [report('UNMANAGED_FOLDER/meanwhile', facts, { severity: 'error', subject: skill })]
  }
  if (kept !== undefined) {
    const stage = stagePath(workFolderIn(root), skill)
    copyFolder(kept, stage)
    swapIn(stage, target)
  }
  writeAtomically(mark, marker)
  return []
}
