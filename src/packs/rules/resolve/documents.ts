import { shareOf, wordsIn } from '../../../search/task-words.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { chooseFile, chooseLines, sectionsOf, shapesVoice, takeLines } from './choice.ts'
import { isProse, type Reading } from './reading.ts'
import type { Choice, Rule } from './resolution.ts'
import type { SectionHit } from './section-index.ts'
import { cutSection } from './statements.ts'

/** The documents of a pack, the primary one first. */
export function documentPaths({ files, manifest: { primaryDocument } }: Reading): string[] {
  const all = files.list('documents').filter(isProse)
  const primary = all.filter((path) => path === primaryDocument)
  return [...primary, ...all.filter((path) => path !== primaryDocument)]
}

/** A section that the index found, as it is given: whole, or cut to the statements that speak of the task. */
function chooseHit({ files, words, rareWords }: Reading, hit: SectionHit, rule: Rule, why?: string): Choice[] {
  const file = files.read(hit.path)
  if (file === undefined) return []
  const section = { from: hit.from, to: hit.to, text: takeLines(file.text, hit) }
  if (section.text.trim() === '') return []
  const worth = (text: string) => shareOf(rareWords, wordsIn(rareWords, text))
  return cutSection(section, worth).map((stretch) => chooseLines(file, stretch, rule, words, why))
}

/** A page so short is given whole: its sections explain one another. */
const SHORT_PAGE = 300

/** The best sections below some folders, as choices in the order of their file; short pages whole. */
export function chooseHits(reading: Reading, hits: readonly SectionHit[], rule: Rule, why?: string): Choice[] {
  const whole = new Map<string, Choice>()
  const parts: Choice[] = []
  for (const hit of hits) {
    if (whole.has(hit.path)) continue
    const file = reading.files.read(hit.path)
    if (file === undefined) continue
    const isPage = !hit.path.startsWith('documents/')
    if (isPage && estimateTokens(file.text) <= SHORT_PAGE)
      whole.set(hit.path, chooseFile(file, rule, reading.words, why))
    else parts.push(...chooseHit(reading, hit, rule, why))
  }
  const paths = [...new Set(hits.map(({ path }) => path))]
  return paths.flatMap((path) => {
    const page = whole.get(path)
    if (page !== undefined) return [page]
    return parts
      .filter(({ part }) => part.path === path)
      .sort((a, b) => (a.part.lines?.from ?? 0) - (b.part.lines?.from ?? 0))
  })
}

/** The sections of a document that shape the voice of a persona. */
export function voiceSections({ files, words, manifest }: Reading, path: string): Choice[] {
  const file = manifest.mode === 'persona' ? files.read(path) : undefined
  return sectionsOf(file?.text ?? '')
    .filter(({ heading }) => shapesVoice(heading))
    .flatMap((section) =>
      file === undefined ? [] : [chooseLines(file, section, 'section', words, 'shapes the voice')],
    )
}
