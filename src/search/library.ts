import { type Analysis, analyze } from './analyze.ts'
import type { RankDocument } from './document.ts'
import { Lexicon } from './lexicon.ts'
import type { DocumentRecord } from './slot-table.ts'
import { TermCompiler } from './term-compiler.ts'
import type { CompiledTerms, TermIndex } from './term-index.ts'
import type { Tuning } from './tuning.ts'
import { Weigher } from './weigher.ts'

/** A library ready to rank: records in the order of their slots, and the postings of those slots. */
export interface CompiledLibrary {
  readonly records: readonly DocumentRecord[]
  readonly terms: CompiledTerms
}

export function compileLibrary(documents: readonly RankDocument[], tuning: Tuning): CompiledLibrary {
  const compiler = new TermCompiler()
  const weigher = new Weigher(compiler.lexicon, tuning)
  let slot = 0
  const append = (term: number, packed: number) => compiler.append(term, slot, packed)
  const records = documents.map((document) => {
    const { record, texts } = analyze(document)
    for (const text of texts) {
      weigher.visit(text, append)
      slot++
    }
    return record
  })
  return { records, terms: compiler.compile() }
}

/** Writes one text to each slot from `first` on. */
export function appendTexts(texts: Analysis['texts'], first: number, tuning: Tuning, index: TermIndex): void {
  const lexicon = new Lexicon()
  const weigher = new Weigher(lexicon, tuning)
  texts.forEach((text, i) => {
    weigher.visit(text, (term, packed) => index.append(lexicon.textOf(term), first + i, packed))
  })
}
