import { shareOf, wordsIn } from '../../../search/task-words.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { isProse, type PackWarning } from '../pack.ts'
import type { MapEntry } from '../records/context-map.ts'
import {
  type Choice,
  chooseFile,
  chooseLines,
  mentionsTask,
  pathWords,
  type Rule,
  sectionsOf,
  setsLimits,
  shapesVoice,
  takeLines,
} from './choice.ts'
import { documentPaths, type Reading } from './resolution.ts'
import type { SectionHit } from './section-index.ts'
import { linesToShow } from './statements.ts'

/** The short views that every pack may have. */
const STANDARD_VIEWS = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md']

const SPLITS = 'compiled/splits/'

/** Chooses the first content for any task, depending on the profile of the pack. */
export function chooseViews(reading: Reading): { choices: Choice[]; warnings: PackWarning[] } {
  switch (reading.manifest.profile) {
    case 'document-first':
      return { choices: [...choosePrimary(reading), ...standardViews(reading)], warnings: [] }
    case 'wiki-first':
      return { choices: [...standardViews(reading), ...otherViews(reading)], warnings: [] }
    case 'hybrid':
      return chooseByMap(reading)
  }
}

function standardViews({ files, words }: Reading): Choice[] {
  return STANDARD_VIEWS.flatMap((path) => {
    const file = files.read(path)
    return file === undefined || file.text.trim() === '' ? [] : [chooseFile(file, 'view', words, 'standard view')]
  })
}

const MOST_OTHER_VIEWS = 3

/** Other views that fit the task. For a persona, first those that shape its voice. */
function otherViews(reading: Reading): Choice[] {
  const { files, manifest } = reading
  const others = files
    .list('compiled')
    .filter((path) => isProse(path) && !path.startsWith(SPLITS) && !STANDARD_VIEWS.includes(path))
  const voice = manifest.mode === 'persona' ? others.filter((path) => shapesVoice(about(reading, path))) : []
  const rest = others.filter((path) => !voice.includes(path))
  const hasOthers = voice.length > 0 || STANDARD_VIEWS.some((path) => files.sizeOf(path) !== undefined)
  const wanted = chooseHits(
    reading,
    bestIn(reading, (path) => rest.includes(path), MOST_OTHER_VIEWS),
    { rule: 'view' },
  )
  return [
    ...readAll(reading, voice.slice(0, MOST_OTHER_VIEWS), 'view', 'shapes the voice'),
    ...(wanted.length > 0 || hasOthers ? wanted : readAll(reading, rest.slice(0, MOST_OTHER_VIEWS), 'view')),
  ]
}

/** The words of a file's name and of its hint in the context map. */
function about(reading: Reading, path: string): string {
  return `${pathWords(path)} ${hintFor(reading, path)}`
}

/** Sections below this share of the best score are noise. */
const CLOSE = 0.45

/** The best sections of the matching files. */
function bestIn({ hits }: Reading, isOne: (path: string) => boolean, most: number): SectionHit[] {
  const own = hits.filter(({ path }) => isOne(path))
  return own.filter(({ score }) => score >= CLOSE * (own[0]?.score ?? 0)).slice(0, most)
}

function readAll(
  { files, words, request }: Reading,
  paths: readonly string[],
  rule: Choice['rule'],
  why?: string,
): Choice[] {
  return paths.flatMap((path) => {
    const file = files.read(path)
    return file === undefined || file.text.trim() === '' ? [] : [chooseFile(file, rule, words, why, request.task)]
  })
}

const MOST_SECTIONS = 20

/** Slices of the primary document; without slices, sections of the documents. */
function choosePrimary(reading: Reading): Choice[] {
  if (reading.files.list(SPLITS).some(isProse)) return chooseSplits(reading)
  const documents = documentPaths(reading)
  const voice = documents.slice(0, 1).flatMap((path) => voiceSections(reading, path))
  const found = chooseHits(
    reading,
    bestIn(reading, (path) => path.startsWith('documents/'), MOST_SECTIONS),
    { rule: 'section' },
  )
  return [...voice, ...found.filter((choice) => !voice.some((other) => overlaps(choice, other)))]
}

function overlaps({ part: a }: Choice, { part: b }: Choice): boolean {
  return a.path === b.path && (a.lines?.from ?? 1) <= (b.lines?.to ?? 0) && (b.lines?.from ?? 1) <= (a.lines?.to ?? 0)
}

