import { termsOf } from '../../../search/tokens.ts'
import { decodeOrSame } from '../../../text/paths.ts'
import { groupBy } from '../../../text/values.ts'
import { normalizePackPath, packPathProblem } from '../pack.ts'

/** Pages by path and by name. */
export class Pages {
  readonly known: ReadonlySet<string>
  readonly byName: ReadonlyMap<string, readonly string[]>

  constructor(paths: readonly string[]) {
    this.known = new Set(paths)
    this.byName = groupBy(paths, (path) => bare(path.slice(path.lastIndexOf('/') + 1)))
  }
}

function bare(path: string): string {
  return path.toLowerCase().replace(/\.[a-z]+$/, '')
}

/** The pages that a text links as a wiki does, by name or path: `[[page]]`, `[page](page.md)`, `/page.md`. */
export function linkedPages(text: string, from: string, { known, byName }: Pages): string[] {
  const [layer = ''] = from.split('/')
  const found = new Set<string>()
  for (const [, target = ''] of text.matchAll(/\]\(([^()\s]{1,300})\)/g)) {
    const path = decodeOrSame(target.replace(/[#?].*$/, ''))
    if (path === '' || /^[a-z][a-z0-9+.-]*:/i.test(path)) continue
    const parts = path.startsWith('/') ? [layer] : from.split('/').slice(0, -1)
    for (const part of path.split('/')) {
      if (part === '..') parts.pop()
      else parts.push(part)
    }
    const page = normalizePackPath(parts.join('/'))
    if (packPathProblem(page) === undefined && known.has(page)) found.add(page)
  }
  const names = [...text.matchAll(/\[\[([^\]|#\n]{1,200})[^\]\n]{0,200}\]\]/g)].map(([, name = '']) => name.trim())
  for (const name of names) {
    const wanted = bare(`/${name}`)
    const [page] = (byName.get(wanted.slice(wanted.lastIndexOf('/') + 1)) ?? []).filter((path) =>
      bare(`/${path}`).endsWith(wanted),
    )
    if (page !== undefined) found.add(page)
  }
  return [...found]
}

/** A sentence of a page with one number in it. */
export interface NumberedSentence {
  path: string
  line: number
  text: string
  number: string
  /** Its other words. */
  terms: ReadonlySet<string>
  /** The words of its page and heading. */
  about: ReadonlySet<string>
}

/** Years, versions and numbers of parts differ without a contradiction. */
const NAMED =
  /\b(?:version|release|section|chapter|figure|table|page|step|example|line|v)\.?\s*#?\d|\d+\.\d+\.\d+|`[^`]*\d[^`]*`/i

/** The sentences of a text that state one number. Not headings, tables, code and examples. */
export function numberedSentences(path: string, title: string, text: string, from: number): NumberedSentence[] {
  const about = new Set(termsOf(`${path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')} ${title}`))
  let isCode = false
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    if (isCode || /^(?: {4}|\t|\s*(?:#|\||<|```|~~~))/.test(line)) return []
    const plain = line.replace(/^\s*(?:[-*+]|\d+[.)])\s+|\[\^[^\]]*\]|\[source:[^\]]*\]/g, '')
    return plain.split(/(?<=[.!?])\s+/).flatMap((sentence): NumberedSentence[] => {
      const numbers = sentence.match(/(?<![\w.,/#-])\d+(?:[.,]\d+)*(?![\w/-])/g) ?? []
      const [number = ''] = numbers
      if (numbers.length !== 1 || NAMED.test(sentence) || /^(?:19|20)\d\d$/.test(number)) return []
      const terms = new Set(termsOf(sentence.replace(number, ' ')))
      return terms.size < 3 ? [] : [{ path, line: from + at, text: sentence.trim(), number, terms, about }]
    })
  })
}

/**
 * Sentences of two pages that say the same in the same words with another number. Not of pages about things of one kind,
 * such as two plans: what differs in their titles is what the numbers are about.
 */
export function differingNumbers(
  given: readonly NumberedSentence[],
  others: readonly NumberedSentence[],
): [NumberedSentence, NumberedSentence][] {
  const lacks = (one: ReadonlySet<string>, other: ReadonlySet<string>) => [...one].filter((term) => !other.has(term))
  const isSame = (one: NumberedSentence, other: NumberedSentence) => {
    const [mine, theirs] = [lacks(one.terms, other.terms), lacks(other.terms, one.terms)]
    return mine.length + theirs.length <= (one.terms.size >= 5 && mine.length * theirs.length === 0 ? 1 : 0)
  }
  return given.flatMap((one) => {
    const alike = others.filter((other) => other.path !== one.path && isSame(one, other))
    // Three values and more are a family of things, not a contradiction.
    if (new Set([one, ...alike].map(({ number }) => number)).size !== 2) return []
    const other = alike.find(({ number }) => number !== one.number)!
    const isSibling =
      [...one.about].some((term) => other.about.has(term)) &&
      lacks(one.about, other.about).length > 0 &&
      lacks(other.about, one.about).length > 0
    return isSibling ? [] : [[one, other] as [NumberedSentence, NumberedSentence]]
  })
}
