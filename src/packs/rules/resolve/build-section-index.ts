import { createRanker } from '../../../search/ranker.ts'
import { termsOf } from '../../../search/tokens.ts'
import { frontmatterTitle } from '../../../text/headings.ts'
import { readGuide } from '../fence/guide.ts'
import { recordTexts } from '../graph/record-grounding.ts'
import { isContent, type PackFiles, type PackManifest, type PackWarning, SOURCE_MAP_PATH } from '../pack.ts'
import { type Records, readRecords } from '../records/health.ts'
import { pathWords, sectionsOf } from './choice.ts'
import { labelsOf } from './page-labels.ts'
import { openIndex, SECTION_RANKING, type SectionIndex } from './section-index.ts'
import { piecesOf } from './statements.ts'

const LAYERS = ['compiled', 'wiki', 'documents'] as const

/** Indexes the sections of all content files, and the pack's records. */
export function buildSectionIndex(
  files: PackFiles,
  manifest: Partial<Pick<PackManifest, 'primaryOntology' | 'primaryAnswers'>> = {},
): SectionIndex {
  const { labels, warnings } = labelsOf(files)
  const hints = new Map<string, string>()
  const hint = (path: string, text: string) => hints.set(path, `${hints.get(path) ?? ''} ${text}`)
  for (const entry of readGuide(files)?.map ?? []) if (!entry.isDirectory) hint(entry.path, entry.hint)
  const records = readRecords(files)
  for (const [path, title] of splitTitles(records)) hint(path, title)
  const counts = new Map<string, number>()
  const documents = LAYERS.flatMap((layer) => files.list(layer))
    .filter(isContent)
    .flatMap((path) => {
      const file = files.read(path)
      if (file === undefined) return []
      const label = `${hints.get(path) ?? ''} ${labels.get(path) ?? ''}`
      return withHeadings(file.text, path).map(({ from, to, trail, title, text }) => {
        const heading = `${pathWords(path)} ${trail}`
        for (const term of new Set(termsOf(`${heading} ${text}`))) counts.set(term, (counts.get(term) ?? 0) + 1)
        const fields = { heading, label, body: withoutTableTags(text) }
        return { id: `${from}-${to} ${path}`, name: '', fields, ...(title !== '' && { kept: title }) }
      })
    })
  const noted = [
    ...recordTexts(manifest, files),
    ...records.claims.map(({ id, text }) => ({ path: SOURCE_MAP_PATH, text: `${id} ${text}` })),
  ].map(({ path, text }, at) => ({ id: `0-${at} ${path}`, name: '', fields: { body: text } }))
  const told = [...warnings, ...mergeAlike(files.warnings)]
  return openIndex(createRanker([...documents, ...noted], SECTION_RANKING), noted.length, linesOf(counts), told)
}

/** One line per term, sorted, so that the same pack gives the same bytes. */
function linesOf(counts: ReadonlyMap<string, number>): string {
  const lines = [...counts].map(([term, count]) => `\n${term} ${count}`)
  return `${lines.sort().join('')}\n`
}

/** Merges equal warnings of many files: hundreds of them would leave no room for an answer. */
function mergeAlike(warnings: readonly PackWarning[]): PackWarning[] {
  const alike = new Map<string, PackWarning[]>()
  for (const warning of warnings) {
    const key = `${warning.code} ${warning.message}`
    const known = alike.get(key)
    if (known === undefined) alike.set(key, [warning])
    else known.push(warning)
  }
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? []
    const files = others.length === 1 ? '1 other file' : `${others.length} other files`
    return { ...first, message: `${first.message}; the same in ${files}` }
  })
}

/** Removes the tags of HTML tables, which carry no meaning. */
function withoutTableTags(text: string): string {
  return /<t[dhr]\b/i.test(text) ? text.replace(/<\/?[a-z][^<>]*>/gi, ' ') : text
}

/** A link target in a heading: `<a name="restart"></a>`. */
const ANCHOR = /<\/?a(?:\s[^<>]*)?>/gi

/** Sections with their title and the headings above them. Skips sections without text below the heading. */
function withHeadings(text: string, path: string) {
  const above: string[] = []
  const whole = frontmatterTitle(text)
  const sections = sectionsOf(text, path)
  return sections.flatMap((section) => {
    const { level, height } = section
    above.length = Math.max(0, Math.min(above.length, level - 1))
    while (above.length < level - 1) above.push('')
    if (level > 0) above.push(section.heading.replace(ANCHOR, '').trim())
    const isBare = level > 0 && section.text.split('\n').slice(height).join('').trim() === ''
    const trail = [whole, ...above].join(' ')
    const title = above.filter(Boolean).join(' > ') || whole
    return isBare && sections.length > 1 ? [] : piecesOf(section, path).map((piece) => ({ ...piece, trail, title }))
  })
}

/** Titles of slices, from the pack's records. */
function splitTitles({ sections, runs }: Records): Map<string, string> {
  const titles = new Map<string, string>()
  for (const { title, compiledInto } of sections) for (const { path } of compiledInto) titles.set(path, title)
  for (const { run } of runs) {
    for (const { path, title } of run.chapters) if (path !== undefined) titles.set(path, title)
  }
  return titles
}
