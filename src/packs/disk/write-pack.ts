import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asLoadoutError, codeOf, exists, makeFolders, removeFile, removeLeftovers } from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import {
  type PinnedFolder,
  pinFolder,
  readInside,
  readJsonInside,
  refuseLinkOut,
  writeInside,
} from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import { move } from '../../machine/platform.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { getOwn, isRecord, sha256 } from '../../text/values.ts'

/** Writes a new folder below a root, completely or not at all. Refuses an existing folder. */
export async function writeNewFolder(root: string, target: string, files: ReadonlyMap<string, string>): Promise<void> {
  refuseExisting(target)
  let around: PinnedFolder | undefined
  let stage: string | undefined
  try {
    makeFolders(dirname(target))
    around = pinFolder(dirname(target), root)
    const place = join(around.place, basename(target))
    // Hidden, so that discovery does not take it for a finished pack.
    stage = join(around.place, `${ownedName(`.${basename(target)}`)}.tmp`)
    removeLeftovers(place)
    for (const [path, text] of files) {
      makeFolders(dirname(join(stage, path)))
      writeFileSync(join(stage, path), text, { flag: 'wx' })
    }
    await flushFiles(stage, [...files.keys()])
    refuseExisting(target)
    move(stage, place)
  } catch (error) {
    if (stage !== undefined) rmSync(stage, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) refuseExisting(target)
    throw asLoadoutError(error, target, 'write')
  } finally {
    around?.close()
  }
}

function refuseExisting(target: string): void {
  if (!exists(target)) return
  throw new LoadoutError('PACK_EXISTS', `${target} already exists`, {
    hint: 'choose another name; nothing was written',
  })
}

/** Lists the files that `packs new --from` wrote: a second run replaces only these. */
const IMPORT_RECORD = 'runs/import.json'

export interface ImportWritten {
  written: string[]
  unchanged: string[]
  /** Files that others changed or added; left as they are. */
  kept: string[]
  removed: string[]
}

/** Writes the files of an imported pack. Refuses a folder that was not imported, and replaces only unchanged files. */
export async function writeImport(
  root: string,
  target: string,
  files: ReadonlyMap<string, string>,
  from: string,
): Promise<ImportWritten> {
  const record = recordText(from, files)
  if (!exists(target)) {
    await writeNewFolder(root, target, new Map([...files, [IMPORT_RECORD, record]]))
    return { written: [...files.keys()], unchanged: [], kept: [], removed: [] }
  }
  const before = readRecord(target)
  if (before === undefined) {
    throw new LoadoutError('PACK_EXISTS', `${target} already exists, and was not made from documents`, {
      hint: 'choose another name; nothing was written',
    })
  }
  const result: ImportWritten = { written: [], unchanged: [], kept: [], removed: [] }
  const made = new Map<string, string>()
  for (const [path, text] of files) {
    const now = digestAt(target, path)
    const ours = getOwn(before, path)
    if (now === sha256(text)) result.unchanged.push(path)
    else if (now === undefined || now === ours) result.written.push(path)
    else result.kept.push(path)
    if (!result.kept.includes(path)) made.set(path, text)
  }
  for (const path of result.written) refuseLinkOut(target, path)
  for (const path of result.written) writeInside(target, path, files.get(path) ?? '')
  for (const path of Object.keys(before).filter((each) => !files.has(each))) {
    if (digestAt(target, path) !== getOwn(before, path)) continue
    refuseLinkOut(target, path)
    removeFile(join(target, path))
    result.removed.push(path)
  }
  const text = recordText(from, made)
  if (digestAt(target, IMPORT_RECORD) !== sha256(text)) writeInside(target, IMPORT_RECORD, text)
  return result
}

/** Adds files to a folder that already has its texts, and records them as ours. */
export function addToFolder(target: string, files: ReadonlyMap<string, string>, from: string): void {
  for (const path of [...files.keys(), IMPORT_RECORD]) refuseLinkOut(target, path)
  for (const [path, text] of files) writeInside(target, path, text)
  writeInside(target, IMPORT_RECORD, recordText(from, files))
}

function recordText(from: string, files: ReadonlyMap<string, string>): string {
  const digests = Object.fromEntries([...files].map(([path, text]) => [path, sha256(text)]))
  return `${JSON.stringify({ tool: 'loadout packs new', from, files: digests }, undefined, 2)}\n`
}

const LARGEST_RECORD = 4 * 1024 * 1024

function readRecord(target: string): Record<string, string> | undefined {
  try {
    const json = readJsonInside(target, IMPORT_RECORD, LARGEST_RECORD)
    if (!isRecord(json) || !isRecord(json.files)) return undefined
    const rows = Object.entries(json.files).filter((row): row is [string, string] => typeof row[1] === 'string')
    return Object.fromEntries(rows.filter(([path]) => !path.split('/').includes('..')))
  } catch {
    return undefined
  }
}

function digestAt(target: string, path: string): string | undefined {
  const { bytes } = readInside(target, path, { most: LARGEST_RECORD })
  return bytes === undefined ? undefined : sha256(bytes.toString('utf8'))
}
