import { accessSync, chmodSync, constants, existsSync, lstatSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  asLoadoutError,
  exists,
  isFolder,
  readBytes,
  readText,
  removeFile,
  removeLeftovers,
  writeAtomically,
} from '../machine/files.ts'
import { writeNamed } from '../machine/inside.ts'
import type { ConfigJson, Machine } from '../machine/machine.ts'
import { PRIVATE_FILE } from '../machine/records.ts'
import { parseJson } from '../text/json.ts'
import { shellWord } from '../text/printable.ts'
import { failWith, unlessTrouble } from '../text/trouble.ts'
import { isRecord, isTextList, setOwn, sha256 } from '../text/values.ts'
import { type ChangePlaces, isAtWork, type PlannedChange, stagePath, Transaction } from './transaction.ts'

/** New content of a file that another program or a person also edits. */
export interface FileEdit<Content extends string | Uint8Array = string> {
  path: string
  /** The folder that the file must stay inside; undefined for the user's own file, which may be a link. */
  project: string | undefined
  /** Undefined if the file does not exist. */
  before: Content | undefined
  /** Undefined to remove the file. */
  after: Content | undefined
  /** Default: the mode of the present file, or the usual one. */
  mode?: number
  /** Folders that go with a removed file if they are empty then, the outermost first. */
  folders?: readonly string[]
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
  /** The agents that it was written for. */
  agents?: readonly string[]
}

/** The files below the state folder with the records: one for each kind of edit. */
export type UndoFile = 'hook-installs.json' | 'server-installs.json' | 'list-switches.json'

/** The text of a file; undefined if it does not exist. */
export function readEdited(path: string): string | undefined {
  return exists(path) ? readText(path) : undefined
}

/**
 * Edits of several files of others, with the records that undo them. All of them happen, or none: what a killed process
 * has left is finished or undone first. `run` plans them: once to see whether it can, before anything is created, and
 * again as the only editor of such files. `purpose`: the command, for those that wait.
 */
export async function changeFiles<T>(
  machine: Machine,
  { purpose, isDryRun = false }: { purpose: string; isDryRun?: boolean | undefined },
  run: (edits: Edits) => T,
): Promise<T> {
  const log = new EditTransaction(machine)
  if (log.text() !== undefined && !isAtWork(log.work)) await log.asOnlyWriter('recovery', async () => {})
  // Beside another editor the files may be half changed, and there is nothing to create any more.
  if (!isAtWork(log.work)) {
    try {
      const edits = new Edits(machine)
      const value = run(edits)
      if (isDryRun || !edits.isChange()) return value
    } catch (error) {
      // Another editor may have begun meanwhile: the only editor knows for sure.
      if (isDryRun || !exists(log.work.home)) throw error
    }
  }
  return log.asOnlyWriter(purpose, async () => {
    const edits = new Edits(machine)
    const planned = run(edits)
    if (!isDryRun) await log.change(edits.changes())
    return planned
  })
}

/** Changes only the requested keys of `config.json`, and keeps unknown ones. `check` throws for bad values. */
export async function changeConfig(
  machine: Machine,
  check: (json: ConfigJson, path: string) => unknown,
  change: (json: ConfigJson) => ConfigJson,
): Promise<void> {
  await changeFiles(machine, { purpose: 'config' }, (edits) => {
    const { path } = machine.config
    const json = machine.config.read()
    check(json, path)
    const after = `${JSON.stringify(change(json), null, 2)}\n`
    edits.add({ path, project: undefined, before: edits.read(path), after, mode: PRIVATE_FILE })
  })
}

/** Edits that are planned together: each starts from the text that the ones before it leave. */
export class Edits {
  private readonly machine: Machine
  private readonly files = new Map<string, FileEdit<string | Uint8Array>>()
  private readonly records = new Map<UndoFile, Record<string, UndoRecord>>()

  constructor(machine: Machine) {
    this.machine = machine
  }

  read(path: string): string | undefined {
    const planned = this.files.get(path)
    return planned === undefined ? readEdited(path) : planned.after?.toString()
  }

  find(file: UndoFile, path: string): UndoRecord | undefined {
    const records = this.recordsIn(file)
    return Object.hasOwn(records, path) ? records[path] : undefined
  }

  /** Adds an edit that the text alone, or a record in the folder of the file, shows how to undo. */
  add<Content extends string | Uint8Array>(edit: FileEdit<Content>): void {
    const { path, after, folders = [] } = edit
    const { before, folders: earlier = [] } = this.files.get(path) ?? { before: edit.before }
    this.files.set(path, { ...edit, before, folders: after === undefined ? [...earlier, ...folders] : earlier })
  }

  /** Adds an edit with what undoes it; undefined if this is the undo, after which Loadout forgets the record. */
  addUndoable(edit: FileEdit, file: UndoFile, record: UndoRecord | undefined): void {
    const { path, before, after } = edit
    const old = this.find(file, path)
    const records = this.recordsIn(file)
    if (record === undefined) delete records[path]
    else if ((after !== before || record.agents !== undefined) && after !== undefined) setOwn(records, path, record)
    if (after !== before) this.add({ ...edit, folders: old?.folders })
  }

