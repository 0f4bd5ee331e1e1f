import type { RankDocument } from '../src/index.ts'

const SYLLABLES = 'ba con de fi ga ho in ker lo ment no pre qui res sta tion u ver wor ing'.split(' ')

/** Made-up documents whose words are as unevenly frequent as those of real text; the same on every run. */
export class SampleText {
  private state = 42
  private readonly vocabulary: string[]

  constructor(words: number) {
    const seen = new Set<string>()
    while (seen.size < words) seen.add(this.word())
    this.vocabulary = [...seen]
  }

  documents(count: number, bodyLength: number): RankDocument[] {
    return Array.from({ length: count }, (_, at) => ({
      id: `library/document-${at}`,
      name: `${this.pick()}-${this.pick()}-${at}`,
      description: `${this.sentence(14)} Use when ${this.sentence(20)}`,
      body: this.text(bodyLength),
    }))
  }

  questions(count: number): string[] {
    return Array.from({ length: count }, () => `How can I ${this.sentence(12)}`)
  }

  private text(length: number): string {
    let text = ''
    while (text.length < length) text += `${this.sentence(15)} `
    return text
  }

  private sentence(words: number): string {
    return `${Array.from({ length: words }, () => this.pick()).join(' ')}.`
  }

  /** Zipf's law: the n-th word with a chance of about 1/n. */
  private pick(): string {
    return this.vocabulary[Math.floor(this.vocabulary.length ** this.random()) - 1] ?? 'word'
  }

  private word(): string {
    const length = 2 + Math.floor(this.random() * 3)
    return Array.from({ length }, () => SYLLABLES[Math.floor(this.random() * SYLLABLES.length)]).join('')
  }

  private random(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0
    return this.state / 2 ** 32
  }
}
