import { isRecord, sha256 } from '../../text/values.ts'
import { type PackFiles, parsePackJson } from './pack.ts'

/** Where an author declares that what looks like a secret is none: `[{ "path", "sha256" }]`, the digest of the lines. */
export const EXAMPLES_PATH = 'secret-examples.json'

export interface SecretExample {
  path: string
  sha256: string
}

/** Whether lines of a file were declared to be an example. One changed letter, and they were not. */
export type IsExample = (lines: string) => boolean

/** The digest that a declaration holds. Blanks at the end of a line do not count. */
export function exampleDigest(lines: string): string {
  return sha256(lines.replace(/[ \t\r]+$/gm, ''))
}

/** What the author of a pack declared. Anything that is not a declaration declares nothing. */
export function readExamples(files: PackFiles): SecretExample[] {
  if (files.sizeOf(EXAMPLES_PATH) === undefined) return []
  const file = files.read(EXAMPLES_PATH)
  const parsed = file === undefined ? undefined : parsePackJson(file)
  const rows = parsed !== undefined && 'value' in parsed && Array.isArray(parsed.value) ? parsed.value : []
  return rows.flatMap((row: unknown) => {
    if (!isRecord(row) || typeof row.path !== 'string' || typeof row.sha256 !== 'string') return []
    return [{ path: row.path, sha256: row.sha256.toLowerCase() }]
  })
}

/** By file. */
export function examplesOf(files: PackFiles): (path: string) => IsExample {
  const declared = new Set(readExamples(files).map(({ path, sha256: digest }) => `${digest} ${path}`))
  if (declared.size === 0) return () => () => false
  return (path) => (lines) => declared.has(`${exampleDigest(lines)} ${path}`)
}
