import { type Query, type QueryTerm, readQuery } from '../../search/query.ts'
import { stemWord } from '../../search/stem.ts'
import { readWords, visitTerms } from '../../search/tokens.ts'
import { PROJECT_TUNING } from './file-document.ts'

/** A task, in the form for choosing files. */
export interface ProjectTask {
  query: Query
  /** In lower case. */
  text: string
  /** Possible files or ends of paths, in lower case: `tsconfig.json`, `docs/cli`. */
  paths: readonly string[]
  /**
   * Possible folders, in lower case and with slashes: `src/router`, `org/junit/api` for `org.junit.api`, `my-crate`.
   */
  folders: readonly string[]
  /** Adjacent words of the task: see `pairsOf`. */
  pairs: ReadonlyMap<string, WordPair>
  /** Code identifiers in the task: `parseFile`, `bat_warning!`, `url_for()`. Joined, as terms. */
  identifiers: ReadonlySet<string>
  isAboutTests: boolean
  isAboutProse: boolean
  isAboutExamples: boolean
  isAboutLog: boolean
  /** It asks a question rather than for a change: documents answer as well as code. */
  isQuestion: boolean
}

// Verbs say little about the place: "add", "fix", "support".
const ACTIONS = new Set(
  'fix add use make doc docs chore feat refactor test update remove support style perf build ci allow improve change move rename implement handle ensure avoid prevent introduce enable disable set get new bug issue error correct typo bump upgrade clean cleanup simplify minor better also instead should write explain create find why how'
    .split(' ')
    .map(stemWord),
)
/** Occurs in files of every kind. */
const SMALL_NUMBER = /^\d{1,2}$/
const ACTION_WEIGHT = 0.4
const SCOPE_WEIGHT = 2

// `fix(cors): …`, `docs: …`, `router: …`
const SCOPE = /^\w+\(([^)]{1,60})\)\s*!?:|^([\w./@-]{3,40}):\s/
const IDENTIFIER = /`([^`\n]{2,80})`|([A-Za-z_$][\w$]*(?:(?:::|\.|->)[\w$]+)*)(\(\)|!)?/g

/** In characters. A longer task is a pasted file; each of the project's names is searched in all of it. */
const MOST_READ = 20_000

export function readProjectTask(whole: string): ProjectTask {
  const task = whole.slice(0, MOST_READ)
  const scope = SCOPE.exec(task)
  const scoped = new Set<string>()
  visitTerms(scope?.[1] ?? scope?.[2] ?? '', (term, kind) => void (kind !== 'stop' && scoped.add(term)))
  const query = readQuery(task, PROJECT_TUNING)
  const weigh = (term: QueryTerm): QueryTerm => {
    const action = ACTIONS.has(term.term) || SMALL_NUMBER.test(term.term) ? ACTION_WEIGHT : 1
    return { ...term, weight: term.weight * action * (scoped.has(term.term) ? SCOPE_WEIGHT : 1) }
  }
  return {
    query: { terms: query.terms.map(weigh), pairs: [] },
    text: task.toLowerCase(),
    paths: pathsIn(task.toLowerCase()),
    folders: foldersIn(task.toLowerCase()),
    pairs: pairsOf(task),
    identifiers: identifiersIn(task),
    isAboutTests: /\b(?:tests?|specs?|testing|coverage|flaky|fixtures?)\b/i.test(task),
    isAboutProse: /\b(?:docs?|readme|documentation|document|guide|typos?|links?|wording|grammar|tutorial)\b/i.test(
      task,
    ),
    isAboutExamples: /\b(?:examples?|bench\w*|website|demos?|samples?)\b/i.test(task),
    isAboutLog: /\b(?:changelog|release notes|changes\.)/i.test(task),
    isQuestion: /^\s*(?:how|what|which|where|when|who|explain|describe)\b/i.test(task),
  }
}

const LONGEST_PATH = 1000

function pathsIn(text: string): string[] {
  const found = text.match(/[\w.@/+-]+/g) ?? []
  return found
    .filter((path) => path.length <= LONGEST_PATH && /[./]/.test(path) && /[a-z]/.test(path))
    .map((path) => path.replace(/^\.?\/|[.@/+-]+$/g, ''))
    .filter((path) => /[./]/.test(path))
}

/** Excludes single plain words: most are ordinary words of the task. */
function foldersIn(text: string): string[] {
  const found = text.match(/[a-z0-9$-][\w$-]*(?:[./][\w$-]+)+|[a-z]\w*[_-]\w+/g) ?? []
  const short = found.filter(({ length }) => length <= LONGEST_PATH).map((name) => name.replaceAll('.', '/'))
  return [...new Set(short)].slice(0, MOST_FOLDERS)
}

const MOST_FOLDERS = 20

type WordPair = readonly [first: string, second: string]

/** Every two adjacent words, as terms, including those without a subject. */
export function pairsOf(text: string): Map<string, WordPair> {
  const words = readWords(text)
  return new Map(words.slice(1).map(({ term }, at) => [`${words[at]!.term} ${term}`, [words[at]!.term, term]]))
}

function identifiersIn(task: string): Set<string> {
  const found = new Set<string>()
  for (const [, quoted, plain, call] of task.matchAll(IDENTIFIER)) {
    const text = (quoted ?? plain ?? '').replace(/\(.*\)$|!$/, '')
    for (const part of text.split(/::|\.|->|\s+/)) {
      const isName = quoted !== undefined || call !== undefined || /[a-z][A-Z]|_/.test(part)
      if (isName && /^[A-Za-z_$][\w$]{2,}$/.test(part)) found.add(joinedTerm(part))
    }
  }
  return found
}

/** The term of a whole identifier. */
function joinedTerm(identifier: string): string {
  let last = ''
  visitTerms(identifier, (term) => {
    last = term
  })
  return last
}

/** Whether a text names something, as a word of its own. Both in lower case. */
export function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isWordAt(text, at - 1) && !isWordAt(text, at + name.length)) return true
  }
  return false
}

function isWordAt(text: string, at: number): boolean {
  return at >= 0 && at < text.length && /[a-z0-9_]/.test(text[at]!)
}
