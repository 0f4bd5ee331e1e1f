import { createRanker } from '../routing/rank/ranker.ts'
import { pathWords } from './choice.ts'
import { nominateFromIndexes } from './index-nominations.ts'
import type { PackFile } from './pack-files.ts'
import { normalizePackPath, packPathProblem } from './pack-path.ts'
import { hintFor, isProse, type Reading } from './reading.ts'
import type { PackWarning } from './warning.ts'

const DIRECTORY_PAGE = 'wiki/index.md'

/** The pages of a wiki that can be chosen: not its directory, not its log. */
export function wikiPages({ files }: Reading): string[] {
  return files.list('wiki').filter((path) => isProse(path) && path !== DIRECTORY_PAGE && path !== 'wiki/log.md')
}

export interface PageLink {
  path: string
  label: string
}

/** Links of a page to other pages of the wiki, with what surrounds them on their line. */
export function linksOf({ path, text }: PackFile): PageLink[] {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const links: PageLink[] = []
  for (const line of text.split('\n')) {
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

/** The pages that are most likely about a text, best first; none when even the best is below `silence`. Text found in an index leads to a page and nowhere else. */
export function findPages(
  reading: Reading,
  about: string,
  limit: number,
  silence: number,
): { paths: string[]; warnings: readonly PackWarning[] } {
  const pages = wikiPages(reading)
  if (pages.length === 0) return { paths: [], warnings: [] }
  const { labels, warnings } = pageLabels(reading, pages)
  const ranker = createRanker(
    pages.map((path) => ({
      id: path,
      name: pathWords(path),
      description: (labels.get(path) ?? '').slice(0, 600),
      keywords: [hintFor(reading, path)],
      ...(pages.length <= FEW_PAGES && { body: reading.files.read(path)?.text ?? '' }),
    })),
    { silence },
  )
  return { paths: ranker.rank(about, { limit }).map(({ id }) => id), warnings }
}

/** What the wiki's directory and the indexes say about each page. */
function pageLabels(
  reading: Reading,
  pages: readonly string[],
): { labels: Map<string, string>; warnings: PackWarning[] } {
  const labels = new Map<string, string>()
  const known = new Set(pages)
  const add = (path: string, label: string) => {
    if (known.has(path)) labels.set(path, `${labels.get(path) ?? ''} ${label}`)
  }
  const directory = reading.files.sizeOf(DIRECTORY_PAGE) === undefined ? undefined : reading.files.read(DIRECTORY_PAGE)
  for (const { path, label } of directory === undefined ? [] : linksOf(directory)) add(path, label)
  const { nominations, warnings } = nominateFromIndexes(reading.files)
  for (const { path, text } of nominations) add(path, text)
  return { labels, warnings }
}
