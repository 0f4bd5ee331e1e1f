import type { Question } from '../src/lab/rules/cases.ts'
import {
  type FamilyShares,
  folderOf,
  type RankDocument,
  type RankHit,
  sessionLift,
  sharesOf,
} from '../src/search/document.ts'
import { createRanker, type Ranker, type RankerOptions } from '../src/search/ranker.ts'
import { printTable } from './measure.ts'
import type { RoutingSet } from './routing-data.ts'

/** Questions that teach, as examples of their answers, and questions that are asked. No question is both. */
interface Fold {
  library: RankDocument[]
  asked: Question[]
}

/** Every question is asked once. The others of its answer teach, at most so many; with 2 folds, half of them. */
export function foldsOf({ library, queries }: RoutingSet, count: number, most: number, seed = 3): Fold[] {
  const random = generator(seed)
  const byAnswer = new Map<string, Question[]>()
  for (const query of queries.filter(({ kind }) => kind === 'pos')) {
    const answer = query.expected[0] ?? ''
    byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), query])
  }
  const folds = Array.from({ length: count }, () => ({
    examples: new Map<string, string[]>(),
    asked: [] as Question[],
  }))
  let shift = 0
  for (const questions of byAnswer.values()) {
    shift++
    const shuffled = questions.map((question) => ({ question, place: random() })).sort((a, b) => a.place - b.place)
    folds.forEach(({ examples, asked }, fold) => {
      const isAsked = (at: number) => (at + shift) % count === fold
      asked.push(...shuffled.filter((_, at) => isAsked(at)).map(({ question }) => question))
      for (const { question } of shuffled.filter((_, at) => !isAsked(at)).slice(0, most)) {
        for (const id of question.expected) examples.set(id, [...(examples.get(id) ?? []), question.prompt])
      }
    })
  }
  return folds.map(({ examples, asked }) => ({
    library: library.map((document) => ({ ...document, examples: examples.get(document.id) ?? [] })),
    asked,
  }))
}

/** The three prompts before each question. */
const SESSIONS: [label: string, from: readonly ('own' | 'other')[]][] = [
  ['none', []],
  ['three of the same family', ['own', 'own', 'own']],
  ['switched one prompt ago', ['other', 'other', 'own']],
  ['switches with this question', ['other', 'other', 'other']],
]

/** What examples and the prompts of a session add. */
export function reportLearning(set: RoutingSet, count: number, most: number): void {
  // How the questions are dealt out changes R@1 by a point: the mean of five deals.
  const taught = [3, 4, 5, 6, 7].flatMap((seed) => foldsOf(set, count, most, seed))
  const bare = taught.map(({ asked }) => ({ asked, library: set.library }))
  const hasFamilies = set.library.some(({ id }) => folderOf(id) !== '')
  const sessions = hasFamilies ? SESSIONS : SESSIONS.slice(0, 1)
  printTable(`${set.name}: what examples and the session add, always answering`, [
    ['examples', 'session', 'R@1', 'R@3', 'R@5'],
    ...(['none', 'others of the same answer'] as const).flatMap((label, at) =>
      sessions.map(([session, from]) => [label, session, ...recall(set, [bare, taught][at]!, from)]),
    ),
  ])
}

function recall(set: RoutingSet, folds: readonly Fold[], from: readonly ('own' | 'other')[]): string[] {
  const places = folds.flatMap(({ library, asked }) => {
    const ranker = createRanker(library, { silence: 0 })
    const draw = previousPrompts(set, from)
    return asked.map((question) => {
      const recent = draw(question).map((prompt) => sharesOfPrompt(ranker, prompt))
      const lift = sessionLift(recent.toReversed(), folderOf)
      const hits = ranker.rank(question.prompt, { limit: 5, ...(lift && { lift }) })
      return hits.findIndex(({ id }) => question.expected.includes(id)) + 1
    })
  })
  return [1, 3, 5].map((k) => percent(places.filter((place) => place > 0 && place <= k).length, places.length))
}

function sharesOfPrompt(ranker: Ranker, prompt: string): FamilyShares {
  return sharesOf(ranker.rank(prompt, { limit: 5 }), folderOf)
}

function previousPrompts({ queries }: RoutingSet, from: readonly ('own' | 'other')[]) {
  const random = generator(11)
  const positives = queries.filter(({ kind }) => kind === 'pos')
  const familyOf = ({ expected }: Question) => folderOf(expected[0] ?? '')
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]
  return (question: Question): string[] => {
    const own = positives.filter((other) => other !== question && familyOf(other) === familyOf(question))
    const strange = pick(positives.filter((other) => familyOf(other) !== familyOf(question)))
    const other = positives.filter((each) => strange !== undefined && familyOf(each) === familyOf(strange))
    return from.flatMap((which) => pick(which === 'own' ? own : other)?.prompt ?? [])
  }
}

/**
 * What examples for half of the entries do to questions about the others, and how many of the texts that a hook would
 * load are right. Each half is taught once; half of the questions about an entry teach, at most so many.
 */
