import { documentKind } from '../../../text/document-kind.ts'
import { frontmatterTitle } from '../../../text/frontmatter-block.ts'
import { compareText, groupBy, sortedBy } from '../../../text/values.ts'
import { readContextMap } from '../guide.ts'
import { type Profile, packSections, type RuntimeMode, shownText } from '../pack.ts'

const FACT = 'The first fact of this pack stands here until its author writes a true one.'
const USE = 'Say here which questions this pack answers, and which it leaves to others.'
const LIMIT = '# Boundaries\n\n- Say that a fact is unknown when no page of this pack holds it.\n'

/** Whether a text still has a placeholder. */
export function isPlaceholder(text: string): boolean {
  return text.includes(FACT) || text.includes(USE)
}

/** Whether a text is still as in a new pack, also without a placeholder. */
export function isTemplate(text: string): boolean {
  return isPlaceholder(text) || text === LIMIT
}

/** The files of a small, complete and valid pack, for its author to fill in. */
export function packTemplate({
  name,
  description,
  profile,
  mode,
}: {
  name: string
  description: string
  profile: Profile
  mode: RuntimeMode
}): Map<string, string> {
  const [hasWiki, hasDocument] = [profile !== 'document-first', profile !== 'wiki-first']
  const [document, split, page] = [
    `documents/${name}.md`,
    `compiled/splits/${name}/010_overview.md`,
    'wiki/concepts/overview.md',
  ]
  const title = titleOf(name)
  const source = 'sources/notes.md'
  const fact = `${FACT} [source: ${source}#L3]`
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`
  const fields = [
    `name: ${name}`,
    // JSON strings are valid YAML.
    `description: ${JSON.stringify(description)}`,
    `type: ${mode === 'persona' ? 'brand-persona' : 'domain-reference'}`,
    `profile: ${profile}`,
    'status: draft',
    'version: 0.1.0',
    'trust: unreviewed',
    'grounding: recommended',
    'runtime:',
    `  mode: ${mode}`,
    ...(hasDocument ? ['metadata:', `  primaryDocument: ${document}`] : []),
  ]
  const map = [
    ...(hasWiki ? ['- Ordinary questions: `compiled/briefing.md`', '- Single facts: `compiled/facts.md`'] : []),
    ...(hasDocument ? [`- The overview: \`${split}\``] : []),
    '- Before any promise: `compiled/boundaries.md`',
    ...(hasDocument ? [`- The whole text: \`${document}\``] : []),
    ...(hasWiki ? ['- All pages, for questions that go deeper: `wiki/index.md`'] : []),
    '- To cite or to verify: `sources/`',
  ]
  const guide = `# ${title}\n\n## When to use\n\n${USE}\n\n## Context map\n\n${map.join('\n')}\n`
  const wiki: [string, string][] = [
    ['wiki/index.md', `# Pages\n\n- [Overview](concepts/overview.md) - where to begin\n`],
    [page, `# Overview of ${title}\n\n${fact}\n`],
    ['compiled/briefing.md', `# Briefing\n\n${title} in a few sentences. ${fact}\n`],
    ['compiled/facts.md', `# Facts\n\n- ${fact}\n`],
  ]
  const documents: [string, string][] = [
    [document, `# ${title}\n\n## Overview\n\n${fact}\n`],
    [split, `# Overview\n\n${fact}\n`],
  ]
  const views = [
    ...(hasWiki ? [page, 'compiled/briefing.md', 'compiled/facts.md'] : []),
    ...(hasDocument ? [split] : []),
  ]
  const claim = {
    claim_id: 'first-fact',
    text: FACT,
    status: 'confirmed',
    source: { path: source, anchor: 'L3' },
    compiled_into: views,
  }
  const suite = (select: string, reject: string) =>
    json({
      pack_name: name,
      cases: [
        { id: 'its-subject', prompt: select, expected: 'select' },
        { id: 'something-else', prompt: reject, expected: 'reject' },
      ],
    })
  const subject = title.toLowerCase()
  return new Map([
    ['KNOWLEDGE.md', `---\n${fields.join('\n')}\n---\n\n${guide}`],
    ...(hasWiki ? wiki : []),
    ...(hasDocument ? documents : []),
    ['compiled/boundaries.md', LIMIT],
    [source, `# Notes\n\n${FACT}\n`],
    ['indexes/source-map.json', json({ claims: [claim] })],
    ['evals/discovery.train.json', suite(`What do we know about ${subject}?`, 'Bake a loaf of rye bread.')],
    ['evals/discovery.validation.json', suite(`Give me an overview of ${subject}.`, 'Which wine goes with mushrooms?')],
  ])
}

