import { pathProblem } from '../../text/paths.ts'
import { LAYERS, oneOf, type PackLayer } from './vocabulary.ts'

/** Why a path written inside a pack may not be followed. Stricter than for other paths: no `..`, even if it came back. */
export function packPathProblem(path: string): string | undefined {
  return pathProblem(path) ?? (path.split('/').includes('..') ? 'it contains ".."' : undefined)
}

/** One spelling of a path, so that two that name one file are equal: `./wiki//a.md` is `wiki/a.md`. */
export function normalizePackPath(path: string): string {
  return path
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
}

/** The folder of the pack that a path lies in; undefined for files at its top. */
export function layerOf(path: string): PackLayer | undefined {
  const [first = '', second] = normalizePackPath(path).split('/')
  return second === undefined && !path.endsWith('/') ? undefined : oneOf(LAYERS, first)
}
