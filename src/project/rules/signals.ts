import type { DocumentRecord } from '../../search/document.ts'
import { fieldOf, type Library, type TermPostings } from '../../search/saved-library.ts'
import { Rarity, Scorer } from '../../search/scorer.ts'
import { type QueryTerm, type Task, weighTask } from '../../search/task.ts'
import { type ReadTerm, readTerms, termsOf, wordsAmong } from '../../search/tokens.ts'
import { stemWord } from '../../search/word-lists.ts'
import { keyOf } from '../../text/values.ts'
import { type Role, roleOf } from './candidates.ts'
import { MOST_PIECES, nameOf, PROJECT_TUNING, SYMBOL_FIELD } from './file-document.ts'
import {
  type Changes,
  changedTogether,
  countChanges,
  type History,
  type Votes,
  voteByHistory,
  walkChanges,
} from './history.ts'
import { findNamed, type NamedFiles } from './named-files.ts'

/** The data of a project, by slot. */
export interface ProjectTerms {
  /** Undefined: a slot of a file that is gone or was changed. */
  paths: readonly (string | undefined)[]
  /** By the key of a path, see `keyOf`: its slot, or a negative number. Default: searched among the paths. */
  slotOf?: (key: number) => number
  find(term: string): TermPostings | undefined
}

/** The plain ranking: it chooses the candidates, and orders them when there is no model. */
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
  /** Added to the share of the best, each divided by the number of files that it fits: */
  history: 0.35,
  together: 0.2,
  namedFile: 0.8,
  frame: 0.4,
  namedStem: 0.12,
  identifier: 0.3,
  namedFolder: 0.4,
  /** For two words that are adjacent in the path and in the task. */
  pathPair: 0.15,
}

export interface RankRules {
  history: History
  /** Factor of a file that settings or intents mention; 1 for others. */
  lift?: (path: string) => number
  /** The text of another model than the shipped one. */
  model?: string
  /** Files that are open already: what belongs to them is looked for, not they. */
  near?: readonly string[]
}

/** A word of the task and its weight in this project. */
export interface WeighedTerm {
  term: string
  word: string
  weight: number
}

/** What the signals of one file are read from: all about the file, beside what is known about the question. */
interface Known {
  file: ScoredFile
  /** Its place in the plain ranking, and among the columns of `words`. */
  rank: number
  at: number
  named: ReturnType<NameSignals['of']>
  changes: Changes
}

/** What is the same for all files of a question. Shares of the task are by the weight of its words. */
interface Asked {
  task: Task
  judged: readonly ScoredFile[]
  words: ReturnType<typeof sumWords>
  /** The weight of all words of the task, of those of its title, and how much of these the first file has. */
  mass: number
  titleMass: number
  leader: number
  most: number
  nameMass(path: string): number
  votes: Votes
  nearestOfAll: number
  together: ReadonlyMap<string, number>
  walk: ReadonlyMap<string, number>
  /** The worth of the folders of the first files. */
  folders: ReadonlyMap<string, number>
  extensions: ReadonlyMap<string, number>
  bases: ReadonlyMap<string, number>
  /** Names of source files. */
  sources: ReadonlySet<string>
  files: number
  count: number
  commits: number
}

type Signal = (known: Known, asked: Asked) => number
const field =
  (which: number): Signal =>
  ({ at }, { words, mass }) =>
    words.fields[which]![at]! / mass

