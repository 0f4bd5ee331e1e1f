import { normalizePackPath, packPathProblem } from './pack-path.ts'

/** A file of the pack, or a part of it. */
export interface PackPlace {
  path: string
  /** What stands behind the `#`: a line, a heading, a page. */
  fragment?: string
}

/** Takes `path#fragment` apart. The path is in its one spelling. */
export function readPlace(text: string): PackPlace {
  const [path = '', ...rest] = text.split('#')
  const fragment = rest.join('#').trim()
  return { path: normalizePackPath(path.trim()), ...(fragment === '' ? {} : { fragment }) }
}

/** Notes where a record names a path that may not be followed; such a path is not used. */
export function isInside(path: string, at: string, escapes: string[]): boolean {
  if (packPathProblem(path.split('#')[0] ?? '') === undefined) return true
  escapes.push(at)
  return false
}

/** The places of a list in a record, without those that leave the pack. */
export function readPlaces(texts: readonly string[], at: string, escapes: string[]): PackPlace[] {
  return texts.filter((text, index) => isInside(text.trim(), `${at}[${index}]`, escapes)).map(readPlace)
}
