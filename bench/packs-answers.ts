// npx tsx bench/packs-answers.ts <folder of packs> <questions.json> [--verbose]
// What packs give for questions that were written before: { "<pack>": [{ "question", "answer": "<regular expression>" | null }] }.
// An answer of null says that the pack does not know it.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine } from '../src/machine/machine.ts'
import { resolvePacks } from '../src/packs/resolve.ts'
import { toResolverOutput } from '../src/packs/rules/resolve/pack-context.ts'
import { termsOf } from '../src/search/tokens.ts'
import { estimateTokens } from '../src/text/tokens.ts'
import { benchEnvironment, printTable } from './measure.ts'

interface Asked {
  question: string
  answer: string | null
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
  const machine: Machine = { cwd: home, home, env: benchEnvironment(home), now: () => new Date() }
  printTable('questions to packs', [
    [
      'pack',
      'files',
      'tokens of all',
      'right',
      'gap',
      'false gap',
      'chosen unnamed',
      'mean tokens',
      'BM25 right',
      'tokens',
    ],
    ...Object.entries(asked).map(([name, questions]) => measure(machine, name, questions)),
  ])
} finally {
  rmSync(home, { recursive: true })
}

function measure(machine: Machine, name: string, questions: readonly Asked[]): string[] {
  const texts = readTexts(join(machine.home, '.agents', 'knowledge', name))
  const search = bestTwo(texts)
  const whole = texts.map(({ text }) => text).join('\n')
  const rows = questions.map(({ question, answer }) => {
    const wanted = answer === null ? undefined : new RegExp(answer)
    const holds = (text: string) => wanted?.test(text.replace(/\s+/g, ' ')) ?? false
    if (wanted !== undefined && !holds(whole)) throw new Error(`no text of ${name} holds ${answer}`)
    const ask = (packs: string[]) =>
      toResolverOutput(resolvePacks(machine, { task: question, packs, isRecorded: false }).value)
    const { wrappers, missing, token_estimate, packs } = ask([name])
    const given = wrappers.map(({ text }) => text).join('\n')
    const two = search(question)
    const row = {
      isKnown: wanted !== undefined,
      isRight: holds(given.replace(/^- nothing was found about.*$/gm, '')),
      isGap: missing.length > 0,
      isChosen: ask([]).packs.some((pack) => pack.name === name),
      tokens: token_estimate,
      isFound: holds(two),
      searched: estimateTokens(two),
    }
    if (isVerbose && (row.isKnown ? !row.isRight || row.isGap : !row.isGap)) {
      const places = packs[0]?.reasons.map(({ path, lines }) => `${path}:${lines?.from}-${lines?.to}`) ?? []
      console.log(row.isKnown ? (row.isRight ? 'FALSE GAP' : 'WRONG') : 'NO GAP', name, question, missing, places)
    }
    return row
  })
  const known = rows.filter(({ isKnown }) => isKnown)
  const unknown = rows.filter(({ isKnown }) => !isKnown)
  const share = (some: readonly unknown[], all: readonly unknown[]) => `${some.length} of ${all.length}`
  const mean = (numbers: number[]) =>
    Math.round(numbers.reduce((sum, each) => sum + each, 0) / numbers.length).toLocaleString('en')
  return [
    name,
    String(texts.length),
    estimateTokens(whole).toLocaleString('en'),
    share(
      known.filter(({ isRight }) => isRight),
      known,
    ),
    share(
      unknown.filter(({ isGap }) => isGap),
      unknown,
    ),
    share(
      known.filter(({ isGap }) => isGap),
      known,
    ),
    share(
      known.filter(({ isChosen }) => isChosen),
      known,
    ),
    mean(rows.map(({ tokens }) => tokens)),
    share(
      known.filter(({ isFound }) => isFound),
      known,
    ),
    mean(rows.map(({ searched }) => searched)),
  ]
}

function readTexts(root: string): { path: string; text: string }[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:md|rst|adoc|txt)$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** What a plain search gives: the two files that fit best by BM25, whole. */
function bestTwo(files: readonly { path: string; text: string }[]): (question: string) => string {
  const documents = files.map(({ path, text }) => {
    const terms = termsOf(`${path} ${text}`)
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    return { text, counts, length: terms.length }
  })
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  return (question) => {
    const terms = [...new Set(termsOf(question))]
    const weights = terms.map((term) => {
      const holders = documents.filter(({ counts }) => counts.has(term)).length
      return Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5))
    })
    const scored = documents.map(({ text, counts, length }) => {
      const score = terms.reduce((sum, term, at) => {
        const count = counts.get(term) ?? 0
        const norm = 1.2 * (0.25 + (0.75 * length) / mean)
        return sum + ((weights[at] ?? 0) * count * 2.2) / (count + norm)
      }, 0)
      return { text, score }
    })
    const best = scored.sort((a, b) => b.score - a.score).slice(0, 2)
    return best.map(({ text }) => text).join('\n')
  }
}