function titleOf(name: string): string {
  return name.replace(/-+/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
}

/** The outline of one document. */
export interface DocumentOutline {
  /** Relative to the folder. */
  path: string
  title: string
  headings: string[]
  /** Whether it has wiki links such as `[[page]]`. */
  isWiki: boolean
}

/** Reads the headings of a document. The title is from its frontmatter, its first heading or its file name. */
export function outlineDocument(path: string, markdown: string): DocumentOutline {
  const isPdf = documentKind(path) === 'pdf'
  const found = packSections(path, markdown)
    .map(({ level, title }) => ({ level, title: plain(title) }))
    .filter(({ title }) => title !== '' && !(isPdf && /^Page \d+/.test(title)))
  const top = Math.min(...found.map(({ level }) => level))
  const own = isPdf && top !== 1 ? nameWords(path) : plain(frontmatterTitle(markdown))
  const first = own === '' ? found.find(({ level }) => level === top) : undefined
  const title = first?.title ?? (own || nameWords(path))
  const headings = found.filter((each) => each !== first && each.title !== own).map((each) => each.title)
  return {
    path,
    title,
    headings: spread([...new Set(headings)], 40),
    isWiki: /\[\[[^\]\n]+\]\]/.test(markdown),
  }
}

/** A heading as plain words. Without backticks, which would mark a path in the context map. */
function plain(title: string): string {
  const text = title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/:[a-z]+:`([^`<]+)(?:<[^>]*>)?`/g, '$1')
    .replace(/<[^>]{0,200}>|\{#[^}]*\}/g, '')
    .replace(/[`*|]/g, '')
  return shownText(text.trim(), 80)
}

/** In a vault, the name of a file is its title: links name it. */
export function titledByName(outline: DocumentOutline): DocumentOutline {
  const { path, title, headings } = outline
  return { ...outline, title: nameWords(path), headings: [...new Set([title, ...headings])] }
}

/** The id that an export of Notion adds to each name. */
const NOTION_ID = / [\da-f]{32}(?=(?:_all)?(?:\/|\.[a-z]+$))/g

/** The names of files without the ids of Notion, as far as they stay different. */
export function namesWithoutIds(paths: readonly string[]): Map<string, string> {
  const short = groupBy(paths, (path) => path.replace(NOTION_ID, ''))
  return new Map(
    [...short].flatMap(([name, all]) => all.map((path): [string, string] => [path, all.length === 1 ? name : path])),
  )
}

/** The links of a page of Notion, to pages whose names have lost their ids. */
export function linksWithoutIds(markdown: string): string {
  return markdown.replace(/\]\([^()\s]{1,2000}\)/g, (link) => link.replace(/%20[\da-f]{32}(?=\/|\.[a-z]+\))/g, ''))
}

function nameWords(path: string): string {
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .replace(NOTION_ID, '')
    .replace(/\.[a-z]+$/i, '')
  return shownText(name.replace(/[_\-.]+/g, ' ').trim() || path, 80)
}

/** Some of many, from the whole length of the list. */
function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items]
  return Array.from({ length: most }, (_, at) => items[Math.floor((at * items.length) / most)]!)
}

