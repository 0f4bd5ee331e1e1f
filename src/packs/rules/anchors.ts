import { documentKind } from '../../text/document-kind.ts'
import { normalizePackPath, packPathProblem, packSections } from './pack.ts'

/** A place in a source: lines or a heading of a text, a page of a document, a time of a recording. */
export type Anchor =
  | { kind: 'lines'; from: number; to: number }
  | { kind: 'heading'; slug: string }
  | { kind: 'page'; page: number }
  | { kind: 'time'; seconds: number }

export function parseAnchor(text: string): Anchor {
  const [, from, to] = /^L(\d{1,9})(?:-L?(\d{1,9}))?$/i.exec(text) ?? []
  if (from !== undefined) return { kind: 'lines', from: Number(from), to: Number(to ?? from) }
  const page = /^page=(\d{1,9})$/i.exec(text)?.[1]
  if (page !== undefined) return { kind: 'page', page: Number(page) }
  const time = /^t=((?:\d{1,9}:){0,2}\d{1,9})$/i.exec(text)?.[1]
  if (time !== undefined) {
    return { kind: 'time', seconds: time.split(':').reduce((total, part) => total * 60 + Number(part), 0) }
  }
  return { kind: 'heading', slug: text.normalize('NFC').toLowerCase() }
}

/** `path#anchor`, or the path alone. */
export function formatAnchor({ path, anchor }: { path: string; anchor?: string }): string {
  return anchor === undefined || anchor === '' ? path : `${path}#${anchor}`
}

/** Lines are counted from 1, both included. */
export interface AnchorPlace {
  isFound: boolean
  /** Undefined for pages and times, which cannot be checked in a text. */
  lines?: { from: number; to: number }
}

/** Finds an anchor in a text. The file name decides which lines are headings. */
export function findAnchor(text: string, anchor: string, path: string): AnchorPlace {
  return anchorsOf(text, path)(anchor)
}

/** Finds many anchors in one text. */
export function anchorsOf(text: string, path: string): (anchor: string) => AnchorPlace {
  const { length } = text.replace(/\n$/, '').split('\n')
  const known = new Map<string, AnchorPlace>()
  let sections: Map<string, { from: number; to: number }> | undefined
  return (anchor) => {
    let place = known.get(anchor)
    if (place === undefined) {
      const parsed = parseAnchor(anchor)
      if (parsed.kind === 'heading') sections ??= linesBySlug(text, path)
      place = parsed.kind === 'page' ? pageIn(text, path, parsed.page) : placeOf(parsed, length, sections)
      known.set(anchor, place)
    }
    return place
  }
}

function placeOf(
  anchor: Exclude<Anchor, { kind: 'page' }>,
  length: number,
  sections: ReadonlyMap<string, { from: number; to: number }> | undefined,
): AnchorPlace {
  if (anchor.kind === 'time') return { isFound: true }
  if (anchor.kind === 'lines') {
    const { from, to } = anchor
    return from >= 1 && from <= to && to <= length ? { isFound: true, lines: { from, to } } : { isFound: false }
  }
  const lines = sections?.get(anchor.slug)
  return lines === undefined ? { isFound: false } : { isFound: true, lines }
}

/** A place that a program can open: a page of a PDF, a heading of a web page. `line`: where it begins in the text. */
export interface DocumentPlace {
  line: number
  anchor: string
}

/** The places of a document that a reader turned into Markdown, in order. Undefined for other files: lines name their places. */
export function placesIn(path: string, text: string): DocumentPlace[] | undefined {
  const kind = documentKind(path)
  if (kind !== 'pdf' && kind !== 'html') return undefined
  const start = kind === 'pdf' ? PAGE : LINKED
  return text.split('\n').flatMap((line, at) => {
    const found = line.startsWith('#') ? start.exec(line)?.[1] : undefined
    return found === undefined ? [] : [{ line: at + 1, anchor: kind === 'pdf' ? `page=${found}` : found }]
  })
}

