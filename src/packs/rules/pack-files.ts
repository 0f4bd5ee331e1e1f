import { type ParsedJson, parseForeignJson, parseForeignJsonLines } from '../../text/json.ts'
import type { PackLayer, PackWarning } from './pack.ts'

/** A text file of a pack, read whole. */
export interface PackFile {
  /** Inside the pack, with slashes. */
  path: string
  /** Line ends are `\n`; a byte order mark is gone. */
  text: string
  /** Of the bytes on disk. */
  sha256: string
  bytes: number
}

/** What a resolver may ask of a pack's folder. Every answer is about something inside the pack, after links. */
export interface PackFiles {
  /** A regular text file of bounded size. Undefined, with a warning kept, when there is none that may be read. */
  read(path: string): PackFile | undefined
  /** The files below a folder of the pack, or below its root for '', in code unit order. Opens none of them. Empty when there is no such folder. */
  list(folder: string): readonly string[]
  /** The size of a regular file, without opening it; undefined when there is none. */
  sizeOf(path: string): number | undefined
  /** Of a file's bytes, to compare with a recorded one. The text goes nowhere. */
  fingerprint(path: string): string | undefined
  /** What was met on the way: escapes, links, pipes, files too large, bytes that are no text. */
  readonly warnings: readonly PackWarning[]
  /** The files opened so far, in order. */
  readonly opened: readonly string[]
}

/** The JSON of a pack's file; the lines of a `.jsonl` file as one list. Never throws. */
export function parsePackJson({ path, text }: Pick<PackFile, 'path' | 'text'>): ParsedJson {
  return path.toLowerCase().endsWith('.jsonl') ? parseForeignJsonLines(text) : parseForeignJson(text)
}

/** A piece of a pack that goes to the model: some lines of a file, or text made from its records. */
export interface ContextPart {
  path: string
  layer: PackLayer | 'guide'
  /** Counted from 1, both included. Absent when the text was put together from records. */
  lines?: { from: number; to: number }
  text: string
}
