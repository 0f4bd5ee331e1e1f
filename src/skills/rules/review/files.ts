import type { TextForm } from './scan.ts'

/** One file of a skill, for the sheet. */
export interface ReviewFile {
  path: string
  isExecutable: boolean
  /** A hash of the whole content. */
  digest: string
  /** As far as it can be read; undefined for a picture or a font. */
  text: string | undefined
  /** The content, or its start, of a file that may be a picture or a font. */
  bytes?: Uint8Array
  /** Why it could not be read as a whole, as the end of "this file …". */
  problem?: string
}

const setOf = (text: string) => new Set(text.split(/\s+/))
const PROSE = setOf('md markdown txt text rst adoc asciidoc org bib')
const DATA = setOf(
  'json jsonl ndjson json5 geojson yaml yml toml csv tsv xml xsd ini srt vtt po lock sum gitignore gitattributes gitkeep editorconfig npmignore dockerignore',
)
const MARKUP = setOf('html htm xhtml svg')
const PLAIN_NAMES =
  /^(?:licen[cs]e|copying|notice|readme|changelog|authors|contributors|copyright|version)(?:[-_.][\w-]{1,40})?$/i

/** Files that an agent or a tool obeys, whatever their form. */
const SETTINGS =
  /(?:^|\/)(?:\.mcp\.json|mcp\.json|hooks\.json|settings(?:\.local)?\.json|plugin\.json|marketplace\.json|package\.json|docker-compose[\w.-]{0,40}|compose\.ya?ml|action\.ya?ml|\.pre-commit-config\.yaml|pyproject\.toml|requirements[\w.-]{0,40}\.txt|constraints\.txt|gemfile|pipfile|go\.mod|cargo\.toml|deno\.jsonc?|tasks\.json|launch\.json|setup\.cfg|tox\.ini)$|(?:^|\/)\.[\w-]{1,40}\//i

export interface FileVerdict {
  /** How to look through its text. */
  form: TextForm
  /** Why it can act; undefined if it only informs. */
  what?: string
  quote: string
  isAlarming: boolean
}

/** What a file is. One that is not known to only inform can act. */
export function judgeFile(file: ReviewFile): FileVerdict {
  const { path, isExecutable, text = '', bytes } = file
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const quote = firstLine(text)
  const acts = (what: string, isAlarming = false): FileVerdict => ({ form: 'code', what, quote, isAlarming })
  if (bytes !== undefined && isProgram(bytes)) return acts('is a compiled program', true)
  if (text.startsWith('#!') || text.startsWith('\ufeff#!')) return acts('is a script')
  if (isExecutable) return acts('can be run as a program')
  if (PICTURES[extension] !== undefined) {
    const isInert = bytes !== undefined && PICTURES[extension](bytes) && !holdsCode(bytes)
    return isInert
      ? { form: 'data', quote: '', isAlarming: false }
      : acts('is not the picture or font that its name says', true)
  }
  if (MARKUP.has(extension))
    return isInertMarkup(text) ? { form: 'data', quote, isAlarming: false } : acts('is a page that a browser runs')
  if (SETTINGS.test(path))
    return { form: 'data', what: 'has settings that an agent or a tool obeys', quote, isAlarming: false }
  if (PROSE.has(extension) || (!name.includes('.') && PLAIN_NAMES.test(name)))
    return { form: 'prose', quote, isAlarming: false }
  if (DATA.has(extension)) {
    const isDependent = /(?:^|\/)agents\/openai\.ya?ml$/.test(path) && text.includes('dependencies')
    return { form: 'data', what: isDependent ? 'names tools that an agent loads' : undefined, quote, isAlarming: false }
  }
  return acts(PROGRAMS.has(extension) ? 'is a program' : 'is a file of a kind that is not known to be harmless')
}

const PROGRAMS = setOf(
  'sh bash zsh fish ksh csh ps1 psm1 bat cmd vbs vbe js mjs cjs jsx ts tsx mts cts py pyw pyc rb pl pm php lua r jl go rs java kt swift c cc cpp cs scala groovy ex exs clj sql ipynb jar war class wasm exe dll so dylib msi deb rpm apk dmg pkg app scpt applescript command desktop lnk url reg hta jse wsf xlsm docm pptm zip tar gz tgz bz2 xz 7z rar whl egg mk gradle tf nix awk sed',
)

