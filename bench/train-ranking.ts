// npm run bench:ranking -- rows <tasks.jsonl> <mirrors> <out>
// npm run bench:ranking -- train <rows>… [--without <repository>…] [--test <rows>…] [--out <model.ts>]
// npm run bench:ranking -- measure <rows>…   (the shipped model, and the same without each group of signals)
// Trains the order of a project's files, and measures it on rows of other repositories.
import { readFileSync, writeFileSync } from 'node:fs'
import { judge, LEAVES, type Model, probabilityOf, readModel, writeModel } from '../src/project/rules/learned.ts'
import { RANKING_MODEL } from '../src/project/rules/ranking-model.ts'
import { SIGNALS } from '../src/project/rules/signals.ts'
import { BOOSTING, type Boosting, boost, calibrate, randomFrom, type TrainingRows } from './boosted-trees.ts'
import { readPublicTasks, type TaskRow, writeTaskRows } from './ranking-rows.ts'

const column = (name: (typeof SIGNALS)[number]) => SIGNALS.indexOf(name)
const [IS_TEST, ABOUT_TESTS, PATH] = [column('isTest'), column('aboutTests'), column('path')]
/** More of these never speaks against a file. */
const RISING = (
  'score place text name covered coveredWords coveredTitle window windowTitle definition nameShare path module frame stem defines uses joined votes nearest together walk scope pathPair'.split(
    ' ',
  ) as (typeof SIGNALS)[number][]
).map(column)
/** Each task counts once with history; every so many tasks also without. */
const WITHOUT_HISTORY = 4
const FOLDS = 5
/** The files after these in the plain ranking are hardly ever needed, and teach little. */
const MOST_LEARNT = 80

export function readTaskRows(files: readonly string[]): TaskRow[] {
  return files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): TaskRow => JSON.parse(line)),
  )
}

/** The files of a task that a model learns from: tests only if the task is known to have changed some or none. */
function learnable({ paths, signals, files, tests }: TaskRow) {
  return paths.flatMap((path, at) => {
    const isTest = signals[at]![IS_TEST] === 1
    if (isTest && tests === undefined) return []
    return [{ row: signals[at]!, at, label: files.includes(path) || tests?.includes(path) ? 1 : 0 }]
  })
}

function toTraining(tasks: readonly TaskRow[]): TrainingRows {
  const rows = tasks.flatMap((task, at) =>
    learnable(task)
      .filter((row) => row.at < MOST_LEARNT)
      .map((row) => ({ ...row, task: at })),
  )
  const values = new Float64Array(rows.length * SIGNALS.length)
  rows.forEach(({ row }, at) => void values.set(row, at * SIGNALS.length))
  return {
    columns: SIGNALS.length,
    values,
    labels: Uint8Array.from(rows, ({ label }) => label),
    tasks: Uint32Array.from(rows, ({ task }) => task),
    rising: new Set(RISING),
  }
}

/** Trains on all rows; the probabilities come from repositories that a part of the training did not see. */
export function trainModel(tasks: readonly TaskRow[], boosting: Boosting = BOOSTING): Model {
  const repositories = [...new Set(tasks.map(({ repo }) => repo))].sort()
  const foldOf = new Map(repositories.map((repo, at) => [repo, at % FOLDS]))
  const [sums, labels]: [number[], number[]] = [[], []]
  for (let fold = 0; fold < Math.min(FOLDS, repositories.length); fold++) {
    const isHeld = ({ repo }: TaskRow) => foldOf.get(repo) === fold
    const trees = boost(toTraining(tasks.filter((task) => !isHeld(task))), boosting)
    for (const { row, at, label } of tasks.filter(isHeld).flatMap(learnable)) {
      sums.push(judge(trees, row, at))
      labels.push(label)
    }
  }
  return { signals: SIGNALS, ...boost(toTraining(tasks), boosting), ...calibrate(sums, labels) }
}

type Score = (row: readonly number[], at: number) => number
const plain: Score = (_, at) => -at

/** The paths of a task, best first, those shown for it and its tests. */
function orderOf({ paths, signals }: TaskRow, score: Score) {
  const scores = signals.map(score)
  const order = paths.map((_, at) => at).sort((a, b) => scores[b]! - scores[a]! || a - b)
  const isShown = (at: number) =>
    signals[at]![IS_TEST] === 0 || signals[at]![ABOUT_TESTS] === 1 || signals[at]![PATH]! >= 0.5
  return {
    files: order.filter(isShown).map((at) => paths[at]!),
    tests: order.filter((at) => signals[at]![IS_TEST] === 1).map((at) => paths[at]!),
  }
}

const share = (wanted: readonly string[], found: readonly string[]) =>
  wanted.filter((path) => found.includes(path)).length / wanted.length
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / (values.length || 1)

/** Per task: R@1, R@5, R@12 and, where the commit changed tests, its tests among the first five tests. */
function recalls(tasks: readonly TaskRow[], score: Score): number[][] {
  return tasks.map((task) => {
    const { files, tests } = orderOf(task, score)
    const known = task.tests ?? []
    const found = known.length === 0 ? Number.NaN : share(known, tests.slice(0, 5))
    return [...[1, 5, 12].map((k) => share(task.files, files.slice(0, k))), found]
  })
}

const per = (value: number) => (100 * value).toFixed(1)

