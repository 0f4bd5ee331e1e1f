import type { PackWarning } from '../pack.ts'
import type { MapEntry } from '../records/context-map.ts'
import { shareOf, type TaskWords, wordsIn } from '../task-words.ts'
import { chooseFile, pathWords, setsLimits, shapesVoice, speaksOf } from './choice.ts'
import { chooseSections, documentPaths } from './documents.ts'
import { hintFor, isProse, type Reading } from './reading.ts'
import type { Choice } from './resolution.ts'

/** The short views that every pack may have. */
const STANDARD_VIEWS = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md']

const SPLITS = 'compiled/splits/'

/** What is read for any task, by where the pack keeps its facts. */
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

/** Views with names of their own, when the task or the map asks for them; of a persona, first those that shape its voice. */
function otherViews(reading: Reading): Choice[] {
  const { files, words, manifest } = reading
  const others = files
    .list('compiled')
    .filter((path) => isProse(path) && !path.startsWith(SPLITS) && !STANDARD_VIEWS.includes(path))
  const about = (path: string) => `${pathWords(path)} ${hintFor(reading, path)}`
  const voice = manifest.mode === 'persona' ? others.filter((path) => shapesVoice(about(path))) : []
  const rest = others.filter((path) => !voice.includes(path))
  const hasOthers = voice.length > 0 || STANDARD_VIEWS.some((path) => files.sizeOf(path) !== undefined)
  const wanted = takeBest(words, rest, about, MOST_OTHER_VIEWS)
  const chosen = wanted.length > 0 || hasOthers ? wanted : rest.slice(0, MOST_OTHER_VIEWS)
  return [
    ...readAll(reading, voice.slice(0, MOST_OTHER_VIEWS), 'view', 'shapes the voice'),
    ...readAll(reading, chosen, 'view'),
  ]
}

/** Those that speak of the task, the best of them when there are too many, in the order they came in. */
function takeBest<T>(words: TaskWords, items: readonly T[], about: (item: T) => string, most: number): T[] {
  const fitting = items.flatMap((item) => {
    const text = about(item)
    return speaksOf(words, text) ? [{ item, share: shareOf(words, wordsIn(words, text)) }] : []
  })
  const best = new Set([...fitting].sort((a, b) => b.share - a.share).slice(0, most))
  return fitting.filter((each) => best.has(each)).map(({ item }) => item)
}

function readAll({ files, words }: Reading, paths: readonly string[], rule: Choice['rule'], why?: string): Choice[] {
  return paths.flatMap((path) => {
    const file = files.read(path)
    return file === undefined || file.text.trim() === '' ? [] : [chooseFile(file, rule, words, why)]
  })
}

/** The slices of the primary document; of one that was never cut, its sections. */
function choosePrimary(reading: Reading): Choice[] {
  if (reading.files.list(SPLITS).some(isProse)) return chooseSplits(reading)
  return documentPaths(reading)
    .slice(0, 1)
    .flatMap((path) => chooseSections(reading, path, 'section'))
}

/** So few are read to see which fit; of more, only those whose title does. */
const FEW_SPLITS = 12
const MOST_SPLITS = 4