/** What is known about a file and a task: the model's columns, in its order. Change nothing here without training again. */
const COLUMNS = {
  // The plain ranking.
  score: ({ file }, { judged }) => file.total / judged[0]!.total,
  place: ({ rank }) => 1 / (1 + rank),
  text: ({ file }, { most }) => file.text / most,
  // Words of the task by where they stand.
  name: field(0),
  folder: field(1),
  symbols: field(2),
  headings: field(3),
  covered: ({ at }, { words, mass }) => words.covered[at]! / mass,
  coveredWords: ({ at }, { words, count }) => words.coveredWords[at]! / Math.max(1, count),
  coveredTitle: ({ at }, { words, titleMass }) => words.coveredTitle[at]! / titleMass,
  window: ({ at }, { words, mass }) => words.window[at]! / mass,
  windowTitle: ({ at }, { words, titleMass }) => words.windowTitle[at]! / titleMass,
  definition: ({ at }, { words, mass }) => words.definition[at]! / mass,
  rarest: ({ at }, { words, mass }) => words.rarest[at]! / mass,
  nameShare: ({ at, file }, { words, nameMass }) => Math.min(1, words.fields[0]![at]! / nameMass(file.path)),
  // What the task names.
  path: ({ named }) => named.path,
  module: ({ named }) => named.module,
  frame: ({ named }) => named.frame,
  stem: ({ named }) => named.stem,
  folderNamed: ({ named }) => named.folderNamed,
  pathPair: ({ named }) => named.pathPair,
  scope: ({ named }) => named.scope,
  defines: ({ named }) => named.defines,
  uses: ({ named }) => named.uses,
  joined: ({ named }) => named.joined,
  // History.
  votes: ({ file }, { votes }) => votes.shares.get(file.path) ?? 0,
  nearest: ({ file }, { votes }) => votes.nearest.get(file.path) ?? 0,
  nearestOfAll: (_, { nearestOfAll }) => nearestOfAll,
  age: ({ changes }) => 1 / (1 + changes.age / 20),
  recent: ({ changes }) => Math.min(changes.recent, 8),
  changes: ({ changes }) => Math.log2(1 + changes.all),
  together: ({ file }, { together }) => together.get(file.path) ?? 0,
  walk: ({ file }, { walk }) => walk.get(file.path) ?? 0,
  sameFolder: ({ file }, { folders }) => folders.get(folderOf(file.path)) ?? 0,
  extension: ({ file }, { extensions }) => extensions.get(extensionOf(file.path)) ?? 0,
  // The kind of file, and of task.
  isTest: ({ file }) => Number(file.role.isTest),
  isProse: ({ file }) => Number(file.role.isProse),
  isConfig: ({ file }) => Number(file.role.isConfig),
  isData: ({ file }) => Number(file.role.isData),
  isLog: ({ file }) => Number(file.role.isLog),
  isExample: ({ file }) => Number(file.role.isExample),
  aboutProse: (_, { task }) => Number(task.about.prose),
  aboutTests: (_, { task }) => Number(task.about.tests),
  aboutExamples: (_, { task }) => Number(task.about.examples),
  aboutCode: (_, { task }) => Number(CODE.test(task.title)),
  isQuestion: (_, { task }) => Number(task.about.isQuestion),
  depth: ({ file }) => file.path.split('/').length,
  sameName: ({ file }, { bases }) => Math.min(20, bases.get(baseOf(file.path)) ?? 1),
  twin: ({ file: { role, path } }, { sources }) =>
    Number((role.isProse || role.isConfig) && sources.has(nameOf(path).toLowerCase())),
  rival: (_, { judged }) => (judged[1]?.total ?? 0) / (judged[0]?.total ?? 1),
  leader: (_, { leader }) => leader,
  files: (_, { files }) => Math.log2(1 + files),
  words: (_, { count }) => count,
  commits: (_, { commits }) => Math.min(1, commits / 200),
} satisfies Record<string, Signal>

export const SIGNALS = Object.keys(COLUMNS) as readonly (keyof typeof COLUMNS)[]
const EVERY: readonly Signal[] = Object.values(COLUMNS)

/** A file that may be needed. */
interface ScoredFile {
  slot: number
  path: string
  role: Role
  text: number
  total: number
  isNamed: boolean
}

/** All that is known about the files of a project and a task. */
export interface Evidence {
  /** By the plain ranking, best first. */
  files: ScoredFile[]
  terms: WeighedTerm[]
  asked: readonly QueryTerm[]
  votes: Votes
  named: NamedFiles
  find: ProjectTerms['find']
  /** The path of a file, by its key. */
  pathOf(key: number): string | undefined
  /** The columns of the first files. */
  signals: number[][]
}

