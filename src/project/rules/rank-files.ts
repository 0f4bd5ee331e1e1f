import type { DocumentRecord } from '../../search/document.ts'
import type { Library } from '../../search/library.ts'
import { fieldOf, fullImpact, postingAt, type TermPostings } from '../../search/postings.ts'
import { Rarity, Scorer } from '../../search/scorer.ts'
import { stemWord } from '../../search/stem.ts'
import { type QueryTerm, type Task, weighTask } from '../../search/task.ts'
import { type ReadTerm, readTerms, wordsAmong } from '../../search/tokens.ts'
import { keyOf } from '../../text/values.ts'
import { type Role, roleOf } from './candidates.ts'
import { MOST_PIECES, nameOf, PROJECT_TUNING, SYMBOL_FIELD } from './file-document.ts'
import { changedTogether, type History, type Votes, voteByHistory } from './history.ts'

/** The data of a project, by slot. */
export interface ProjectTerms {
  /** Undefined: a slot of a file that is gone or was changed. */
  paths: readonly (string | undefined)[]
  /** By the key of a path, see `keyOf`: its slot, or a negative number. Default: searched among the paths. */
  slotOf?: (key: number) => number
  find(term: string): TermPostings | undefined
}

/** Every number of the choice; docs/context.md shows what each gained. */
const WEIGHTS = {
  /** The best place in a file, added to the whole of it. */
  window: 0.27,
  /** Factors of files that the task does not ask for. */
  test: 0.5,
  prose: 0.7,
  proseAsked: 1.3,
  codeWhenProseAsked: 0.8,
  config: 0.7,
  data: 0.3,
  log: 0.3,
  example: 0.6,
  /** Added to the share of the best: */
  history: 0.35,
  together: 0.2,
  namedFile: 0.8,
  namedStem: 0.12,
  identifier: 0.3,
  namedFolder: 0.4,
  /** For two words that are adjacent in the path and in the task. */
  pathPair: 0.15,
}
type Weights = typeof WEIGHTS

export interface RankRules {
  history: History
  /** Factor of a file that settings or intents mention; 1 for others. */
  lift?: (path: string) => number
  /** To measure the gain of one of them. */
  weights?: Partial<Weights>
}

export interface RankedFile {
  path: string
  role: Role
  /** 1 for the best; comparable within one answer. */
  score: number
  /** The words that counted most, and their fields. */
  words: readonly { word: string; field: string }[]
  /** The total weight of the task's words in it, in the measure of `WeighedTerm`. */
  covered: number
  /** Past commits that voted for it. */
  commits: readonly string[]
  isNamed: boolean
}

/** A word of the task and its weight in this project. */
export interface WeighedTerm {
  term: string
  word: string
  weight: number
}

export interface Ranking {
  files: RankedFile[]
  terms: WeighedTerm[]
}

const MOST_CONSIDERED = 400
/** Files after these need no reasons. */
const MOST_EXPLAINED = 60
const SEEDS = 4

interface Scored {
  slot: number
  path: string
  role: Role
  text: number
  total: number
  isNamed: boolean
}

