import { isUtf8 } from 'node:buffer'
import { brokenTail, codeOf, isLink, READING, readUpTo, withFile } from '../../../machine/files.ts'

export interface Head {
  /** The beginning of the file; bytes that are not UTF-8 are replaced. */
  text: string
  /** The size of the whole file, in bytes. */
  size: number
  isUtf8: boolean
}

/** Enough for frontmatter and a first line. */
export const HEAD_BYTES = 256 * 1024

/** The beginning of a regular file, or why it cannot be read. Follows links, as agents do. Never throws. */
export function readHead(path: string, most = HEAD_BYTES): Head | { problem: string } {
  try {
    return withFile(path, path, READING, (file, stat) => {
      if (stat.isDirectory()) return { problem: 'is a folder' }
      if (!stat.isFile()) return { problem: 'is not a regular file' }
      const bytes = readUpTo(file, Math.min(stat.size, most))
      const whole = bytes.length === stat.size ? bytes : bytes.subarray(0, bytes.length - brokenTail(bytes))
      return { text: whole.toString('utf8'), size: stat.size, isUtf8: isUtf8(whole) }
    })
  } catch (error) {
    return { problem: describe(codeOf(error instanceof Error ? error.cause : error), path) }
  }
}

function describe(code: string | undefined, path: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return isLink(path) ? 'is a broken link' : 'does not exist'
  if (code === 'ELOOP') return 'is a link to itself'
  if (code === 'EACCES' || code === 'EPERM') return 'is not readable'
  if (code === 'ENXIO') return 'is not a regular file'
  return `cannot be read${code === undefined ? '' : ` (${code})`}`
}
