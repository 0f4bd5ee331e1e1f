import { join } from 'node:path'
import { exists, isWritable, readText, removeFile, writeAtomically } from '../../machine/files.ts'
import { gitFolder } from '../../machine/git-folder.ts'
import { parseJson } from '../../text/json.ts'
import { isRecord, isTextList } from '../../text/values.ts'

/**
 * A change of the library: written when everything new is complete beside its place, removed when everything about the
 * change is done. So the next command can finish all of it, or undo all of it.
 */
export interface Intent {
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

export interface PlannedChange {
  /** The path in the library: `skills/<folder>`, or a file. */
  path: string
  /** The name of the new content in the work folder. */
  stage: string
  /** The hashes of the new and of the present content; null if there is none. */
  hash: string | null
  was: string | null
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

/** Whether Loadout can write into git's folder, as locks and intents need. */
export function isLockable(library: string): boolean {
  return isWritable(gitFolder(library))
}

export function intentPath(library: string): string {
  return join(gitFolder(library), 'loadout-intent.json')
}

export function writeIntent(library: string, intent: Intent | Move | ListChange): void {
  writeAtomically(intentPath(library), JSON.stringify(intent))
}

export function removeIntent(library: string): void {
  removeFile(intentPath(library))
}

/** The text of the intent; empty if it cannot be read, undefined if there is none. */
export function intentText(library: string): string | undefined {
  const path = intentPath(library)
  try {
    return readText(path)
  } catch {
    return exists(path) ? '' : undefined
  }
}

/** Undefined if there is none, or one of another version of Loadout. */
export function readIntent(library: string): Intent | Move | ListChange | undefined {
  const json = parseJson(intentText(library) ?? '').value
  if (!isRecord(json)) return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const { changes, message, merge, copies, isCommitted, from, to, agent, project, nameOnly, unequip } = json
  if (typeof to === 'string') return { from: text(from), to }
  if (typeof agent === 'string' && isTextList(nameOnly) && isTextList(unequip)) {
    return { agent, project: text(project), nameOnly, unequip }
  }
  if (!Array.isArray(changes)) return undefined
  const planned = changes.flatMap((row): PlannedChange[] => {
    if (!isRecord(row) || typeof row.path !== 'string' || typeof row.stage !== 'string') return []
    return [{ path: row.path, stage: row.stage, hash: text(row.hash) ?? null, was: text(row.was) ?? null }]
  })
  if (planned.length < changes.length) return undefined
  const names = isTextList(copies) ? copies : undefined
  return {
    changes: planned,
    message: text(message),
    merge: text(merge),
    copies: names,
    isCommitted: isCommitted === true,
  }
}
