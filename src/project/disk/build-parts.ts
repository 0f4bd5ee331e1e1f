import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type BuiltSegment, SegmentBuilder } from '../../search/segment-builder.ts'
import { LEFT_OUT } from '../rules/candidates.ts'
import { documentOf, PROJECT_TUNING } from '../rules/file-document.ts'
import { NO_REASON } from './listed-paths.ts'
import { readProjectText } from './project-text.ts'

/** The terms of some files, and why a file has none: a place in LEFT_OUT, or NO_REASON. */
export interface BuiltPart {
  built: BuiltSegment
  reasons: Uint8Array
}

const WORKER = join(import.meta.dirname, 'index-worker.js')

/** Reads files and builds their segments, of about `most` bytes of text each, in order. Much text is read by several threads. */
export async function* buildParts(
  root: string,
  files: readonly { path: string; size: number }[],
  most: number,
): AsyncGenerator<BuiltPart> {
  const text = files.reduce((sum, { size }) => sum + size, 0)
  // Starting a thread takes about as long as reading 8 MB, and each holds a segment in memory.
  const threads = Math.min(4, availableParallelism(), Math.floor(text / (8 * 1024 * 1024)))
  const enough = threads > 1 ? Math.min(most, Math.ceil(text / threads)) : most
  const parts: string[][] = []
  let size = Infinity
  for (const file of files) {
    if (size >= enough) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(file.path)
    size += file.size
  }
  if (threads < 2 || !existsSync(WORKER)) {
    for (const part of parts) yield* buildPart(root, part)
    return
  }
  const done: Promise<BuiltPart[]>[] = []
  // The next part begins when one has been taken over, so that few are in memory.
  for (let at = 0; at < Math.min(threads, parts.length); at++) done.push(inThread(root, parts[at]!))
  try {
    for (let at = 0; at < parts.length; at++) {
      const built = await done[at]!
      if (at + threads < parts.length) done.push(inThread(root, parts[at + threads]!))
      yield* built
    }
  } finally {
    await Promise.allSettled(done)
  }
}

/** If a thread cannot be started or fails, this one does its work. */
function inThread(root: string, paths: readonly string[]): Promise<BuiltPart[]> {
  return new Promise((resolve) => {
    const here = () => resolve([...buildPart(root, paths)])
    try {
      const worker = new Worker(WORKER, { workerData: { root, paths } })
      worker.once('message', resolve)
      worker.once('error', here)
    } catch {
      here()
    }
  })
}

export function* buildPart(root: string, paths: readonly string[]): Generator<BuiltPart> {
  let builder = new SegmentBuilder(PROJECT_TUNING)
  let reasons: number[] = []
  for (const path of paths) {
    const read = readProjectText(root, path)
    if ('text' in read) builder.add(reasons.length, documentOf(path, read.text))
    reasons.push('text' in read ? NO_REASON : LEFT_OUT.indexOf(read.leftOut))
    if (!builder.isFull) continue
    yield { built: builder.encode(reasons.length), reasons: Uint8Array.from(reasons) }
    builder = new SegmentBuilder(PROJECT_TUNING)
    reasons = []
  }
  if (reasons.length > 0) yield { built: builder.encode(reasons.length), reasons: Uint8Array.from(reasons) }
}
