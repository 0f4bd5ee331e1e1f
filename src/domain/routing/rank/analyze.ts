import { readClauses } from './clauses.ts'
import type { RankDocument } from './document.ts'
import type { DocumentRecord } from './slot-table.ts'
import { termsOf } from './tokens.ts'
import type { FieldName } from './tuning.ts'

/** A document taken apart: what the ranker keeps of it, and its texts, one for each slot it takes. */
export interface Analysis {
  readonly record: DocumentRecord
  /** The document's own text, then the topics of its redirects. */
  readonly texts: readonly FieldedText[]
}

export interface FieldedText {
  readonly fields: readonly (readonly [FieldName, string])[]
  readonly body: string
}

// Longer bodies were not measured; the first pages say what a document is about.
const MAX_BODY = 4_000

export function analyze(document: RankDocument): Analysis {
  const clauses = readClauses(document.description ?? '')
  const name = document.name.toLowerCase()
  const redirects = clauses.redirects.filter(({ to }) => to !== name)
  const own: FieldedText = {
    fields: [
      ['name', document.name],
      ['keywords', joinLines(document.keywords)],
      ['examples', joinLines(document.examples)],
      ['lead', clauses.lead],
      ['rest', clauses.rest],
      ['headings', joinLines(document.headings)],
    ],
    body: (document.body ?? '').slice(0, MAX_BODY),
  }
  return {
    record: {
      id: document.id,
      name: document.name,
      tokens: document.tokens ?? 0,
      negatives: (document.negatives ?? []).map(termsOf),
      redirects: redirects.map(({ to, isDenied }) => ({ to, isDenied })),
    },
    texts: [own, ...redirects.map(({ topic }): FieldedText => ({ fields: [['redirect', topic]], body: '' }))],
  }
}

function joinLines(lines: readonly string[] = []): string {
  return lines.length === 0 ? '' : lines.join('\n')
}
