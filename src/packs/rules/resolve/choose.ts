import { DEFAULT_TUNING, type Field, type Tuning } from '../../../search/document.ts'
import { asTyped, shareOf, type TaskWords, wordsIn } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { isWorkWord } from '../../../search/word-lists.ts'
import { placesIn } from '../anchors.ts'
import { type ContextPart, layerOf, type PackFile, type PackFiles, packSections } from '../pack.ts'
import type { SectionHit } from './sections.ts'

const SECTION_FIELDS: readonly Field[] = [
  { name: 'heading', weight: 1.6, norm: 0.5, length: 8 },
  { name: 'label', label: 'map and indexes', weight: 1.3, norm: 0.4, length: 10 },
  {
    name: 'text',
    weight: 0.64,
    norm: 0.9,
    length: 120,
    paired: 0,
    isLong: true,
  },
]

/**
 * Ranks sections. A section is longer than a description: one match says less, a
 * repeated word says more, and a word that most sections have says little. Late words of a question count as much as
 * early ones.
 */
export const PACK_TUNING: Tuning = {
  ...DEFAULT_TUNING,
  fields: SECTION_FIELDS,
  pair: 0,
  backgroundSize: 10,
  fade: 0,
}

/** Why a part was chosen. */
export type Rule = 'guide' | 'view' | 'split' | 'section' | 'page' | 'contradiction' | 'ontology' | 'answer' | 'excerpt'

/** A chosen part, before the budget is applied. */
export interface Choice extends ContextPart {
  rule: Rule
  /** 0 to 1: the share of the task's words in it. */
  score: number
  /** The matching words of the task, or another reason. */
  why: string
  /** The files that it was made from. */
  sources: readonly { path: string; sha256: string; bytes: number }[]
}

/** Chooses lines of a file, by default all. The default reason is the words of the task in them. */
export function chooseLines(
  file: PackFile,
  rule: Rule,
  words: TaskWords,
  { from = 1, to = countLines(file.text), text = file.text, why = '', task = '' } = {},
): Choice {
  const found = wordsIn(words, text)
  const said = asTyped(task, [...found].slice(0, 6)).join(', ')
  return {
    path: file.path,
    layer: layerOf(file.path) ?? 'guide',
    lines: { from, to },
    places: placesIn(file.path, file.text),
    text,
    rule,
    score: Math.round(shareOf(words, found) * 1000) / 1000,
    why: why || (said === '' ? 'always read' : `speaks of ${said}`),
    sources: [{ path: file.path, sha256: file.sha256, bytes: file.bytes }],
  }
}

/** The words of a file name: `wiki/entities/k4-handset.md` → `k4 handset`. */
export function pathWords(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/^\d+[_-]/, '')
    .replace(/[_\-.]+/g, ' ')
}

/** The share of the task's words in a text. Ignores the paths of sources. */
export function matchedShare(words: TaskWords, text: string): number {
  return shareOf(words, wordsIn(words, text.replace(/\[source:[^\]]*\]/g, '')))
}

/** Counts lines; a line end at the end does not start a new one. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** Lines of a text, with their line ends. */
export function takeLines(text: string, { from, to }: { from: number; to: number }): string {
  return text
    .split(/(?<=\n)/)
    .slice(from - 1, to)
    .join('')
}

/** Whether a title announces limits. Such sections are kept: the rest would be unsafe without them. */
export function setsLimits(title: string): boolean {
  return /bound|limit|taboo|constraint|forbidden|prohibit|never|must not|\u8fb9\u754c|\u7981\u5fcc|\u9650\u5236|\u7ea6\u675f/i.test(
    title,
  )
}

/** Whether a file name or a heading of these texts announces limits. */
export function announcesLimits(files: PackFiles, texts: readonly { path: string; text: string }[]): boolean {
  const names = ['compiled', 'documents', 'wiki'].flatMap((folder) => files.list(folder))
  return (
    names.some(setsLimits) ||
    texts.some(({ path, text }) => packSections(path, text).some(({ title }) => setsLimits(title)))
  )
}

/** A pack that a task may be about. */
export interface LikelyPack<Pack> {
  pack: Pack
  /** 0 to 1: how likely it is that the task is about it. */
  confidence: number
  /** The section that says most about the task. */
  section?: SectionHit
}

/** What is known of a pack before its text is read. */
interface PackCard {
  root: string
  manifest: { name: string; description: string }
}

/** The number of sections of a pack, and how many of them contain a stem. */
export interface PackWords {
  size: number
  holders(term: string): number
}

/** For callers that were not asked about packs: below this confidence a pack is not worth its room. */
export const LIKELY_PACK = 0.5

/** A description that certainly matches adds this share to the best section of its pack. */
const DESCRIBED = 0.5
/** A second pack needs this share of the first one's score, or a description that is likely to fit. */
const CLOSE = 0.6

/** The packs of the sections and descriptions that match best, best first, at most three. */
export function likelyPacks<Pack extends PackCard>(
  packs: readonly Pack[],
  words: TaskWords,
  hits: readonly SectionHit[],
  described: ReadonlyMap<string, { confidence: number }>,
  wordsOf: (root: string) => PackWords | undefined,
): LikelyPack<Pack>[] {
  const best = new Map<string, SectionHit>()
  for (const hit of hits) if (!best.has(hit.root)) best.set(hit.root, hit)
  const top = hits[0]?.score ?? 1
  const judged = packs.flatMap((pack, at) => {
    const section = best.get(pack.root)
    const card = described.get(pack.manifest.name)?.confidence ?? 0
    const score = section === undefined ? card * top : section.score * (1 + DESCRIBED * card)
    return score === 0 ? [] : [{ pack, section, score, card, at }]
  })
  judged.sort((a, b) => b.score - a.score || a.at - b.at)
  return judged
    .filter(({ score, card }) => score >= CLOSE * (judged[0]?.score ?? 0) || card >= LIKELY_PACK)
    .slice(0, 3)
    .map(({ pack, section, card }) => {
      const own = section && wordsOf(pack.root)
      const confidence = Math.max(card, own ? aboutness(pack, words, section, own) : 0)
      return { pack, confidence, section }
    })
}

// The share of all texts that contain a word, by its kind. Guesses: five times more or less gives similar results.
const HELD_BY = { everyday: 0.05, work: 0.02, other: 0.0015 }
/** Assumed number of other texts beside the sections of a pack, so that few sections give little evidence. */
const IMAGINED = 5
const STRONGEST = 5
const WEAKEST = -1.5
const UNSAID = -0.7

/**
 * How likely it is that a task is about a pack: by how much more often the pack has the words of its section and its
 * description than any other text. Weights from 64 questions to packs and 150 tasks about other things.
 */
function aboutness({ manifest }: PackCard, words: TaskWords, section: SectionHit, own: PackWords): number {
  if (!section.terms.some((term) => words.get(term) === 1)) return 0
  const said = new Set([...section.terms, ...termsOf(`${manifest.name} ${manifest.description}`)])
  let evidence = 0
  for (const [word, weight] of words) {
    if (!said.has(word)) {
      evidence += weight * UNSAID
      continue
    }
    const isWork = isWorkWord(word) || /^\d+$/.test(word)
    const usual = weight < 1 ? HELD_BY.everyday : isWork ? HELD_BY.work : HELD_BY.other
    const holders = Math.max(1, own.holders(word)) + IMAGINED * usual
    evidence += Math.min(STRONGEST, Math.max(WEAKEST, Math.log(holders / (own.size + IMAGINED) / usual)))
  }
  return 1 / (1 + Math.exp(1.6 - 0.22 * evidence))
}
