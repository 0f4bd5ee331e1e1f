import { isUtf8 } from 'node:buffer'
import { readInside } from '../../machine/inside.ts'
import { count } from '../../text/count.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { type DocumentOutline, kindOfFile, outlineDocument } from '../rules/author/docs-pack.ts'
import { LARGEST_PACK_FILE, type LinkedLayer } from '../rules/pack.ts'
import { linkedRoot, listLinked, MOST_LINKED } from './pack-place.ts'

/** The documents of a folder, and the files that cannot be part of a pack. */
export interface DocsFolder {
  documents: DocumentOutline[]
  /** Grouped by reason, with an example path. */
  leftOut: { what: string; count: number; example: string }[]
}

/** The headings in this part of a document are enough to describe it. */
const HEAD_BYTES = 128 * 1024

/** Reads the outline of every document. Throws if there are more than a pack can hold. */
export function readDocsFolder(linked: LinkedLayer, packRoot: string): DocsFolder {
  const left = new Map<string, { count: number; example: string }>()
  const leave = (what: string, path: string) => {
    const known = left.get(what) ?? { count: 0, example: path }
    left.set(what, { ...known, count: known.count + 1 })
  }
  const { paths, isCut } = listLinked(linked, packRoot, (path, why) => {
    if (why !== 'pack') leave(why === 'kind' ? kindOfFile(path) : LEFT_OUT[why], path)
  })
  if (isCut) throw tooMany(linked, paths)
  const documents = paths.flatMap((path) => {
    const { bytes, size, failure } = readInside(linkedRoot(linked), path, { most: HEAD_BYTES, head: HEAD_BYTES })
    const problem = failure !== undefined ? 'unreadable file' : problemOf(bytes, size)
    if (problem !== undefined || bytes === undefined) {
      leave(problem ?? '', path)
      return []
    }
    return [outlineDocument(path, bytes.toString('utf8').replace(/\r\n?/g, '\n'))]
  })
  const leftOut = [...left].map(([what, rest]) => ({ what, ...rest }))
  return { documents, leftOut: leftOut.sort((a, b) => b.count - a.count || (a.what < b.what ? -1 : 1)) }
}

/** The texts of the documents. Leaves out files that are not UTF-8: copying would change them. */
export function copyDocuments(linked: LinkedLayer, docs: DocsFolder): Map<string, string> {
  const texts = new Map<string, string>()
  const refused: string[] = []
  for (const { path } of docs.documents) {
    const { bytes } = readInside(linkedRoot(linked), path, { most: LARGEST_PACK_FILE })
    if (bytes !== undefined && isUtf8(bytes)) texts.set(path, bytes.toString('utf8'))
    else refused.push(path)
  }
  const [example] = refused
  if (example !== undefined) docs.leftOut.push({ what: 'document that is not UTF-8', count: refused.length, example })
  return texts
}

const LEFT_OUT = { link: 'link', ignored: 'hidden or ignored' }

function problemOf(bytes: Buffer, size: number): string | undefined {
  if (size > LARGEST_PACK_FILE) return 'document above 2 MB'
  if (bytes.includes(0)) return 'file that is not text'
  return bytes.toString('utf8').trim() === '' ? 'empty document' : undefined
}

function tooMany(linked: LinkedLayer, paths: readonly string[]): LoadoutError {
  const folders = new Map<string, number>()
  for (const path of paths) {
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : '.'
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  const largest = [...folders].sort(([, a], [, b]) => b - a).slice(0, 5)
  const named = largest.map(([folder, many]) => `${folder} (${count(many, 'document')})`).join(', ')
  return new LoadoutError('FILE_TOO_LARGE', `${linkedRoot(linked)} contains more than ${MOST_LINKED} documents`, {
    hint: `make a pack of one of its folders; among the documents found first: ${named}`,
  })
}
