import type { Machine } from '../machine/machine.ts'
import type { RankDocument } from '../search/document.ts'
import { createRanker } from '../search/ranker.ts'
import { asFinding, type Finding, type Report } from '../text/trouble.ts'
import { sortedBy } from '../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'
import { findSimilar, type Similar } from './rules/similar.ts'
import { SHELVES, type ShelfRequest, withoutRepeats } from './shelf.ts'

/** Which entries match the same questions: every entry is tested with the questions of every other. */
export function similarEntries(machine: Machine, request: ShelfRequest): Report<Similar> {
  const findings: Finding[] = []
  const documents = ENTRY_KINDS.flatMap((kind) => {
    try {
      const shelf = SHELVES[kind](machine, request)
      findings.push(...shelf.findings)
      return shelf.documents(findings).map((document) => ({ kind, document: withKind(kind, document) }))
    } catch (error) {
      findings.push(asFinding(error))
      return []
    }
  })
  const ranker = createRanker(documents.map(({ document }) => document))
  const sorted = sortedBy(documents, ({ document }) => document.id)
  return {
    value: findSimilar(sorted, (question, limit) => ranker.rank(question, { limit })),
    findings: withoutRepeats(findings),
  }
}

/** Two kinds may have the same name. */
function withKind(kind: EntryKind, document: RankDocument): RankDocument {
  return { ...document, id: `${kind}:${document.id}` }
}
