import picomatch from 'picomatch'
import { globProblem } from '../text/glob.ts'

/** A path pattern, parsed part by part, to know in which folders it can still match. */
export interface Glob {
  pattern: string
  /** The pattern as a literal path. */
  path: string
  /** The folder above every match; for a pattern without wildcards the path itself. */
  base: string
  /** The parts after the base, one test for each part of a path. Empty without wildcards. */
  parts: readonly GlobPart[]
  /** Checked last, for a path that has passed all parts. */
  accepts(path: string): boolean
}

interface GlobPart {
  /** `**`: any number of folders. */
  isDeep: boolean
  /** Without wildcards: the name that it matches. */
  isLiteral: boolean
  matches(name: string): boolean
}

/** The parts that can match a name in a folder: several if `**` allows a choice. */
export type Progress = readonly number[]

/** Hidden files match only where the pattern names the dot; a leading ! is a letter like any other. */
export function readGlob(pattern: string): Glob {
  const path = pattern.replace(/^(\.\/+)+/, '').replace(/\/{2,}/g, '/')
  const { base, glob } = scan(path)
  if (glob === '') return { pattern, path, base: path, parts: [], accepts: () => true }
  // Groups such as {a,b/c} cannot be matched part by part: everything below their base is searched.
  if (GROUP_ACROSS_PARTS.test(glob)) return { pattern, path, base, parts: [DEEP], accepts: picomatch(path, OPTIONS) }
  return { pattern, path, base, parts: glob.split('/').map(readPart), accepts: () => true }
}

/** The path before the first part with a wildcard, and the rest. Most patterns need no package for that. */
function scan(path: string): { base: string; glob: string } {
  if (!/^(?!\/)[\w .*?/-]+$/.test(path)) return picomatch.scan(path, OPTIONS)
  const parts = path.split('/')
  const first = parts.findIndex((part) => /[*?]/.test(part))
  if (first < 0) return { base: path, glob: '' }
  return { base: parts.slice(0, first).join('/'), glob: parts.slice(first).join('/') }
}

const OPTIONS = { nonegate: true } as const
const GROUP_ACROSS_PARTS = /[{(][^})]*\/[^{(]*[})]/
const GROUP = /[[\]{}()|\\]|[!+@]\(/

/** Why a pattern is refused, or undefined when it is allowed. */
export function patternProblem(pattern: string): string | undefined {
  const problem = globProblem(pattern)
  if (problem !== undefined) return problem
  // A group with many wildcards becomes a regular expression that may run almost forever.
  if (GROUP.test(pattern) && (pattern.match(/[*+]+/g) ?? []).length > MOST_WILDCARDS) {
    return `it has groups and more than ${MOST_WILDCARDS} wildcards`
  }
  return undefined
}

const MOST_WILDCARDS = 4

const DEEP: GlobPart = { isDeep: true, isLiteral: false, matches: (name) => !name.startsWith('.') }

function readPart(part: string): GlobPart {
  if (part === '**') return DEEP
  if (GROUP.test(part)) return { isDeep: false, isLiteral: false, matches: picomatch(part, OPTIONS) }
  const isLiteral = !/[*?]/.test(part)
  return { isDeep: false, isLiteral, matches: isLiteral ? (name) => name === part : (name) => isWild(part, name) }
}

/** Matches `*` and `?` in time that grows with the name, whatever their number. */
function isWild(part: string, name: string): boolean {
  if (name.startsWith('.') && !part.startsWith('.')) return false
  let [at, place, star, restart] = [0, 0, -1, 0]
  while (at < name.length) {
    if (part[place] === '*') {
      star = place++
      restart = at
    } else if (part[place] === '?' || part[place] === name[at]) {
      place++
      at++
    } else if (star >= 0) {
      place = star + 1
      at = ++restart
    } else return false
  }
  while (part[place] === '*') place++
  return place === part.length
}

export interface Step {
  progress: Progress
  /** Whether a part without wildcards names this folder. */
  isNamed: boolean
  /** Whether anything but `**` leads into this folder. */
  isDirect: boolean
}

/** At the base of a pattern. */
export function startOf({ parts }: Glob): Progress {
  return reachable(parts, [0])
}

/** The parts left to match inside a folder of this name; undefined when nothing in it can match. */
export function enterFolder({ parts }: Glob, progress: Progress, name: string): Step | undefined {
  const next: number[] = []
  let [isNamed, isDirect] = [false, false]
  for (const at of progress) {
    const part = parts[at] as GlobPart
    const isEnd = !part.isDeep && at === parts.length - 1
    if (isEnd || !part.matches(name)) continue
    next.push(part.isDeep ? at : at + 1)
    isNamed ||= part.isLiteral
    isDirect ||= !part.isDeep
  }
  return next.length === 0 ? undefined : { progress: reachable(parts, next), isNamed, isDirect }
}

/** Whether a file of this name passes the last part. */
export function endsAt({ parts }: Glob, progress: Progress, name: string): boolean {
  return progress.includes(parts.length - 1) && parts[parts.length - 1]?.matches(name) === true
}

/** Whether a path matches. A pattern without wildcards also matches everything below the folder that it names. */
export function matchesPath(glob: Glob, path: string): boolean {
  if (glob.parts.length === 0) return path === glob.path || path.startsWith(`${glob.path}/`)
  const isBelow = glob.base === '' || path.startsWith(`${glob.base}/`)
  const names = isBelow ? path.slice(glob.base === '' ? 0 : glob.base.length + 1).split('/') : []
  const last = names.pop()
  let progress = startOf(glob)
  for (const name of names) {
    const step = enterFolder(glob, progress, name)
    if (step === undefined) return false
    progress = step.progress
  }
  return last !== undefined && endsAt(glob, progress, last) && glob.accepts(path)
}

/** `**` may match zero folders. */
function reachable(parts: readonly GlobPart[], starts: readonly number[]): Progress {
  const places = new Set<number>()
  for (let at of starts) {
    places.add(at)
    while (at < parts.length - 1 && parts[at]?.isDeep) places.add(++at)
  }
  return [...places]
}
