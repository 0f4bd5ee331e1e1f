import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exists, LARGEST_TEXT } from '../machine/files.ts'
import { readInside, readJsonInside } from '../machine/inside.ts'
import { compareText, getOwn, isRecord, setOwn, sha256, sortedBy } from '../text/values.ts'
import type { Edits } from './edits.ts'

/**
 * Files to make, by their path in the folder. `isExecutable`: absent if that does not matter. `isMerged`: the bytes keep what a
 * person changed, so they replace it.
 */
export type OwnFiles = ReadonlyMap<string, { bytes: string | Uint8Array; isExecutable?: boolean; isMerged?: boolean }>

/** What a change does to the files that Loadout made in a folder, by their paths. */
export interface OwnFilesPlan {
  written: string[]
  unchanged: string[]
  removed: string[]
  /** Wanted, and obsolete ones that a person or another program has changed, or made: they stay as they are. */
  kept: string[]
  left: string[]
}

/**
 * Plans the files that Loadout makes in a folder. A record in it has their digests: a file with another digest is not
 * ours. What an earlier change made and this one lacks is removed. `about`: what the record says besides.
 */
export function planOwnFiles(
  edits: Edits,
  { folder, record, about }: { folder: string; record: string; about: object },
  files: OwnFiles,
): OwnFilesPlan {
  const made = readOwnFiles(folder, record) ?? {}
  const plan: OwnFilesPlan = { written: [], unchanged: [], removed: [], kept: [], left: [] }
  const ours: Record<string, string> = {}
  for (const [path, { bytes, isExecutable, isMerged }] of files) {
    const digest = digestOf(bytes, isExecutable)
    const now = stateOf(folder, path, digest)
    const isOurs = isMerged || now === undefined || [digest, getOwn(made, path)].includes(now.digest)
    const list = now?.digest === digest ? 'unchanged' : isOurs ? 'written' : 'kept'
    plan[list].push(path)
    const known = list === 'kept' ? getOwn(made, path) : digest
    if (known !== undefined) setOwn(ours, path, known)
    if (list !== 'written') continue
    const mode = isExecutable === undefined ? undefined : isExecutable ? 0o755 : 0o644
    edits.add({ path: join(folder, path), project: folder, before: now?.bytes, after: Buffer.from(bytes), mode })
  }
  for (const [path, was] of Object.entries(made).sort(([a], [b]) => compareText(a, b))) {
    const now = files.has(path) ? undefined : stateOf(folder, path, was)
    if (now === undefined) continue
    if (now.digest !== was) {
      plan.left.push(path)
      continue
    }
    plan.removed.push(path)
    const folders: string[] = []
    for (let each = dirname(path); each !== '.'; each = dirname(each)) folders.unshift(join(folder, each))
    edits.add({ path: join(folder, path), project: folder, before: now.bytes, after: undefined, folders })
  }
  if (plan.written.length + plan.removed.length > 0 || !exists(join(folder, record))) {
    const text = formatOwnFiles(about, ours)
    edits.add({ path: join(folder, record), project: folder, before: edits.read(join(folder, record)), after: text })
  }
  return plan
}

/** The text of a record. */
export function formatOwnFiles(about: object, digests: Readonly<Record<string, string>>): string {
  const files = Object.fromEntries(sortedBy(Object.entries(digests), ([path]) => path))
  return `${JSON.stringify({ ...about, files }, null, 2)}\n`
}

/** The digests in a record; undefined if there is none, or none that can be read. */
export function readOwnFiles(folder: string, record: string): Readonly<Record<string, string>> | undefined {
  if (readInside(folder, record, { most: LARGEST_TEXT }).failure !== undefined) return undefined
  const json = readJsonInside(folder, record, LARGEST_TEXT)
  if (!isRecord(json) || !isRecord(json.files)) return undefined
  const digests: Record<string, string> = {}
  for (const [path, digest] of Object.entries(json.files)) {
    if (typeof digest === 'string' && !path.split('/').includes('..')) setOwn(digests, path, digest)
  }
  return digests
}

function digestOf(bytes: string | Uint8Array, isExecutable: boolean | undefined): string {
  return `${isExecutable === undefined ? '' : isExecutable ? 'x' : '-'}${sha256(bytes)}`
}

/** Undefined if nothing exists there; an empty digest for anything but a file. `like`: a digest of the same form. */
function stateOf(folder: string, path: string, like: string): { digest: string; bytes?: Buffer } | undefined {
  const full = join(folder, path)
  if (!exists(full)) return undefined
  const found = lstatSync(full)
  const { bytes } = found.isFile() ? readInside(folder, path, { most: LARGEST_TEXT }) : {}
  if (bytes === undefined) return { digest: '' }
  return { digest: digestOf(bytes, /^[x-]/.test(like) ? (found.mode & 0o100) !== 0 : undefined), bytes }
}