/** The mean of each column, and the middle 90 % of its difference to the other ones when tasks are drawn again. */
function compare(before: readonly number[][], after: readonly number[][]): string {
  const random = randomFrom(1)
  return [0, 1, 2, 3]
    .map((at) => {
      const pairs = after.flatMap((row, task) => (Number.isNaN(row[at]!) ? [] : [[before[task]![at]!, row[at]!]]))
      if (pairs.length === 0) return '–'
      const drawn = Array.from({ length: 1000 }, () =>
        mean(pairs.map(() => pairs[Math.floor(random() * pairs.length)]!).map(([a, b]) => b! - a!)),
      ).sort((a, b) => a - b)
      const [low, high] = [drawn[50]!, drawn[949]!]
      return `${per(mean(pairs.map(([a]) => a!)))} → ${per(mean(pairs.map(([, b]) => b!)))} [${per(low)}, ${per(high)}]`
    })
    .join('   ')
}

/** Of the files with a probability in each fifth: what the model says, and the share that was needed. */
function calibration(tasks: readonly TaskRow[], model: Model): string {
  const rows = tasks
    .flatMap(learnable)
    .map(({ row, at, label }) => ({ p: probabilityOf(model, judge(model, row, at)), label }))
  return [0, 1, 2, 3, 4]
    .map((fifth) => {
      const own = rows.filter(({ p }) => Math.min(4, Math.floor(p * 5)) === fifth)
      return `${mean(own.map(({ p }) => p)).toFixed(2)}/${mean(own.map(({ label }) => label)).toFixed(2)} (${own.length})`
    })
    .join('  ')
}

/** What the model is worth on tasks of repositories that it does not know. */
function report(name: string, tasks: readonly TaskRow[], model: Model): void {
  const learned: Score = (row, at) => judge(model, row, at)
  for (const hasHistory of [true, false]) {
    const own = tasks.filter((task) => task.hasHistory === hasHistory)
    if (own.length === 0) continue
    const what = `${name}${hasHistory ? '' : ', without history'} (${own.length})`
    console.log(`${what}: R@1, R@5, R@12, tests@5   ${compare(recalls(own, plain), recalls(own, learned))}`)
    console.log(`  said/was: ${calibration(own, model)}`)
  }
}

/** What the model has left of each group of signals: nothing is known of the files in the columns of one group. */
const GROUPS = {
  'the plain sum': 'score place text',
  'words by place':
    'name folder symbols headings covered coveredWords coveredTitle window windowTitle definition rarest nameShare',
  'what the task names': 'path module frame stem folderNamed pathPair scope defines uses joined',
  history: 'votes nearest nearestOfAll age recent changes together walk sameFolder extension',
  'kinds of files and tasks':
    'isTest isProse isConfig isData isLog isExample aboutProse aboutTests aboutExamples aboutCode isQuestion depth sameName twin',
  'the project': 'rival leader files words commits',
} as const

function reportGroups(tasks: readonly TaskRow[], model: Model): void {
  for (const hasHistory of [true, false]) {
    const own = tasks.filter((task) => task.hasHistory === hasHistory)
    const whole = recalls(own, (row, at) => judge(model, row, at))
    for (const [name, columns] of Object.entries(GROUPS)) {
      const left = new Set((columns.split(' ') as (typeof SIGNALS)[number][]).map(column))
      const without: Score = (row, at) =>
        judge(
          model,
          row.map((value, each) => (left.has(each) ? 0 : value)),
          at,
        )
      console.log(`without ${name}${hasHistory ? '' : ', no history'}: ${compare(whole, recalls(own, without))}`)
    }
  }
}

export function modelFile(model: Model): string {
  const head = '// @generated by bench/train-ranking.ts. DO NOT EDIT: a model that was changed is refused.'
  return `${head}\nexport const RANKING_MODEL = \`${writeModel(model)}\`\n`
}

/** The values of a flag, up to the next one. */
function valuesOf(words: readonly string[], flag: string): string[] {
  const at = words.indexOf(flag)
  if (at < 0) return []
  const end = words.findIndex((word, place) => place > at && word.startsWith('--'))
  return words.slice(at + 1, end < 0 ? undefined : end)
}

async function main([command, ...words]: readonly string[]): Promise<void> {
  if (command === 'rows') {
    const [tasks = '', mirrors = '', out = ''] = words
    return writeTaskRows(readPublicTasks(tasks), mirrors, out)
  }
  if (command === 'measure') {
    const model = readModel(RANKING_MODEL, SIGNALS)!
    for (const file of words) {
      const tasks = readTaskRows([file])
      report(file, tasks, model)
      reportGroups(tasks, model)
    }
    return
  }
  if (command !== 'train') throw new Error('usage: see the head of bench/train-ranking.ts')
  const without = new Set(valuesOf(words, '--without'))
  const all = readTaskRows(valuesOf(['--rows', ...words], '--rows')).filter(({ repo }) => !without.has(repo))
  let skipped = 0
  const tasks = all.filter(({ hasHistory }) => hasHistory || skipped++ % WITHOUT_HISTORY === 0)
  const model = trainModel(tasks)
  console.log(
    `${tasks.length} tasks of ${new Set(tasks.map(({ repo }) => repo)).size} repositories, ${model.leaves.length / LEAVES} trees`,
  )
  for (const file of valuesOf(words, '--test')) report(file, readTaskRows([file]), model)
  const [out] = valuesOf(words, '--out')
  if (out !== undefined) writeFileSync(out, modelFile(model))
}

if (process.argv[1]?.endsWith('train-ranking.ts')) await main(process.argv.slice(2))