/** Slices that fit the task. For a persona, first those that shape its voice. */
function chooseSplits(reading: Reading): Choice[] {
  const { files, manifest } = reading
  const splits = files.list(SPLITS).filter(isProse)
  const voice = manifest.mode === 'persona' ? splits.filter((path) => shapesVoice(about(reading, path))) : []
  const isOther = (path: string) => path.startsWith(SPLITS) && !voice.includes(path)
  const found = chooseHits(reading, bestIn(reading, isOther, MOST_SECTIONS), { rule: 'split' })
  const chosen = new Set([...voice, ...found.map(({ part }) => part.path)])
  const limits = splits.filter((path) => !chosen.has(path) && chosen.size > 0 && setsLimits(about(reading, path)))
  return [
    ...readAll(reading, voice.slice(0, MOST_SECTIONS), 'split', 'shapes the voice'),
    ...found,
    ...readAll(reading, limits.slice(0, 2), 'split', 'sets limits'),
  ]
}

/** Files that the context map names for this task. Without a map: slices, then views. */
function chooseByMap(reading: Reading): { choices: Choice[]; warnings: PackWarning[] } {
  const { guide, manifest } = reading
  if (guide.map.length === 0) {
    const message = 'there is no context map; the slices of the primary document and the views were taken instead'
    return {
      choices: [...chooseSplits(reading), ...standardViews(reading)],
      warnings: [{ severity: 'warning', code: 'pack.map.missing', path: guide.file.path, message }],
    }
  }
  // A map cannot open raw sources, indexes and records.
  const open = guide.map.filter(({ layer }) => ['compiled', 'wiki', 'documents', 'assets'].includes(layer))
  const voice =
    manifest.mode === 'persona'
      ? open.filter(({ path, hint, isDirectory }) => !isDirectory && shapesVoice(`${hint} ${pathWords(path)}`))
      : []
  const rest = open.filter((entry) => !voice.includes(entry))
  const hits = bestIn(reading, (path) => rest.some((entry) => isNamedBy(entry, path)), MOST_SECTIONS)
  const found = [
    ...readAll(
      reading,
      voice.slice(0, MOST_SECTIONS).map(({ path }) => path),
      'map',
      'shapes the voice',
    ),
    // Not the hint itself, which is text of the pack: reasons are printed outside the fence.
    ...chooseHits(reading, hits, { rule: 'map', why: 'the map names it for this task' }).filter(
      ({ part }) => part.layer !== 'documents' || mentionsTask(reading.words, part.text),
    ),
  ]
  const short = open.filter(({ layer, path }) => layer === 'compiled' && isProse(path)).map(({ path }) => path)
  const choices = found.length > 0 ? found : readAll(reading, short.slice(0, MOST_SECTIONS), 'map')
  const isChosen = new Set(choices.map(({ part }) => part.path))
  const boundaries = standardViews(reading).filter(({ part: { path } }) => setsLimits(path) && !isChosen.has(path))
  return { choices: [...choices, ...boundaries], warnings: [] }
}

function isNamedBy({ path, isDirectory }: MapEntry, file: string): boolean {
  return isDirectory ? file.startsWith(path.endsWith('/') ? path : `${path}/`) : file === path
}

/** The hint of the context map for a path. */
function hintFor({ guide }: Reading, path: string): string {
  return guide.map
    .filter((entry) => entry.path === path)
    .map(({ hint }) => hint)
    .join(' ')
}

/** The room for sections, in tokens. The best section is given even if it is larger. */
export const SECTION_ROOM = 2_600
/** A page up to this size is given whole, in tokens: its sections explain each other. */
const SHORT_PAGE = 300

interface HitsChosen {
  rule: Rule
  why?: string
  /** In tokens. */
  room?: number
}

/** Turns search hits into choices, in file order and below their headings. Takes short pages whole. */
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
        linesToShow(
          section,
          path,
          pieces.filter(({ from, to }) => section.from <= from && to <= section.to),
          worth,
        ),
      )
      .map((stretch) => chooseLines(file, stretch, rule, words, why, request.task))
  })
}

/** Sections of a document that shape the voice of a persona. */
function voiceSections({ files, words, manifest }: Reading, path: string): Choice[] {
  const file = manifest.mode === 'persona' ? files.read(path) : undefined
  return sectionsOf(file?.text ?? '', path)
    .filter(({ heading }) => shapesVoice(heading))
    .flatMap((section) =>
      file === undefined ? [] : [chooseLines(file, section, 'section', words, 'shapes the voice')],
    )
}
