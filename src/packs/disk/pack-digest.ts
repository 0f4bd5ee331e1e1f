import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError } from '../../machine/files.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import type { FileDigests } from '../rules/gates/approval.ts'
import { PACK_FILE } from '../rules/pack.ts'
import { LARGEST_PACK_FILE } from './pack-folder.ts'

/** What is larger is never read, so that approving it would promise too much. */
const LARGEST_GUIDE = LARGEST_PACK_FILE

const MOST_TREE_FILES = 5_000
const MOST_TREE_BYTES = 64 * 1024 * 1024
const DEEPEST_FOLDER = 32

const PIECE = 64 * 1024

function digestFile(path: string, largest: number, complaint: LoadoutError): { sha256: string; bytes: number } {
  let file: number | undefined
  try {
    // Neither through a link, nor waiting for somebody to write into a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    if (!fstatSync(file).isFile()) {
      throw new LoadoutError('NOT_A_FILE', `${path} is not a regular file`, { hint: 'put a file in its place' })
    }
    return hashBytes(file, largest, complaint)
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Counts what is read, not what the folder says: a file may grow meanwhile. */
function hashBytes(file: number, largest: number, complaint: LoadoutError): { sha256: string; bytes: number } {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE)
  let bytes = 0
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
    bytes += read
    if (bytes > largest) throw complaint
    hash.update(piece.subarray(0, read))
  }
  return { sha256: hash.digest('hex'), bytes }
}

function tooLarge(path: string, much: string): LoadoutError {
  return new LoadoutError('FILE_TOO_LARGE', `${path} cannot be approved: it holds ${much}`, { hint: 'make it smaller' })
}

/** Every file of a pack by its path. Nothing is followed: a link counts as what it says. Throws when it is too large. */
export function digestTree(root: string): FileDigests {
  const complaint = tooLarge(root, `more than ${MOST_TREE_BYTES} bytes`)
  const guide = tooLarge(join(root, PACK_FILE), `more than ${LARGEST_GUIDE} bytes`)
  let left = MOST_TREE_BYTES
  const digests = listFiles(root).map((path): [string, string] => {
    const full = join(root, path)
    const what = kindOf(full)
    if (what !== undefined) return [path, createHash('sha256').update(JSON.stringify(what)).digest('hex')]
    const file = path === PACK_FILE ? digestFile(full, LARGEST_GUIDE, guide) : digestFile(full, left, complaint)
    left -= file.bytes
    return [path, file.sha256]
  })
  return Object.fromEntries(digests)
}

/** What is there, if it is no regular file. */
function kindOf(path: string): string[] | undefined {
  try {
    const stat = lstatSync(path)
    if (stat.isSymbolicLink()) return ['link', readlinkSync(path)]
    return stat.isFile() ? undefined : ['special']
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  }
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
