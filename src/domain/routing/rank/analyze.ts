import { readClauses } from './clauses.ts'
import type { RankDocument } from './document.ts'
import { pack } from './posting.ts'
import { visitTerms } from './tokens.ts'
import { FIELD_NAMES, type FieldName, type Tuning } from './tuning.ts'

/** A document as the index holds it: what it says itself, and the topics it hands over to others. */
export interface Analysis {
  readonly own: WeighedText
  readonly redirects: readonly AnalyzedRedirect[]
}

export interface AnalyzedRedirect {
  readonly to: string
  readonly isDenied: boolean
  readonly text: WeighedText
}

/** Terms with their weighted frequencies, before saturation. Most terms occur in the body alone. */
export interface WeighedText {
  readonly strong: ReadonlyMap<string, StrongWeight>
  readonly body: ReadonlyMap<string, number>
  readonly bodyStep: number
}

interface StrongWeight {
  sum: number
  top: number
  field: number
  isName: boolean
}

// Longer bodies were not measured; the first pages say what a document is about.
const MAX_BODY = 4_000
// The opening of a body is close to a description; pairs of the rest cost more than they gain.
const PAIRED_BODY = 60
const BODY = FIELD_NAMES.indexOf('body')
const NAME = FIELD_NAMES.indexOf('name')

export function analyze(document: RankDocument, tuning: Tuning): Analysis {
  const clauses = readClauses(document.description ?? '')
  const texts: [FieldName, string][] = [
    ['name', document.name],
    ['keywords', (document.keywords ?? []).join('\n')],
    ['examples', (document.examples ?? []).join('\n')],
    ['lead', clauses.lead],
    ['rest', clauses.rest],
    ['headings', (document.headings ?? []).join('\n')],
  ]
  const name = document.name.toLowerCase()
  return {
    own: weigh(texts, (document.body ?? '').slice(0, MAX_BODY), tuning),
    redirects: clauses.redirects
      .filter(({ to }) => to !== name)
      .map(({ to, topic, isDenied }) => ({ to, isDenied, text: weigh([['redirect', topic]], '', tuning) })),
  }
}

/** Hands out every term of a text once, with its packed posting. */
export function visitPostings(text: WeighedText, tuning: Tuning, visit: (term: string, packed: number) => void): void {
  const half = tuning.saturation
  for (const [term, { sum, field, isName }] of text.strong) {
    const full = sum + (text.body.get(term) ?? 0) * text.bodyStep
    visit(term, pack(sum / (half + sum), full / (half + full), field, isName))
  }
  for (const [term, count] of text.body) {
    if (text.strong.has(term)) continue
    const full = count * text.bodyStep
    visit(term, pack(0, full / (half + full), BODY, false))
  }
}

/** Pairs of neighbouring words are terms too: "pull request" is more than "pull" and "request". */
export function pairOf(first: string, second: string): string {
  return `${first} ${second}`
}

function weigh(texts: readonly (readonly [FieldName, string])[], bodyText: string, tuning: Tuning): WeighedText {
  const strong = new Map<string, StrongWeight>()
  for (const [field, text] of texts) {
    const { terms, length } = countTerms(text, field === 'headings' ? 0 : Infinity)
    const index = FIELD_NAMES.indexOf(field)
    const step = stepOf(field, length, tuning)
    for (const [term, count] of terms) addWeight(strong, term, index, step * count)
  }
  const body = countTerms(bodyText, PAIRED_BODY)
  return { strong, body: body.terms, bodyStep: stepOf('body', body.length, tuning) }
}

// What one occurrence is worth in a field of this length.
function stepOf(field: FieldName, length: number, tuning: Tuning): number {
  const { weight, norm, length: usual } = tuning.fields[field]
  return weight / (1 - norm + (norm * length) / usual)
}

function addWeight(strong: Map<string, StrongWeight>, term: string, field: number, amount: number): void {
  const known = strong.get(term)
  if (known === undefined) {
    strong.set(term, { sum: amount, top: amount, field, isName: field === NAME })
    return
  }
  known.sum += amount
  if (amount > known.top) {
    known.top = amount
    known.field = field
  }
}

// Pairs are made of the first `paired` words.
function countTerms(text: string, paired: number): { terms: Map<string, number>; length: number } {
  const terms = new Map<string, number>()
  const count = (term: string) => terms.set(term, (terms.get(term) ?? 0) + 1)
  let previous = ''
  let length = 0
  visitTerms(text, (term, kind) => {
    if (kind === 'stop') return
    count(term)
    if (kind === 'joined') return
    length++
    if (length <= paired && previous !== '') count(pairOf(previous, term))
    previous = term
  })
  return { terms, length }
}
