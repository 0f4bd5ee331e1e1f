import { closeSync, fstatSync, openSync, readSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { asLoadoutError, exists, makeFolders, READING, requireFile, withFile } from '../../machine/files.ts'
import { quickDigest } from '../../text/values.ts'
import { readEvent, type UsageEvent } from '../rules/usage-event.ts'

/** Appends in a single write, so that writers at the same moment do not mix. A torn last line is closed first. */
export function appendEvents(events: readonly UsageEvent[], path: string): void {
  try {
    makeFolders(dirname(path), 0o700)
    if (exists(path)) requireFile(path)
    const file = openSync(path, 'a+', 0o600)
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    try {
      const bytes = Buffer.from((endsTorn(file) ? '\n' : '') + lines)
      const written = writeSync(file, bytes)
      if (written < bytes.length) writeSync(file, bytes, written)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}

/** Whether a crash truncated the last line. A line that another process is writing looks the same for a moment. */
function endsTorn(file: number): boolean {
  for (let look = 0; look < 25; look++) {
    if (look > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    if (size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === 10) return false
  }
  return true
}

const CHUNK = 64 * 1024
// No event is this long; a longer line is junk and must not fill the memory.
const LONGEST_LINE = 1024 * 1024

/**
 * Visits every event in order, a chunk at a time. Returns the number of lines that are not events; 0 for a missing log.
 */
export function scanEvents(
  path: string,
  visit: (event: UsageEvent) => void,
  newestBytes?: number,
): { junkLines: number } {
  if (!exists(path)) return { junkLines: 0 }
  let junkLines = 0
  const readLine = (line: string) => {
    if (line.trim() === '') return
    const event = line.length > LONGEST_LINE ? undefined : readEvent(line)
    if (event === undefined) junkLines++
    else visit(event)
  }
  forEachLine(path, readLine, newestBytes)
  return { junkLines }
}

/** With `newest` only the lines that begin in that many last bytes. */
function forEachLine(path: string, readLine: (line: string) => void, newest = Infinity): void {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.allocUnsafe(CHUNK)
  let rest = ''
  let file: number | undefined
  try {
    const from = Math.max(0, requireFile(path).size - newest)
    file = openSync(path, 'r')
    let position = from
    const next = (opened: number) => readSync(opened, buffer, 0, CHUNK, position)
    for (let count = next(file); count > 0; count = next(file)) {
      const lines = (rest + decoder.write(buffer.subarray(0, count))).split('\n')
      rest = lines.pop() ?? ''
      // The first line has lost its beginning.
      if (from > 0 && position === from) lines.shift()
      position += count
      // Keep one character over the limit, so that the line still counts as too long when its end comes.
      if (rest.length > LONGEST_LINE) rest = rest.slice(0, LONGEST_LINE + 1)
      lines.forEach(readLine)
    }
    readLine(rest + decoder.end())
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/**
 * Visits the events after an offset, each with the offset of its end, until the visitor returns false. Leaves an
 * unfinished last line for the next time. Also reports the end of lines that are not events, with the event before
 * them.
 */
export function scanFrom(path: string, from: number, visit: (event: UsageEvent, end: number) => boolean): void {
  if (!exists(path)) return
  let file: number | undefined
  try {
    requireFile(path)
    file = openSync(path, 'r')
    const buffer = Buffer.allocUnsafe(CHUNK)
    let [position, rest] = [from, Buffer.alloc(0)]
    for (;;) {
      const count = readSync(file, buffer, 0, CHUNK, position + rest.length)
      if (count === 0) return
      const bytes = Buffer.concat([rest, buffer.subarray(0, count)])
      let start = 0
      for (let end = bytes.indexOf(10, start); end >= 0; end = bytes.indexOf(10, start)) {
        const event = end - start > LONGEST_LINE ? undefined : readEvent(bytes.toString('utf8', start, end))
        start = end + 1
        if (event !== undefined && !visit(event, position + start)) return
      }
      position += start
      rest = Buffer.from(bytes.subarray(start))
    }
  } catch (error) {
    throw asLoadoutError(error, path, 'read')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const MARK_BYTES = 256

/** A digest of the bytes before an offset, to detect a log that was replaced. Empty when the log is shorter. */
export function markBefore(path: string, offset: number): string {
  if (!exists(path) || offset === 0 || requireFile(path).size < offset) return ''
  const length = Math.min(offset, MARK_BYTES)
  return withFile(path, path, READING, (file) => {
    const bytes = Buffer.alloc(length)
    readSync(file, bytes, 0, length, offset - length)
    return quickDigest(bytes.toString('latin1'))
  })
}

/** In bytes; undefined without a log. */
export function logSize(path: string): number | undefined {
  return exists(path) ? requireFile(path).size : undefined
}

/** Removes the log completely, also behind a link. */
export function eraseLog(path: string): void {
  try {
    for (const file of new Set([realpathSync(path), path])) rmSync(file, { force: true })
  } catch (error) {
    throw asLoadoutError(error, path, 'write')
  }
}
