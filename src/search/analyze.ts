import type { DocumentRecord, RankDocument } from './document.ts'
import { termsOf } from './tokens.ts'
import type { Field } from './tuning.ts'
import { STOP_WORDS } from './word-lists.ts'

/** A topic that the author refers to another document: "for X use other". */
interface Redirect {
  readonly to: string
  readonly topic: string
  /** The sentence says explicitly that the topic is not this document's ("not for X; use other"). */
  readonly isDenied: boolean
}

/** The parts of a description: its first statement, the rest, and redirected topics. Refused topics are left out. */
export interface Clauses {
  readonly lead: string
  readonly rest: string
  readonly redirects: readonly Redirect[]
}

const MAX_DESCRIPTION = 20_000
const UNEVEN_BLANKS = /[^\S ]| {2}/
const SENTENCE_ENDS = '.!?;'
const DENIAL =
  /^[*_`(]*(?:this (?:skill|tool) )?(?:is )?(?:not (?:for|when|to be used)|(?:do not|don't|never|does not|doesn't) (?:use|trigger|apply|invoke|activate|cover|handle|edit)|skip|avoid|out of scope|excludes?|unsuitable)\b/i
const LATE_DENIAL = /(?:^|[ (\u2014\u2013,-])(?:NOT (?:for|to|when)|not for)\b/
const HANDOVER =
  /(?:(?:\u2192|->|=>) ?|\b(?:use|see|prefer|switch to|go to|belongs? to|route to|defer to|covered by) (?:the )?)[`'"*/]*((?:[A-Za-z0-9]+:)?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*)([ \w/]?)/g
const ALSO = /(?:,|,? or|,? and) [`'"*/]*([A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+)/y
const TOPIC_START = /(?:^|[\u2014\u2013(:,] ?)(?:for|to|if|when|not for)\b/gi

export function readClauses(description: string): Clauses {
  const text = { lead: '', rest: '' }
  const redirects: Redirect[] = []
  // A refusal continues after a semicolon: "not for X; use other".
  let refused = ''
  let isFirst = true
  for (const sentence of splitSentences(description)) {
    const isDenied: boolean = DENIAL.test(sentence) || refused !== ''
    const own = takeRedirects(sentence, isDenied, refused, redirects)
    if (!isDenied) text[isFirst ? 'lead' : 'rest'] += ` ${own}`
    refused = isDenied && sentence.endsWith(';') ? sentence : ''
    isFirst = false
  }
  return { ...text, redirects }
}

function splitSentences(description: string): string[] {
  const sentences: string[] = []
  for (const line of description.slice(0, MAX_DESCRIPTION).split('\n')) {
    const text = UNEVEN_BLANKS.test(line) ? line.replace(/\s+/g, ' ') : line
    let start = 0
    for (let blank = text.indexOf(' ', 1); blank > 0; blank = text.indexOf(' ', blank + 1)) {
      if (!SENTENCE_ENDS.includes(text[blank - 1]!)) continue
      pushSentence(sentences, text.slice(start, blank))
      start = blank + 1
    }
    pushSentence(sentences, text.slice(start))
  }
  return sentences
}

function pushSentence(sentences: string[], sentence: string): void {
  if (sentence !== '' && sentence !== ' ') sentences.push(sentence)
}

interface Handover {
  readonly to: readonly string[]
  readonly start: number
  readonly end: number
}

// Moves the topics of a sentence to the documents it names and returns the remaining text.
function takeRedirects(sentence: string, isDenied: boolean, refused: string, redirects: Redirect[]): string {
  let own = ''
  let topic = refused
  let from = 0
  for (const handover of findHandovers(sentence)) {
    const [kept, stated] = splitTopic(sentence.slice(from, handover.start), isDenied)
    if (/\w{3}/.test(stated)) topic = stated
    own += ` ${kept}`
    for (const to of handover.to) redirects.push({ to, topic, isDenied })
    from = handover.end
  }
  return own + dropDenial(sentence.slice(from))
}

function findHandovers(sentence: string): Handover[] {
  const found: Handover[] = []
  for (const match of sentence.matchAll(HANDOVER)) {
    const [whole, target = '', next = ''] = match
    const isCompound = /[-_]/.test(target)
    // A single word is a name only where the clause ends with it: "see emails." but not "see how it works".
    if (!isCompound && (next !== '' || /^[\u2192=-]/.test(whole))) continue
    const to = target.slice(target.indexOf(':') + 1).toLowerCase()
    if (STOP_WORDS.has(to)) continue
    const end = match.index + whole.length - next.length
    const others = readOthers(sentence, end)
    found.push({ to: [to, ...others.names], start: match.index, end: others.end })
  }
  return found
}

// "use a-b, c-d or e-f"
function readOthers(sentence: string, from: number): { names: string[]; end: number } {
  const names: string[] = []
  let end = from
  for (;;) {
    ALSO.lastIndex = end
    const name = ALSO.exec(sentence)?.[1]
    if (name === undefined) return { names, end }
    names.push(name.toLowerCase())
    end = ALSO.lastIndex
  }
}

// "Covers A — for B, " belongs to this document up to the dash.
function splitTopic(segment: string, isDenied: boolean): [kept: string, topic: string] {
  if (isDenied) return ['', segment]
  let at = 0
  for (const match of segment.matchAll(TOPIC_START)) at = match.index
  return [segment.slice(0, at), segment.slice(at)]
}

function dropDenial(text: string): string {
  const match = LATE_DENIAL.exec(text)
  return match === null ? text : text.slice(0, match.index)
}

/** The parts of a document: what the ranker stores of it, and one text per slot. */
export interface Analysis {
  readonly record: DocumentRecord
  /** The document's own text, then the topics of its redirects, then its examples. */
  readonly texts: readonly FieldedText[]
  readonly factor: number
}

/** Each field in the order of the table, with its text in one piece or several. */
export type FieldedText = readonly (readonly [field: number, content: string | readonly string[]])[]

// Longer bodies were not measured; the first pages show what a document is about.
const MAX_BODY = 4_000

/** The name under which a document keeps its examples as a topic of its own. No document has this name. */
export const TAUGHT = '\n'

export function analyze(document: RankDocument, fields: readonly Field[]): Analysis {
  const clauses = readClauses(document.description ?? '')
  const name = document.name.toLowerCase()
  const redirects = clauses.redirects.filter(({ to }) => to !== name)
  const examples = joinLines(document.examples)
  const topics = redirects.map(({ topic }) => new Map([['redirect', topic]]))
  if (examples !== '') {
    redirects.push({ to: TAUGHT, topic: '', isDenied: false })
    topics.push(new Map([['examples', examples]]))
  }
  const own = new Map(Object.entries(document.fields ?? {}))
  const put = (field: string, content: string) => void (content !== '' && own.set(field, content))
  put('name', document.name)
  put('keywords', joinLines(document.keywords))
  put('lead', clauses.lead)
  put('rest', clauses.rest)
  put('headings', joinLines(document.headings))
  put('body', (document.body ?? '').slice(0, MAX_BODY))
  return {
    record: {
      id: document.id,
      name: document.name,
      tokens: document.tokens ?? 0,
      negatives: (document.negatives ?? []).map(termsOf),
      redirects: redirects.map(({ to, isDenied }) => ({ to, isDenied })),
      kept: document.kept,
    },
    texts: [own, ...topics].map((text) => inOrder(text, fields)),
    factor: Math.min(1, Math.max(0, document.factor ?? 1)),
  }
}

function inOrder(text: ReadonlyMap<string, string>, fields: readonly Field[]): FieldedText {
  return fields.flatMap(({ name }, at) => {
    const content = text.get(name)
    return content === undefined ? [] : [[at, content] as const]
  })
}

function joinLines(lines: readonly string[] = []): string {
  return lines.length === 0 ? '' : lines.join('\n')
}
