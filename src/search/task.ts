import { pairOf } from './analyze.ts'
import type { Tuning } from './document.ts'
import { type ReadTerm, readTerms, termsOf } from './tokens.ts'
import { isEveryday, relatedTo } from './word-lists.ts'

/** A task, read once for everything that asks about it. What few of them need is read when the first one asks. */
export interface Task {
  /** As it was typed. */
  readonly text: string
  /** What is read of it for names: without comments of a template, and without most lines of a log. */
  readonly said: string
  /** Its first line that is not of a log: what it is about. Everything below it describes, quotes or reports. */
  readonly title: string
  /** Everything it says, in order. Comments of an issue's template and the lines of a log do not count. */
  readonly terms: readonly ReadTerm[]
  /** The terms of its title alone. */
  readonly titleTerms: readonly ReadTerm[]
  readonly words: TaskWords
  readonly names: ReturnType<typeof namesIn>
  readonly about: ReturnType<typeof aboutIn>
}

/**
 * The words of a task that carry a subject, stemmed and weighted. Chinese and similar scripts become pairs of
 * characters.
 */
export type TaskWords = ReadonlyMap<string, number>

/** The one reader of tasks. A task that was read already is returned as it is. */
export function readTask(task: string | Task): Task {
  if (typeof task !== 'string') return task
  const whole = withoutComments(task)
  const title = titleOf(withoutLog(whole, 0, 0)) || titleOf(whole)
  // Of a traceback, the first and the last frames matter; words are said by people.
  const said = withoutLog(whole, 10, 10).slice(0, MOST_READ)
  const terms = readTerms(withoutLog(whole, 3, 0).slice(0, MOST_READ))
  const read: { -readonly [Part in keyof Task]?: Task[Part] } = {}
  return {
    text: task,
    said,
    title,
    terms,
    get titleTerms() {
      read.titleTerms ??= readTerms(title)
      return read.titleTerms
    },
    get words() {
      read.words ??= wordsOf(terms)
      return read.words
    },
    get names() {
      read.names ??= namesIn(said)
      return read.names
    },
    get about() {
      read.about ??= aboutIn(title)
      return read.about
    },
  }
}

/** Without what an issue's template says to its author: `<!-- … -->`. */
function withoutComments(text: string): string {
  let said = ''
  let at = 0
  for (let open = text.indexOf('<!--'); open >= 0; open = text.indexOf('<!--', at)) {
    const close = text.indexOf('-->', open + 4)
    if (close < 0) break
    said += `${text.slice(at, open)} `
    at = close + 3
  }
  const rest = text.slice(at)
  return (said + rest).trim() === '' ? text : said + rest
}

/** In characters. A longer task is a pasted file; each name of a project is searched in all of it. */
const MOST_READ = 20_000
/** So many lines that begin alike are a log, a list of frames, or a table. */
const LOG_LINES = 20

/** Of many lines that begin alike, apart from numbers, only the first and the last ones. */
function withoutLog(text: string, first: number, last: number): string {
  const lines = text.split('\n')
  if (lines.length < LOG_LINES) return text
  const beginnings = lines.map((line) => line.trim().slice(0, 40).replace(/\d+/g, '0').slice(0, 12))
  const counts = new Map<string, number>()
  for (const each of beginnings) counts.set(each, (counts.get(each) ?? 0) + 1)
  const seen = new Map<string, number>()
  const kept = lines.filter((_, at) => {
    const [each, all] = [beginnings[at]!, counts.get(beginnings[at]!)!]
    const nth = seen.get(each) ?? 0
    seen.set(each, nth + 1)
    return all < LOG_LINES || nth < first || nth >= all - last
  })
  return kept.join('\n')
}

const LONGEST_TITLE = 200

