import { pairOf } from './lexicon.ts'
import { visitTerms } from './tokens.ts'
import type { Tuning } from './tuning.ts'

/** A word of the task and how much it counts before rarity. */
export interface QueryTerm {
  readonly term: string
  readonly word: string
  readonly weight: number
  readonly isJoined: boolean
}

export interface Query {
  readonly terms: readonly QueryTerm[]
  readonly pairs: readonly QueryTerm[]
}

// A pasted log is not a longer task: later words weigh less, and reading stops after this many different words.
const MAX_TERMS = 96

export function readQuery(task: string, tuning: Tuning): Query {
  const terms = new Map<string, { word: string; weight: number; isJoined: boolean }>()
  const pairs = new Map<string, QueryTerm>()
  let previous: { term: string; word: string } | null = null
  let position = 0
  visitTerms(task, (term, kind, word) => {
    if (kind === 'stop') return
    const isJoined = kind === 'joined'
    const weight = (isJoined ? tuning.joined : 1) / (1 + tuning.fade * position++)
    const known = terms.get(term)
    if (known !== undefined) known.weight += weight
    else if (terms.size < MAX_TERMS) terms.set(term, { word, weight, isJoined })
    if (isJoined) return
    if (previous !== null && tuning.pair > 0 && pairs.size < MAX_TERMS) {
      const pair = pairOf(previous.term, term)
      pairs.set(pair, { term: pair, word: `${previous.word} ${word}`, weight: tuning.pair, isJoined: false })
    }
    previous = { term, word }
  })
  return {
    terms: [...terms].map(([term, { word, weight, isJoined }]) => ({
      term,
      word,
      isJoined,
      weight: weight > 1 ? weight ** tuning.repetitionPower : weight,
    })),
    pairs: [...pairs.values()],
  }
}