/** The files of a project by their relevance to a task, best first. */
export function rankFiles(task: Task, project: ProjectTerms, rules: RankRules): Ranking {
  const weights = { ...WEIGHTS, ...rules.weights }
  const engine = openEngine(project)
  const asked = weighTerms(task)
  const terms = asked.map(({ term, word, weight }) => ({ term, word, weight: weight * engine.rarity.of(term) }))
  const slotOf = project.slotOf ?? slotsByKey(project.paths)
  const pathOf = (key: number) => project.paths[slotOf(key)]
  const votes = voteByHistory(rules.history, asked, pathOf)
  const scored = scoreTexts(task, asked, project, engine, terms, weights, slotOf, votes)
  addNames(task, scored, project, weights)
  addShares(scored, votes, weights, task)
  const lift = rules.lift
  if (lift !== undefined) for (const each of scored) each.total *= lift(each.path)
  scored.sort(bestFirst)
  const seeds = new Map(scored.slice(0, SEEDS).map(({ path, total }, at) => [path, total / (1 + at)]))
  const together = changedTogether(rules.history, seeds, pathOf)
  for (const each of scored)
    each.total += weights.together * (together.get(each.path) ?? 0) * testShare(each.role, task)
  scored.sort(bestFirst)
  const most = scored[0]?.total ?? 1
  const files = scored
    .filter(({ total }) => total > 0)
    .map(({ path, role, total, slot, isNamed }, at) => ({
      path,
      role,
      score: total / most,
      words: at < MOST_EXPLAINED ? wordsFor(engine.find, asked, slot) : [],
      covered: at < MOST_EXPLAINED ? covered(engine.find, terms, slot) : 0,
      commits: votes.commits.get(path) ?? [],
      isNamed,
    }))
  return { files, terms }
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

/** The terms of a task by how much they say about a place in a project. */
function weighTerms(task: Task): QueryTerm[] {
  return weighTask(task, PROJECT_TUNING).terms.map((each) => {
    const action = ACTIONS.has(each.term) || SMALL_NUMBER.test(each.term) ? ACTION_WEIGHT : 1
    return { ...each, weight: each.weight * action * (task.names.scope.has(each.term) ? SCOPE_WEIGHT : 1) }
  })
}

function covered(find: Engine['find'], terms: readonly WeighedTerm[], slot: number): number {
  return terms.reduce((sum, { term, weight }) => {
    const found = find(term)
    return found === undefined || postingAt(found.list, slot) === undefined ? sum : sum + weight
  }, 0)
}

function bestFirst(a: Scored, b: Scored): number {
  return b.total - a.total || (a.path < b.path ? -1 : 1)
}

interface Engine {
  scorer: Scorer
  rarity: Rarity
  find(term: string): TermPostings | undefined
}

function slotsByKey(paths: ProjectTerms['paths']): (key: number) => number {
  const byKey = new Map(paths.map((path, slot) => [keyOf(path ?? ''), slot]))
  return (key) => byKey.get(key) ?? -1
}

/** Lists are read once per question. A file is only its path: most are never read. */
function openEngine({ paths, find: findNow }: ProjectTerms): Engine {
  const known = new Map<string, TermPostings | undefined>()
  const find = (term: string) => {
    if (!known.has(term)) known.set(term, findNow(term))
    return known.get(term)
  }
  const targets = new Int32Array(paths.length).fill(-1)
  let size = 0
  for (let slot = 0; slot < paths.length; slot++) {
    if (paths[slot] === undefined) continue
    targets[slot] = slot
    size++
  }
  const recordAt = (slot: number): DocumentRecord => {
    const id = paths[slot]!
    return { id, name: nameOf(id), tokens: 0, negatives: [], redirects: [] }
  }
  const library: Library = { size, targets, recordAt, find: (term) => find(term)?.list }
  const rarity = new Rarity([library], PROJECT_TUNING)
  return { scorer: new Scorer(library, rarity, PROJECT_TUNING), rarity, find }
}

function scoreTexts(
  task: Task,
  asked: readonly QueryTerm[],
  project: ProjectTerms,
  { scorer, find }: Engine,
  terms: readonly WeighedTerm[],
  weights: Weights,
  slotOf: (key: number) => number,
  votes: Votes,
): Scored[] {
  const { slots: touched, scores } = scorer.score({ terms: asked, pairs: [] })
  const order = atLeast(scores, MOST_CONSIDERED).sort(
    (a, b) => scores[b]! - scores[a]! || compareSlots(project, touched[a]!, touched[b]!),
  )
  const chosen = new Map(order.slice(0, MOST_CONSIDERED).map((i) => [touched[i]!, scores[i]!]))
  // Files supported only by history or by their own name are included too.
  const add = (slot: number) => void (chosen.has(slot) || chosen.set(slot, 0))
  for (const path of votes.shares.keys()) add(slotOf(keyOf(path)))
  if (task.names.paths.length > 0) {
    project.paths.forEach((path, slot) => void (path !== undefined && isNamedFile(task, path) && add(slot)))
  }
  const windows = bestWindows([...chosen.keys()], terms, find, project.paths.length)
  const scored = [...chosen].map(([slot, score]): Scored => {
    const path = project.paths[slot]!
    const role = roleOf(path)
    const text = (score + weights.window * (windows.get(slot) ?? 0)) * roleFactor(role, task, weights)
    return { slot, path, role, text, total: 0, isNamed: false }
  })
  const most = scored.reduce((best, { text }) => Math.max(best, text), 0) || 1
  for (const each of scored) each.total = each.text / most
  return scored
}

/** The positions of the best scores, this many plus ties with the last. Sorting all is slow. */
function atLeast(scores: readonly number[], most: number): number[] {
  const least = scores.length <= most ? -Infinity : Float64Array.from(scores).sort()[scores.length - most]!
  const places: number[] = []
  scores.forEach((score, i) => void (score >= least && places.push(i)))
  return places
}

function compareSlots({ paths }: ProjectTerms, a: number, b: number): number {
  return paths[a]! < paths[b]! ? -1 : 1
}

function roleFactor(role: Role, task: Task, weights: Weights): number {
  let factor = 1
  if (role.isTest) factor *= task.about.tests ? Math.sqrt(weights.test) : weights.test
  else if (role.isData) factor *= weights.data
  if (role.isLog && !task.about.log) factor *= weights.log
  if (role.isExample && !task.about.examples) factor *= weights.example
  if (role.isTest) return factor
  if (task.about.prose) return factor * (role.isProse ? weights.proseAsked : weights.codeWhenProseAsked)
  if (task.about.isQuestion && role.isProse) return factor
  return factor * (role.isProse ? weights.prose : role.isConfig ? weights.config : 1)
}

/** Two neighbouring pieces of a file form a window. The weight of the words in the best window of each file. */
function bestWindows(
  chosen: readonly number[],
  terms: readonly WeighedTerm[],
  find: Engine['find'],
  slots: number,
): Map<number, number> {
  const places = new Int32Array(slots).fill(-1)
  for (let at = 0; at < chosen.length; at++) places[chosen[at]!] = at * MOST_PIECES
  const sums = new Float64Array(chosen.length * MOST_PIECES)
  for (const { term, weight } of terms) {
    const found = find(term)
    if (found === undefined) continue
    for (let i = 0; i < found.pieces.length; i++) {
      const place = places[found.list[2 * i]!]!
      if (place < 0) continue
      const pieces = found.pieces[i]!
      for (let near = (pieces | (pieces >>> 1)) >>> 0, at = 0; near !== 0; near >>>= 1, at++) {
        if ((near & 1) === 1) sums[place + at]! += weight
      }
    }
  }
  const best = new Map<number, number>()
  chosen.forEach((slot, at) => {
    let most = 0
    for (let i = at * MOST_PIECES; i < (at + 1) * MOST_PIECES; i++) most = Math.max(most, sums[i]!)
    best.set(slot, most)
  })
  return best
}

const SHORTEST_STEM = 4

/** A file, or one of its definitions, that the task names literally comes first. */
function addNames(task: Task, scored: readonly Scored[], project: ProjectTerms, weights: Weights): void {
  const definers = [...task.names.identifiers].map((term) => project.find(term))
  const folders = namedFolders(task, project.paths)
  const pairs = pairsOf(task.terms)
  const text = task.text.toLowerCase()
  for (const each of scored) {
    const share = testShare(each.role, task) * (each.role.isExample && !task.about.examples ? weights.example : 1)
    const stem = nameOf(each.path).toLowerCase()
    if (isNamedFile(task, each.path)) {
      each.total += weights.namedFile * share
      each.isNamed = true
    } else if (stem.length >= SHORTEST_STEM && names(text, stem)) each.total += weights.namedStem * share
    if (definers.some((found) => found !== undefined && isDefiner(found, each.slot))) {
      each.total += weights.identifier * share
    }
    each.total +=
      (weights.namedFolder * folderShare(folders, each.path) + weights.pathPair * pairsIn(pairs, each.path)) * share
  }
}

/** Its name with its extension, or the end of its path. */
function isNamedFile({ names: { paths } }: Task, path: string): boolean {
  if (paths.length === 0) return false
  const lower = path.toLowerCase()
  return paths.some(
    (named) => lower.endsWith(named) && (lower.length === named.length || lower.at(-named.length - 1) === '/'),
  )
}

/** A folder with more files says too little about each. */
const MOST_IN_FOLDER = 200

/** Folders in the task, each between slashes. */
function namedFolders({ names: { folders } }: Task, paths: ProjectTerms['paths']): string[] {
  if (folders.length === 0) return []
  const counts = new Map(folders.map((folder) => [`/${folder}/`, 0]))
  for (const path of paths) {
    if (path === undefined) continue
    const place = placeOf(path)
    for (const [folder, count] of counts) if (place.includes(folder)) counts.set(folder, count + 1)
  }
  return [...counts].flatMap(([folder, count]) => (count > 0 && count <= MOST_IN_FOLDER ? [folder] : []))
}

/** 1 for a file directly in the folder. */
function folderShare(folders: readonly string[], path: string): number {
  if (folders.length === 0) return 0
  const place = placeOf(path)
  if (folders.some((folder) => place.endsWith(folder))) return 1
  return folders.some((folder) => place.includes(folder)) ? BELOW : 0
}

const BELOW = 0.6

function placeOf(path: string): string {
  return `/${path.slice(0, path.lastIndexOf('/') + 1).toLowerCase()}`
}

const MOST_PAIRS = 2
/** A word and its term start alike. */
const ALIKE = 3

/**
 * How many adjacent words of the path are adjacent in the task: "querying functions" in `docs/querying/functions.md`.
 */
function pairsIn(pairs: ReturnType<typeof pairsOf>, path: string): number {
  const name = path.slice(0, path.lastIndexOf('/') + 1) + nameOf(path)
  const lower = name.toLowerCase()
  // Most paths have none: they need not be read word by word.
  const isLikely = (term: string) => !/^[a-z0-9]/.test(term) || lower.includes(term.slice(0, ALIKE))
  let count = 0
  if ([...pairs.values()].some((pair) => pair.every(isLikely))) {
    for (const pair of pairsOf(readTerms(name)).keys()) if (pairs.has(pair)) count++
  }
  return Math.min(MOST_PAIRS, count)
}

/** Every two adjacent words, as terms, including those without a subject. */
function pairsOf(terms: readonly ReadTerm[]) {
  const words = wordsAmong(terms).map(({ term }) => term)
  return new Map(words.slice(1).map((term, at) => [`${words[at]} ${term}`, [words[at]!, term] as const]))
}

/** Whether a text names something, as a word of its own. Both in lower case. */
function names(text: string, name: string): boolean {
  const isWordAt = (at: number) => at >= 0 && at < text.length && /[a-z0-9_]/.test(text[at]!)
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isWordAt(at - 1) && !isWordAt(at + name.length)) return true
  }
  return false
}