/** The slices of a document that the task is about; of a persona, first those that shape its voice. */
function chooseSplits(reading: Reading): Choice[] {
  const { files, words, manifest } = reading
  const splits = files.list(SPLITS).filter(isProse)
  const titles = splitTitles(reading)
  const about = (path: string) => `${pathWords(path)} ${titles.get(path) ?? ''} ${hintFor(reading, path)}`
  const voice = manifest.mode === 'persona' ? splits.filter((path) => shapesVoice(about(path))) : []
  const rest = splits.filter((path) => !voice.includes(path))
  const few = rest.length <= FEW_SPLITS ? rest : rest.filter((path) => speaksOf(words, about(path)))
  const scored = few
    .map((path) => ({ path, score: shareOf(words, wordsIn(words, about(path))) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, FEW_SPLITS)
    .flatMap(({ path }) => {
      const file = files.read(path)
      if (file === undefined) return []
      const found = wordsIn(words, `${about(path)} ${file.text}`)
      return [...found].some((word) => words.get(word) === 1) ? [{ path, score: shareOf(words, found) }] : []
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_SPLITS)
  const chosen = new Set([...voice, ...scored.map(({ path }) => path)])
  const limits = splits.filter((path) => !chosen.has(path) && chosen.size > 0 && setsLimits(about(path)))
  return [
    ...readAll(reading, voice.slice(0, MOST_SPLITS), 'split', 'shapes the voice'),
    ...readAll(
      reading,
      splits.filter((path) => chosen.has(path) && !voice.includes(path)),
      'split',
    ),
    ...readAll(reading, limits.slice(0, 2), 'split', 'sets limits'),
  ]
}

/** The titles that a pack's records give to its slices. */
function splitTitles({ records }: Reading): Map<string, string> {
  const titles = new Map<string, string>()
  for (const { title, compiledInto } of records.sections) for (const { path } of compiledInto) titles.set(path, title)
  for (const { run } of records.runs) {
    for (const { path, title } of run.chapters) if (path !== undefined) titles.set(path, title)
  }
  return titles
}

const MOST_MAPPED = 4
/** So few short views of a map are read to see which fit. */
const FEW_VIEWS = 12

/** What the map declares for this task. Without a map: slices, then the views. */
function chooseByMap(reading: Reading): { choices: Choice[]; warnings: PackWarning[] } {
  const { guide, words, manifest } = reading
  if (guide.map.length === 0) {
    const message = 'there is no context map; the slices of the primary document and the views were taken instead'
    return {
      choices: [...chooseSplits(reading), ...standardViews(reading)],
      warnings: [{ severity: 'warning', code: 'pack.map.missing', path: guide.file.path, message }],
    }
  }
  // What a map cannot open: raw sources, indexes, and records that are read in their own way.
  const open = guide.map.filter(({ layer }) => ['compiled', 'wiki', 'documents', 'assets'].includes(layer))
  const short = open.filter(({ layer }) => layer === 'compiled')
  const isRead = short.length <= FEW_VIEWS
  const voice =
    manifest.mode === 'persona' ? open.filter(({ path, hint }) => shapesVoice(`${hint} ${pathWords(path)}`)) : []
  const rest = open.filter((entry) => !voice.includes(entry))
  const fitting = takeBest(words, rest, (entry) => aboutEntry(reading, entry, isRead), MOST_MAPPED)
  const found = [...voice.slice(0, MOST_MAPPED), ...fitting].flatMap((entry) => readEntry(reading, entry))
  const choices = found.length > 0 ? found : short.slice(0, MOST_MAPPED).flatMap((entry) => readEntry(reading, entry))
  const isChosen = new Set(choices.map(({ part }) => part.path))
  const boundaries = standardViews(reading).filter(({ part: { path } }) => setsLimits(path) && !isChosen.has(path))
  return { choices: [...choices, ...boundaries], warnings: [] }
}

/** What is known of an entry. Short views are made to be read, so the text of a few of them counts. */
function aboutEntry({ files }: Reading, { path, hint, layer, isDirectory }: MapEntry, isRead: boolean): string {
  const text = isRead && layer === 'compiled' && !isDirectory && isProse(path) ? files.read(path)?.text : undefined
  return `${hint} ${pathWords(path)} ${text ?? ''}`
}

const MOST_IN_FOLDER = 2

function readEntry(reading: Reading, { path, isDirectory }: MapEntry): Choice[] {
  // Not its hint: reasons are told outside the fence.
  const why = 'the map names it for this task'
  const paths = isDirectory
    ? takeBest(reading.words, reading.files.list(path).filter(isProse), pathWords, MOST_IN_FOLDER)
    : [path]
  return paths.flatMap((file) =>
    documentPaths(reading).includes(file)
      ? chooseSections(reading, file, 'section')
      : readAll(reading, isProse(file) ? [file] : [], 'map', why),
  )
}
