import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readInside } from '../../machine/inside.ts'
import { normalizeText } from '../../text/lines.ts'
import { LARGEST_FILE, type LeftOut, leftOutByText } from '../rules/candidates.ts'

/** The text of a project file, or why it is not available. */
export function readProjectText(root: string, path: string): { text: string; bytes: Buffer } | { leftOut: LeftOut } {
  const { bytes } = readInside(root, path, { most: LARGEST_FILE })
  if (bytes === undefined) return { leftOut: 'unreadable' }
  if (bytes.includes(0) || !isUtf8(bytes)) return { leftOut: 'binary' }
  const text = normalizeText(bytes.toString('utf8'))
  const leftOut = leftOutByText(path, text)
  return leftOut === undefined ? { text, bytes } : { leftOut }
}

/** A file to show; undefined if it can no longer be read. */
export function readShown(root: string, path: string): { text: string; sha256: string } | undefined {
  const read = readProjectText(root, path)
  if (!('text' in read)) return undefined
  return { text: read.text, sha256: createHash('sha256').update(read.bytes).digest('hex') }
}
