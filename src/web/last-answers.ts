import type { Loadout } from '../loadout.ts'

/** Of all answers together, in characters. */
const MOST_CHARACTERS = 16_000_000
/** Lists that every screen begins with. Nothing that contains words of tasks: erasing the log must erase those. */
const KEPT = /^\/api\/(?:status|doctor|inventory|see\/[a-z]+|packs|payloads)(?:\?scope=project)?$/

/** The last answer to each question, for a page that shows it until the next one is there. */
export class LastAnswers {
  private readonly texts = new Map<string, string>()
  private readonly open: () => Loadout
  private size = 0

  constructor(open: () => Loadout) {
    this.open = open
  }

  /** Also the answer to an earlier start of the server, of this version of Loadout. */
  async recall(question: string): Promise<string | undefined> {
    const known = this.texts.get(question)
    if (known !== undefined || !KEPT.test(question)) return known
    return this.open().agents.recallAnswer({ question })
  }

  async keep(question: string, text: string): Promise<void> {
    const before = this.texts.get(question)
    if (before === text) return
    this.size += text.length - (before?.length ?? 0)
    this.texts.delete(question)
    this.texts.set(question, text)
    for (const [oldest, its] of this.texts) {
      if (this.size <= MOST_CHARACTERS) break
      this.texts.delete(oldest)
      this.size -= its.length
    }
    if (KEPT.test(question)) await this.open().agents.keepAnswer({ question, text })
  }
}
