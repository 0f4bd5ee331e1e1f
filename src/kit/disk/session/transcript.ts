import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { requireFile } from '../../../machine/files.ts'

/** What an agent keeps of a session, and replays when the session goes on. */
export interface Transcript {
  holds(text: string): boolean
  /** The session that this one was forked from, where the agent says so. */
  forkedFrom: string | undefined
}

// What is further back has long been compacted away.
const MOST_READ = 64 * 1024 * 1024
const HEAD = 64 * 1024

/** Undefined when there is none, or none that can be read. */
export function openTranscript(path: string | undefined): Transcript | undefined {
  if (path === undefined) return undefined
  try {
    const { size } = requireFile(path)
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.allocUnsafe(Math.min(size, MOST_READ))
      const count = readSync(file, bytes, 0, bytes.length, size - bytes.length)
      const head = Buffer.alloc(HEAD)
      readSync(file, head, 0, HEAD, 0)
      const forkedFrom = /"forked_from_id":"([^"\\]{1,512})"/.exec(head.toString('utf8'))?.[1]
      return { holds: (text) => bytes.subarray(0, count).includes(text), forkedFrom }
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

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