const PAGE = /^## Page (\d+)\b/
const LINKED = /\{#([\w.:-]{1,100})\}$/

/** The place that contains a line. */
export function placeAt(places: readonly DocumentPlace[], line: number): string | undefined {
  return places.findLast((place) => place.line <= line)?.anchor
}

/** A page can be checked in the text of a PDF only. */
function pageIn(text: string, path: string, page: number): AnchorPlace {
  const places = documentKind(path) === 'pdf' ? placesIn(path, text) : undefined
  if (places === undefined) return { isFound: true }
  const at = places.findIndex(({ anchor }) => anchor === `page=${page}`)
  if (at < 0) return { isFound: false }
  const end = places[at + 1]?.line ?? text.replace(/\n$/, '').split('\n').length + 1
  return { isFound: true, lines: { from: places[at]!.line, to: end - 1 } }
}

/** The lines of each section, with those below it, by the slug of its heading. */
function linesBySlug(text: string, path: string): Map<string, { from: number; to: number }> {
  const sections = packSections(path, text).filter(({ level }) => level > 0)
  // The link names of headings. A repeated title gets a number.
  const used = new Map<string, number>()
  const slugs = sections.map(({ title }) => {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const before = used.get(slug)
    used.set(slug, (before ?? 0) + 1)
    return before === undefined ? slug : `${slug}-${before}`
  })
  const linked = sections.flatMap(({ text: own, from, end }) => {
    const id = LINKED.exec(own.slice(0, own.indexOf('\n')).trimEnd())?.[1]
    return id === undefined ? [] : [[id.toLowerCase(), { from, to: end }] as const]
  })
  // The first of those with the same slug comes last, and stays.
  return new Map(
    [...linked, ...sections.map(({ from, end }, at) => [slugs[at]!, { from, to: end }] as const)].reverse(),
  )
}

/** A source mark in a statement. */
export interface InlineAnchor {
  /** Normalized; unchanged if it leads out of the pack, so that the caller can refuse it. */
  path: string
  anchor?: string
  line: number
}

/** Finds marks such as `[source: path#anchor]`, which may name several places. Skips code. */
export function findInlineAnchors(text: string): InlineAnchor[] {
  if (!/\[source:/i.test(text)) return []
  const lines = text.split('\n')
  const isProse = findProse(lines)
  return lines.flatMap((line, index) => {
    if (!isProse[index] || !/\[source:/i.test(line)) return []
    const marks = [...withoutCode(line).matchAll(/\[source:([^\]]{1,1000})\]/gi)]
    return marks.flatMap(([, places = '']) =>
      places.split(/[;,]\s/).flatMap((place): InlineAnchor[] => {
        const [written = '', ...rest] = place.trim().split('#')
        const path = written.trim()
        if (path === '') return []
        const isSafe = packPathProblem(path) === undefined
        const anchor = rest.join('#').trim() || undefined
        return [{ path: isSafe ? normalizePackPath(path) : path, anchor, line: index + 1 }]
      }),
    )
  })
}

/** For each line, whether it is prose: not in a code block or comment, also inside lists. */
export function findProse(lines: readonly string[]): boolean[] {
  let fence: string | undefined
  let isComment = false
  return lines.map((line) => {
    const mark = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})/.exec(line.slice(0, 400))?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
      return false
    }
    if (isComment) {
      isComment = !line.includes('-->')
      return false
    }
    if (mark !== undefined) {
      fence = mark
      return false
    }
    const start = line.lastIndexOf('<!--')
    isComment = start !== -1 && !line.includes('-->', start)
    return !/^\s*<!--/.test(line)
  })
}

/** Inline code in a line of prose. */
export interface CodeSpan {
  text: string
  from: number
  to: number
}

/** In characters. The limit keeps hostile input cheap. */
const LONGEST_SENTENCE = 4000

/** Finds text between equal numbers of backticks. */
export function findCodeSpans(text: string): CodeSpan[] {
  const runs = [...text.slice(0, LONGEST_SENTENCE).matchAll(/`+/g)]
  const spans: CodeSpan[] = []
  for (let at = 0; at < runs.length; at++) {
    const [open, from] = [runs[at]![0], runs[at]!.index]
    const end = runs.findIndex((run, other) => other > at && run[0] === open)
    if (end === -1) continue
    const to = runs[end]!.index + open.length
    spans.push({ text: text.slice(from + open.length, to - open.length).trim(), from, to })
    at = end
  }
  return spans
}

/** Replaces inline code by blanks of the same length. */
export function withoutCode(text: string): string {
  let prose = text
  for (const { from, to } of findCodeSpans(text)) {
    prose = prose.slice(0, from) + ' '.repeat(to - from) + prose.slice(to)
  }
  return prose
}
