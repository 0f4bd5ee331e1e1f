// npx tsx bench/packs-answers.ts <folder of packs> <questions.json> [--verbose]
// What packs give for questions that were written before: { "<pack>": [{ "question", "answer": "<regular expression>" | null }] }.
// An answer of null says that the pack does not know it. All packs lie beside each other.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Machine } from '../src/machine/machine.ts'
import { resolvePacks } from '../src/packs/resolve.ts'
import { toResolverOutput } from '../src/packs/rules/resolve/pack-context.ts'
import { termsOf } from '../src/search/tokens.ts'
import { estimateTokens } from '../src/text/tokens.ts'
import { benchEnvironment, printTable } from './measure.ts'

interface Asked {
  question: string
  answer: string | null
}

interface Row {
  isKnown: boolean
  isChosen: boolean
  isRightUnnamed: boolean
  isRight: boolean
  isRightShort: boolean
  isRightPlain: boolean
  /** With the pack named, and without. */
  isGap: boolean
  isGapUnnamed: boolean
  /** Words that are reported as not found, and those of them that stand in the text. */
  words: number
  untrue: number
  tokens: number
}

const COLUMNS: [string, (rows: readonly Row[]) => string][] = [
  ['right pack', (rows) => share(rows.filter(known), ({ isChosen }) => isChosen)],
  ['unnamed', (rows) => share(rows.filter(known), ({ isRightUnnamed }) => isRightUnnamed)],
  ['named', (rows) => share(rows.filter(known), ({ isRight }) => isRight)],
  ['1,000 tokens', (rows) => share(rows.filter(known), ({ isRightShort }) => isRightShort)],
  ['BM25, same tokens', (rows) => share(rows.filter(known), ({ isRightPlain }) => isRightPlain)],
  ['doubted, unnamed / named', (rows) => both(rows.filter(known))],
  ['honest gaps, unnamed / named', (rows) => both(rows.filter((row) => !known(row)))],
  ['untrue words', (rows) => `${sum(rows, ({ untrue }) => untrue)} of ${sum(rows, ({ words }) => words)}`],
  ['tokens', (rows) => String(Math.round(sum(rows, ({ tokens }) => tokens) / rows.length))],
]

function known({ isKnown }: Row): boolean {
  return isKnown
}

function share(rows: readonly Row[], is: (row: Row) => boolean): string {
  return `${rows.filter(is).length} of ${rows.length}`
}

function both(rows: readonly Row[]): string {
  const named = rows.filter(({ isGap }) => isGap).length
  return `${rows.filter(({ isGapUnnamed }) => isGapUnnamed).length} / ${named} of ${rows.length}`
}

function sum(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}

const [folder, file] = process.argv.slice(2)
const isVerbose = process.argv.includes('--verbose')
if (folder === undefined || file === undefined) {
  console.error('usage: npx tsx bench/packs-answers.ts <folder of packs> <questions.json> [--verbose]')
  process.exit(2)
}
const asked: Record<string, Asked[]> = JSON.parse(readFileSync(file, 'utf8'))
const home = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
try {
  for (const name of Object.keys(asked)) {
    cpSync(join(folder, name), join(home, '.agents', 'knowledge', name), { recursive: true })
  }
  const machine: Machine = new Machine({ cwd: home, home, env: benchEnvironment(home), now: () => new Date() })
  const rows = Object.entries(asked).map(([name, questions]) => ({ name, rows: measure(machine, name, questions) }))
  printTable('questions to packs', [
    ['pack', ...COLUMNS.map(([title]) => title)],
    ...[...rows, { name: 'all', rows: rows.flatMap((each) => each.rows) }].map(({ name, rows }) => [
      name,
      ...COLUMNS.map(([, cell]) => cell(rows)),
    ]),
  ])
} finally {
  rmSync(home, { recursive: true })
}