const MOST_CONSIDERED = 400
const SEEDS = 4

/** Collects what words, names and past commits say about each file. */
export function collectEvidence(
  task: Task,
  project: ProjectTerms,
  { history, near = [] }: Pick<RankRules, 'history' | 'near'>,
): Evidence {
  const engine = openEngine(project)
  const { find } = project
  const asked = weighTerms(task)
  const terms = asked.map(({ term, word, weight }) => ({ term, word, weight: weight * engine.rarity.of(term) }))
  const { slotOf } = engine
  const pathOf = (key: number) => project.paths[slotOf(key)]
  const votes = voteByHistory(history, asked, pathOf)
  const named = findNamed(task, project.paths)

  const { slots: touched, scores } = engine.scorer.score({ terms: asked, pairs: [] })
  const order = atLeast(scores, MOST_CONSIDERED).sort(
    (a, b) => scores[b]! - scores[a]! || (project.paths[touched[a]!]! < project.paths[touched[b]!]! ? -1 : 1),
  )
  const chosen = new Map(order.slice(0, MOST_CONSIDERED).map((i) => [touched[i]!, scores[i]!]))
  // Files supported only by history or by their own name are included too.
  const add = (slot: number) => void (chosen.has(slot) || chosen.set(slot, 0))
  for (const path of votes.shares.keys()) add(slotOf(keyOf(path)))
  for (const shares of [named.paths, named.modules, named.frames]) for (const slot of shares.keys()) add(slot)

  const isInTitle = titleTerms(task)
  const words = sumWords([...chosen.keys()], asked, terms, isInTitle, find, project.paths.length)
  const files = [...chosen].map(([slot, score], at): ScoredFile => {
    const path = project.paths[slot]!
    const role = roleOf(path)
    const text = (score + WEIGHTS.window * words.window[at]!) * roleFactor(role, task)
    // A name that fits at most two files means them.
    return { slot, path, role, text, total: 0, isNamed: (named.paths.get(slot) ?? 0) >= 0.5 }
  })
  const place = new Map(files.map((file, at) => [file, at]))
  const most = files.reduce((best, { text }) => Math.max(best, text), 0) || 1
  const names = new NameSignals(task, project, find, named, files)
  for (const file of files) {
    const share = testShare(file.role, task)
    const { path, stem, module, frame, defines, folderNamed, pathPair } = names.of(file)
    const { namedFile, namedStem, namedFolder } = WEIGHTS
    const own =
      namedFile * path +
      (path === 0 ? namedStem * stem : 0) +
      WEIGHTS.frame * frame +
      WEIGHTS.identifier * defines +
      namedFolder * Math.max(module, folderNamed) +
      WEIGHTS.pathPair * pathPair
    file.total =
      file.text / most +
      own * share * (file.role.isExample && !task.about.examples ? WEIGHTS.example : 1) +
      WEIGHTS.history * (votes.shares.get(file.path) ?? 0) * share
  }
  files.sort(bestFirst)
  const seeds = new Map(files.slice(0, SEEDS).map(({ path, total }, at) => [path, total / (1 + at)]))
  for (const path of near) seeds.set(path, files[0]?.total ?? 1)
  const together = changedTogether(history, seeds, pathOf)
  for (const file of files) {
    file.total += WEIGHTS.together * (together.get(file.path) ?? 0) * testShare(file.role, task)
  }
  files.sort(bestFirst)
  const found = files.filter(({ total }) => total > 0)

  // Files further down in the plain ranking are not worth a closer look.
  const judged = found.slice(0, 160)
  const walk = walkChanges(history, startsOf(judged, near), pathOf)
  const changes = countChanges(history)
  const folders = new Map<string, number>()
  for (const { path, total } of judged.slice(0, SEEDS)) raise(folders, folderOf(path), total / judged[0]!.total)
  const sources = new Set(
    judged.flatMap(({ path, role }) =>
      role.isProse || role.isConfig || role.isTest || role.isExample ? [] : nameOf(path).toLowerCase(),
    ),
  )
  const mass = terms.reduce((sum, { weight }, at) => sum + (asked[at]!.isJoined ? 0 : weight), 0) || 1
  const titleMass =
    terms.reduce((sum, { term, weight }, at) => sum + (asked[at]!.isJoined || !isInTitle(term) ? 0 : weight), 0) || 1
  const known: Asked = {
    task,
    judged,
    words,
    mass,
    titleMass,
    leader: judged.length === 0 ? 0 : words.coveredTitle[place.get(judged[0]!)!]! / titleMass,
    most,
    nameMass: (path) => termsOf(nameOf(path)).reduce((sum, term) => sum + engine.rarity.of(term), 0) || 1,
    votes,
    nearestOfAll: [...votes.nearest.values()].reduce((best, near) => Math.max(best, near), 0),
    together,
    walk,
    folders,
    extensions: shareOfExtensions(changes, pathOf),
    bases: engine.bases,
    sources,
    files: project.paths.length,
    count: asked.length,
    commits: history.ids.length,
  }
  const signals = judged.map((file, rank) => {
    const own = changes.get(keyOf(file.path)) ?? { age: Infinity, recent: 0, all: 0 }
    const about = { file, rank, at: place.get(file)!, named: names.of(file), changes: own }
    return EVERY.map((signal) => signal(about, known))
  })
  return { files: found, terms, asked, votes, named, find, pathOf, signals }
}

