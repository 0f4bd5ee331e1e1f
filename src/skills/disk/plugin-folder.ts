import { chmodSync, lstatSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders } from '../../machine/files.ts'
import { readJsonInside, writeInside } from '../../machine/inside.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText, isRecord, setOwn, sha256 } from '../../text/values.ts'
import type { PluginFile } from '../rules/plugin-files.ts'

/** Lists the files that Loadout wrote, with digests. Loadout does not change other files in the folder. */
const RECORD = 'loadout-plugin.json'

type Sums = Record<string, string>

/** The changes to a folder of plugins. */
export interface FolderPlan {
  folder: string
  written: PluginFile[]
  removed: string[]
  unchanged: number
  before: Sums
  after: Sums
}

/** Plans without writing. Throws for a file that Loadout did not write, or that was changed since. */
export function planFolder(folder: string, files: readonly PluginFile[]): FolderPlan {
  const before = readRecord(folder)
  const after: Sums = {}
  for (const file of files) setOwn(after, file.path, sumOf(file))
  const stale = Object.keys(before).filter((path) => !Object.hasOwn(after, path))
  const isAsWanted = (file: PluginFile) => stateOf(folder, file.path)?.sum === sumOf(file)
  const theirs = [...files.map(({ path }) => path), ...stale].filter((path) => {
    const found = stateOf(folder, path)
    return found !== undefined && found.sum !== after[path] && !(before[path] ?? '').split(' ').includes(found.sum)
  })
  if (theirs.length > 0) throw notOurs(folder, theirs)
  const written = files.filter((file) => !isAsWanted(file))
  const removed = stale.filter((path) => stateOf(folder, path) !== undefined).sort(compareText)
  return { folder, written, removed, unchanged: files.length - written.length, before, after }
}

function notOurs(folder: string, paths: readonly string[]): LoadoutError {
  const [first = '', ...more] = paths
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return new LoadoutError(
    'FILE_EXISTS',
    `${join(folder, first)}${others} ${more.length === 0 ? 'was' : 'were'} not written by Loadout, or changed since`,
    {
      hint: 'nothing was changed; move it away, or name another folder with --out',
    },
  )
}

/** First records the digests of the old and the new state, so that the next run recognizes both after a kill. */
export function applyFolder({ folder, written, removed, before, after }: FolderPlan): void {
  if (written.length + removed.length === 0) return
  makeFolders(folder)
  const both = Object.fromEntries(
    [...Object.keys(before), ...Object.keys(after)].map((path) => [
      path,
      [before[path], after[path]].flatMap((sum) => sum ?? []).join(' '),
    ]),
  )
  writeRecord(folder, both)
  for (const { path, bytes, isExecutable } of written) {
    writeInside(folder, path, [bytes])
    chmodSync(join(folder, path), isExecutable ? 0o755 : 0o644)
  }
  for (const path of removed) {
    rmSync(join(folder, path), { force: true })
    removeEmpty(folder, dirname(path))
  }
  writeRecord(folder, after)
}

function removeEmpty(folder: string, path: string): void {
  if (path === '.') return
  try {
    rmdirSync(join(folder, path))
  } catch {
    return
  }
  removeEmpty(folder, dirname(path))
}

function sumOf({ bytes, isExecutable }: PluginFile): string {
  return `${isExecutable ? 'x' : '-'}${sha256(bytes)}`
}

/** Undefined if nothing exists there. The digest is empty unless it is a file. */
function stateOf(folder: string, path: string): { sum: string } | undefined {
  const full = join(folder, path)
  const found = lstatSync(full, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return {
    sum: found.isFile() ? sumOf({ path, bytes: readFileSync(full), isExecutable: (found.mode & 0o100) !== 0 }) : '',
  }
}

function writeRecord(folder: string, files: Sums): void {
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => compareText(a, b)))
  writeInside(folder, RECORD, `${JSON.stringify({ written_by: 'loadout plugin build', files: sorted }, null, 2)}\n`)
}

function readRecord(folder: string): Sums {
  const sums: Sums = {}
  if (lstatSync(join(folder, RECORD), { throwIfNoEntry: false }) === undefined) return sums
  const json = readJsonInside(folder, RECORD)
  const files = isRecord(json) && isRecord(json.files) ? json.files : {}
  for (const [path, sum] of Object.entries(files)) if (typeof sum === 'string') setOwn(sums, path, sum)
  return sums
}
