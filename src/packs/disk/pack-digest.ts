import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import {
  type CacheKey,
  isSettled,
  jsonCodec,
  readCached,
  type Stamp,
  stampOf,
  writeCached,
} from '../../machine/cache.ts'
import { asLoadoutError } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import type { FileDigests } from '../../machine/rules/approval.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { LARGEST_PACK_FILE, PACK_FILE } from '../rules/pack.ts'
import { linkedRoot, listLinked, MOST_LINKED, type PackPlaceOnDisk } from './pack-place.ts'

/** Loadout never reads a larger KNOWLEDGE.md, so it must not be approved. */
const LARGEST_GUIDE = LARGEST_PACK_FILE

const MOST_TREE_FILES = 5_000
const MOST_TREE_BYTES = 64 * 1024 * 1024
const DEEPEST_FOLDER = 32

type Row = readonly [path: string, sha256: string, ...stamp: Stamp]

/**
 * The digest of every file of a pack and of its linked folder. Follows no symbolic link: the digest covers its target
 * path. Throws if the pack is too large.
 */
export function digestTree(place: PackPlaceOnDisk): FileDigests {
  return digestsOf(readRows(place, new Map()))
}

/**
 * Like `digestTree`, but caches digests and reads only changed files. Enough to see whether a pack changed: text for a
 * model is compared with its digest again when it is read.
 */
export function digestKnownTree(machine: Machine, place: PackPlaceOnDisk): FileDigests {
  const { root, linked } = place
  const key: CacheKey = { kind: 'pack-digests', version: 1, name: [root, ...(linked ? [linkedRoot(linked)] : [])] }
  const now = machine.now()
  const known = new Map(readCached(machine, key, ROWS.decode)?.map((row) => [row[0], row]))
  const rows = readRows(place, known)
  const settled = rows.filter(([, , ...stamp]) => isSettled(stamp, now))
  const bytes = settled.some((row) => known.get(row[0]) !== row) ? ROWS.encode(settled) : undefined
  if (bytes !== undefined) writeCached(machine, key, bytes)
  return digestsOf(rows)
}

const ROWS = jsonCodec((json): json is Row[] => Array.isArray(json) && json.every(isRow))

function isRow(json: unknown): boolean {
  if (!Array.isArray(json) || json.length !== 7) return false
  return json.every((value, at) => typeof value === (at < 2 ? 'string' : 'number'))
}

function digestsOf(rows: readonly Row[]): FileDigests {
  return Object.fromEntries(rows.map(([path, sha256]) => [path, sha256]))
}

function readRows(place: PackPlaceOnDisk, known: ReadonlyMap<string, Row>): Row[] {
  let left = MOST_TREE_BYTES
  return listAll(place).map(({ root, path: inside, prefix }) => {
    const path = `${prefix}${inside}`
    // Before the content is read: a change in between is noticed the next time.
    const stat = statOf(join(root, inside))
    left -= stat.isFile() ? stat.size : 0
    if (left < 0) throw tooLarge(root, `more than ${MOST_TREE_BYTES} bytes`)
    const stamp = stampOf(stat)
    const before = known.get(path)
    if (before !== undefined && stamp.every((value, at) => value === before[at + 2])) return before
    return [
      path,
      createHash('sha256')
        .update(contentOf(root, inside, stat))
        .digest('hex'),
      ...stamp,
    ]
  })
}

function statOf(path: string): Stats {
  try {
    return lstatSync(path)
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

/** The bytes of a regular file; for anything else, its kind. */
function contentOf(root: string, path: string, stat: Stats): Buffer | string {
  if (stat.isSymbolicLink()) return JSON.stringify(['link', linkAt(join(root, path))])
  if (!stat.isFile()) return JSON.stringify(['special'])
  const most = path === PACK_FILE ? LARGEST_GUIDE : stat.size
  const { bytes, real, failure } = readInside(root, path, { most })
  if (failure?.code === 'FILE_TOO_LARGE' && path === PACK_FILE) {
    throw tooLarge(join(root, path), `more than ${LARGEST_GUIDE} bytes`)
  }
  if (failure !== undefined) throw failure
  if (real === path) return bytes
  throw new LoadoutError('FILE_UNREADABLE', `${join(root, path)} was replaced by a link while it was read`, {
    hint: 'run the command again',
  })
}

function linkAt(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
}

function tooLarge(path: string, much: string): LoadoutError {
  return new LoadoutError('FILE_TOO_LARGE', `${path} cannot be approved: it contains ${much}`, {
    hint: 'make it smaller',
  })
}

/** The files of the pack, then those of its linked folder, which replaces the pack's own folder of that name. */
function listAll({ root, linked }: PackPlaceOnDisk): { root: string; path: string; prefix: string }[] {
  const isHidden = (path: string) => linked !== undefined && path.startsWith(`${linked.layer}/`)
  const own = listFiles(root).filter((path) => !isHidden(path))
  const rows = own.map((path) => ({ root, path, prefix: '' }))
  if (linked === undefined) return rows
  const { paths, isCut } = listLinked(linked, root)
  if (isCut) throw tooLarge(linkedRoot(linked), `more than ${MOST_LINKED} documents`)
  return [...rows, ...paths.map((path) => ({ root: linkedRoot(linked), path, prefix: `${linked.layer}/` }))]
}

function listFiles(root: string): string[] {
  const found: string[] = []
  const walk = new Walk(root, { mostDepth: DEEPEST_FOLDER })
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind } of entries) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (name.includes('\ufffd')) {
        throw new LoadoutError('BAD_NAME', `${root}/${path} has a name that is not UTF-8`, { hint: 'rename the file' })
      }
      if (kind === 'folder') enter(name)
      else found.push(path)
    }
    if (found.length > MOST_TREE_FILES) throw tooLarge(root, `more than ${MOST_TREE_FILES} files`)
  }
  const { unreadable, tooDeep } = walk.leftOut
  if (tooDeep.length > 0) throw tooLarge(root, `folders more than ${DEEPEST_FOLDER} deep`)
  for (const { path, error } of unreadable) throw asLoadoutError(error, path, 'read')
  return found.sort(compareText)
}
