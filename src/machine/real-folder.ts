import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { expandHome } from './config-file.ts'
import type { Machine } from './machine.ts'

/** Where a path that a person typed leads, after links. What is gone keeps its name below what is still there. */
export function realFolder(machine: Machine, typed: string): string {
  return followLinks(resolve(machine.cwd, expandHome(machine, typed)))
}

function followLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(followLinks(dirname(path)), basename(path))
  }
}

/** Where a path really leads; a path that leads nowhere is taken as it is. */
export function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
