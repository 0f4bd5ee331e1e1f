import { readFileSync } from 'node:fs'
import { requireFile } from '../../files.ts'

/** Whether a path may stand at the end of a text in a JSON file that a hook reads. May say yes wrongly, never no. */
export function fileHolds(jsonFile: string, path: string, largest: number): boolean {
  try {
    if (requireFile(jsonFile).size > largest) return false
  } catch {
    return false
  }
  // Other letters can be written in several ways.
  if (!/^[\w ./-]*$/.test(path)) return true
  return readFileSync(jsonFile).includes(`${path}"`)
}
