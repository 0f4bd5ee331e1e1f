import { isRecord } from '../../shared/record.ts'
import type { PackFiles } from '../pack-files.ts'
import { parsePackJson } from '../pack-files.ts'
import { layerOf, normalizePackPath, packPathProblem } from '../pack-path.ts'
import { SOURCE_MAP_PATH } from '../records/source-map.ts'
import { shownText } from '../shown-text.ts'
import type { PackWarning } from '../warning.ts'

/** A file that an index points to, and the text that led there. The text is for matching and is never emitted. */
export interface Nomination {
  path: string
  text: string
}

const MOST_INDEXES = 4
const MOST_NOMINATIONS = 20_000
const LARGEST_INDEX = 1024 * 1024

const remembered = new WeakMap<PackFiles, { nominations: Nomination[]; warnings: PackWarning[] }>()

/** What a pack's indexes point to. No format is fixed for them: every object that names a file of the pack counts. */
export function nominateFromIndexes(files: PackFiles): { nominations: Nomination[]; warnings: PackWarning[] } {
  const known = remembered.get(files)
  if (known !== undefined) return known
  const result = readIndexes(files)
  remembered.set(files, result)
  return result
}

function readIndexes(files: PackFiles): { nominations: Nomination[]; warnings: PackWarning[] } {
  const nominations: Nomination[] = []
  const warnings: PackWarning[] = []
  const paths = files
    .list('indexes')
    .filter((path) => path.endsWith('.json') && path !== SOURCE_MAP_PATH && (files.sizeOf(path) ?? 0) <= LARGEST_INDEX)
  for (const path of paths.slice(0, MOST_INDEXES)) {
    const file = files.read(path)
    if (file === undefined) continue
    const parsed = parsePackJson(file)
    if (parsed.problem !== undefined) {
      warnings.push({ severity: 'warning', code: 'index.invalid', path, message: shownText(parsed.problem) })
      continue
    }
    for (const nomination of collect(parsed.value)) {
      if (nominations.length >= MOST_NOMINATIONS) break
      const warning = judge(nomination, path, files)
      if (warning === undefined) nominations.push({ ...nomination, path: normalizePackPath(nomination.path) })
      else warnings.push(warning)
    }
  }
  return { nominations, warnings }
}

function judge({ path }: Nomination, index: string, files: PackFiles): PackWarning | undefined {
  const problem = packPathProblem(path)
  if (problem !== undefined) {
    const message = `this index points to a path that is refused: ${problem}`
    return { severity: 'error', code: 'source.escape', path: index, message }
  }
  if (files.sizeOf(path) !== undefined) return undefined
  return { severity: 'info', code: 'index.dangling', path: index, message: 'it points to files that are not there' }
}

/** Every object with a path in it, and every key that is one: `{ "wiki/a.md": ["words"] }`. */
function* collect(value: unknown): Generator<Nomination> {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (Array.isArray(next)) waiting.push(...next.slice(0, MOST_NOMINATIONS))
    if (!isRecord(next)) continue
    const texts = Object.values(next).flatMap((item) => textsOf(item))
    for (const path of texts.filter(looksLikePath)) {
      yield {
        path,
        text: texts
          .filter((text) => text !== path)
          .join(' ')
          .slice(0, 1000),
      }
    }
    for (const [key, item] of Object.entries(next)) {
      if (looksLikePath(key)) yield { path: key, text: textsOf(item).join(' ').slice(0, 1000) }
      if (typeof item === 'object') waiting.push(item)
    }
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string').slice(0, 100) : []
}

/** A file of a layer, or something that tries to leave the pack by way of one. */
function looksLikePath(text: string): boolean {
  if (text.length > 300 || !/\.(?:md|markdown|txt|json)$/i.test(text)) return false
  return packPathProblem(text) !== undefined || layerOf(text) !== undefined
}