/** The first line, without the marks of a heading; of a long line, its first sentence. */
function titleOf(text: string): string {
  const start = text.search(/[^\s#>*=-]/)
  if (start < 0) return ''
  const end = text.indexOf('\n', start)
  const line = text.slice(start, end < 0 ? undefined : end).trim()
  if (line.length <= LONGEST_TITLE) return line
  const stop = line.slice(0, LONGEST_TITLE).search(/[.!?:;]\s/)
  return line.slice(0, stop < 0 ? LONGEST_TITLE : stop + 1)
}

function wordsOf(terms: readonly ReadTerm[]): TaskWords {
  const words = new Map<string, number>()
  for (const { term, kind } of terms) {
    if (kind !== 'word' || words.has(term)) continue
    // A pasted log is not a longer task.
    if (words.size === 64) break
    words.set(term, isEveryday(term) ? 0.3 : 1)
  }
  return words
}

// `fix(cors): …`, `docs: …`, `router: …`
const SCOPE = /^\w+\(([^)]{1,60})\)\s*!?:|^([\w./@-]{3,40}):\s/
const LONGEST_PATH = 1000
const MOST_PATHS = 100

/** A place that a traceback or a compiler names. */
interface Frame {
  /** In lower case, with slashes. */
  readonly path: string
  readonly line: number
}

/** What a task may name in a project. */
function namesIn(text: string) {
  const scope = SCOPE.exec(text)
  const lower = text.toLowerCase().replaceAll('\\', '/')
  const isPath = (path: string) => /[./]/.test(path)
  const paths = (lower.match(/[\w.@/+~-]+/g) ?? [])
    .filter((path) => path.length <= LONGEST_PATH && isPath(path) && /[a-z]/.test(path))
    .map((path) => path.replace(/^(?:\.\.?\/|~\/|\/)+|[.@/+-]+$/g, ''))
    .filter(isPath)
  // Single plain words are left out: most are ordinary words of the task.
  const folders = (lower.match(/[a-z0-9$-][\w$-]*(?:[./][\w$-]+)+|[a-z]\w*[_-]\w+/g) ?? [])
    .filter(({ length }) => length <= LONGEST_PATH)
    .map((name) => name.replaceAll('.', '/'))
  return {
    /** Terms of the part that the task is about: of `cors` in `fix(cors): …`. */
    scope: new Set(
      readTerms(scope?.[1] ?? scope?.[2] ?? '').flatMap(({ term, kind }) => (kind === 'stop' ? [] : term)),
    ),
    /** Files or ends of paths, in lower case, as they are written: `tsconfig.json`, `docs/cli`, `home/me/src/a.py`. */
    paths: [...new Set(paths)].slice(0, MOST_PATHS),
    /** In lower case and with slashes: `src/router`, `org/junit/api` for `org.junit.api`, `my-crate`. */
    folders: [...new Set(folders)].slice(0, 20),
    /** Of code, joined, as terms: `parseFile`, `bat_warning!`, `url_for()`. */
    identifiers: identifiersIn(text),
    /** In the order of the text: in Python the last one is where it happened. */
    frames: framesIn(lower),
  }
}

const PYTHON_FRAME = /file "([^"\n]{1,1000})", line (\d{1,7})/g
/** `src/a.rs:12:5`, `Main.java:40`: Windows has a colon after its drive too. */
const PLACE = /^((?:[a-z]:)?[^:]+\.[a-z]\w{0,5}):(\d{1,7})(?::\d+)?:?$/