export interface DocsPlan {
  name: string
  description: string
  /** Whether Loadout proposed the description. */
  isProposed: boolean
  profile: Profile
  /** The layer of the documents; undefined if they already are in their layers. */
  layer: 'documents' | 'wiki' | undefined
  /** The folder of the project with the documents, if they are not copied. */
  from: string | undefined
  documents: readonly DocumentOutline[]
}

/** Writes the KNOWLEDGE.md for existing documents. Keeps a body that the user wrote. */
export function docsGuide(plan: DocsPlan, written?: string): string {
  const { name, description, isProposed, profile, layer, from } = plan
  const fields = [
    `name: ${name}`,
    ...(isProposed
      ? ['# proposed from the headings: correct it, then remove "proposed" below and set status: ready']
      : []),
    // JSON strings are valid YAML.
    `description: ${JSON.stringify(description)}`,
    'type: domain-reference',
    `profile: ${profile}`,
    `status: ${isProposed ? 'needs-review' : 'ready'}`,
    'version: 0.1.0',
    'trust: unreviewed',
    'grounding: recommended',
    'runtime:',
    '  mode: data',
    'metadata:',
    ...(isProposed ? ['  proposed: description'] : []),
    ...(layer !== undefined && from !== undefined ? [`  ${layer}From: ${JSON.stringify(from)}`] : []),
    '  producedBy:',
    '    kind: import',
    '    name: loadout packs new',
  ]
  const map = contextMap(plan)
  const body = written ?? `\n# ${titleOf(name)}\n\n## Context map\n\n${map}`
  const hasMap = written === undefined || map === '' || readContextMap(written, 1).sectionLines.length > 0
  const added = hasMap ? '' : `${body.endsWith('\n') ? '' : '\n'}\n## Context map\n\n${map}`
  return `---\n${fields.join('\n')}\n---\n${body}${added}`
}

/**
 * Brings a KNOWLEDGE.md up to date: `before` and `now` are what Loadout wrote then and would write now. A field or line of
 * the map that a person changed, added or removed stays so.
 */
