import { isUtf8 } from 'node:buffer'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { exists } from '../../machine/files.ts'
import { readInside, refuseLinkOut, writeInside } from '../../machine/inside.ts'
import { acquireLock, tryLock } from '../../machine/lock.ts'
import { LEARNED_PROMPTS } from '../../machine/machine.ts'
import type { Records } from '../../machine/records.ts'
import { type LoadoutError, retell } from '../../text/trouble.ts'
import { attempt, compareText, sha256 } from '../../text/values.ts'
import { type Example, parseExample } from '../rules/example.ts'

const LONGEST_LINE = 8_000

/** A file of examples: its location, and which of its lines count. */
export interface ExampleFile {
  /** The folder that it must not leave. */
  root: string
  /** Slash-separated, below the root. */
  path: string
  place: 'library' | 'project' | 'machine'
}

export interface ExampleLine {
  /** As in the file, without the line end. */
  text: string
  /** Counted from 1. */
  line: number
  example?: Example
  problem?: string
}

export interface ExampleReading {
  file: ExampleFile
  /** Without blank ones. */
  lines: ExampleLine[]
  /** Why the whole file could not be read. */
  failure?: LoadoutError
}

/** Skips a broken line only; a missing file has no lines. Never throws. */
export function readExamples(file: ExampleFile): ExampleReading {
  // In bytes: about 20,000 long lines. Teaching never makes a larger file.
  const { bytes, failure } = readInside(file.root, file.path, { most: 16 * 1024 * 1024 })
  if (bytes === undefined) return { file, lines: [], failure: failure.code === 'FILE_NOT_FOUND' ? undefined : failure }
  const lines: ExampleLine[] = []
  // Decoded line by line, so that bytes that are not text lose only their line.
  for (let [from, line] = [0, 1]; from < bytes.length; line++) {
    const end = bytes.indexOf(10, from)
    const to = end < 0 ? bytes.length : end
    const part = bytes.subarray(from, bytes[to - 1] === 13 ? to - 1 : to)
    const text = part.toString('utf8').replace(line === 1 ? /^\ufeff/ : /^$/, '')
    from = to + 1
    if (text.trim() === '') continue
    if (!isUtf8(part)) lines.push({ text, line, problem: 'it is not UTF-8' })
    else if (text.length <= LONGEST_LINE) lines.push({ text, line, ...parseExample(text) })
    else lines.push({ text, line, problem: `it is longer than ${LONGEST_LINE} characters` })
  }
  return { file, lines }
}

const LIBRARY_FOLDER = 'examples'

/** The file of one skill of the library. Names of skills are safe names of files. */
export function libraryFile(library: string, skill: string): ExampleFile {
  return { root: library, path: `${LIBRARY_FOLDER}/${skill}.jsonl`, place: 'library' }
}

/** The files that the library has, by name. */
export function libraryFiles(library: string): ExampleFile[] {
  return attempt(() => {
    const names = readdirSync(join(library, LIBRARY_FOLDER)).filter((name) => name.endsWith('.jsonl'))
    return names.sort(compareText).map((name) => libraryFile(library, name.slice(0, -'.jsonl'.length)))
  }, [])
}

export function projectFile(root: string): ExampleFile {
  return { root, path: '.claude/loadout/examples.jsonl', place: 'project' }
}

/** Examples of this machine: `taught` by hand or by an agent, `from-use` from the usage log. */
export function machineFile({ folder }: Records, name: 'taught' | 'from-use'): ExampleFile {
  const path = name === 'taught' ? `${LIBRARY_FOLDER}/taught.jsonl` : LEARNED_PROMPTS
  return { root: folder, path, place: 'machine' }
}

type Change = (lines: readonly ExampleLine[]) => readonly string[] | undefined

/**
 * Replaces a file with the lines that `change` returns; undefined leaves it unchanged. One writer at a time, all or
 * nothing. Lines that `change` keeps keep their text.
 */
export async function changeExamples(records: Records, file: ExampleFile, change: Change): Promise<void> {
  replaceLines(records, file, change, await acquireLock(lockOf(records, file), { purpose: 'teach' }))
}

/** `changeExamples` for callers that must not wait: changes nothing while another process writes. */
export function changeExamplesNow(records: Records, file: ExampleFile, change: Change): void {
  const release = tryLock(lockOf(records, file), 'learn')
  if (release !== undefined) replaceLines(records, file, change, release)
}

function replaceLines(records: Records, file: ExampleFile, change: Change, release: () => void): void {
  try {
    const text = changedText(file, change)
    if (text === undefined) return
    if (file.place !== 'machine') {
      refuseLinkOut(file.root, file.path)
      writeInside(file.root, file.path, text)
    } else records.write(file.path, text)
  } finally {
    release()
  }
}

/** The text of a file after a change; undefined if it stays. */
export function changedText(file: ExampleFile, change: Change): string | undefined {
  const { lines, failure } = readExamples(file)
  // A file that cannot be read must not be replaced.
  const hint = failure?.hint ?? 'nothing was written; repair or move the file'
  if (failure !== undefined) throw retell(failure, { hint })
  return change(lines)
    ?.map((line) => `${line}\n`)
    .join('')
}

function lockOf(records: Records, { root, path }: ExampleFile): string {
  const folder = records.privateFolder('locks')
  const real = exists(root) ? realpathSync(root) : root
  return join(folder, `examples-${sha256(join(real, path)).slice(0, 16)}`)
}
