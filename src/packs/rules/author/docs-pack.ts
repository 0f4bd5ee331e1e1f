import { frontmatterTitle, headingsOf } from '../../../text/headings.ts'
import { compareText } from '../../../text/values.ts'
import type { Profile } from '../pack.ts'
import { shownText } from '../shown-text.ts'

/** One document of a folder, as far as its pack needs to know it. */
export interface DocumentOutline {
  /** From the folder. */
  path: string
  title: string
  headings: string[]
  /** Whether it links other pages the way wikis do. */
  isWiki: boolean
}

const MOST_HEADINGS = 40

/** What a document is about: its frontmatter says it, or its first heading, or its file name. */
export function outlineDocument(path: string, markdown: string): DocumentOutline {
  const found = headingsOf(path, markdown.split('\n'))
    .map(({ level, title }) => ({ level, title: plain(title) }))
    .filter(({ title }) => title !== '')
  const top = Math.min(...found.map(({ level }) => level))
  const own = plain(frontmatterTitle(markdown))
  const first = own === '' ? found.find(({ level }) => level === top) : undefined
  const title = first?.title ?? (own || nameWords(path))
  const headings = found.filter((each) => each !== first && each.title !== own).map((each) => each.title)
  return {
    path,
    title,
    headings: [...new Set(headings)].slice(0, MOST_HEADINGS),
    isWiki: /\[\[[^\]\n]+\]\]/.test(markdown),
  }
}

/** A heading as words: without marks, links and code signs; never with a backtick, which would look like a path. */
function plain(title: string): string {
  const text = title
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/:[a-z]+:`([^`<]+)(?:<[^>]*>)?`/g, '$1')
    .replace(/<[^>]{0,200}>|\{#[^}]*\}/g, '')
    .replace(/[`*|]/g, '')
  return shownText(text.trim(), 80)
}

function nameWords(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z]+$/i, '')
  return shownText(name.replace(/[_\-.]+/g, ' ').trim() || path, 80)
}

/** A wiki, when enough of its pages link each other like one. */
export function profileOf(documents: readonly DocumentOutline[]): Extract<Profile, 'wiki-first' | 'document-first'> {
  const linked = documents.filter(({ isWiki }) => isWiki).length
  return linked >= 2 && linked * 3 >= documents.length ? 'wiki-first' : 'document-first'
}

export interface DocsPlan {
  name: string
  description: string
  /** Whether the description is only a proposal of the program. */
  isProposed: boolean
  profile: Profile
  /** Where the documents are in the pack: `documents/` or `wiki/`; undefined where they are in their layers already. */
  layer: 'documents' | 'wiki' | undefined
  /** The folder of the project that they stay in. */
  from: string | undefined
  documents: readonly DocumentOutline[]
}

const CONFIRM = 'proposed from the headings: correct it, then remove "proposed" below and set status: ready'

