import { kindOf, stageOf, type UsageEvent } from './usage-event.ts'

/** A payload, a pack and a skill may have the same id. */
export function nameOf(event: Pick<UsageEvent, 'entryId' | 'kind'>): string {
  return `${kindOf(event)} ${event.entryId}`
}

/** What conversations tell about one entry. */
export interface EntryTrace {
  /** By the way out, the conversations that named it and gave nothing of it. */
  offers: Map<string, number>
  usedUnplanned: number
}

/** By entry: the way out that named it, or true once its text is there. */
type Conversation = Map<string, string | true>

// The oldest are forgotten; a conversation seldom goes on when thousands have followed it.
const MOST_KEPT = 4096

/** Follows conversations in the order of a log, in bounded memory. What happened in none is not looked at. */
export class Conversations {
  private readonly open = new Map<string, Conversation>()
  private readonly traces = new Map<string, EntryTrace>()
  private readonly mostKept: number

  constructor(mostKept = MOST_KEPT) {
    this.mostKept = mostKept
  }

  about(name: string): EntryTrace {
    return this.traces.get(name) ?? { offers: new Map(), usedUnplanned: 0 }
  }

  add(event: UsageEvent): void {
    if (typeof event.session !== 'string') return
    const conversation = this.continue(event.session)
    const name = nameOf(event)
    const known = conversation.get(name)
    const stage = stageOf(event)
    if (stage === 'planned') {
      if (known === undefined) {
        conversation.set(name, String(event.via))
        this.countOffer(name, String(event.via), 1)
      }
    } else {
      if (stage === 'used' && known === undefined) this.traceOf(name).usedUnplanned++
      if (stage === 'delivered' && typeof known === 'string') this.countOffer(name, known, -1)
      conversation.set(name, true)
    }
  }

  private continue(session: string): Conversation {
    const conversation = this.open.get(session) ?? new Map()
    this.open.delete(session)
    this.open.set(session, conversation)
    if (this.open.size > this.mostKept) {
      for (const oldest of this.open.keys()) {
        this.open.delete(oldest)
        break
      }
    }
    return conversation
  }

  private countOffer(name: string, via: string, by: number): void {
    const { offers } = this.traceOf(name)
    offers.set(via, (offers.get(via) ?? 0) + by)
  }

  private traceOf(name: string): EntryTrace {
    let trace = this.traces.get(name)
    if (trace === undefined) {
      trace = { offers: new Map(), usedUnplanned: 0 }
      this.traces.set(name, trace)
    }
    return trace
  }
}
