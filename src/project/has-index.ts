import type { Machine } from '../machine/machine.ts'
import { projectIndexKey } from './disk/project-index-key.ts'

/** Whether the project has an index within this many bytes. Builds none. */
export function hasIndex(machine: Machine, root: string, most: number): boolean {
  const opened = machine.cache.open(projectIndexKey(root))
  opened?.close()
  return opened !== undefined && opened.size <= most
}
