import MiniSearch from 'minisearch'
import { createRanker, loadRanker } from '../src/search/ranker.ts'
import { median, ms, printTable, processorTime, ratio } from './measure.ts'
import { SampleText } from './sample-text.ts'

/** The ranker beside MiniSearch on the same documents. */
export function benchRank(): void {
  const text = new SampleText(30_000)
  const documents = text.documents(2000, 8000)
  const questions = text.questions(200)
  const compile = timed(3, () => createRanker(documents))
  const saved = timed(3, () => compile.result.save())
  const load = timed(5, () => loadRanker(saved.result))
  const mini = timed(1, () => {
    const index = new MiniSearch({
      fields: ['name', 'description', 'body'],
      searchOptions: { boost: { name: 3, description: 2 } },
    })
    index.addAll(documents)
    return index
  })
  const ours = perQuestion(questions, (question) => compile.result.rank(question))
  const theirs = perQuestion(questions, (question) => mini.result.search(question))
  printTable('ranking 2,000 documents of 8,000 characters, beside MiniSearch', [
    ['', 'theirs ms', 'ours ms', 'faster'],
    ['compile', ms(mini.time), ms(compile.time), ratio(mini.time, compile.time)],
    ['one question, warm', ms(theirs), ms(ours), ratio(theirs, ours)],
  ])
  printTable('the saved form', [
    ['', 'ms', ''],
    ['compile', ms(compile.time), ''],
    ['load', ms(load.time), `${ratio(compile.time, load.time)} faster than compiling`],
    ['save', ms(saved.time), `${(saved.result.length / 1e6).toFixed(1)} MB`],
  ])
  const taught = createRanker(documents.map((each) => ({ ...each, examples: text.questions(10) })))
  printTable('ten examples each, one question, warm', [
    ['documents', 'ms'],
    ['2000', ms(perQuestion(questions, (question) => taught.rank(question)))],
  ])
  printTable('short documents', [
    ['documents', 'compile ms', 'one question ms', 'of rare words ms'],
    ...[1000, 10_000, 100_000].map((size) => short(text, size, questions)),
  ])
}

function short(text: SampleText, size: number, questions: readonly string[]): string[] {
  const { result: ranker, time } = timed(1, () => createRanker(text.documents(size, 0)))
  const rare = questions.map((_, at) => `document ${at * 5} ${at * 3}`)
  return [
    String(size),
    ms(time),
    ms(perQuestion(questions, (question) => ranker.rank(question))),
    ms(perQuestion(rare, (question) => ranker.rank(question))),
  ]
}

function perQuestion(questions: readonly string[], ask: (question: string) => unknown): number {
  return processorTime(() => questions.forEach(ask)) / questions.length
}

/** Processor time, user and system. */
function timed<T>(times: number, run: () => T): { result: T; time: number } {
  const measured = Array.from({ length: times }, () => {
    const start = process.cpuUsage()
    const result = run()
    const { user, system } = process.cpuUsage(start)
    return { result, time: (user + system) / 1000 }
  })
  return { result: measured[0]!.result, time: median(measured.map(({ time }) => time)) }
}
