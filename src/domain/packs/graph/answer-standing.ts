import type { Code } from '../../shared/codes.ts'
import type { AnswerBlock } from './answer-records.ts'
import type { ClaimBook } from './claim-book.ts'
import type { JudgedClaim } from './claim-standing.ts'

/** What an answer may be used as. */
export interface JudgedBlock {
  block: AnswerBlock
  standing: 'direct' | 'marked' | 'withheld'
  /** Why it is no direct answer, in our own words. */
  reason: string
  code: Code
  /** The sources of its claims. */
  anchors: readonly string[]
  /** The concepts its claims are about. */
  conceptIds: readonly string[]
}

interface Circumstances {
  /** All that limits answers could be read. */
  knowsLimits: boolean
  /** Another answer has the same id. */
  isRepeated: boolean
}

/** Approved is not enough: an answer is no better than its evidence and the claims it rests on. */
export function judgeBlock(
  block: AnswerBlock,
  book: ClaimBook | undefined,
  { knowsLimits, isRepeated }: Circumstances,
): JudgedBlock {
  const claims = book === undefined ? [] : block.claimIds.map((id) => book.find(id))
  const known = claims.filter((claim) => claim !== undefined)
  const judged = (standing: JudgedBlock['standing'], code: Code, reason: string): JudgedBlock => ({
    block,
    standing,
    code,
    reason,
    anchors: standing === 'direct' ? known.flatMap(({ anchors }) => anchors) : [],
    conceptIds: known.flatMap(({ claim }) => claim.conceptIds),
  })

  if (block.evidence === 'forbidden' || has(known, 'forbidden')) {
    return judged('withheld', 'ontology.forbidden', 'it says what may not be claimed')
  }
  if (block.review === 'rejected') return judged('withheld', 'answers.unreviewed', 'it was rejected')
  if (has(known, 'held')) return judged('withheld', 'ontology.unverified', 'a decision gate has not passed')
  if (block.review !== 'approved') return judged('marked', 'answers.unreviewed', 'not approved')
  if (isRepeated) return judged('marked', 'answers.unreviewed', 'its id is used more than once')
  if (!knowsLimits) return judged('marked', 'answers.unreviewed', 'its limits could not be read')
  if (block.evidence !== undefined && block.evidence !== 'verified') {
    return judged('marked', 'ontology.unverified', 'its evidence is not verified')
  }
  if (claims.some((claim) => claim?.standing !== 'fact')) {
    return judged('marked', 'ontology.unverified', 'it rests on a claim that is not verified')
  }
  // Nothing vouches for it: neither its own state, nor a claim that could be looked up.
  if (block.evidence === undefined && claims.length === 0) {
    return judged('marked', 'ontology.unverified', 'it rests on no verified claim')
  }
  return judged('direct', 'answers.unreviewed', '')
}

function has(claims: readonly JudgedClaim[], standing: JudgedClaim['standing']): boolean {
  return claims.some((claim) => claim.standing === standing)
}
