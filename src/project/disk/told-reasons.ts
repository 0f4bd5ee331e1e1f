import { type CacheKey, readCached, writeCached } from '../../machine/cache.ts'
import { isUnfinished } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { type ListedPaths, NO_REASON } from './listed-paths.ts'
import { areSame, bytesOf } from './stamps.ts'

/** Such a path is not mentioned at all. */
export const HIDDEN = 254

/** Increase it when the same rule would give other reasons. */
const VERSION = 2

/** Why a path is not a candidate, besides its name. `rule`: everything that `why` depends on, if known. */
export interface LeaveOut {
  why: (path: string) => LeftOut | 'hidden' | undefined
  rule?: string | undefined
}

/**
 * Why each path is not a candidate, as far as known without reading it: a place in LEFT_OUT, HIDDEN or
 * NO_REASON. Kept for the same paths and the same rule: asking takes half as long as looking at all the files.
 */
export function toldReasons(machine: Machine, root: string, listed: ListedPaths, { why, rule }: LeaveOut): Uint8Array {
  if (rule === undefined) return askAll(listed, why)
  const key: CacheKey = { kind: 'project-reasons', version: VERSION, name: [root, rule] }
  const known = readCached(machine, key, (bytes) => decode(bytes, listed.keys))
  if (known !== undefined) return known
  const told = askAll(listed, why)
  writeCached(machine, key, Buffer.concat([bytesOf(listed.keys), told]))
  return told
}

function decode(bytes: Uint8Array, keys: Float64Array): Uint8Array | undefined {
  if (bytes.length !== 9 * keys.length) return undefined
  return areSame(new Float64Array(bytes.buffer, bytes.byteOffset, keys.length), keys)
    ? bytes.subarray(8 * keys.length)
    : undefined
}

function askAll({ paths, reasons }: ListedPaths, why: LeaveOut['why']): Uint8Array {
  const told = new Uint8Array(paths.length)
  paths.forEach((path, at) => {
    const given = why(path)
    const isHidden = given === 'hidden' || isUnfinished(path.slice(path.lastIndexOf('/') + 1))
    if (isHidden) told[at] = HIDDEN
    else if (reasons[at] !== NO_REASON) told[at] = reasons[at]!
    else told[at] = given === undefined ? NO_REASON : LEFT_OUT.indexOf(given)
  })
  return told
}