function isDefiner({ list }: TermPostings, slot: number): boolean {
  const packed = postingAt(list, slot)
  return packed !== undefined && fieldOf(packed) === SYMBOL_FIELD
}

function addShares(scored: readonly Scored[], { shares }: Votes, weights: Weights, task: Task): void {
  for (const each of scored) {
    each.total += weights.history * (shares.get(each.path) ?? 0) * testShare(each.role, task)
  }
}

const TEST_SHARE = 0.4

function testShare({ isTest }: Role, { about }: Task): number {
  return isTest && !about.tests ? TEST_SHARE : 1
}

const MOST_WORDS = 6

function wordsFor(find: Engine['find'], terms: readonly QueryTerm[], slot: number): RankedFile['words'] {
  const found = terms.flatMap(({ term, word, isJoined }) => {
    const list = find(term)?.list
    const packed = list && postingAt(list, slot)
    if (packed === undefined) return []
    const field = PROJECT_TUNING.fields[fieldOf(packed)]!
    return isJoined && field.name === 'body'
      ? []
      : [{ word, field: field.label ?? field.name, worth: fullImpact(packed) }]
  })
  found.sort((a, b) => b.worth - a.worth || (a.word < b.word ? -1 : 1))
  return found.slice(0, MOST_WORDS).map(({ word, field }) => ({ word, field }))
}