function framesIn(lower: string): Frame[] {
  const frames = [...lower.matchAll(PYTHON_FRAME)].map(([, path = '', line]) => ({ path, line: Number(line) }))
  for (const token of lower.match(/[^\s"'`()<>,[\]]+/g) ?? []) {
    const [, path, line] = token.length > LONGEST_PATH ? [] : (PLACE.exec(token) ?? [])
    if (path !== undefined) frames.push({ path, line: Number(line) })
  }
  return frames.slice(-MOST_PATHS)
}

const IDENTIFIER = /`([^`\n]{2,80})`|([A-Za-z_$][\w$]*(?:(?:::|\.|->)[\w$]+)*)(\(\)|!)?/g
function identifiersIn(task: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, quoted, plain, call] of task.matchAll(IDENTIFIER)) {
    const text = (quoted ?? plain ?? '').replace(/\(.*\)$|!$/, '')
    for (const part of text.split(/::|\.|->|\s+/)) {
      const isName = quoted !== undefined || call !== undefined || /[a-z][A-Z]|_/.test(part)
      // The last term is the whole of it.
      if (isName && /^[A-Za-z_$][\w$]{2,}$/.test(part)) found.add(readTerms(part).at(-1)?.term ?? '')
    }
    // A pasted file is not a list of names.
    if (found.size >= 80) break
  }
  return found
}

/** Which kinds of files the title of a task speaks of. An issue mentions tests and documents for many reasons. */
function aboutIn(text: string) {
  return {
    tests: /\b(?:tests?|specs?|testing|coverage|flaky|fixtures?)\b/i.test(text),
    prose: /\b(?:docs?|readme|documentation|document|guide|typos?|links?|wording|grammar|tutorial)\b/i.test(text),
    examples: /\b(?:examples?|bench\w*|website|demos?|samples?)\b/i.test(text),
    log: /\b(?:changelog|release notes|changes\.)/i.test(text),
    /** It asks a question rather than for a change: documents answer as well as code. */
    isQuestion: /^\s*(?:how|what|which|where|when|who|explain|describe)\b/i.test(text),
  }
}

/** A word of the task and how much it counts before rarity. */
export interface QueryTerm {
  readonly term: string
  readonly word: string
  readonly weight: number
  readonly isJoined: boolean
}

/** The terms of a task, as a ranker weighs them. */
export interface Query {
  readonly terms: readonly QueryTerm[]
  readonly pairs: readonly QueryTerm[]
}

// A pasted log is not a longer task: later words weigh less, and only this many different ones count.
const MAX_TERMS = 96

export function weighTask(task: Task, tuning: Tuning): Query {
  const terms = new Map<string, { word: string; weight: number; isJoined: boolean }>()
  const pairs = new Map<string, QueryTerm>()
  let previous: ReadTerm | null = null
  let position = 0
  for (const read of task.terms) {
    const { term, kind, word } = read
    if (kind === 'stop') continue
    const isJoined = kind === 'joined'
    const weight = (isJoined ? tuning.joined : 1) / (1 + tuning.fade * position++)
    const known = terms.get(term)
    if (known !== undefined) known.weight += weight
    else if (terms.size < MAX_TERMS) terms.set(term, { word, weight, isJoined })
    if (isJoined) continue
    if (previous !== null && tuning.pair > 0 && pairs.size < MAX_TERMS) {
      const pair = pairOf(previous.term, term)
      pairs.set(pair, { term: pair, word: `${previous.word} ${word}`, weight: tuning.pair, isJoined: false })
    }
    previous = read
  }
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

/** Words of a task as it spells them; two of them may be one there. */
export function asTyped(task: string, words: readonly string[]): string[] {
  const typed = task.match(/[\p{L}\p{N}_$.-]+/gu) ?? []
  return [...new Set(words.map((word) => typed.find((each) => termsOf(each).includes(word)) ?? word))]
}

/** The words of a task that a text contains, directly or as a related word. */
export function wordsIn(words: TaskWords, text: string): Set<string> {
  const found = new Set<string>()
  if (words.size === 0) return found
  const held = new Set(termsOf(text))
  for (const word of words.keys()) {
    if (held.has(word) || relatedTo(word).some(({ term }) => held.has(term))) found.add(word)
  }
  return found
}

/** 0 to 1: the share of the task that some of its words make up. Anything covers a task without words. */
export function shareOf(words: TaskWords, found: ReadonlySet<string>): number {
  let [all, some] = [0, 0]
  for (const [word, weight] of words) {
    all += weight
    if (found.has(word)) some += weight
  }
  return all === 0 ? 1 : some / all
}

/** The task without other words. */
export function withoutWords(words: TaskWords, others: ReadonlySet<string>): TaskWords {
  return new Map([...words].filter(([word]) => !others.has(word)))
}

/** Whether a text contains such a share of any of these subjects. Each subject and each text is tokenized once. */
export function matchAny(subjects: readonly TaskWords[], share: number): (text: string) => boolean {
  const byTerm = new Map<string, { subject: TaskWords; word: string }[]>()
  for (const subject of subjects) {
    for (const word of subject.keys()) {
      for (const term of new Set([word, ...relatedTo(word).map((related) => related.term)])) {
        const known = byTerm.get(term)
        if (known === undefined) byTerm.set(term, [{ subject, word }])
        else known.push({ subject, word })
      }
    }
  }
  return (text) => {
    const found = new Map<TaskWords, Set<string>>()
    for (const term of new Set(termsOf(text))) {
      for (const { subject, word } of byTerm.get(term) ?? []) {
        found.set(subject, (found.get(subject) ?? new Set()).add(word))
      }
    }
    return [...found].some(([subject, words]) => shareOf(subject, words) >= share)
  }
}
