import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { READING, requireFile, withFile } from '../../machine/files.ts'
import { attempt } from '../../text/values.ts'
import { type TranscriptItem, TranscriptReader } from '../rules/transcript.ts'

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

/** The newest part of a longer file. */
const MOST_RECALLED = 24 * 1024 * 1024
const MOST_ITEMS = 1_500

export interface RecalledTranscript {
  path: string
  items: TranscriptItem[]
  /** Only the end of the file was read, or its earlier items are left out. */
  isCut: boolean
  /** Lines that are not JSON: half written, or of another format. */
  junkLines: number
}

/** What an agent's own file says that its model had. Throws for a file that cannot be read. */
export function recallTranscript(path: string): RecalledTranscript {
  const { size } = requireFile(path)
  const from = Math.max(0, size - MOST_RECALLED)
  const lines = withFile(path, path, READING, (file) => {
    const bytes = Buffer.allocUnsafe(size - from)
    const count = readSync(file, bytes, 0, bytes.length, from)
    return bytes.toString('utf8', 0, count).split('\n')
  })
  if (from > 0) lines.shift()
  const reader = new TranscriptReader()
  const items: TranscriptItem[] = []
  let junkLines = 0
  for (const line of lines) {
    if (line.trim() === '') continue
    const json = attempt((): unknown => JSON.parse(line), undefined)
    if (json === undefined) junkLines++
    else items.push(...reader.read(json))
  }
  return { path, items: items.slice(-MOST_ITEMS), isCut: from > 0 || items.length > MOST_ITEMS, junkLines }
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
