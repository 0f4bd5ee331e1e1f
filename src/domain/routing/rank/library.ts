import { analyze, visitPostings, type WeighedText } from './analyze.ts'
import type { RankDocument } from './document.ts'
import type { DocumentRecord } from './slot-table.ts'
import { TermCompiler } from './term-compiler.ts'
import type { CompiledTerms } from './term-index.ts'
import { termsOf } from './tokens.ts'
import type { Tuning } from './tuning.ts'

/** A library ready to rank: records in the order of their slots, and the postings of those slots. */
export interface CompiledLibrary {
  readonly records: readonly DocumentRecord[]
  readonly terms: CompiledTerms
}

interface ReadDocument {
  readonly record: DocumentRecord
  /** The document's own text, then the topics of its redirects: one slot each. */
  readonly texts: readonly WeighedText[]
}

export function compileLibrary(documents: readonly RankDocument[], tuning: Tuning): CompiledLibrary {
  const compiler = new TermCompiler()
  let slot = 0
  const records = documents.map((document) => {
    const { record, texts } = readDocument(document, tuning)
    writePostings(texts, slot, tuning, compiler)
    slot += texts.length
    return record
  })
  return { records, terms: compiler.compile() }
}

export function readDocument(document: RankDocument, tuning: Tuning): ReadDocument {
  const { own, redirects } = analyze(document, tuning)
  const record = {
    id: document.id,
    name: document.name,
    tokens: document.tokens ?? 0,
    negatives: (document.negatives ?? []).map(termsOf),
    redirects: redirects.map(({ to, isDenied }) => ({ to, isDenied })),
  }
  return { record, texts: [own, ...redirects.map(({ text }) => text)] }
}

/** Writes one text to each slot from `first` on. */
export function writePostings(
  texts: readonly WeighedText[],
  first: number,
  tuning: Tuning,
  index: { append: (term: string, slot: number, packed: number) => void },
): void {
  texts.forEach((text, i) => {
    visitPostings(text, tuning, (term, packed) => index.append(term, first + i, packed))
  })
}
