import { findHeadings } from '../../../text/sections.ts'
import { layerOf, normalizePackPath, type PackLayer, type PackWarning, packPathProblem } from '../pack.ts'
import { findCodeSpans, findProse, withoutCode } from './anchor.ts'

/** A path that the guide of a pack points to, with the words around it. */
export interface MapEntry {
  path: string
  isDirectory: boolean
  /** What the guide says about it. Compared with the task, never obeyed. */
  hint: string
  layer: PackLayer
  /** Of the file that holds the guide. */
  line: number
}

export interface ContextMap {
  entries: MapEntry[]
  warnings: PackWarning[]
  /** Where the map stands in the file, from its heading on. */
  sectionLines: { from: number; to: number }[]
}

const TITLES = new Set(['context map', 'documents', '\u4e0a\u4e0b\u6587\u5730\u56fe'])

const MOST_ENTRIES = 1000
const LONGEST_HINT = 300
/** What an item says beyond this is not looked at. */
const LONGEST_ITEM = 2000

/** Reads the map in the body of a KNOWLEDGE.md, whose first line is the given one of the file. */
export function readContextMap(body: string, firstLine: number): ContextMap {
  const lines = body.split('\n')
  const map: ContextMap = { entries: [], warnings: [], sectionLines: [] }
  const isProse = findProse(lines)
  for (const { from, to } of findMaps(lines)) {
    map.sectionLines.push({ from: from + firstLine, to: to + firstLine - 1 })
    for (const item of readItems(lines, isProse, from + 1, to)) readItem(item, firstLine, map)
  }
  if (map.entries.length > MOST_ENTRIES) {
    const line = map.entries[MOST_ENTRIES]?.line
    map.entries = map.entries.slice(0, MOST_ENTRIES)
    warn(map, 'warning', 'discovery.limit', line, `the context map has more than ${MOST_ENTRIES} paths`)
  }
  return map
}

/** The sections with such a title, each to the next heading of its level or above. One inside another is part of it. */
function findMaps(lines: readonly string[]): { from: number; to: number }[] {
  // After another line, a rule at the start of the body is not frontmatter.
  const headings = findHeadings(['', ...lines]).map(({ line, ...heading }) => ({ ...heading, line: line - 1 }))
  const maps: { from: number; to: number }[] = []
  for (const [index, { level, title, line }] of headings.entries()) {
    if (level < 2 || level > 4 || !TITLES.has(title.trim().toLowerCase())) continue
    if (line < (maps.at(-1)?.to ?? 0)) continue
    const next = headings.slice(index + 1).find((other) => other.level <= level)
    maps.push({ from: line, to: next?.line ?? lines.length })
  }
  return maps
}

interface Item {
  line: number
  indent: number
  text: string
  /** The words of the item that this one is below. */
  parent: string
}

function readItems(lines: readonly string[], isProse: readonly boolean[], from: number, to: number): Item[] {
  const items: Item[] = []
  // The items around the present one, outermost first.
  const around: Item[] = []
  let open: Item | undefined
  for (let line = from; line < to; line++) {
    const text = isProse[line] ? (lines[line] ?? '') : ''
    const start = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/.exec(text)
    if (start !== null) {
      const indent = start[1]?.length ?? 0
      while ((around.at(-1)?.indent ?? -1) >= indent) around.pop()
      open = { line, indent, text: (start[2] ?? '').slice(0, LONGEST_ITEM), parent: hintOf(around.at(-1)?.text ?? '') }
      items.push(open)
      around.push(open)
    } else if (/^[\s*_=-]*$/.test(text) || /^ {0,3}#/.test(text)) open = undefined
    else if (open !== undefined) open.text = `${open.text}\n${text}`.slice(0, LONGEST_ITEM)
  }
  return items
}

function readItem({ line, text, parent }: Item, firstLine: number, map: ContextMap): void {
  const hint = hintOf(text) || parent
  for (const span of findCodeSpans(text)) {
    const place = line + firstLine + text.slice(0, span.from).split('\n').length - 1
    const path = span.text.split('#')[0] ?? ''
    const layer = layerOf(path)
    if (packPathProblem(path) !== undefined) {
      if (layer !== undefined || isMeantAsPath(path)) {
        warn(map, 'error', 'source.escape', place, `line ${place} of the context map names a path outside the pack`)
      }
    } else if (layer !== undefined) {
      map.entries.push({ path: normalizePackPath(path), isDirectory: path.endsWith('/'), hint, layer, line: place })
    }
  }
}

/** Code that is not a path is part of the prose: a command, a word. */
function isMeantAsPath(text: string): boolean {
  return /[/\\]/.test(text) && !/\s/.test(text)
}

function hintOf(text: string): string {
  return withoutCode(text).replace(/\s+/g, ' ').trim().slice(0, LONGEST_HINT)
}

function warn(
  map: ContextMap,
  severity: PackWarning['severity'],
  code: PackWarning['code'],
  line: number | undefined,
  message: string,
): void {
  map.warnings.push({ severity, code, path: 'KNOWLEDGE.md', message, ...(line === undefined ? {} : { line }) })
}