function firstLine(text: string): string {
  for (const line of text.slice(0, 2000).split('\n', 20)) if (line.trim() !== '') return line
  return ''
}

const starts = (bytes: Uint8Array, ...signs: readonly number[]) => signs.every((sign, at) => bytes[at] === sign)
const ends = (bytes: Uint8Array, ...signs: readonly number[]) =>
  signs.every((sign, at) => bytes[bytes.length - signs.length + at] === sign)
const says = (bytes: Uint8Array, at: number, text: string) =>
  [...text].every((sign, index) => bytes[at + index] === sign.charCodeAt(0))
const isFont = (bytes: Uint8Array) =>
  starts(bytes, 0, 1, 0, 0) || says(bytes, 0, 'OTTO') || says(bytes, 0, 'true') || says(bytes, 0, 'ttcf')

/** By extension: whether the bytes are what the name says, from the first to the last. */
const PICTURES: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  png: (bytes) => starts(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && ends(bytes, 0xae, 0x42, 0x60, 0x82),
  jpg: isJpeg,
  jpeg: isJpeg,
  gif: (bytes) => says(bytes, 0, 'GIF8') && (bytes[6] ?? 0) + (bytes[7] ?? 0) * 256 < 20_000 && ends(bytes, 0x3b),
  webp: (bytes) => says(bytes, 0, 'RIFF') && says(bytes, 8, 'WEBP'),
  ico: (bytes) => starts(bytes, 0, 0, 1, 0),
  avif: (bytes) => says(bytes, 4, 'ftyp'),
  ttf: isFont,
  otf: isFont,
  woff: (bytes) => says(bytes, 0, 'wOFF'),
  woff2: (bytes) => says(bytes, 0, 'wOF2'),
}

function isJpeg(bytes: Uint8Array): boolean {
  return starts(bytes, 0xff, 0xd8, 0xff) && ends(bytes, 0xff, 0xd9)
}

/** Marks of a program, a page or an archive inside of something else. */
function holdsCode(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return ['<script', '<?php', 'PK\x03\x04', '#!/', 'eval(', 'powershell', '/bin/sh', '/bin/bash'].some((mark) =>
    text.includes(mark, 0, 'latin1'),
  )
}

/** ELF, Windows, Mach-O and Java. */
function isProgram(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1')
  return /^(?:\x7fELF|MZ[\s\S]{20}|[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe|\0asm|dex\n)/.test(
    head,
  )
}

const INERT_TAGS = setOf(
  `!doctype !-- ?xml html head body title main section article header footer nav aside div span p br hr h1 h2 h3 h4 h5 h6 ul
  ol li dl dt dd table thead tbody tfoot tr th td caption colgroup col strong em b i u s small sub sup code pre blockquote
  figure figcaption details summary kbd mark abbr time svg g path circle ellipse rect line polyline polygon text tspan defs
  lineargradient radialgradient stop clippath mask pattern symbol marker desc filter fegaussianblur feoffset femerge
  femergenode feflood fecomposite feblend fecolormatrix style`,
)

/** Whether a page has only tags that show something: no script, no handler, nothing that is loaded or sent. */
function isInertMarkup(text: string): boolean {
  const lower = text.toLowerCase()
  for (const part of lower.split('<').slice(1)) {
    const tag = /^\/?([!?\w-]{1,40})/.exec(part)?.[1] ?? ''
    if (!INERT_TAGS.has(tag.startsWith('!--') ? '!--' : tag)) return false
  }
  return !/\son[a-z]{3,40}\s{0,9}=|javascript:|data:text|@import|url\(|expression\(|href\s{0,9}=\s{0,9}["']?[a-z]|src\s{0,9}=|<!entity|<!doctype[^>]{0,200}\[/.test(
    lower,
  )
}

export const LFS_PROBLEM = 'is not the file, only a pointer of Git LFS'

/** Whether a text is the pointer that Git LFS leaves for a file that it did not fetch. */
export function isPointer(text: string): boolean {
  return text.startsWith('version https://git-lfs.github.com/spec/v1\n')
}
