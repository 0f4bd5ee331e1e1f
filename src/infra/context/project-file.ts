import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Code } from '../../domain/shared/codes.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { pathProblem } from '../../domain/shared/safe-path.ts'
import { asLoadoutError } from '../files.ts'
import { refuseLinkOut, staysInside } from '../inside.ts'

/** Why a source gave nothing. Names no folder of this machine, so that a bundle may say it. */
export interface Failure {
  code: Code
  message: string
}

export type ProjectBytes = { bytes: Buffer; failure?: undefined } | { bytes?: undefined; failure: Failure }

/** The bytes of a regular file of a project, if it lies inside it once every link is followed. Never waits, never throws. */
export function readProjectFile(root: string, path: string, largest: number): ProjectBytes {
  let file: number | undefined
  try {
    const problem = pathProblem(path) ?? (staysInside(root, path) ? undefined : 'it is a link that leaves the project')
    if (problem !== undefined) throw escapes(path, problem)
    // Not waiting: opening a pipe would otherwise hang until somebody writes into it.
    file = openSync(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (stat.isDirectory()) return fail('NOT_A_FILE', `${path} is a folder`)
    if (!stat.isFile()) return fail('NOT_A_FILE', `${path} is not a regular file`)
    const bytes = readUpTo(file, largest + 1)
    if (bytes.length <= largest) return { bytes }
    return fail('FILE_TOO_LARGE', `${path} has more than ${largest} bytes`)
  } catch (error) {
    const { code, message } = asLoadoutError(error, path, 'read')
    return fail(code, message)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function fail(code: Code, message: string): ProjectBytes {
  return { failure: { code, message } }
}

/** Throws for a path that may not be written: it leaves the project, by its words or by links. */
export function requireInside(root: string, path: string): void {
  const problem = pathProblem(path)
  if (problem !== undefined) throw escapes(path, problem)
  refuseLinkOut(root, path)
}

function escapes(path: string, problem: string): LoadoutError {
  return new LoadoutError('PATH_ESCAPE', `the path ${JSON.stringify(path)} is refused: ${problem}`, {
    hint: 'name a file inside the project',
  })
}

/** A file can grow while it is read; no more than asked for ever comes. */
function readUpTo(file: number, most: number): Buffer {
  const parts: Buffer[] = []
  for (let left = most; left > 0; ) {
    const part = Buffer.allocUnsafe(Math.min(left, 64 * 1024))
    const count = readSync(file, part)
    if (count === 0) break
    parts.push(part.subarray(0, count))
    left -= count
  }
  return Buffer.concat(parts)
}
