import { createRanker } from '../../../search/ranker.ts'
import { compareText, isRecord } from '../../../text/values.ts'
import { layerOf, normalizePackPath, type PackWarning, packPathProblem } from '../pack.ts'
import { type PackFile, type PackFiles, parsePackJson } from '../pack-files.ts'
import { SOURCE_MAP_PATH } from '../records/source-map.ts'
import { shownText } from '../shown-text.ts'
import { createMention, foldText, holdsAny, needlesOf, readTaskWords, type TaskWords } from '../task-words.ts'
import { pathWords } from './choice.ts'
import { hintFor, isProse, type Reading } from './reading.ts'

const DIRECTORY_PAGE = 'wiki/index.md'

/** The pages of a wiki that can be chosen: not its directory, not its log. */
export function wikiPages({ files }: Reading): readonly string[] {
  let pages = known.get(files)
  if (pages === undefined) {
    pages = files.list('wiki').filter((path) => isProse(path) && path !== DIRECTORY_PAGE && path !== 'wiki/log.md')
    known.set(files, pages)
  }
  return pages
}

const known = new WeakMap<PackFiles, readonly string[]>()

export interface PageLink {
  path: string
  label: string
}

/** Links of a page to other pages of the wiki, with what surrounds them on their line; only on lines that matter. */
export function linksOf({ path, text }: Pick<PackFile, 'path' | 'text'>, matters = (_: string) => true): PageLink[] {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const links: PageLink[] = []
  for (const line of text.split('\n')) {
    if (!line.includes('[') || !matters(line)) continue
    for (const [, label = '', target = ''] of line.matchAll(/\[([^\]\n]{0,200})\]\(([^)\s]{1,300})\)/g)) {
      const resolved = resolveLink(folder, target.replace(/#.*$/, ''))
      if (resolved !== undefined) links.push({ path: resolved, label: `${label} ${line.slice(0, 400)}` })
    }
    for (const [, target = ''] of line.matchAll(/\[\[([^\]|#\n]{1,200})[^\]\n]{0,200}\]\]/g)) {
      links.push({ path: `wiki/${target.trim().replace(/(?:\.md)?$/, '.md')}`, label: target })
    }
  }
  return links
}

/** Inside the wiki only; `..` is followed as far as the wiki goes. */
function resolveLink(folder: string, target: string): string | undefined {
  if (!isProse(target) || /^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined
  const segments = folder.split('/')
  for (const segment of target.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  const path = normalizePackPath(segments.join('/'))
  return path.startsWith('wiki/') && packPathProblem(path) === undefined ? path : undefined
}

/** So few pages are read to see which fit; of more, only names, the directory and the indexes are looked at. */
const FEW_PAGES = 12

/** The ranker reads every word of what it ranks, so it gets no more than these. */
const MOST_RANKED = 20

/** The pages that are most likely about a text, best first; none when even the best is below `silence`. */
export function findPages(
  reading: Reading,
  about: string,
  limit: number,
  silence: number,
): { paths: string[]; warnings: readonly PackWarning[] } {
  const pages = wikiPages(reading)
  if (pages.length === 0) return { paths: [], warnings: [] }
  const isFew = pages.length <= FEW_PAGES
  const { labels, warnings } = pageLabels(reading, pages, readTaskWords(about))
  const titles = pages.map((path) => ({ path, title: `${path} ${labels.get(path) ?? ''}` }))
  const ranker = createRanker(
    (isFew ? titles : mentioned(titles, readTaskWords(about))).map(({ path }) => ({
      id: path,
      name: pathWords(path),
      description: (labels.get(path) ?? '').slice(0, 300),
      keywords: [hintFor(reading, path)],
      ...(isFew && { body: reading.files.read(path)?.text ?? '' }),
    })),
    { silence },
  )
  return { paths: ranker.rank(about, { limit }).map(({ id }) => id), warnings }
}

interface Titled {
  path: string
  title: string
}

/** Those whose title may hold words of the task; of too many, those with the words that fewest others have. */
function mentioned(titles: readonly Titled[], words: TaskWords): Titled[] {
  const found = titles.map(() => 0)
  const folded = titles.map(({ title }) => foldText(title))
  for (const [word, weight] of words) {
    const needles = needlesOf(word)
    const holders = folded.flatMap((title, at) => (holdsAny(title, needles) ? [at] : []))
    for (const at of holders) found[at] = (found[at] ?? 0) + weight * Math.log(1 + titles.length / holders.length)
  }
  return titles
    .map((titled, at) => ({ titled, score: found[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareText(a.titled.path, b.titled.path))
    .slice(0, MOST_RANKED)
    .map(({ titled }) => titled)
}

/** What the wiki's directory and the indexes say about each page, as far as it can matter. Index text goes nowhere else. */
function pageLabels(
  { files }: Reading,
  pages: readonly string[],
  words: TaskWords,
): { labels: Map<string, string>; warnings: PackWarning[] } {
  const labels = new Map<string, string>()
  const known = new Set(pages)
  const mentions = createMention(words)
  const add = (path: string, label: string) => {
    if (known.has(path)) labels.set(path, `${labels.get(path) ?? ''} ${label}`)
  }
  const directory = files.sizeOf(DIRECTORY_PAGE) === undefined ? undefined : files.read(DIRECTORY_PAGE)
  for (const { path, label } of directory === undefined ? [] : linksOf(directory, mentions)) add(path, label)
  const { nominations, warnings } = nominateFromIndexes(files)
  for (const { path, text } of nominations) if (mentions(text)) add(path, text)
  return { labels, warnings }
}

/** A file that an index points to, and the text that led there. The text is for matching and is never emitted. */
interface Nomination {
  path: string
  text: string
}

const MOST_INDEXES = 4
const MOST_NOMINATIONS = 20_000
const LARGEST_INDEX = 1024 * 1024

const remembered = new WeakMap<PackFiles, { nominations: Nomination[]; warnings: PackWarning[] }>()

/** What a pack's indexes point to. No format is fixed for them: every object that names a file of the pack counts. */
function nominateFromIndexes(files: PackFiles): { nominations: Nomination[]; warnings: PackWarning[] } {
  const known = remembered.get(files)
  if (known !== undefined) return known
  const result = readIndexes(files)
  remembered.set(files, result)
  return result
}

function readIndexes(files: PackFiles): { nominations: Nomination[]; warnings: PackWarning[] } {
  const nominations: Nomination[] = []
  const warnings: PackWarning[] = []
  const paths = files
    .list('indexes')
    .filter((path) => path.endsWith('.json') && path !== SOURCE_MAP_PATH && (files.sizeOf(path) ?? 0) <= LARGEST_INDEX)
  for (const path of paths.slice(0, MOST_INDEXES)) {
    const file = files.read(path)
    if (file === undefined) continue
    const parsed = parsePackJson(file)
    if (parsed.problem !== undefined) {
      warnings.push({ severity: 'warning', code: 'index.invalid', path, message: shownText(parsed.problem) })
      continue
    }
    for (const nomination of collect(parsed.value)) {
      if (nominations.length >= MOST_NOMINATIONS) break
      const warning = judge(nomination, path, files)
      if (warning === undefined) nominations.push({ ...nomination, path: normalizePackPath(nomination.path) })
      else warnings.push(warning)
    }
  }
  return { nominations, warnings }
}

function judge({ path }: Nomination, index: string, files: PackFiles): PackWarning | undefined {
  const problem = packPathProblem(path)
  if (problem !== undefined) {
    const message = `this index points to a path that is refused: ${problem}`
    return { severity: 'error', code: 'source.escape', path: index, message }
  }
  if (files.sizeOf(path) !== undefined) return undefined
  return { severity: 'info', code: 'index.dangling', path: index, message: 'it points to files that are not there' }
}

/** Every object with a path in it, and every key that is one: `{ "wiki/a.md": ["words"] }`. */
function* collect(value: unknown): Generator<Nomination> {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (Array.isArray(next)) waiting.push(...next.slice(0, MOST_NOMINATIONS))
    if (!isRecord(next)) continue
    const texts = Object.values(next).flatMap((item) => textsOf(item))
    for (const path of texts.filter(looksLikePath)) {
      yield {
        path,
        text: texts
          .filter((text) => text !== path)
          .join(' ')
          .slice(0, 1000),
      }
    }
    for (const [key, item] of Object.entries(next)) {
      if (looksLikePath(key)) yield { path: key, text: textsOf(item).join(' ').slice(0, 1000) }
      if (typeof item === 'object') waiting.push(item)
    }
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string').slice(0, 100) : []
}

/** A file of a layer, or something that tries to leave the pack by way of one. */
function looksLikePath(text: string): boolean {
  if (text.length > 300 || !/\.(?:md|markdown|txt|json)$/i.test(text)) return false
  return packPathProblem(text) !== undefined || layerOf(text) !== undefined
}
