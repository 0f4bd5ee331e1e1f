import { isRecord } from '../../../text/values.ts'
import {
  isProse,
  layerOf,
  normalizePackPath,
  type PackFile,
  type PackFiles,
  type PackWarning,
  packPathProblem,
  parsePackJson,
  SOURCE_MAP_PATH,
} from '../pack.ts'
import { shownText } from '../shown-text.ts'

const DIRECTORY_PAGE = 'wiki/index.md'

/** What `wiki/index.md` and the index files say about each file. Only for matching; never shown. */
export function labelsOf(files: PackFiles): { labels: Map<string, string>; warnings: PackWarning[] } {
  const labels = new Map<string, string>()
  const add = (path: string, label: string) => labels.set(path, `${labels.get(path) ?? ''} ${label}`)
  const directory = files.sizeOf(DIRECTORY_PAGE) === undefined ? undefined : files.read(DIRECTORY_PAGE)
  for (const { path, label } of directory === undefined ? [] : linksOf(directory)) add(path, label)
  const { nominations, warnings } = readIndexes(files)
  for (const { path, text } of nominations) add(path, text)
  return { labels, warnings }
}

interface PageLink {
  path: string
  label: string
}

/** Links of a page to other wiki pages, with the text of their line. */
function linksOf({ path, text }: Pick<PackFile, 'path' | 'text'>): PageLink[] {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const links: PageLink[] = []
  for (const line of text.split('\n')) {
    if (!line.includes('[')) continue
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

/** Resolves a link inside the wiki; undefined if it leads out. */
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

/** A file that an index names, and the text about it. Only for matching; never shown. */
interface Nomination {
  path: string
  text: string
}

const MOST_INDEXES = 4
const MOST_NOMINATIONS = 20_000
const LARGEST_INDEX = 1024 * 1024

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
    const message = `this index names a path that is refused: ${problem}`
    return { severity: 'error', code: 'source.escape', path: index, message }
  }
  if (files.sizeOf(path) !== undefined) return undefined
  return { severity: 'info', code: 'index.dangling', path: index, message: 'it names missing files' }
}

/** Objects with a path in them, and keys that are paths: `{ "wiki/a.md": ["words"] }`. */
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

/** A file of a layer, or a path that leads out of the pack. */
function looksLikePath(text: string): boolean {
  if (text.length > 300 || !(isProse(text) || /\.json$/i.test(text))) return false
  return packPathProblem(text) !== undefined || layerOf(text) !== undefined
}
