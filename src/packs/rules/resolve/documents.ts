import { shareOf, wordsIn } from '../../../search/task-words.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { isProse } from '../pack.ts'
import { chooseFile, chooseLines, sectionsOf, shapesVoice, takeLines } from './choice.ts'
import type { Reading } from './reading.ts'
import type { Choice, Rule } from './resolution.ts'
import type { SectionHit } from './section-index.ts'
import { frameOf } from './statements.ts'

/** The documents of a pack, the primary one first. */
export function documentPaths({ files, manifest: { primaryDocument } }: Reading): string[] {
  const all = files.list('documents').filter(isProse)
  const primary = all.filter((path) => path === primaryDocument)
  return [...primary, ...all.filter((path) => path !== primaryDocument)]
}

/** So many tokens of sections are given; the best is given whatever it costs. */
export const SECTION_ROOM = 2_600
/** A page so short is given whole: its sections explain one another. */
const SHORT_PAGE = 300

export interface HitsChosen {
  rule: Rule
  why?: string
  /** In tokens. */
  room?: number
}

/** The best sections as choices, in the order of their file, each below its heading; short pages whole. */
export function chooseHits(reading: Reading, hits: readonly SectionHit[], asked: HitsChosen): Choice[] {
  const { files, words, rareWords, request } = reading
  const worth = (text: string) => shareOf(rareWords, wordsIn(rareWords, text))
  const { rule, why, room = SECTION_ROOM } = asked
  const taken = new Map<string, SectionHit[] | 'whole'>()
  let left = room
  for (const hit of hits) {
    const file = files.read(hit.path)
    const others = taken.get(hit.path) ?? []
    if (file === undefined || others === 'whole') continue
    const isWhole = !hit.path.startsWith('documents/') && estimateTokens(file.text) <= SHORT_PAGE
    const cost = estimateTokens(isWhole ? file.text : takeLines(file.text, hit))
    if (cost > left && taken.size > 0) continue
    left -= cost
    taken.set(hit.path, isWhole ? 'whole' : [...others, hit])
  }
  return [...taken].flatMap(([path, pieces]) => {
    const file = files.read(path)
    if (file === undefined) return []
    if (pieces === 'whole') return [chooseFile(file, rule, words, why, request.task)]
    return sectionsOf(file.text, path)
      .flatMap((section) =>
        frameOf(
          section,
          path,
          pieces.filter(({ from, to }) => section.from <= from && to <= section.to),
          worth,
        ),
      )
      .map((stretch) => chooseLines(file, stretch, rule, words, why, request.task))
  })
}

/** The sections of a document that shape the voice of a persona. */
export function voiceSections({ files, words, manifest }: Reading, path: string): Choice[] {
  const file = manifest.mode === 'persona' ? files.read(path) : undefined
  return sectionsOf(file?.text ?? '', path)
    .filter(({ heading }) => shapesVoice(heading))
    .flatMap((section) =>
      file === undefined ? [] : [chooseLines(file, section, 'section', words, 'shapes the voice')],
    )
}
