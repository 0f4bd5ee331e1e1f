import type { Approval } from './approval.ts'

/** Why something may not be opened on this machine, in the order in which the reasons count, and who can change that. */
const WHO = {
  denied: 'user',
  held: 'team',
  unusable: 'author',
  unnamed: 'user',
  unapproved: 'user',
  changed: 'user',
  invalid: 'author',
  unconfirmed: 'user',
} as const

export type Closed = keyof typeof WHO

/** What a source knows of one of its entries. A getter is read only if no earlier reason applies. */
export type GateFacts = Record<'denied' | 'held' | 'unapproved', boolean> & Partial<Record<Closed, boolean>>

/** The one gate, for everything that an agent may be told or that may run: undefined if it may be opened. */
export function gate(facts: GateFacts): { reason: Closed; allowedBy: (typeof WHO)[Closed] } | undefined {
  const reasons = Object.keys(WHO) as Closed[]
  const reason = reasons.find((each) => facts[each])
  return reason && { reason, allowedBy: WHO[reason] }
}

/** What a person's answer says. `isAsked`: it may be opened only after a yes. */
export function answerFacts(answer: Pick<Approval, 'decision'> | undefined, isAsked = true) {
  return {
    denied: answer?.decision === 'denied',
    held: false,
    unapproved: isAsked && answer?.decision !== 'approved',
  }
}