/** A change of what the program does. */
const CODE = /^(?:fix|feat|perf|refactor|bug)\b/i

function raise(most: Map<string, number>, key: string, value: number): void {
  most.set(key, Math.max(most.get(key) ?? 0, value))
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase()
}

function extensionOf(path: string): string {
  const base = baseOf(path)
  return base.slice(base.lastIndexOf('.') + 1)
}

/** Open files and the first ones, as shares of 1 that fall steeply. */
function startsOf(files: readonly ScoredFile[], near: readonly string[]): Map<string, number> {
  const worths = new Map(files.slice(0, 20).map(({ path, total }) => [path, total * total * total]))
  const most = files[0]?.total ?? 1
  for (const path of near) worths.set(path, most * most * most)
  let sum = 0
  for (const worth of worths.values()) sum += worth
  for (const [path, worth] of worths) worths.set(path, worth / (sum || 1))
  return worths
}

/** How large a share of all changes went to files with an extension. */
function shareOfExtensions(changes: ReturnType<typeof countChanges>, pathOf: (key: number) => string | undefined) {
  const sums = new Map<string, number>()
  let total = 0
  for (const [key, { all }] of changes) {
    const path = pathOf(key)
    if (path === undefined) continue
    const extension = extensionOf(path)
    sums.set(extension, (sums.get(extension) ?? 0) + all)
    total += all
  }
  for (const [extension, sum] of sums) sums.set(extension, sum / total)
  return sums
}

// Verbs say little about the place: "add", "fix", "support".
const ACTIONS = new Set(
  'fix add use make doc docs chore feat refactor test update remove support style perf build ci allow improve change move rename implement handle ensure avoid prevent introduce enable disable set get new bug issue error correct typo bump upgrade clean cleanup simplify minor better also instead should write explain create find why how'
    .split(' ')
    .map(stemWord),
)
/** Occurs in files of every kind: `4`, `v4`. */
const SMALL_NUMBER = /^v?\d{1,2}$/
function titleTerms(task: Task): (term: string) => boolean {
  const terms = new Set(task.titleTerms.flatMap(({ term, kind }) => (kind === 'stop' ? [] : term)))
  return (term) => terms.has(term)
}

