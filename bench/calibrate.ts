// npm run bench:calibrate -- <data folder>: what the constants of src/search/ranker.ts rest on.
//
// 1. Right answers: questions whose document is in the library. Nothing fits: questions of a repository none of whose
//    documents are in the library; the written negatives are too few to fit anything on.
// 2. Both at library sizes 2, 6, 20, 100 and all, drawn with a fixed seed; every size and kind weighs the same.
// 3. Logistic regression of "the best hit is right" on log(score / √mass) gives HALFWAY and STEEPNESS.
// 4. The table shows what each threshold for silence would answer; SILENCE is chosen from it by hand.
import type { Question } from '../src/lab/rules/cases.ts'
import type { RankDocument } from '../src/search/document.ts'
import { createRanker, HALFWAY, STEEPNESS } from '../src/search/ranker.ts'
import { printTable } from './measure.ts'
import { readRoutingSet } from './routing-data.ts'

interface Sample {
  size: number
  kind: 'fits' | 'nothing fits' | 'written negative'
  isRight: boolean
  /** log(score / √mass) of the best hit. */
  fit: number
  confidence: number
}

const folder = process.argv[2]
if (folder === undefined) {
  console.error('usage: npm run bench:calibrate -- <folder with skills/>')
  process.exit(2)
}
const { library, queries, sourceOf } = readRoutingSet(folder, 'skills')
const SIZES = [2, 6, 20, 100, library.length]
const samples = collectAll()
reportConstants()
reportThresholds()
reportReliability()

function collectAll(): Sample[] {
  const random = generator(7)
  const found: Sample[] = []
  for (const size of SIZES.slice(0, -1)) {
    for (let draw = 0; draw < 1600 / size ** 0.6; draw++) found.push(...collect(drawn(size, random), size, random))
  }
  found.push(...collect(library, library.length, random))
  for (const left of new Set(library.map(({ id }) => sourceOf.get(id)))) {
    const rest = library.filter(({ id }) => sourceOf.get(id) !== left)
    const asked = queries.filter(({ kind, expected }) => kind === 'pos' && sourceOf.get(expected[0] ?? '') === left)
    found.push(...ask(rest, library.length, asked, 'nothing fits'))
  }
  return found
}

function collect(documents: readonly RankDocument[], size: number, random: () => number): Sample[] {
  const ids = new Set(documents.map(({ id }) => id))
  const sources = new Set(documents.map(({ id }) => sourceOf.get(id)))
  const positives = queries.filter(({ kind }) => kind === 'pos')
  const fitting = positives.filter(({ expected }) => expected.some((id) => ids.has(id)))
  const foreign = positives.filter(({ expected }) => !sources.has(sourceOf.get(expected[0] ?? '')) && random() < 0.05)
  const written = size === library.length ? queries.filter(({ kind }) => kind === 'neg') : []
  return [
    ...ask(documents, size, fitting, 'fits'),
    ...ask(documents, size, foreign, 'nothing fits'),
    ...ask(documents, size, written, 'written negative'),
  ]
}

function ask(
  documents: readonly RankDocument[],
  size: number,
  asked: readonly Question[],
  kind: Sample['kind'],
): Sample[] {
  if (asked.length === 0) return []
  const ranker = createRanker(documents, { silence: 0 })
  return asked.map(({ prompt, expected }) => {
    const [hit] = ranker.rank(prompt, { limit: 1 })
    const confidence = hit?.confidence ?? 0
    // From a confidence back to the fit it came from.
    const fit = Math.log(HALFWAY) + Math.log(confidence / (1 - confidence)) / STEEPNESS
    return { size, kind, isRight: expected.includes(hit?.id ?? ''), fit, confidence }
  })
}

/** Newton's method on the two constants. */
function reportConstants(): void {
  const rows = samples.filter(({ kind, confidence }) => kind !== 'written negative' && confidence > 0)
  const weights = weigh(rows)
  let [slope, offset] = [1, 0]
  for (let round = 0; round < 30; round++) {
    let [a, b, aa, ab, bb] = [0, 0, 1e-9, 0, 1e-9]
    rows.forEach(({ fit, isRight }, at) => {
      const chance = 1 / (1 + Math.exp(-(slope * fit + offset)))
      const error = weights[at]! * ((isRight ? 1 : 0) - chance)
      const curve = weights[at]! * chance * (1 - chance)
      a += error * fit
      b += error
      aa += curve * fit * fit
      ab += curve * fit
      bb += curve
    })
    const determinant = aa * bb - ab * ab
    slope += (a * bb - b * ab) / determinant
    offset += (b * aa - a * ab) / determinant
  }
  console.log(`HALFWAY ${Math.exp(-offset / slope).toFixed(2)}   STEEPNESS ${slope.toFixed(2)}`)
}

function reportThresholds(): void {
  const share = (kind: Sample['kind'], size: number, threshold: number) => {
    const rows = samples.filter((sample) => sample.kind === kind && sample.size === size)
    const answered = rows.filter(({ confidence }) => confidence >= threshold).length
    return rows.length === 0 ? '–' : ((100 * answered) / rows.length).toFixed(1)
  }
  const all = library.length
  printTable('answered, in per cent, by threshold', [
    ['threshold', ...SIZES.map((size) => `fits, ${size}`), ...SIZES.map((size) => `nothing, ${size}`), 'written'],
    ...[0.05, 0.1, 0.135, 0.2, 0.3, 0.4, 0.5].map((threshold) => [
      String(threshold),
      ...SIZES.map((size) => share('fits', size, threshold)),
      ...SIZES.map((size) => share('nothing fits', size, threshold)),
      share('written negative', all, threshold),
    ]),
  ])
}

function reportReliability(): void {
  const rows = samples.filter(({ kind }) => kind !== 'written negative')
  const weights = weigh(rows)
  const tenths = Array.from({ length: 10 }, () => ({ mass: 0, right: 0 }))
  rows.forEach(({ confidence, isRight }, at) => {
    const tenth = tenths[Math.min(9, Math.floor(confidence * 10))]!
    tenth.mass += weights[at]!
    if (isRight) tenth.right += weights[at]!
  })
  printTable('right, in per cent, by tenth of confidence', [
    tenths.map((_, at) => `${at * 10}–${at * 10 + 10}`),
    tenths.map(({ mass, right }) => ((100 * right) / mass).toFixed(0)),
  ])
}

/** Every size and kind weighs the same, however many samples it has. */
function weigh(rows: readonly Sample[]): number[] {
  const counts = new Map<string, number>()
  const keyOf = ({ size, kind }: Sample) => `${size} ${kind}`
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1)
  return rows.map((row) => 1000 / (counts.get(keyOf(row)) ?? 1))
}

function drawn(size: number, random: () => number): RankDocument[] {
  const shuffled = library.map((document) => ({ document, place: random() })).sort((a, b) => a.place - b.place)
  return shuffled.slice(0, size).map(({ document }) => document)
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
