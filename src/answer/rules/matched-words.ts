import { stemWord } from '../../search/word-lists.ts'
import type { BundleFile } from './bundle.ts'

/** From where to where in a text, in code units. */
export type Span = readonly [start: number, end: number]

const MOST_SPANS = 500

/** The positions of the words that chose a part in its shown text, in any of their forms. */
export function matchedSpans({ excerpt, reason, sections = [] }: BundleFile): Span[] {
  const wanted = new Set([reason, ...sections.map((section) => section.reason)].flatMap(wordsOf).map(stemWord))
  if (wanted.size === 0) return []
  const spans: Span[] = []
  // `ordersOf` is two words, as the search reads it.
  for (const { 0: word, index } of excerpt.matchAll(/\p{Lu}?\p{Ll}+|\p{Lu}+|\p{Lo}+|\p{N}+/gu)) {
    if (word.length > 1 && wanted.has(stemWord(word.toLowerCase()))) spans.push([index, index + word.length])
    if (spans.length === MOST_SPANS) break
  }
  return spans
}

/** `keywords [refund, order], name [refunds as refund]`, or of a section `parseUrl: origin, allow`. */
function wordsOf(reason: string): string[] {
  const lists = [...reason.matchAll(/\[([^\]]*)\]/g)].map(([, list = '']) => list)
  const said = lists.length > 0 ? lists : [reason.slice(reason.lastIndexOf(': ') + 1)]
  return said.flatMap((list) => list.split(/,| as /)).map((word) => word.trim().toLowerCase())
}
