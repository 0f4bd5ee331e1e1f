import type { Finding } from '../text/trouble.ts'
import type { RankDocument } from './document.ts'

/** Everything of one kind, ready for search. */
export interface Shelf<Details extends { summary: string } = { summary: string }> {
  kind: string
  names: readonly string[]
  /** The files that determine the documents. */
  paths: readonly string[]
  /** The ranker's documents, by name. A text that cannot be read becomes a finding, and the rest is ranked. */
  documents(findings: Finding[]): RankDocument[]
  /** What a hit shows of the document with this name; undefined when it does not exist. */
  describe(name: string): Details | undefined
  findings: readonly Finding[]
}