export function reportTeaching(set: RoutingSet, most: number): void {
  const random = generator(5)
  const sides = new Map(set.library.map(({ id }) => [id, random() < 0.5 ? 0 : 1]))
  const positives = set.queries.filter(({ kind }) => kind === 'pos')
  const negatives = set.queries.filter(({ kind }) => kind === 'neg')
  const folds = foldsOf(set, 2, most)
  const halves = [0, 1].map((side) => {
    const isTaught = (id: string) => sides.get(id) === side
    const library = folds[0]!.library.map((each) => (isTaught(each.id) ? each : { ...each, examples: [] }))
    return { library, asked: positives.filter(({ expected }) => !expected.some(isTaught)) }
  })
  const bare = halves.map(({ asked }) => ({ library: set.library, asked }))
  const row = (label: string, answers: readonly Asked[], none: readonly Asked[] = []) => {
    const texts = answers.map(({ hits, expected }) =>
      hits.filter(({ form }) => form === 'text').map(({ id }) => expected.includes(id)),
    )
    const within = (k: number) => answers.filter((each) => isRight(each, k)).length
    return [
      label,
      String(answers.length),
      ...[1, 3, 5].map((k) => percent(within(k), answers.length)),
      percent(texts.filter(({ length }) => length > 0).length, texts.length),
      percent(texts.flat().filter(Boolean).length, texts.flat().length),
      percent(none.filter(({ hits }) => hits.some(({ form }) => form === 'text')).length, none.length),
    ]
  }
  const all = (asked: Question[]) => asked
  const noneOf = (libraries: readonly Fold[]) =>
    ask(
      libraries.map(({ library }) => ({ library, asked: negatives })),
      all,
      {},
    )
  const words = [{ library: set.library, asked: positives }]
  printTable(`${set.name}, ${set.library.length} entries: who is taught, and the texts of a hook`, [
    ['examples', 'questions', 'R@1', 'R@3', 'R@5', 'get text', 'right texts', 'negatives with text'],
    row('for no entry', ask(words, all, {}), noneOf(words)),
    row('for every entry with questions', ask(folds, all, {}), noneOf(folds)),
    row('untaught half, nobody taught', ask(bare, all, {})),
    row('untaught half, the other taught', ask(halves, all, {}), noneOf(halves)),
  ])
}

const isRight = ({ hits, expected }: Asked, k: number) => hits.slice(0, k).some(({ id }) => expected.includes(id))

const THRESHOLDS = [0.03, 0.05, 0.07, 0.1, 0.2, 0.5, 0.8]

/** What each threshold would answer, on the half that thresholds are chosen on and on the other. */
export function reportAnswers(set: RoutingSet, options: RankerOptions = {}): void {
  for (const [half, label] of ['chosen on', 'checked on'].entries()) {
    const isHere = (at: number) => at % 2 === half
    const negatives = set.queries.filter(({ kind }) => kind === 'neg').filter((_, at) => isHere(at))
    const taught = ask(foldsOf(set, 2, Infinity), (asked) => asked.filter((_, at) => isHere(at)), options)
    const bare = ask(
      [{ library: set.library, asked: set.queries.filter(({ kind }) => kind === 'pos') }],
      (asked) => asked.filter((_, at) => isHere(at)),
      options,
    )
    const none = ask([{ library: set.library, asked: negatives }], (asked) => asked, options)
    const noneTaught = ask(
      foldsOf(set, 2, Infinity).map(({ library }) => ({ library, asked: negatives })),
      (asked) => asked,
      options,
    )
    const first = ({ hits }: Asked) => hits[0]?.confidence ?? 0
    const share = (list: readonly Asked[], test: (each: Asked) => boolean) =>
      percent(list.filter(test).length, list.length)
    printTable(
      `${set.name}, ${label}: the best hit has at least this confidence (${taught.length} positives, ${negatives.length} negatives)`,
      [
        [
          'threshold',
          'words: answered',
          'right in 5',
          'precision of first',
          'negatives',
          'taught: answered',
          'right in 5',
          'precision of first',
          'negatives',
        ],
        ...THRESHOLDS.map((least) => {
          const columns = [
            [bare, none],
            [taught, noneTaught],
          ].flatMap(([yes = [], no = []]) => {
            const answered = yes.filter((each) => first(each) >= least)
            return [
              share(yes, (each) => first(each) >= least),
              share(yes, (each) => first(each) >= least && isRight(each, 5)),
              share(answered, (each) => isRight(each, 1)),
              share(no, (each) => first(each) >= least),
            ]
          })
          return [String(least), ...columns]
        }),
      ],
    )
  }
}

interface Asked {
  expected: readonly string[]
  hits: RankHit[]
}

function ask(folds: readonly Fold[], choose: (asked: Question[]) => Question[], options: RankerOptions): Asked[] {
  return folds.flatMap(({ library, asked }) => {
    const ranker = createRanker(library, { ...options, silence: 0 })
    return choose(asked).map(({ prompt, expected }) => ({ expected, hits: ranker.rank(prompt, { limit: 5 }) }))
  })
}

function percent(count: number, all: number): string {
  return all === 0 ? '–' : ((100 * count) / all).toFixed(1)
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
