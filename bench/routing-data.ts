import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Question } from '../src/lab/rules/cases.ts'
import { readLibraryLines, readQuestionLines } from '../src/lab/rules/suite-forms.ts'
import type { RankDocument } from '../src/search/document.ts'

/** A library with labelled questions: `<folder>/<name>/library.jsonl` and `queries.jsonl`. */
export interface RoutingSet {
  name: string
  library: RankDocument[]
  queries: Question[]
  /** Where each document and each question comes from, by id. */
  sourceOf: Map<string, string>
}

export function readRoutingSet(folder: string, name: string): RoutingSet {
  const text = (file: string) => readFileSync(join(folder, name, file), 'utf8')
  const library = readLibraryLines(text('library.jsonl'))
  const queries = readQuestionLines(text('queries.jsonl'))
  if (typeof library === 'string') throw new Error(library)
  if (typeof queries === 'string') throw new Error(queries)
  const sourceOf = new Map<string, string>()
  for (const line of `${text('library.jsonl')}\n${text('queries.jsonl')}`.split('\n').filter(Boolean)) {
    const { id, qid, source } = JSON.parse(line)
    sourceOf.set(id ?? qid, source)
  }
  return { name, library, queries, sourceOf }
}
