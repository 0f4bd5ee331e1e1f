import { openSources, type SourceRequest, withoutRepeats } from '../answer/sources.ts'
import type { Machine } from '../machine/machine.ts'
import { openRanking } from '../machine/ranking.ts'
import type { Report } from '../text/trouble.ts'
import { sortedBy } from '../text/values.ts'
import { findSimilar, type Similar } from './rules/similar.ts'

/** Which entries match the same questions: every entry is tested with the questions of every other. */
export function similarEntries(machine: Machine, request: SourceRequest): Report<Similar> {
  const { sources, findings } = openSources(machine, request)
  const segments = sources.flatMap((source) => source.segments)
  const documents = sources.flatMap(({ kind, segments: own }) =>
    own.flatMap(({ readDocuments }) => readDocuments(findings).map((document) => ({ kind, document }))),
  )
  const ranking = openRanking(machine, segments)
  const sorted = sortedBy(documents, ({ document }) => document.id)
  return {
    value: findSimilar(sorted, (question, limit) => ranking.rank(question, { limit })),
    findings: withoutRepeats(findings),
  }
}
