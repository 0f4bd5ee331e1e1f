import picomatch from 'picomatch'

/** A pattern of paths, read so that one can tell where below a folder it may still match. */
export interface Glob {
  pattern: string
  /** The folder above everything it can match; for a pattern without wildcards the path itself. */
  base: string
  /** What stands behind the base, one test for each part of a path. Empty without wildcards. */
  parts: readonly GlobPart[]
  matches(path: string): boolean
}

interface GlobPart {
  /** `**`: any number of folders. */
  isDeep: boolean
  /** The only name it matches; undefined when it has wildcards. */
  literal: string | undefined
  matches(name: string): boolean
}

/** How far into the parts of a pattern a folder has come: several places when `**` leaves a choice. */
export type Progress = readonly number[]

export const START: Progress = [0]

// Hidden files only where the pattern names the dot, and a leading ! is a letter like any other.
const OPTIONS = { nonegate: true } as const

export function readGlob(pattern: string): Glob {
  const path = pattern.replace(/^(\.\/+)+/, '').replace(/\/{2,}/g, '/')
  const { base, glob } = picomatch.scan(path)
  if (glob === '') return { pattern, base: path, parts: [], matches: (other) => other === path }
  const parts = hasGroupAcrossParts(glob) ? [DEEP] : glob.split('/').map(readPart)
  return { pattern, base, parts, matches: picomatch(path, OPTIONS) }
}

const DEEP: GlobPart = { isDeep: true, literal: undefined, matches: (name) => !name.startsWith('.') }

function readPart(part: string): GlobPart {
  if (part === '**') return DEEP
  const literal = picomatch.scan(part).isGlob ? undefined : part
  return { isDeep: false, literal, matches: picomatch(part, OPTIONS) }
}

/** `{a,b/c}` and `+(a|b/c)` cannot be judged part by part: they are looked for everywhere below their base. */
function hasGroupAcrossParts(glob: string): boolean {
  return /[{(][^})]*\/[^{(]*[})]/.test(glob)
}

export interface Step {
  progress: Progress
  /** Whether a part without wildcards names this folder. */
  isNamed: boolean
  /** Whether anything but `**` leads into this folder. */
  isDirect: boolean
}

/** What remains to be matched inside a folder of this name; undefined when nothing in it can match. */
export function enter({ parts }: Glob, progress: Progress, name: string): Step | undefined {
  const next = new Set<number>()
  let [isNamed, isDirect] = [false, false]
  for (const at of reachable(parts, progress)) {
    const part = parts[at] as GlobPart
    if (!part.matches(name)) continue
    if (!part.isDeep && at === parts.length - 1) continue
    next.add(part.isDeep ? at : at + 1)
    isNamed ||= part.literal !== undefined
    isDirect ||= !part.isDeep
  }
  return next.size === 0 ? undefined : { progress: [...next], isNamed, isDirect }
}

/** `**` may stand for no folder at all. */
function reachable(parts: readonly GlobPart[], progress: Progress): Set<number> {
  const places = new Set<number>()
  for (let at of progress) {
    while (at < parts.length) {
      places.add(at)
      if (!parts[at]?.isDeep) break
      at++
    }
  }
  return places
}