/** The terms of a task by how much they say about a place in a project. */
function weighTerms(task: Task): QueryTerm[] {
  const isOnlyTitle = task.said.trim().length <= task.title.length + 1
  const isInTitle = isOnlyTitle ? () => false : titleTerms(task)
  return weighTask(task, PROJECT_TUNING).terms.map((each) => {
    const action = ACTIONS.has(each.term) || SMALL_NUMBER.test(each.term) ? 0.4 : 1
    const scope = task.names.scope.has(each.term) ? 2 : 1
    // A word of the title counts twice, where there is more than the title.
    return { ...each, weight: each.weight * action * scope * (isInTitle(each.term) ? 2 : 1) }
  })
}

function bestFirst(a: ScoredFile, b: ScoredFile): number {
  return b.total - a.total || (a.path < b.path ? -1 : 1)
}

interface Engine {
  scorer: Scorer
  rarity: Rarity
  slotOf(key: number): number
  /** How many files have a name. */
  bases: ReadonlyMap<string, number>
}

/** A server asks the same project again. */
const engines = new WeakMap<ProjectTerms, Engine>()

/** A file is only its path: most are never read. */
function openEngine(project: ProjectTerms): Engine {
  const known = engines.get(project)
  if (known !== undefined) return known
  const { paths, find } = project
  const targets = new Int32Array(paths.length).fill(-1)
  const bases = new Map<string, number>()
  let size = 0
  paths.forEach((path, slot) => {
    if (path === undefined) return
    targets[slot] = slot
    count(bases, baseOf(path))
    size++
  })
  const recordAt = (slot: number): DocumentRecord => {
    const id = paths[slot]!
    return { id, name: nameOf(id), tokens: 0, negatives: [], redirects: [] }
  }
  const library: Library = { size, targets, recordAt, find: (term) => find(term)?.list }
  const rarity = new Rarity([library], PROJECT_TUNING)
  const byKey = project.slotOf ? undefined : new Map(paths.map((path, slot) => [keyOf(path ?? ''), slot]))
  const slotOf = project.slotOf ?? ((key: number) => byKey!.get(key) ?? -1)
  const engine = { scorer: new Scorer(library, rarity, PROJECT_TUNING), rarity, slotOf, bases }
  engines.set(project, engine)
  return engine
}

/** The positions of the best scores, this many plus ties with the last. Sorting all is slow. */
function atLeast(scores: readonly number[], most: number): number[] {
  const least = scores.length <= most ? -Infinity : Float64Array.from(scores).sort()[scores.length - most]!
  const places: number[] = []
  scores.forEach((score, i) => void (score >= least && places.push(i)))
  return places
}

function roleFactor(role: Role, task: Task): number {
  let factor = 1
  if (role.isTest) factor *= task.about.tests ? Math.sqrt(WEIGHTS.test) : WEIGHTS.test
  else if (role.isData) factor *= WEIGHTS.data
  if (role.isLog && !task.about.log) factor *= WEIGHTS.log
  if (role.isExample && !task.about.examples) factor *= WEIGHTS.example
  if (role.isTest) return factor
  if (task.about.prose) return factor * (role.isProse ? WEIGHTS.proseAsked : WEIGHTS.codeWhenProseAsked)
  if (task.about.isQuestion && role.isProse) return factor
  return factor * (role.isProse ? WEIGHTS.prose : role.isConfig ? WEIGHTS.config : 1)
}

