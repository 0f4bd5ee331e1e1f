import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type CacheKey,
  isSettled,
  jsonCodec,
  readCached,
  type Stamp,
  stampOf,
  writeCached,
} from '../../machine/cache.ts'
import { codeOf } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { KeptFiles } from '../../machine/kept.ts'
import type { Machine } from '../../machine/machine.ts'
import { readTextYaml, YamlError } from '../../machine/yaml.ts'
import { cutDocument } from '../../text/frontmatter-block.ts'
import type { Code, LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { type ReadManifest, readManifest } from '../rules/manifest.ts'
import { PACK_FILE, type PackWarning } from '../rules/pack.ts'
import { shownText } from '../rules/shown-text.ts'

/** The frontmatter of a KNOWLEDGE.md with all values as text, or why it cannot be read. */
export type PackHead = { fields: Record<string, unknown> } | HeadProblem

export interface HeadProblem {
  code: Code
  /** Our own words, or a cleaned message of the YAML parser. */
  problem: string
  line?: number
}

/** Reads the frontmatter of the pack in a folder. */
export function readPackManifest(root: string): ReadManifest {
  const head = readPackHead(join(root, PACK_FILE))
  if (!('problem' in head)) return readManifest(head.fields, basename(root))
  return { manifest: undefined, warnings: [headWarning(head)] }
}

export function headWarning({ code, problem, line }: HeadProblem): PackWarning {
  return { severity: 'error', code, path: PACK_FILE, message: problem, ...(line !== undefined && { line }) }
}

/** The most bytes that Loadout reads of a KNOWLEDGE.md before its pack is used. */
export const HEAD_BYTES = 64 * 1024

// Most frontmatter is this short; the text after it must not be read yet.
const FIRST_BYTES = 4 * 1024

/** Reads the frontmatter and nothing after it. Never throws, and never waits for a pipe. */
export function readPackHead(path: string): PackHead {
  for (const most of [FIRST_BYTES, HEAD_BYTES]) {
    const { bytes, size, failure } = readInside(dirname(path), basename(path), { most, head: most })
    if (bytes === undefined) return unreadHead(failure)
    const block = cutHead(bytes, most)
    if (block !== undefined || size < most) return readBlock(block)
  }
  return readBlock(undefined)
}

function unreadHead({ code, cause }: LoadoutError): HeadProblem {
  if (code === 'NOT_A_FILE') return { code: 'file.not-regular', problem: 'it is not a regular file' }
  if (code === 'PATH_ESCAPE') return { code: 'source.escape', problem: 'it is a link that leaves the pack' }
  return { code: 'file.unreadable', problem: `it cannot be read (${codeOf(cause) || 'unknown reason'})` }
}

/** The bytes between the `---` lines. Decoded as latin1, because the text after them may not be UTF-8. */
function cutHead(bytes: Buffer, limit: number): Buffer | undefined {
  const start = bytes.subarray(0, 3).equals(BOM) ? 3 : 0
  const text = bytes.toString('latin1', start)
  // The last line may be cut at the limit.
  const { block } = cutDocument(bytes.length < limit ? text : text.slice(0, text.lastIndexOf('\n') + 1))
  return block === undefined ? undefined : Buffer.from(block, 'latin1')
}

const BOM = Buffer.from('\ufeff')

function readBlock(block: Buffer | undefined): PackHead {
  if (block === undefined) {
    return invalid(
      `it does not start with a frontmatter between two lines of --- in its first ${HEAD_BYTES / 1024} KB; to make it a pack, put ---, name: <its folder>, description: <what it knows> and --- on lines of their own at its top`,
    )
  }
  if (!isUtf8(block)) return invalid('its frontmatter is not UTF-8')
  if (block.includes(0)) return invalid('its frontmatter contains NUL bytes')
  try {
    const value = readTextYaml(block.toString('utf8'))
    return isRecord(value) ? { fields: value } : invalid('its frontmatter must contain keys and values', 2)
  } catch (error) {
    // The frontmatter starts on the second line of its file.
    if (error instanceof YamlError) return invalid(shownText(error.message, LONGEST_PROBLEM), error.line + 1)
    return invalid('its frontmatter cannot be read as YAML')
  }
}

const LONGEST_PROBLEM = 80

function invalid(problem: string, line?: number): HeadProblem {
  return { code: 'pack.frontmatter.invalid', problem, ...(line !== undefined && { line }) }
}

export interface HeadCache {
  /** The frontmatter of a KNOWLEDGE.md, read only if the file has changed. */
  read(path: string): PackHead
  /** Saves the heads that `read` returned. */
  save(): void
}

type Fields = Record<string, unknown>
type Row = [path: string, stamp: Stamp, fields: Fields]

const LARGEST_HEAD = 8 * 1024

// With fewer packs there is no cache: frontmatter may contain secrets and is not copied without need.
const FEWEST_HEADS = 8

const KEPT_BYTES = 4 * 1024 * 1024
const heads = new KeptFiles<PackHead>(KEPT_BYTES)

/** Caches parsed frontmatter, because loading the YAML parser takes longer than a discovery. */
export function openHeadCache(machine: Machine, root: string, fewest = FEWEST_HEADS): HeadCache {
  const key: CacheKey = { kind: 'pack-heads', version: 1, name: [root] }
  let stored: ReadonlyMap<string, Row> | undefined
  const known = () => (stored ??= new Map(readCached(machine, key, ROWS.decode)?.map((row) => [row[0], row])))
  const rows: Row[] = []
  let isChanged = false
  const now = machine.now()
  return {
    read(path) {
      const stamp = stampAt(path)
      const row = known().get(path)
      const isKnown = row !== undefined && stamp?.every((value, at) => value === row[1][at])
      const head: PackHead = isKnown ? { fields: row[2] } : heads.of(path, () => readPackHead(path))
      const isKept = stamp !== undefined && 'fields' in head && isSettled(stamp, now) && isSmall(head.fields)
      if (isKept) rows.push([path, stamp, head.fields])
      isChanged ||= isKept && !isKnown
      return head
    },
    save() {
      if (!isChanged || rows.length < fewest) return
      const bytes = ROWS.encode(rows)
      if (bytes !== undefined) writeCached(machine, key, bytes)
    },
  }
}

function isSmall(fields: Fields): boolean {
  return JSON.stringify(fields).length <= LARGEST_HEAD
}

function stampAt(path: string): Stamp | undefined {
  try {
    return stampOf(statSync(path))
  } catch {
    return undefined
  }
}

const ROWS = jsonCodec((json): json is Row[] => Array.isArray(json) && json.every(isRow))

function isRow(json: unknown): boolean {
  return Array.isArray(json) && typeof json[0] === 'string' && Array.isArray(json[1]) && isRecord(json[2])
}
