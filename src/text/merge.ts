import { matchLines } from './line-diff.ts'

/** A stretch of a merged text. A conflict holds what each version says there. */
export type MergeChunk =
  | { kind: 'merged'; text: string }
  | { kind: 'conflict'; base: string; ours: string; theirs: string }

/**
 * Merges two versions of a text with a common base, line by line. Takes a change on one side; takes an equal change on
 * both sides once; adjoining changes are a conflict. Line ends are merged as a property of the whole text if every
 * version uses one kind only.
 */
export function mergeTexts(base: string, ours: string, theirs: string): MergeChunk[] {
  if (ours === theirs || theirs === base) return whole(ours)
  if (ours === base) return whole(theirs)
  const ends = [base, ours, theirs].map(lineEndOf)
  if (ends.includes('mixed')) return mergeLines(base, ours, theirs)
  const [of = '\n', our = of, their = of] = ends
  if (of === our && of === their) return mergeLines(base, ours, theirs)
  const end = our === of ? their : our
  const chunks = mergeTexts(withEnd(base, '\n'), withEnd(ours, '\n'), withEnd(theirs, '\n'))
  return chunks.map((chunk) =>
    chunk.kind === 'merged'
      ? { kind: 'merged', text: withEnd(chunk.text, end) }
      : {
          kind: 'conflict',
          base: withEnd(chunk.base, end),
          ours: withEnd(chunk.ours, end),
          theirs: withEnd(chunk.theirs, end),
        },
  )
}

function whole(text: string): MergeChunk[] {
  return text === '' ? [] : [{ kind: 'merged', text }]
}

/** Undefined for a text without line ends. */
function lineEndOf(text: string): '\n' | '\r\n' | 'mixed' | undefined {
  const all = text.split('\n').length - 1
  if (all === 0) return undefined
  const wide = text.split('\r\n').length - 1
  return wide === 0 ? '\n' : wide === all ? '\r\n' : 'mixed'
}

function withEnd(text: string, end: '\n' | '\r\n' | 'mixed'): string {
  const plain = text.replaceAll('\r\n', '\n')
  return end === '\r\n' ? plain.replaceAll('\n', '\r\n') : plain
}

/** Compares each range between lines that all three versions share. */
function mergeLines(base: string, ours: string, theirs: string): MergeChunk[] {
  const [of, our, their] = [base, ours, theirs].map(linesOf) as [string[], string[], string[]]
  const [inOurs, inTheirs] = [matchLines(of, our), matchLines(of, their)]
  const chunks: MergeChunk[] = []
  let [a, b, from] = [0, 0, 0]
  for (let at = 0; at <= of.length; at++) {
    const isEnd = at === of.length
    const [nextA, nextB] = isEnd ? [our.length, their.length] : [inOurs[at]!, inTheirs[at]!]
    if (nextA < 0 || nextB < 0) continue
    addStretch(chunks, of.slice(from, at), our.slice(a, nextA), their.slice(b, nextB))
    if (!isEnd) addMerged(chunks, of[at]!)
    ;[a, b, from] = [nextA + 1, nextB + 1, at + 1]
  }
  return chunks
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function addStretch(chunks: MergeChunk[], base: string[], ours: string[], theirs: string[]): void {
  const [of, our, their] = [base, ours, theirs].map((lines) => lines.join('')) as [string, string, string]
  if (our === their || their === of || our === of) {
    addMerged(chunks, our === of ? their : our)
    return
  }
  // Lines that both sides begin or end with are not part of the conflict.
  const shorter = Math.min(ours.length, theirs.length)
  let start = 0
  while (start < shorter && ours[start] === theirs[start]) start++
  let end = 0
  while (end < shorter - start && ours.at(-1 - end) === theirs.at(-1 - end)) end++
  addMerged(chunks, ours.slice(0, start).join(''))
  const cut = (lines: string[]) => lines.slice(start, lines.length - end).join('')
  chunks.push({ kind: 'conflict', base: of, ours: cut(ours), theirs: cut(theirs) })
  addMerged(chunks, ours.slice(ours.length - end).join(''))
}

function addMerged(chunks: MergeChunk[], text: string): void {
  const last = chunks.at(-1)
  if (text === '') return
  if (last?.kind === 'merged') last.text += text
  else chunks.push({ kind: 'merged', text })
}

export function isConflicted(chunks: readonly MergeChunk[]): boolean {
  return chunks.some(({ kind }) => kind === 'conflict')
}

/** The names of the two versions, shown beside the markers. */
export interface Sides {
  ours: string
  theirs: string
}

/** The merged text; each conflict with both versions between markers, as git writes them. */
export function writeMerge(chunks: readonly MergeChunk[], sides: Sides): string {
  return chunks.map((chunk) => (chunk.kind === 'merged' ? chunk.text : writeConflict(chunk, sides))).join('')
}

function writeConflict({ base, ours, theirs }: Extract<MergeChunk, { kind: 'conflict' }>, sides: Sides): string {
  const end = [ours, theirs, base].some((text) => text.includes('\r\n')) ? '\r\n' : '\n'
  const closed = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}${end}`)
  return [
    `<<<<<<< ${sides.ours}${end}`,
    closed(ours),
    `||||||| before both${end}`,
    closed(base),
    `=======${end}`,
    closed(theirs),
    `>>>>>>> ${sides.theirs}${end}`,
  ].join('')
}

/** The first line with a conflict marker, counted from 1. */
export function findMarker(text: string): number | undefined {
  const at = text.split('\n').findIndex((line) => /^(?:<{7}|\|{7}|>{7}) \S/.test(line))
  return at < 0 ? undefined : at + 1
}
