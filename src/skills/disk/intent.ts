import { join } from 'node:path'
import { exists, isWritable, readJson, readText, removeFile, writeAtomically } from '../../machine/files.ts'
import { gitFolder } from '../../machine/git-folder.ts'
import { isRecord } from '../../text/values.ts'

/** Recorded before a change, so that the next command can finish it. */
export interface Intent {
  /** `hash` is of the new content; null for a removal. */
  folders: { folder: string; hash: string | null }[]
  message: string
}

/** A fast-forward of the branch. `from` is undefined before the first commit. */
export interface Move {
  from: string | undefined
  to: string
}

/** A change, or a fast-forward: git changes the files first, then the branch. */
export type Unfinished = Intent | Move

/** Whether Loadout can write into git's folder, as locks and intents need. */
export function isLockable(library: string): boolean {
  return isWritable(gitFolder(library))
}

export function intentPath(library: string): string {
  return join(gitFolder(library), 'loadout-intent.json')
}

export function writeIntent(library: string, intent: Unfinished): void {
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

export function readIntent(library: string): Unfinished | undefined {
  if (!exists(intentPath(library))) return undefined
  const json = readJson(intentPath(library))
  if (!isRecord(json)) return undefined
  const { folders, message, from, to } = json
  if (typeof to === 'string') return { from: typeof from === 'string' ? from : undefined, to }
  if (typeof message !== 'string') return undefined
  // Earlier versions wrote one folder.
  const rows: unknown[] = Array.isArray(folders) ? folders : [json]
  const known = rows.flatMap((row) => {
    if (!isRecord(row) || typeof row.folder !== 'string') return []
    return [{ folder: row.folder, hash: typeof row.hash === 'string' ? row.hash : null }]
  })
  return known.length === 0 ? undefined : { folders: known, message }
}
