import { getPage, type Page } from '../../machine/call-http.ts'
import { decodeOrSame } from '../../text/paths.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { LeftOut, type Material, type MaterialRequest, type WriteFile } from './material.ts'

const MOST_PAGES = 2_000
const AT_ONCE = 4
const PAGE_LIMITS = { milliseconds: 20_000, most: 16 * 1024 * 1024 }
/** All pages together. */
const MOST_BYTES = 256 * 1024 * 1024
/** After so many pages in a row without an answer, the server is given up. */
const MOST_SILENT = 5

/** Fetches the pages that the llms.txt or sitemap of a site names. Never another site, and only what a user named. */
export async function fetchSite(
  typed: string,
  write: WriteFile,
  { onProgress, signal }: MaterialRequest,
): Promise<Material['leftOut']> {
  const left = new LeftOut()
  const addresses = await listPages(new URL(typed), left)
  if (addresses.length === 0) throw failWith('NOTHING_TO_DO/import-site', { address: typed })
  for (const beyond of addresses.slice(MOST_PAGES)) left.add(`page beyond the first ${MOST_PAGES}`, beyond.pathname)
  const waiting = addresses.slice(0, MOST_PAGES)
  const total = waiting.length
  const written = new Set<string>()
  let [done, silent, bytes] = [0, 0, 0]
  const fetchNext = async (): Promise<void> => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      signal?.throwIfAborted()
      try {
        const page = await getOfSite(address)
        silent = 0
        bytes += page.bytes.length
        const path = pathOf(address, page.type)
        if (page.status !== 200) left.add(`page with status ${page.status}`, address.pathname)
        else if (path === undefined) left.add('other kind of file', address.pathname)
        else if (bytes > MOST_BYTES) left.add(`page beyond ${MOST_BYTES >> 20} MB`, address.pathname)
        else if (!written.has(path)) {
          written.add(path)
          write(path, page.bytes)
        }
      } catch (error) {
        if (!(error instanceof LoadoutError) || ++silent >= MOST_SILENT) throw error
        left.add('page that does not answer', address.pathname)
      }
      onProgress?.(++done, total, address.pathname)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext))
  return left.rows
}

/** Follows redirects within the site. */
async function getOfSite(address: URL): Promise<Page> {
  let at = address
  for (let count = 0; ; count++) {
    const page = await getPage(at.href, PAGE_LIMITS)
    const target = page.location === undefined ? undefined : new URL(page.location, at)
    if (target === undefined || target.origin !== address.origin || count === 3) return page
    at = target
  }
}

/** The pages that the named list, or one that lies where such lists lie, names below the address. */
async function listPages(typed: URL, left: LeftOut): Promise<URL[]> {
  const folder = new URL(/\/$|\/[^/.]+$/.test(typed.pathname) ? `${typed.pathname.replace(/\/$/, '')}/` : './', typed)
  const isList = /(?:llms[\w-]*\.txt|\.xml)$/i.test(typed.pathname)
  const lists = isList
    ? [typed]
    : ['llms.txt', 'sitemap.xml', '/llms.txt', '/sitemap.xml'].map((name) => new URL(name, folder))
  for (const list of lists) {
    const reply = await getOfSite(list)
    if (reply.status !== 200) continue
    const text = reply.bytes.toString('utf8')
    const isXml = /^\s*(?:<\?xml|<urlset|<sitemapindex)/.test(text)
    // A page that says "not found" in HTML with status 200 is not a list.
    if (!isXml && /^\s*</.test(text)) continue
    const named = isXml ? await readSitemap(list, text) : readLinks(list, text)
    // A text without links is a document itself: llms-full.txt.
    const all = named.length === 0 && !isXml ? [list] : named
    const isBelow = (page: URL) => isList || page.pathname.startsWith(folder.pathname)
    const own = all.filter((page) => page.origin === typed.origin)
    for (const page of all) if (page.origin !== typed.origin) left.add('page of another site', page.href)
    const below = own.filter(isBelow)
    const unique = new Map((below.length > 0 ? below : own).map((page) => [page.pathname, page]))
    if (unique.size > 0) return [...unique.values()]
  }
  return []
}

function readLinks(list: URL, text: string): URL[] {
  return [...text.matchAll(/\]\(([^()\s]{1,2000})\)/g)].flatMap(([, target = '']) => urlOf(target, list))
}

/** A sitemap may name others. */
async function readSitemap(list: URL, text: string): Promise<URL[]> {
  const locations = (xml: string) =>
    [...xml.matchAll(/<loc>\s*([^<\s]{1,2000})\s*<\/loc>/g)].flatMap(([, target = '']) =>
      urlOf(target.replaceAll('&amp;', '&'), list),
    )
  if (!text.includes('<sitemapindex')) return locations(text)
  const pages: URL[] = []
  for (const inner of locations(text).slice(0, 50)) {
    if (inner.origin !== list.origin || pages.length > MOST_PAGES) continue
    const reply = await getOfSite(inner)
    const xml = reply.status === 200 ? reply.bytes.toString('utf8') : ''
    if (!xml.includes('<sitemapindex')) pages.push(...locations(xml))
  }
  return pages
}

function urlOf(target: string, base: URL): URL[] {
  if (!URL.canParse(target, base.href)) return []
  const url = new URL(target, base)
  url.hash = ''
  return /^https?:$/.test(url.protocol) ? [url] : []
}

const EXTENSIONS: Record<string, string> = {
  'text/html': '.html',
  'application/xhtml+xml': '.html',
  'text/markdown': '.md',
  'text/plain': '.txt',
  'application/pdf': '.pdf',
}

/** Where a page is kept: its path with the extension of its form. Undefined for a form that is not read. */
function pathOf({ pathname }: URL, type: string): string | undefined {
  const extension = EXTENSIONS[type]
  if (extension === undefined) return undefined
  const safe = decodeOrSame(pathname)
    .split('/')
    .map((part) => part.replace(/[^\p{L}\p{N} ._-]+/gu, '-').replace(/^\.+/, ''))
    .filter((part) => part !== '')
    .join('/')
  const path = pathname.endsWith('/') || safe === '' ? `${safe}/index`.replace(/^\//, '') : safe
  if (/\.(?:md|mdx|rst|txt)$/i.test(path) && extension !== '.html') return path
  return path.replace(/\.(?:html?|md|txt|pdf|php|aspx?)$/i, '') + extension
}
