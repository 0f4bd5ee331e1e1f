import { closeSync, constants, mkdirSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { asLoadoutError, exists, isLink, replaceFile, writeAtomically } from './files.ts'

/** Whether a path below a root is still inside it after links, as far as it exists. */
export function staysInside(root: string, path: string): boolean {
  const full = join(root, path)
  const real = realOrNothing(full)
  if (real === undefined) return dirname(full) === full || full === root || staysInside(root, join(path, '..'))
  return isBelow(realpathSync.native(root), real)
}

/**
 * Writes a file of a project, all of it or nothing. A link that leads out of the root, at the end of the path or on the
 * way, is refused; one that stays inside is written through, one that leads nowhere is replaced. An existing file keeps
 * its mode.
 */
export function writeInside(root: string, path: string, content: string | readonly Uint8Array[]): void {
  refuseLinkOut(root, path)
  const full = join(root, path)
  const target = realOrNothing(full) ?? full
  try {
    mkdirSync(dirname(target), { recursive: true })
    const folder = openSync(dirname(target), constants.O_RDONLY | constants.O_DIRECTORY)
    try {
      // Through the open folder: whatever takes its place meanwhile, the file lands where the check looked.
      const place = realOf(folder)
      if (place !== undefined && !isBelow(realpathSync.native(root), place)) throw leadsOut(root, dirname(path), place)
      const pinned = place === undefined ? dirname(target) : `/proc/self/fd/${folder}`
      replaceFile(join(pinned, basename(target)), full, content)
    } finally {
      closeSync(folder)
    }
  } catch (error) {
    throw asLoadoutError(error, full, 'write')
  }
}

/** A file that must not be there yet. */
export function writeNewInside(root: string, path: string, content: string): void {
  const full = join(root, path)
  if (exists(full)) throw new LoadoutError('FILE_EXISTS', `${full} exists already`, { hint: 'it was left as it is' })
  writeInside(root, path, content)
}

/** Writes where the user asked. What they named inside the project must stay inside; elsewhere their word counts. */
export function writeNamed(root: string, path: string, content: string | readonly Uint8Array[]): void {
  const inside = pathFrom(root, path)
  if (inside === undefined) writeAtomically(path, content)
  else writeInside(root, inside, content)
}

/** Throws for a path that a user named inside a project and that a link leads out of it. */
export function refuseNamedLinkOut(root: string, path: string): void {
  const inside = pathFrom(root, path)
  if (inside !== undefined) refuseLinkOut(root, inside)
}

/** Throws for a path below a root that leaves it; says which link leads out, and where to. */
export function refuseLinkOut(root: string, path: string): void {
  if (staysInside(root, path)) return
  const parts = path.split('/')
  const ends = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
  const link = ends.find((end) => isLink(join(root, end)) && !staysInside(root, end)) ?? path
  throw leadsOut(root, link, realOrNothing(join(root, link)))
}

function leadsOut(root: string, link: string, target: string | undefined): LoadoutError {
  const where = target === undefined ? '' : `, to ${target}`
  return new LoadoutError('PATH_ESCAPE', `${join(root, link)} is a link that leads out of ${root}${where}`, {
    hint: 'nothing was written; replace the link with a file or folder of its own',
  })
}

/** A path as seen from a root, however the way to the root is spelt; undefined when it does not lie below it. */
function pathFrom(root: string, path: string): string | undefined {
  const real = realOrNothing(root) ?? root
  const full = resolve(path)
  for (let folder = dirname(full); ; folder = dirname(folder)) {
    if (folder === root || realOrNothing(folder) === real) return relative(folder, full)
    if (dirname(folder) === folder) return undefined
  }
}

/** Where an open file or folder really is, if the system tells. */
function realOf(file: number): string | undefined {
  try {
    const path = readlinkSync(`/proc/self/fd/${file}`)
    return path.startsWith('/') ? path : undefined
  } catch {
    return undefined
  }
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

function realOrNothing(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}
