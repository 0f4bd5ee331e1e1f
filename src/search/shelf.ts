import type { Finding } from '../text/trouble.ts'
import type { RankDocument } from './document.ts'

/** Everything of one kind, ready to be searched. */
export interface Shelf<Details extends { summary: string } = { summary: string }> {
  kind: string
  names: readonly string[]
  /** The files that decide what the documents say. */
  paths: readonly string[]
  /** What the ranker reads of each, under its name. A text that cannot be read is a finding, and the rest is ranked. */
  documents(findings: Finding[]): RankDocument[]
  /** What a hit shows of the one with this name; undefined when there is none. */
  describe(name: string): Details | undefined
  findings: readonly Finding[]
}
