import { openSources, type SourceRequest, withoutRepeats } from '../answer/sources.ts'
import type { Machine } from '../machine/machine.ts'
import { openRanking } from '../machine/ranking.ts'
import type { RankDocument, RankHit } from '../search/document.ts'
import { compareText, sortedBy } from '../text/values.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'

export interface Similar {
  /** How many entries were tested. */
  asked: number
  /** Those that are in a pair, with the number of examples: without any, only the description distinguishes an entry. */
  entries: { id: string; kind: EntryKind; examples: number }[]
  pairs: SimilarPair[]
}

/** Two entries, and the questions of one that the other also matches. */
interface SimilarPair {
  a: string
  b: string
  /** 0 to 1: the confidence of the wrong one relative to the right one. */
  strength: number
  questions: { of: string; question: string; words: string[] }[]
}

/** Which entries match the same questions: every entry is tested with the questions of every other. */
export function similarEntries(machine: Machine, request: SourceRequest): Similar {
  const { sources, findings } = openSources(machine, request)
  const documents = sources.flatMap(({ kind, segments }) =>
    segments.flatMap(({ readDocuments }) => readDocuments(findings).map((document) => ({ kind, document }))),
  )
  const ranking = openRanking(
    machine,
    sources.flatMap(({ segments }) => segments),
  )
  const sorted = sortedBy(documents, ({ document }) => document.id)
  const value = findSimilar(sorted, (question, limit) => ranking.rank(question, { limit }))
  machine.report(...withoutRepeats(findings))
  return value
}

const MOST_QUESTIONS = 3
/** Tests each entry's own examples, or its description without any, and finds which others match. */
export function findSimilar(
  entries: readonly { kind: EntryKind; document: RankDocument }[],
  rank: (question: string, limit: number) => readonly RankHit[],
): Similar {
  const pairs = new Map<string, SimilarPair>()
  const asked = entries.slice(0, 2_000)
  for (const { document } of asked) {
    const { id: tested, examples = [], description, name } = document
    const questions = examples.length > 0 ? examples.slice(0, MOST_QUESTIONS) : [description || name]
    for (const question of questions.map((text) => text.slice(0, 300))) {
      const hits = rank(question, 4)
      const own = hits.find(({ id }) => id === tested)?.confidence ?? 0
      for (const { id, confidence, why } of hits) {
        const strength = own === 0 ? 1 : Math.min(1, confidence / own)
        // A rival with less than half the confidence of the entry itself does not count.
        if (id === tested || strength < 0.5) continue
        const [a, b] = [tested, id].sort(compareText) as [string, string]
        const pair = pairs.get(`${a} ${b}`) ?? { a, b, strength: 0, questions: [] }
        pair.strength = Math.max(pair.strength, Math.round(strength * 100) / 100)
        if (pair.questions.length < MOST_QUESTIONS * 2) {
          pair.questions.push({ of: tested, question, words: why.slice(0, 5).map(({ term }) => term) })
        }
        pairs.set(`${a} ${b}`, pair)
      }
    }
  }
  const strongest = [...pairs.values()]
    .sort(
      (x, y) =>
        y.strength - x.strength ||
        y.questions.length - x.questions.length ||
        compareText(x.a, y.a) ||
        compareText(x.b, y.b),
    )
    .slice(0, 400)
  const inPair = new Set(strongest.flatMap(({ a, b }) => [a, b]))
  const listed = entries.filter(({ document }) => inPair.has(document.id))
  return {
    asked: asked.length,
    entries: listed.map(({ kind, document: { id, examples = [] } }) => ({ id, kind, examples: examples.length })),
    pairs: strongest,
  }
}