/** Sums over the words of the task, by the place of each file among the chosen ones. */
function sumWords(
  chosen: readonly number[],
  asked: readonly QueryTerm[],
  terms: readonly WeighedTerm[],
  isInTitle: (term: string) => boolean,
  find: ProjectTerms['find'],
  slots: number,
) {
  const column = () => new Float64Array(chosen.length)
  const [covered, coveredWords, coveredTitle, rarest] = [column(), column(), column(), column()]
  const fields = PROJECT_TUNING.fields.map(column)
  const places = new Int32Array(slots).fill(-1)
  for (let at = 0; at < chosen.length; at++) places[chosen[at]!] = at
  const pieceSums = new Float64Array(chosen.length * MOST_PIECES)
  const titleSums = new Float64Array(chosen.length * MOST_PIECES)
  const ownSums = new Float64Array(chosen.length * MOST_PIECES)
  terms.forEach(({ term, weight }, nth) => {
    const found = find(term)
    if (found === undefined) return
    const isTitle = isInTitle(term)
    const { isJoined } = asked[nth]!
    for (let i = 0; i < found.pieces.length; i++) {
      const at = places[found.list[2 * i]!]!
      if (at < 0) continue
      fields[fieldOf(found.list[2 * i + 1]!)]![at]! += weight
      if (!isJoined) {
        covered[at]! += weight
        coveredWords[at]!++
        if (isTitle) coveredTitle[at]! += weight
        if (weight > rarest[at]!) rarest[at] = weight
      }
      const pieces = found.pieces[i]!
      for (let own = pieces, piece = at * MOST_PIECES; own !== 0; own >>>= 1, piece++) {
        if ((own & 1) !== 0) ownSums[piece]! += weight
      }
      // Two neighbouring definitions of a file form a window.
      let piece = at * MOST_PIECES
      for (let near = (pieces | (pieces >>> 1)) >>> 0; near !== 0; near >>>= 1, piece++) {
        if ((near & 1) === 0) continue
        pieceSums[piece]! += weight
        if (isTitle) titleSums[piece]! += weight
      }
    }
  })
  const best = (sums: Float64Array) =>
    chosen.map((_, at) => {
      let most = 0
      for (let i = at * MOST_PIECES; i < (at + 1) * MOST_PIECES; i++) most = Math.max(most, sums[i]!)
      return most
    })
  return {
    covered,
    coveredWords,
    coveredTitle,
    rarest,
    fields,
    window: best(pieceSums),
    windowTitle: best(titleSums),
    definition: best(ownSums),
  }
}

/** What the task names: files, folders, definitions. */
class NameSignals {
  private readonly task: Task
  private readonly named: NamedFiles
  private readonly text: string
  private readonly folders: readonly string[]
  private readonly pairs: ReturnType<typeof pairsOf>
  private readonly stems = new Map<string, number>()
  private readonly defined = new Map<number, number>()
  private readonly used = new Map<number, number>()
  private readonly joined = new Map<number, number>()
  private readonly known = new Map<ScoredFile, ReturnType<NameSignals['read']>>()

  constructor(
    task: Task,
    { paths }: ProjectTerms,
    find: ProjectTerms['find'],
    named: NamedFiles,
    files: readonly ScoredFile[],
  ) {
    this.task = task
    this.named = named
    this.text = task.said.toLowerCase()
    this.folders = namedFolders(task, paths)
    this.pairs = pairsOf(task.terms)
    for (const { path, role } of files) if (!role.isTest) count(this.stems, nameOf(path).toLowerCase())
    for (const term of task.names.identifiers) {
      const found = find(term)
      if (found === undefined) continue
      const definers = slotsWith(found, (field) => field === SYMBOL_FIELD)
      for (const slot of definers) this.defined.set(slot, (this.defined.get(slot) ?? 0) + 1 / definers.length)
      const users = slotsWith(found, () => true)
      for (const slot of users) this.used.set(slot, Math.max(this.used.get(slot) ?? 0, 1 / users.length))
    }
    // "connection spec" may be `ConnectionSpec` or `connection_spec`.
    const words = wordsAmong(task.titleTerms).map(({ word }) => word)
    for (let at = 1; at < words.length; at++) {
      const both = words[at - 1]! + words[at]!
      const found = both.length < 6 ? undefined : find(stemWord(both))
      if (found === undefined) continue
      const definers = slotsWith(found, (field) => field <= SYMBOL_FIELD)
      for (const slot of definers) this.joined.set(slot, (this.joined.get(slot) ?? 0) + 1 / definers.length)
    }
  }

  of(file: ScoredFile) {
    const known = this.known.get(file) ?? this.read(file)
    this.known.set(file, known)
    return known
  }

