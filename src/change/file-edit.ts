import { accessSync, constants, existsSync, lstatSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  asLoadoutError,
  exists,
  readJson,
  readText,
  removeFile,
  removeLeftovers,
  writeAtomically,
} from '../machine/files.ts'
import { writeNamed } from '../machine/inside.ts'
import { acquireLock } from '../machine/lock.ts'
import type { Machine } from '../machine/machine.ts'
import { shellWord } from '../text/printable.ts'
import { failWith } from '../text/trouble.ts'
import { isRecord, isTextList, setOwn } from '../text/values.ts'

/** A new text of a file that another program or a person also edits. */
export interface FileEdit {
  path: string
  /** The project that the file must stay inside; undefined for the user's own file, which may be a link. */
  project: string | undefined
  /** Undefined if the file does not exist. */
  before: string | undefined
  /** Undefined to remove the file. */
  after: string | undefined
}

/** What Loadout needs to undo an edit, if the file alone does not show it. */
export interface UndoRecord {
  /** The file before the edit, if it was blank; null if it did not exist. */
  before?: string | null
  /** Folders that Loadout created for it, the outermost first. */
  folders: string[]
  /** The blanks inside of formerly empty objects and lists, by their path, such as `hooks.SessionStart`. */
  blanks: Readonly<Record<string, string>>
  /** Settings of single skills that Loadout added. */
  switches?: Readonly<Record<string, 'name-only' | 'on' | 'off'>>
  /** The hooks of the agent came with these. */
  cameWithHooks?: boolean
}

/** The text of a file; undefined if it does not exist. */
export function readEdited(path: string): string | undefined {
  return exists(path) ? readText(path) : undefined
}

/** Throws if the file has changed since it was read, because an agent may write its settings at the same time. */
export function writeEdit({ path, project, before, after }: FileEdit): void {
  if (after === before) return
  if (readEdited(path) !== before) {
    throw failWith('WRITE_FAILED/changed', { path })
  }
  if (before !== undefined) {
    // Replacing a file needs write access only to its folder, but a read-only file should not be changed.
    if ((statSync(path).mode & 0o222) === 0) {
      throw failWith('WRITE_FAILED/read-only', { path, path2: shellWord(path) })
    }
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      throw asLoadoutError(error, path, 'write')
    }
  }
  if (after === undefined) removeFile(path)
  else if (project === undefined) writeAtomically(path, after)
  else writeNamed(project, path, after)
}

/** Edits with undo. The records of one kind of edit are one file in the state folder. */
export class UndoRecords {
  private readonly machine: Machine
  private readonly name: string

  constructor(machine: Machine, name: string) {
    this.machine = machine
    this.name = name
  }

  /** Runs a function as the only editor of such files: different edits may be in the same file. */
  async asOnlyEditor<T>(run: () => T): Promise<T> {
    const release = await acquireLock(join(this.machine.stateFolder, 'locks', 'hooks'), { purpose: 'hooks' })
    try {
      return run()
    } finally {
      release()
    }
  }

  find(path: string): UndoRecord | undefined {
    const records = this.read()
    return Object.hasOwn(records, path) ? records[path] : undefined
  }

  /** If the process is killed, the file is either old or new, and the record lets the next process continue. */
  apply(edit: FileEdit, record: UndoRecord): void {
    if (edit.after === edit.before || edit.after === undefined) return
    this.keep(edit.path, record)
    writeEdit(edit)
  }

  /** Writes the text without the edit, then forgets the record. Also removes folders that Loadout created. */
  undo(edit: FileEdit, record: UndoRecord): void {
    writeEdit(edit)
    if (edit.after === undefined) {
      // `folders`: the outermost first.
      removeLeftovers(edit.path)
      for (const folder of record.folders.toReversed()) {
        try {
          rmdirSync(folder)
        } catch {
          // It is not empty, or gone already.
        }
      }
    }
    this.keep(edit.path, undefined)
  }

  private keep(path: string, record: UndoRecord | undefined): void {
    const records = this.read()
    if (record === undefined && !Object.hasOwn(records, path)) return
    if (record === undefined) delete records[path]
    else setOwn(records, path, record)
    if (Object.keys(records).length === 0) removeFile(this.machine.records.path(this.name))
    else this.machine.records.write(this.name, `${JSON.stringify(records, null, 2)}\n`)
  }

  /** Ignores records that cannot be read. */
  private read(): Record<string, UndoRecord> {
    const records: Record<string, UndoRecord> = {}
    try {
      const json = readJson(this.machine.records.path(this.name))
      for (const [path, value] of Object.entries(isRecord(json) ? json : {})) {
        const record = parseRecord(value)
        if (record !== undefined) setOwn(records, path, record)
      }
    } catch {}
    return records
  }
}

/** Keeps the folders of an old record: a killed process may have left folders without the file. */
export function newRecord(
  path: string,
  before: string | undefined,
  isBlank: boolean,
  old: UndoRecord | undefined,
): UndoRecord {
  const folders = new Set(before === undefined ? (old?.folders ?? []) : [])
  const missing: string[] = []
  for (let folder = dirname(path); !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) {
    missing.unshift(folder)
  }
  for (const folder of missing) folders.add(folder)
  return { ...(isBlank ? { before: before ?? null } : {}), folders: [...folders], blanks: {} }
}

/** Restores a blank file. Removes a file that did not exist before, unless it is a link now. */
export function asItWas(path: string, { before }: UndoRecord, emptied: string): string | undefined {
  if (before !== null) return before ?? emptied
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? undefined : emptied
}

function parseRecord(json: unknown): UndoRecord | undefined {
  if (!isRecord(json) || !isTextList(json.folders) || !isRecord(json.blanks)) return undefined
  const { before, folders } = json
  const blanks = Object.entries(json.blanks).filter((entry): entry is [string, string] => isBlank(entry[1]))
  const known = before === null || isBlank(before) ? { before } : {}
  const switches = isRecord(json.switches) ? Object.entries(json.switches).filter(isSwitch) : []
  const cameWithHooks = json.cameWithHooks === true
  return {
    ...known,
    folders,
    blanks: Object.fromEntries(blanks),
    switches: Object.fromEntries(switches),
    cameWithHooks,
  }
}

function isSwitch(entry: [string, unknown]): entry is [string, 'name-only' | 'on' | 'off'] {
  return entry[1] === 'name-only' || entry[1] === 'on' || entry[1] === 'off'
}

/** Loadout restores only blanks from a record, never other text. */
function isBlank(value: unknown): value is string {
  return typeof value === 'string' && value.trim() === ''
}
