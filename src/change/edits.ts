import { accessSync, constants, existsSync, lstatSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asLoadoutError, exists, readText, removeFile, removeLeftovers, writeAtomically } from '../machine/files.ts'
import { writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { PRIVATE_FILE } from '../machine/records.ts'
import { parseJson } from '../text/json.ts'
import { shellWord } from '../text/printable.ts'
import { failWith } from '../text/trouble.ts'
import { isRecord, isTextList, setOwn, sha256 } from '../text/values.ts'
import { type ChangePlaces, type PlannedChange, stagePath, Transaction } from './transaction.ts'

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
  folders: readonly string[]
  /** The blanks inside of formerly empty objects and lists, by their path, such as `hooks.SessionStart`. */
  blanks: Readonly<Record<string, string>>
  /** Settings of single skills that Loadout added. */
  switches?: Readonly<Record<string, 'name-only' | 'on' | 'off'>>
  /** The hooks of the agent came with these. */
  cameWithHooks?: boolean
}

/** The files below the state folder with the records: one for each kind of edit. */
export type UndoFile = 'hook-installs.json' | 'server-installs.json' | 'list-switches.json'

/** The text of a file; undefined if it does not exist. */
export function readEdited(path: string): string | undefined {
  return exists(path) ? readText(path) : undefined
}

/**
 * Edits of several files of others, with the records that undo them. All of them happen, or none. `run` plans them: once
 * to see whether it can, before anything is created, and again as the only editor of such files.
 */
export async function changeFiles<T>(machine: Machine, isDryRun: boolean, run: (edits: Edits) => T): Promise<T> {
  const value = run(new Edits(machine))
  if (isDryRun) return value
  const log = new EditTransaction(machine)
  return log.asOnlyWriter('hooks', async () => {
    const edits = new Edits(machine)
    const planned = run(edits)
    await log.change(edits.changes())
    return planned
  })
}

/** Edits that are planned together: each starts from the text that the ones before it leave. */
export class Edits {
  private readonly machine: Machine
  private readonly files = new Map<string, FileEdit & { folders?: readonly string[] }>()
  private readonly records = new Map<UndoFile, Record<string, UndoRecord>>()

  constructor(machine: Machine) {
    this.machine = machine
  }

  read(path: string): string | undefined {
    const planned = this.files.get(path)
    return planned === undefined ? readEdited(path) : planned.after
  }

  find(file: UndoFile, path: string): UndoRecord | undefined {
    const records = this.recordsIn(file)
    return Object.hasOwn(records, path) ? records[path] : undefined
  }

  /** Adds an edit. `record`: what undoes it; undefined if this is the undo, after which Loadout forgets the record. */
  add({ path, project, before, after }: FileEdit, file: UndoFile, record: UndoRecord | undefined): void {
    const old = this.find(file, path)
    if (record === undefined) {
      const records = this.recordsIn(file)
      delete records[path]
    } else if (after !== before && after !== undefined) setOwn(this.recordsIn(file), path, record)
    if (after === before) return
    const first = this.files.get(path)
    const folders = after === undefined ? [...(first?.folders ?? []), ...(old?.folders ?? [])] : first?.folders
    this.files.set(path, { path, project, before: first === undefined ? before : first.before, after, folders })
  }

  /** What the transaction has to do. */
  changes() {
    const { machine } = this
    const records = [...this.records].map(([file, now]): FileEdit => {
      const path = machine.records.path(file)
      const after = Object.keys(now).length === 0 ? undefined : `${JSON.stringify(now, null, 2)}\n`
      return { path, project: undefined, before: readEdited(path), after }
    })
    const edits = [...records, ...this.files.values()].filter(({ before, after }) => before !== after)
    for (const edit of edits) requireEditable(edit)
    return edits.map(({ path, project, after, folders }: FileEdit & { folders?: readonly string[] }) => {
      // The settings of an agent may contain a password.
      const write = (stage: string) => writeFileSync(stage, after ?? '', { flag: 'wx', mode: PRIVATE_FILE })
      return { path, project, folders, write: after === undefined ? undefined : write }
    })
  }