  private read({ slot, path }: ScoredFile) {
    const stem = nameOf(path).toLowerCase()
    const isStem = stem.length >= 4 && isNamedIn(this.text, stem)
    const { scope } = this.task.names
    const has = (text: string) => scope.size > 0 && termsOf(text).some((term) => scope.has(term))
    return {
      path: this.named.paths.get(slot) ?? 0,
      module: this.named.modules.get(slot) ?? 0,
      frame: this.named.frames.get(slot)?.share ?? 0,
      stem: isStem ? 1 / Math.max(1, this.stems.get(stem) ?? 1) : 0,
      folderNamed: folderShare(this.folders, path),
      pathPair: pairsIn(this.pairs, path),
      scope: has(nameOf(path)) ? 1 : has(folderOf(path)) ? 0.5 : 0,
      defines: Math.min(1, this.defined.get(slot) ?? 0),
      uses: this.used.get(slot) ?? 0,
      joined: Math.min(1, this.joined.get(slot) ?? 0),
    }
  }
}

function slotsWith({ list }: TermPostings, fits: (field: number) => boolean): number[] {
  const slots: number[] = []
  for (let i = 0; i < list.length; i += 2) if (fits(fieldOf(list[i + 1]!))) slots.push(list[i]!)
  return slots
}

/** Folders in the task, each between slashes. */
function namedFolders({ names: { folders } }: Task, paths: ProjectTerms['paths']): string[] {
  if (folders.length === 0) return []
  const counts = new Map(folders.map((folder) => [`/${folder}/`, 0]))
  for (const path of paths) {
    if (path === undefined) continue
    const place = placeOf(path)
    for (const [folder, count] of counts) if (place.includes(folder)) counts.set(folder, count + 1)
  }
  // A folder with more than 200 files says too little about each.
  return [...counts].flatMap(([folder, count]) => (count > 0 && count <= 200 ? [folder] : []))
}

/** 1 for a file directly in the folder. */
function folderShare(folders: readonly string[], path: string): number {
  if (folders.length === 0) return 0
  const place = placeOf(path)
  if (folders.some((folder) => place.endsWith(folder))) return 1
  return folders.some((folder) => place.includes(folder)) ? 0.6 : 0
}

function placeOf(path: string): string {
  return `/${path.slice(0, path.lastIndexOf('/') + 1).toLowerCase()}`
}

/**
 * How many adjacent words of the path are adjacent in the task: "querying functions" in `docs/querying/functions.md`.
 */
function pairsIn({ terms, starts }: ReturnType<typeof pairsOf>, path: string): number {
  const name = path.slice(0, path.lastIndexOf('/') + 1) + nameOf(path)
  const lower = name.toLowerCase()
  // Most paths have none: they need not be read word by word.
  if (!starts.some((pair) => pair.every((start) => lower.includes(start)))) return 0
  let count = 0
  for (const pair of pairsOf(readTerms(name)).terms) if (terms.has(pair)) count++
  return Math.min(2, count)
}

/** Every two adjacent words, as terms, including those without a subject, and how both start in a text. */
function pairsOf(read: readonly ReadTerm[]) {
  const words = wordsAmong(read).map(({ term }) => term)
  const terms = new Set(words.slice(1).map((term, at) => `${words[at]} ${term}`))
  // A word and its term start alike, unless it has accents.
  const starts = words.map((term) => (/^[a-z0-9]/.test(term) ? term.slice(0, 3) : ''))
  return { terms, starts: starts.slice(1).map((start, at) => [starts[at]!, start]) }
}

/** Whether a text names something, as a word of its own. Both in lower case. */
function isNamedIn(text: string, name: string): boolean {
  const isWordAt = (at: number) => at >= 0 && at < text.length && /[a-z0-9_]/.test(text[at]!)
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!isWordAt(at - 1) && !isWordAt(at + name.length)) return true
  }
  return false
}

function testShare({ isTest }: Role, { about }: Task): number {
  return isTest && !about.tests ? 0.4 : 1
}
