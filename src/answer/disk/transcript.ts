import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { requireFile } from '../../machine/files.ts'

/** What an agent stores of a session, and replays when the session continues. */
export interface Transcript {
  holds(text: string): boolean
  /** The session that this one was forked from, if the agent reports it. */
  forkedFrom: string | undefined
}

// Older parts have long been compacted.
const MOST_READ = 64 * 1024 * 1024
const HEAD = 64 * 1024

/** Undefined if it is missing or unreadable. */
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

/**
 * Whether a path may occur at the end of a text in a JSON file. False positives are possible, false negatives are not.
 */
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