/** The KNOWLEDGE.md of a pack with existing documents. A body that the user wrote stays unchanged. */
export function docsGuide(plan: DocsPlan, written?: string): string {
  const { name, description, isProposed, profile, layer, from } = plan
  const fields = [
    `name: ${name}`,
    ...(isProposed ? [`# ${CONFIRM}`] : []),
    // JSON texts are YAML texts.
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
  const body = written ?? `\n# ${titleOf(plan)}\n\n## Context map\n\n${map}`
  const hasMap = written === undefined || map === '' || /^#{2,4}[ \t]+(?:context map|documents)\s*$/im.test(written)
  const added = hasMap ? '' : `${body.endsWith('\n') ? '' : '\n'}\n## Context map\n\n${map}`
  return `---\n${fields.join('\n')}\n---\n${body}${added}`
}

function titleOf({ name }: DocsPlan): string {
  return name.replace(/-+/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
}

const MOST_MAPPED = 400
const LONGEST_HINT = 240

/** A line for each document; where there are too many, one for each folder of them. */
function contextMap({ documents, layer }: DocsPlan): string {
  const prefix = layer === undefined ? '' : `${layer}/`
  const mappable = documents.filter(({ path }) => !/[`\n\r]/.test(path))
  if (mappable.length <= MOST_MAPPED) {
    return mappable.map((each) => `- ${hintOf(each)}: \`${prefix}${each.path}\`\n`).join('')
  }
  const folders = new Map<string, DocumentOutline[]>()
  for (const each of mappable) {
    const folder = each.path.slice(0, each.path.indexOf('/') + 1)
    folders.set(folder, [...(folders.get(folder) ?? []), each])
  }
  return [...folders]
    .sort(([a], [b]) => compareText(a, b))
    .slice(0, MOST_MAPPED)
    .map(([folder, inside]) => {
      const titles = joinWhile(
        inside.map(({ title }) => title),
        LONGEST_HINT,
      )
      return `- ${inside.length} documents, such as ${titles}: \`${prefix}${folder}\`\n`
    })
    .join('')
}

function hintOf({ title, headings }: DocumentOutline): string {
  const rest = joinWhile(headings, LONGEST_HINT - title.length)
  return rest === '' ? title : `${title}: ${rest}`
}

/** The first of some texts, as many as a line holds. */
function joinWhile(texts: readonly string[], most: number): string {
  let line = ''
  for (const text of texts) {
    const next = line === '' ? text : `${line}, ${text}`
    if (next.length > most) break
    line = next
  }
  return line
}

const LONGEST_PROPOSAL = 700

/** What the pack seems to know: the titles of its documents, those nearest to the top of the folder first. */
export function proposeDescription(name: string, documents: readonly DocumentOutline[]): string {
  const subject = name.replace(/-(?:docs?|documentation|wiki|handbook|guides?)$/, '').replace(/-+/g, ' ')
  const depth = ({ path }: DocumentOutline) => path.split('/').length
  const order = [...documents].sort((a, b) => depth(a) - depth(b) || compareText(a.path, b.path))
  const titles = [...new Set(order.map(({ title }) => title))].filter(
    (title) => !DULL.test(title) && title.toLowerCase() !== subject.toLowerCase(),
  )
  const named = joinWhile(titles, LONGEST_PROPOSAL)
  const about = `Documentation of ${subject}`
  return named === '' ? `${about}. Use for questions about it.` : `${about}: ${named}. Use for questions about these.`
}

/** Words that the pack must find something for. */
export function exampleQuestion(documents: readonly DocumentOutline[]): string | undefined {
  const titles = documents.map(({ title }) => title).filter((title) => !DULL.test(title))
  return titles.find((title) => title.includes(' ')) ?? titles[0]
}

const DULL = /^(?:index|readme|home|contents|table of contents|overview|introduction|license|changelog|changes)$/i

/** A name for a pack, from the folder it is made of. Empty when no letter of it may be part of one. */
export function proposeName(folders: readonly string[]): string {
  const [base = '', above = ''] = folders.map(slug)
  const isGeneral = /^(?:docs?|documentation|wiki|handbook|knowledge|content|pages|site|src|source|guide|guides)$/.test(
    base,
  )
  return (isGeneral && above !== '' ? `${above}-${base}` : base).slice(0, 64).replace(/-+$/, '')
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

/** Kinds of files that are no text, for a count that says more than "other". */
const KINDS: readonly [kind: string, pattern: RegExp][] = [
  ['image', /\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|avif|drawio|puml|excalidraw)$/i],
  ['PDF', /\.pdf$/i],
  ['office document', /\.(?:docx?|xlsx?|pptx?|odt|ods|odp|pages|numbers|key|epub)$/i],
  ['recording', /\.(?:mp[34]|m4[av]|webm|mov|avi|wav|ogg|cast)$/i],
  ['archive', /\.(?:zip|gz|tgz|xz|bz2|7z|tar|rar)$/i],
  ['web page', /\.(?:html?|css|scss|woff2?|ttf|eot)$/i],
  ['notebook', /\.ipynb$/i],
]

export function kindOfFile(path: string): string {
  return KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other kind of file'
}