  /** Whether there is anything to do. Throws if a file may not be changed. */
  isChange(): boolean {
    const changed = this.changed()
    for (const { path, before } of changed) if (before !== undefined) requireWritable(path)
    return changed.length > 0
  }

  /** What the transaction has to do. */
  changes() {
    const edits = this.changed()
    for (const edit of edits) requireEditable(edit)
    return edits.map(({ path, project, after, folders, mode }) => {
      // The settings of an agent may contain a password.
      const write = (stage: string) => writeFileSync(stage, after ?? '', { flag: 'wx', mode: PRIVATE_FILE })
      return { path, project, folders, mode, write: after === undefined ? undefined : write }
    })
  }

  private changed(): FileEdit<string | Uint8Array>[] {
    const { machine } = this
    const records = [...this.records].map(([file, now]): FileEdit => {
      const path = machine.records.path(file)
      const after = Object.keys(now).length === 0 ? undefined : `${JSON.stringify(now, null, 2)}\n`
      return { path, project: undefined, before: readEdited(path), after }
    })
    const isChanged = ({ path, before, after, mode = 0 }: FileEdit<string | Uint8Array>) =>
      digestOf(before) !== digestOf(after) || (exists(path) && isExecutable(path) !== (mode & 0o100) > 0 && mode > 0)
    return [...records, ...this.files.values()].filter(isChanged)
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

function digestOf(content: string | Uint8Array | undefined): string | null {
  return content === undefined ? null : sha256(content)
}

function isExecutable(path: string): boolean {
  return (statSync(path).mode & 0o100) !== 0
}

/** Throws if a file has changed since it was read, because an agent may write its settings at the same time. */
function requireEditable({ path, before }: FileEdit<string | Uint8Array>): void {
  if (digestOf(exists(path) ? readBytes(path) : undefined) !== digestOf(before)) {
    throw failWith('WRITE_FAILED/changed', { path })
  }
  if (before !== undefined) requireWritable(path)
}

function requireWritable(path: string): void {
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

/**
 * The change of files of others: they are written where they are, through links and with their mode, instead of being
 * swapped. The new and the previous contents are in the state folder until all is done.
 */
class EditTransaction extends Transaction {
  private readonly machine: Machine

  constructor(machine: Machine) {
    const folder = machine.records.path('edits')
    const work = { path: folder, home: machine.records.folder }
    super('/', work, join(folder, 'log.json'), (path) => sha256(readBytes(path)))
    this.machine = machine
  }

  /** Not named after the file, whose path may be longer than a name may be. */
  protected override newStage(): string {
    return stagePath(this.work, 'edit')
  }

  protected override put(change: PlannedChange, { target, stage, old }: ChangePlaces): void {
    const { hash, was } = change
    const now = this.hashOf(target)
    if (now !== hash) {
      if (now !== was) throw failWith('WRITE_FAILED/changed', { path: target })
      if (now !== null) writeAtomically(old, [readBytes(target)], PRIVATE_FILE)
    }
    this.writeThere(target, change, hash === null ? undefined : now === hash ? 'there' : readBytes(stage))
  }

  protected override takeBack(change: PlannedChange, { target, old }: ChangePlaces): void {
    const { hash, was, project } = change
    const isOurs = this.hashOf(target) === hash && (was === null || exists(old))
    // Its folder may have been removed since, by its user.
    if (isOurs && isFolder(dirname(target))) {
      this.writeThere(target, { project }, was === null ? undefined : readBytes(old))
    }
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
    if (now === hash || now !== was) return now === hash
    const isWritable = was === null || unlessTrouble(() => requireWritable(target) === undefined, false)
    return isWritable && (hash === null || this.hashOf(stage) === hash)
  }

  private writeThere(
    path: string,
    { project, mode }: Pick<PlannedChange, 'project' | 'mode'>,
    content: Uint8Array | 'there' | undefined,
  ): void {
    const { records } = this.machine
    if (content === undefined) removeFile(path)
    else if (content !== 'there') {
      if (dirname(path) === records.folder) records.write(basename(path), content.toString())
      else if (project === undefined) writeAtomically(path, [content], mode)
      else writeNamed(project, path, [content])
    }
    if (content !== undefined && mode !== undefined && isExecutable(path) !== (mode & 0o100) > 0) chmodSync(path, mode)
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
  const { before, folders, blanks, switches, cameWithHooks, agents } = json
  const isKnown = before === undefined || before === null || isBlank(before)
  if (!isKnown || !isMapOf(blanks, isBlank)) return undefined
  if (switches !== undefined && !isMapOf(switches, isSwitch)) return undefined
  const named = isTextList(agents) ? agents : undefined
  return { before, folders, blanks, switches, cameWithHooks: cameWithHooks === true ? true : undefined, agents: named }
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
