import { shareOf, wordsIn } from '../task-words.ts'
import { chooseLines, sectionsOf, shapesVoice } from './choice.ts'
import { isProse, type Reading } from './reading.ts'
import type { Choice, Rule } from './resolution.ts'

const MOST_SECTIONS = 4

/** More than any share of the task. */
const ABOVE_ALL = 3

/** The documents of a pack, the primary one first. */
export function documentPaths({ files, manifest: { primaryDocument } }: Reading): string[] {
  const all = files.list('documents').filter(isProse)
  const primary = all.filter((path) => path === primaryDocument)
  return [...primary, ...all.filter((path) => path !== primaryDocument)]
}

/** The sections of a document that speak of the task or shape the voice of a persona, in their own order. */
export function chooseSections({ files, words, manifest }: Reading, path: string, rule: Rule): Choice[] {
  const file = files.read(path)
  if (file === undefined) return []
  const sections = sectionsOf(file.text).filter(({ text }) => text.replace(/^#.*/, '').trim() !== '')
  const scored = sections.map((section) => {
    const found = wordsIn(words, section.text)
    const isAbout = [...found].some((word) => words.get(word) === 1)
    const about = isAbout ? shareOf(words, found) + shareOf(words, wordsIn(words, section.heading)) : 0
    const isVoice = manifest.mode === 'persona' && shapesVoice(section.heading)
    return { section, isVoice, score: isVoice ? about + ABOVE_ALL : about }
  })
  const best = [...scored].sort((a, b) => b.score - a.score || a.section.from - b.section.from).slice(0, MOST_SECTIONS)
  return scored
    .filter((each) => each.score > 0 && best.includes(each))
    .map(({ section, isVoice }) => chooseLines(file, section, rule, words, isVoice ? 'shapes the voice' : undefined))
}