  private recordsIn(file: UndoFile): Record<string, UndoRecord> {
    const known = this.records.get(file)
    if (known !== undefined) return known
    const path = this.machine.records.path(file)
    const text = readEdited(path)
    const records: Record<string, UndoRecord> = {}
    if (text !== undefined) {
      const { value: json } = parseJson(text)
      for (const [edited, value] of Object.entries(isRecord(json) ? json : { 'the settings of agents': undefined })) {
        const record = parseRecord(value)
        if (record === undefined) throw failWith('BAD_JSON/undo', { path, edited })
        setOwn(records, edited, record)
      }
    }
    this.records.set(file, records)
    return records
  }
}

/** Throws if a file has changed since it was read, because an agent may write its settings at the same time. */
function requireEditable({ path, before }: FileEdit): void {
  if (readEdited(path) !== before) throw failWith('WRITE_FAILED/changed', { path })
  if (before === undefined) return
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

/** One edit without undo: the text alone shows what Loadout wrote. */
export function writeEdit(edit: FileEdit): void {
  if (edit.after === edit.before) return
  requireEditable(edit)
  writeText(edit.path, edit.project, edit.after)
}

function writeText(path: string, project: string | undefined, text: string | undefined): void {
  if (text === undefined) removeFile(path)
  else if (project === undefined) writeAtomically(path, text)
  else writeNamed(project, path, text)
}

/**
 * The change of files of others: they are written where they are, through links and with their mode, instead of being
 * swapped. The new and the previous texts are in the state folder until all is done.
 */
class EditTransaction extends Transaction {
  private readonly machine: Machine

  constructor(machine: Machine) {
    const folder = machine.records.path('edits')
    const work = { path: folder, home: machine.records.folder }
    super('/', work, join(folder, 'log.json'), (path) => sha256(readText(path)))
    this.machine = machine
  }

  /** Not named after the file, whose path may be longer than a name may be. */
  protected override newStage(): string {
    return stagePath(this.work, 'edit')
  }

  protected override put({ hash, was, project }: PlannedChange, { target, stage, old }: ChangePlaces): void {
    const now = this.hashOf(target)
    if (now === hash) return
    if (now !== was) throw failWith('WRITE_FAILED/changed', { path: target })
    if (now !== null) writeAtomically(old, readText(target), PRIVATE_FILE)
    this.putText(target, project, hash === null ? undefined : readText(stage))
  }

  protected override takeBack({ hash, was, project }: PlannedChange, { target, old }: ChangePlaces): void {
    const isOurs = this.hashOf(target) === hash
    if (isOurs && (was === null || exists(old))) this.putText(target, project, was === null ? undefined : readText(old))
    removeFile(old)
  }

  protected override drop({ hash, folders = [] }: PlannedChange, { target, stage, old }: ChangePlaces): void {
    removeFile(stage)
    removeFile(old)
    if (hash !== null) return
    removeLeftovers(target)
    for (const folder of folders.toReversed()) {
      try {
        rmdirSync(folder)
      } catch {
        // It is not empty, or gone already.
      }
    }
  }

  protected override isAsLeft({ hash, was }: PlannedChange, { target, stage }: ChangePlaces): boolean {
    const now = this.hashOf(target)
    return now === hash || (now === was && (hash === null || this.hashOf(stage) === hash))
  }

  private putText(path: string, project: string | undefined, text: string | undefined): void {
    const { records } = this.machine
    if (text !== undefined && dirname(path) === records.folder) records.write(basename(path), text)
    else writeText(path, project, text)
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

/** Undefined for anything else: an undo that knows only a part would restore something else. */
function parseRecord(json: unknown): UndoRecord | undefined {
  if (!isRecord(json) || !isTextList(json.folders) || !isRecord(json.blanks)) return undefined
  const { before, folders, blanks, switches = {}, cameWithHooks } = json
  const isKnown = before === undefined || before === null || isBlank(before)
  if (!isKnown || !isMapOf(blanks, isBlank) || !isMapOf(switches, isSwitch)) return undefined
  return { before, folders, blanks, switches, cameWithHooks: cameWithHooks === true }
}

function isMapOf<T>(json: unknown, is: (value: unknown) => value is T): json is Record<string, T> {
  return isRecord(json) && Object.values(json).every(is)
}

function isSwitch(value: unknown): value is 'name-only' | 'on' | 'off' {
  return value === 'name-only' || value === 'on' || value === 'off'
}

/** Loadout restores only blanks from a record, never other text. */
function isBlank(value: unknown): value is string {
  return typeof value === 'string' && value.trim() === ''
}