function measure(machine: Machine, name: string, questions: readonly Asked[]): Row[] {
  const texts = readTexts(join(machine.home, '.agents', 'knowledge', name))
  const whole = texts.map(({ text }) => text).join('\n')
  const search = plainSections(texts)
  return questions.map(({ question, answer }) => {
    const wanted = answer === null ? undefined : new RegExp(answer)
    const holds = (text: string) => wanted?.test(text.replace(/\s+/g, ' ')) ?? false
    if (wanted !== undefined && !holds(whole)) throw new Error(`no text of ${name} holds ${answer}`)
    const ask = (packs: string[], budget?: number) =>
      toResolverOutput(resolvePacks(machine, { task: question, packs, budget }))
    const named = ask([name])
    const unnamed = ask([])
    const given = textOf(named.wrappers)
    const reported = [named, unnamed].flatMap(({ missing, wrappers }) => {
      const terms = new Set(termsOf(textOf(wrappers)))
      const words = missing.flatMap((gap) => /^nothing was found about: (.*)$/.exec(gap)?.[1]?.split(', ') ?? [])
      return words.map((word) => ({ isUntrue: termsOf(word).every((term) => terms.has(term)) }))
    })
    const row: Row = {
      isKnown: wanted !== undefined,
      isChosen: unnamed.packs.some((pack) => pack.name === name),
      isRightUnnamed: holds(textOf(unnamed.wrappers)),
      isRight: holds(given),
      isRightShort: holds(textOf(ask([name], 1000).wrappers)),
      isRightPlain: holds(search(question, estimateTokens(given))),
      isGap: named.missing.length > 0,
      isGapUnnamed: unnamed.missing.length > 0,
      words: reported.length,
      untrue: reported.filter(({ isUntrue }) => isUntrue).length,
      tokens: named.token_estimate,
    }
    if (isVerbose) {
      const said = row.isKnown
        ? `${row.isRight ? 'right' : 'WRONG'} ${row.isRightUnnamed ? 'right' : 'WRONG'}`
        : 'unknown'
      const places = named.packs[0]?.reasons.map(({ path, lines }) => `${path}:${lines?.from}-${lines?.to}`) ?? []
      const chosen = unnamed.packs.map((pack) => pack.name)
      console.log(
        said,
        JSON.stringify({ question, answer, named: named.missing, unnamed: unnamed.missing, places, chosen }),
      )
    }
    return row
  })
}

/** Without the lines about gaps, which repeat words of the question. */
function textOf(wrappers: readonly { text: string }[]): string {
  return wrappers.map(({ text }) => text.replace(/^- (?:nothing was found about|no passage).*$/gm, '')).join('\n')
}

interface Text {
  path: string
  text: string
}

function readTexts(root: string): Text[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:md|mdx|rst|adoc|txt)$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** What a plain search gives: the sections that fit best by BM25, within the same tokens. */
function plainSections(files: readonly Text[]): (question: string, tokens: number) => string {
  const sections = files.flatMap(({ path, text }) => text.split(/^(?=#)/m).map((part) => ({ path, text: part })))
  const documents = sections.map(({ path, text }) => {
    const terms = termsOf(`${path} ${text}`)
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    return { text, counts, length: terms.length }
  })
  const mean = documents.reduce((total, { length }) => total + length, 0) / documents.length
  return (question, tokens) => {
    const terms = [...new Set(termsOf(question))]
    const weights = terms.map((term) => {
      const holders = documents.filter(({ counts }) => counts.has(term)).length
      return Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5))
    })
    const scored = documents.map(({ text, counts, length }) => {
      const score = terms.reduce((total, term, at) => {
        const count = counts.get(term) ?? 0
        const norm = 1.2 * (0.25 + (0.75 * length) / mean)
        return total + ((weights[at] ?? 0) * count * 2.2) / (count + norm)
      }, 0)
      return { text, score }
    })
    let left = tokens
    const taken = scored
      .sort((a, b) => b.score - a.score)
      .filter(({ text }) => {
        const cost = estimateTokens(text)
        if (cost > left) return false
        left -= cost
        return true
      })
    return taken.map(({ text }) => text).join('\n')
  }
}
