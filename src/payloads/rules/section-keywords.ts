import { stemWord } from '../../search/stem.ts'
import { everydayWords, STOP_WORDS } from '../../search/word-lists.ts'
import { cut, type Section } from '../../text/cut.ts'
import { compareText } from '../../text/values.ts'
import { splitWords } from './words.ts'

const MOST_KEYWORDS = 8
const FEWEST_KEYWORDS = 3

/** A word of a section, under its stem: how often it occurs, its shortest form, and whether a heading contains it. */
interface OwnWord {
  count: number
  word: string
  isInTitle: boolean
  isInHeading: boolean
}

/**
 * For each section the words that distinguish it: those of its heading, then those of its subheadings and frequent
 * ones. A word that many sections, or any conversation, contain would load all of them.
 */
export function pickKeywords(sections: readonly Pick<Section, 'title' | 'text'>[]): string[][] {
  const words = sections.map(readSection)
  const sectionsWith = new Map<string, number>()
  for (const own of words) for (const stem of own.keys()) sectionsWith.set(stem, (sectionsWith.get(stem) ?? 0) + 1)
  return words.map((own) => pickFrom(own, sectionsWith, sections.length))
}

function pickFrom(own: ReadonlyMap<string, OwnWord>, sectionsWith: ReadonlyMap<string, number>, sections: number) {
  const candidates = [...own]
    .filter(([, { word }]) => isTelling(word))
    .map(([stem, facts]) => {
      const shared = sectionsWith.get(stem) ?? 1
      const often = facts.count + (facts.isInHeading ? HEADING_BONUS : 0)
      return { ...facts, shared, weight: often * Math.log(1 + sections / shared) }
    })
    .sort((a, b) => Number(b.isInTitle) - Number(a.isInTitle) || b.weight - a.weight || compareText(a.word, b.word))
  const isRare = ({ shared, isInHeading }: { shared: number; isInHeading: boolean }) =>
    shared <= Math.max(1, Math.floor(sections / (isInHeading ? 2 : 3)))
  const rare = candidates.filter((each) => isRare(each) && !EVERYDAY.has(each.word))
  const chosen = rare.filter(({ count, word, isInHeading }) => isInHeading || (count > 1 && word.length > 2))
  // A short section contains every word once; one with only common words is found by its heading, or not at all.
  if (chosen.length < FEWEST_KEYWORDS) chosen.push(...rare.filter((each) => !chosen.includes(each)))
  const kept = chosen.length > 0 ? chosen : candidates.slice(0, FEWEST_KEYWORDS)
  return kept.slice(0, MOST_KEYWORDS).map(({ word }) => word)
}

// A subheading names a subject of the section; its words count as if they occurred this many times more.
const HEADING_BONUS = 3
const EVERYDAY: ReadonlySet<string> = new Set(everydayWords())

function isTelling(word: string): boolean {
  return word.length > 1 && !STOP_WORDS.has(word) && !/^\d+$/.test(word)
}

function readSection({ title: heading, text }: Pick<Section, 'title' | 'text'>): Map<string, OwnWord> {
  const words = new Map<string, OwnWord>()
  const plain = text.replace(/https?:\/\/\S+/g, ' ')
  for (const word of splitWords(plain)) {
    const stem = stemWord(word)
    const known = words.get(stem)
    if (known === undefined) words.set(stem, { count: 1, word, isInTitle: false, isInHeading: false })
    else {
      known.count++
      if (word.length < known.word.length) known.word = word
    }
  }
  mark(words, heading, 'isInTitle')
  for (const { title } of cut('.md', plain)) mark(words, title, 'isInHeading')
  return words
}

function mark(words: Map<string, OwnWord>, heading: string, field: 'isInTitle' | 'isInHeading'): void {
  for (const word of splitWords(heading)) {
    const known = words.get(stemWord(word))
    if (known !== undefined) known[field] = true
  }
}
