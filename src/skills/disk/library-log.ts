import { basename, dirname, join } from 'node:path'
import { type PlannedChange, Transaction } from '../../change/transaction.ts'
import { isFolder, isWritable } from '../../machine/files.ts'
import { gitFolder } from '../../machine/git-folder.ts'
import { isTextList } from '../../text/values.ts'
import { SKILLS_FOLDER } from './registry.ts'
import { hashFile, hashTree, listTree } from './tree.ts'

/** A change of skills and other files of the library, with its commit and what ends with it. */
export interface LoggedChange {
  changes: PlannedChange[]
  /** The commit message; undefined for a change without a commit. */
  message?: string
  /** The skill whose open merge ends with this change. */
  merge?: string
  /** The skills whose installed copies are refreshed afterwards. */
  copies?: string[]
  /** The library has the change and its commit: only the rest is left to do. */
  isCommitted?: boolean
}

/** A fast-forward of the branch: git changes the files first, then the branch. `from` is undefined before the first commit. */
export interface Move {
  from: string | undefined
  to: string
}

/** What makes room in an agent's list of skills. */
export interface ListChange {
  agent: string
  project?: string
  /** The settings of the agent list only the names of these. */
  nameOnly: string[]
  /** Installs to remove. The library keeps the skills. */
  unequip: string[]
}

/** Whether Loadout can write into git's folder, as locks and the log need. */
export function isLockable(library: string): boolean {
  return isWritable(gitFolder(library))
}

export const LOG_FILE = 'loadout-intent.json'

/** The log of the library is inside git's own folder: not part of the content, and on the same file system. */
export function libraryLog(library: string): Transaction {
  const folder = gitFolder(library)
  const work = { path: join(folder, 'loadout-work'), home: join(library, SKILLS_FOLDER) }
  return new Transaction(library, work, join(folder, LOG_FILE), (path) =>
    isFolder(path)
      ? hashTree(path, listTree(path).files)
      : hashFile(dirname(path), { path: basename(path), kind: 'file' }),
  )
}

/** Undefined if nothing is logged, or by another version of Loadout. */
export function readLogged(log: Transaction): LoggedChange | Move | ListChange | undefined {
  const json = log.read() ?? {}
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const { message, merge, copies, isCommitted, from, to, agent, project, nameOnly, unequip } = json
  if (typeof to === 'string') return { from: text(from), to }
  if (typeof agent === 'string' && isTextList(nameOnly) && isTextList(unequip)) {
    return { agent, project: text(project), nameOnly, unequip }
  }
  const changes = log.plannedIn(json)
  return (
    changes && {
      changes,
      message: text(message),
      merge: text(merge),
      copies: isTextList(copies) ? copies : undefined,
      isCommitted: isCommitted === true,
    }
  )
}
