import { isRecord } from '../../../text/values.ts'
import { CLAIM_STATUSES, type ClaimStatus, normalizePackPath } from '../pack.ts'
import {
  anyText,
  closed,
  isInside,
  listOf,
  note,
  type PackPlace,
  type Reader,
  readPlaces,
  someText,
  word,
} from './record-shape.ts'

/** A statement of a pack and its source. */
export interface Claim {
  id: string
  text: string
  status: ClaimStatus
  /** The path is empty if the status allows a claim without a source. */
  source: { path: string; anchor?: string }
  /** The files that repeat the statement. */
  compiledInto: PackPlace[]
  document?: string
  sectionId?: string
}

/** A section of a document, with its sources and the files made from it. */
export interface DocumentSection {
  document: string
  sectionId: string
  title: string
  sourceAnchors: PackPlace[]
  compiledInto: PackPlace[]
}

export interface SourceMap {
  claims: Claim[]
  sections: DocumentSection[]
  /** Format errors, with their place in the record. Claims and sections with errors are left out. */
  problems: string[]
  /** Places in the record that name a path outside the pack. Such paths, and claims based on them, are left out. */
  escapes: string[]
}

const CLAIM = closed(
  {
    claim_id: someText,
    text: someText,
    status: word(CLAIM_STATUSES),
    source: closed({ path: anyText }, { anchor: anyText }),
  },
  { compiled_into: listOf(anyText), document: anyText, section_id: anyText },
)

const SECTION = closed(
  { document: anyText, section_id: someText, title: someText },
  { source_anchors: listOf(anyText), compiled_into: listOf(anyText) },
)

/** Reads a source map. Skips a bad claim and keeps the others. */
export function readSourceMap(value: unknown): SourceMap {
  const map: SourceMap = { claims: [], sections: [], problems: [], escapes: [] }
  if (!isRecord(value)) {
    note(map.problems, '', 'must be an object with claims')
    return map
  }
  // Checks only the outer format: the items are read one by one.
  closed({ claims: anyList }, { document_sections: anyList })(value, '', map.problems)
  for (const [index, each] of listIn(value, 'claims').entries()) {
    const claim = readClaim(each, `claims[${index}]`, map)
    if (claim !== undefined) map.claims.push(claim)
  }
  for (const [index, each] of listIn(value, 'document_sections').entries()) {
    const section = readSection(each, `document_sections[${index}]`, map)
    if (section !== undefined) map.sections.push(section)
  }
  return map
}

const anyList: Reader<unknown[]> = (value, at, problems) =>
  Array.isArray(value) ? value : note(problems, at, 'must be a list')

function listIn(value: Record<string, unknown>, name: string): unknown[] {
  const list = Object.hasOwn(value, name) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

function readClaim(value: unknown, at: string, { problems, escapes }: SourceMap): Claim | undefined {
  const read = CLAIM(value, at, problems)
  if (read === undefined) return undefined
  const path = read.source.path.trim()
  const isSourceless = read.status === 'missing' || read.status === 'source-required'
  if (path === '') {
    if (!isSourceless) return note(problems, `${at}.source.path`, `must name a file, as the status is ${read.status}`)
  } else if (!isInside(path, `${at}.source.path`, escapes)) return undefined
  const anchor = read.source.anchor?.trim().replace(/^#/, '') ?? ''
  return {
    id: read.claim_id,
    text: read.text,
    status: read.status,
    source: { path: normalizePackPath(path), ...(anchor === '' ? {} : { anchor }) },
    compiledInto: readPlaces(read.compiled_into ?? [], `${at}.compiled_into`, escapes),
    ...documentOf(read.document, at, escapes),
    ...(read.section_id === undefined ? {} : { sectionId: read.section_id }),
  }
}

function documentOf(document: string | undefined, at: string, escapes: string[]): { document?: string } {
  if (document === undefined || document === '' || !isInside(document, `${at}.document`, escapes)) return {}
  return { document: normalizePackPath(document) }
}

function readSection(value: unknown, at: string, { problems, escapes }: SourceMap): DocumentSection | undefined {
  const read = SECTION(value, at, problems)
  if (read === undefined || !isInside(read.document, `${at}.document`, escapes)) return undefined
  return {
    document: normalizePackPath(read.document),
    sectionId: read.section_id,
    title: read.title,
    sourceAnchors: readPlaces(read.source_anchors ?? [], `${at}.source_anchors`, escapes),
    compiledInto: readPlaces(read.compiled_into ?? [], `${at}.compiled_into`, escapes),
  }
}