export function updateGuide(written: string, before: string, now: string): string {
  const [was, will] = [unitsOf(before), unitsOf(now)]
  const mine = unitsOf(written)
  const lines = written.split('\n').flatMap((line) => {
    const key = unitKey(line)
    if (key === undefined || was.get(key) !== line) return [line]
    return will.get(key) ?? []
  })
  let above: string | undefined
  for (const [key, line] of will) {
    if (!was.has(key) && !mine.has(key)) {
      const at = lines.findIndex((each) => unitKey(each) === above)
      const last = lines.findLastIndex((each) => /^- .*`$/.test(each))
      lines.splice((at < 0 ? last : at) + 1, 0, line)
    }
    above = key
  }
  return lines.join('\n')
}

/** The fields of the frontmatter and the lines of the map, by key or path. */
function unitsOf(text: string): Map<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const key = unitKey(line)
      return key === undefined ? [] : [[key, line]]
    }),
  )
}

function unitKey(line: string): string | undefined {
  return /^- .*`([^`]+)`$/.exec(line)?.[1] ?? /^ *[a-zA-Z]+:(?= |$)/.exec(line)?.[0]
}

/** More documents than this are mapped by folder. */
const MOST_MAPPED = 120
const LONGEST_HINT = 240

/** One line per document, or per folder if there are too many documents. */
function contextMap({ documents, layer }: DocsPlan): string {
  const prefix = layer === undefined ? '' : `${layer}/`
  const mappable = documents.filter(({ path }) => !/[`\n\r]/.test(path))
  if (mappable.length <= MOST_MAPPED) {
    // The map is read whole by an agent, so all hints share 10,000 characters.
    const most = Math.min(LONGEST_HINT, Math.floor(10_000 / Math.max(1, mappable.length)))
    const lines = mappable.map(({ title, headings, path }) => {
      const rest = joinWhile(headings, most - title.length)
      return `- ${rest === '' ? title : `${title}: ${rest}`}: \`${prefix}${path}\`\n`
    })
    return lines.join('')
  }
  const folders = groupBy(mappable, ({ path }) => path.slice(0, path.indexOf('/') + 1))
  const lines = sortedBy(folders, ([folder]) => folder).map(([folder, inside]) => {
    const some = spread(inside, 12).map(({ title }) => title)
    const titles = joinWhile(some, LONGEST_HINT)
    return `- ${inside.length} documents, such as ${titles}: \`${prefix}${folder}\`\n`
  })
  return lines.slice(0, MOST_MAPPED).join('')
}

/** Joins as many texts as fit on a line. */
function joinWhile(texts: readonly string[], most: number): string {
  let line = ''
  for (const text of texts) {
    const next = line === '' ? text : `${line}, ${text}`
    if (next.length > most) break
    line = next
  }
  return line
}

/** Proposes a description: the summary of the whole, if it has one, and titles from all of its parts. */
export function proposeDescription(name: string, documents: readonly DocumentOutline[], summary = ''): string {
  const subject = name.replace(/-(?:docs?|documentation|wiki|handbook|guides?)$/, '').replace(/-+/g, ' ')
  const depth = ({ path }: DocumentOutline) => path.split('/').length
  const order = [...documents].sort((a, b) => depth(a) - depth(b) || compareText(a.path, b.path))
  const isTelling = (title: string) => !DULL.test(title) && title.toLowerCase() !== subject.toLowerCase()
  const titles = [...new Set(order.map(({ title }) => title))].filter(isTelling)
  // Of a few long documents the headings say more.
  const headings = documents.length <= 8 ? order.flatMap((each) => each.headings).filter(isTelling) : []
  // As many as fit, from the whole length of the list.
  const most = 700
  const texts = [...new Set([...titles, ...headings])]
  const size = (some: readonly string[]) => some.reduce((sum, { length }) => sum + length + 2, 0)
  let count = texts.length
  while (count > 1 && size(spread(texts, count)) > most) count--
  const named = joinWhile(spread(texts, count), most)
  const about = summary === '' ? `Documentation of ${subject}` : summary.replace(/\.?$/, '').slice(0, 250)
  return named === '' ? `${about}. Use for questions about it.` : `${about}: ${named}. Use for questions about these.`
}

/** A question that the pack can answer: the title of a document. */
export function exampleQuestion(documents: readonly DocumentOutline[]): string | undefined {
  const titles = documents.map(({ title }) => title).filter((title) => !DULL.test(title))
  return titles.find((title) => title.includes(' ')) ?? titles[0]
}

const DULL = /^(?:index|readme|home|contents|table of contents|overview|introduction|license|changelog|changes)$/i

/** Proposes a name from the folder names. Empty if they have no usable letters. */
export function proposeName(folders: readonly string[]): string {
  const [base = '', above = ''] = folders.map(slug)
  const isGeneral = /^(?:docs?|documentation|wiki|handbook|knowledge|content|pages|site|src|source|guide|guides)$/.test(
    base,
  )
  return (isGeneral && above !== '' ? `${above}-${base}` : base).slice(0, 64).replace(/-+$/, '')
}

export function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

/** The kind of a file that is not text, for the list of files left out. */
export function kindOfFile(path: string): string {
  const kinds: [kind: string, pattern: RegExp][] = [
    ['image', /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|avif|drawio|puml|excalidraw)$/i],
    ['office document', /\.(?:doc|xlsx?|pptx?|odt|ods|odp|pages|numbers|key|epub)$/i],
    ['recording', /\.(?:mp[34]|m4[av]|webm|mov|avi|wav|ogg|cast)$/i],
    ['archive', /\.(?:zip|gz|tgz|xz|bz2|7z|tar|rar)$/i],
    ['part of a web page', /\.(?:css|scss|js|woff2?|ttf|eot)$/i],
    ['notebook', /\.ipynb$/i],
  ]
  return kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other kind of file'
}
