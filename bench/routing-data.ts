import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EvalQuery } from '../src/payloads/rules/evaluation.ts'
import { readLibraryLines, readQueryLines } from '../src/payloads/rules/suite-forms.ts'
import type { RankDocument } from '../src/search/document.ts'

/** A library with labelled questions: `<folder>/<name>/library.jsonl` and `queries.jsonl`. */
export interface RoutingSet {
  name: string
  library: RankDocument[]
  queries: EvalQuery[]
  /** Where each document and each question comes from, by id. */
  sourceOf: Map<string, string>
}

export function readRoutingSet(folder: string, name: string): RoutingSet {
  const text = (file: string) => readFileSync(join(folder, name, file), 'utf8')
  const library = readLibraryLines(text('library.jsonl'))
  const queries = readQueryLines(text('queries.jsonl'))
  if ('problem' in library) throw new Error(library.problem)
  if ('problem' in queries) throw new Error(queries.problem)
  const sourceOf = new Map<string, string>()
  for (const line of `${text('library.jsonl')}\n${text('queries.jsonl')}`.split('\n').filter(Boolean)) {
    const { id, qid, source } = JSON.parse(line)
    sourceOf.set(id ?? qid, source)
  }
  return { name, library: library.documents, queries: queries.queries, sourceOf }
}
