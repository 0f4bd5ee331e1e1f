import { pathProblem } from './paths.ts'

const LONGEST_GLOB = 500
// A glob in settings matches a few places. More alternatives are an attack on the reader that expands them.
const MOST_ALTERNATIVES = 64

/** Whether a text is more than the path of one file. A round bracket alone is an ordinary character of a name. */
export function isGlob(pattern: string): boolean {
  return /[*?[\]{}]|[@+!]\(/.test(pattern)
}

/** Why a glob is not allowed, or undefined when it is. */
export function globProblem(glob: string): string | undefined {
  if (glob.length > LONGEST_GLOB) return `it is longer than ${LONGEST_GLOB} characters`
  if (glob.startsWith('!')) return 'it must say what to take, not what to leave out'
  const alternatives = expand(glob)
  if (alternatives === undefined) return `it has more than ${MOST_ALTERNATIVES} alternatives`
  for (const alternative of alternatives) {
    const problem = pathProblem(alternative) ?? (alternative.split('/').includes('..') ? 'it contains ..' : undefined)
    if (problem !== undefined) return problem
    if (isBoundless(alternative)) return 'it matches everything: name a folder or an ending'
  }
  return undefined
}

/** Every expansion of the braces, or undefined when there are too many. */
function expand(glob: string): string[] | undefined {
  // An exclusion may match anything else.
  let open = [glob.replace(/!\([^()]*\)/g, '*')]
  for (;;) {
    const next = open.flatMap(expandOnce)
    if (next.length > MOST_ALTERNATIVES) return undefined
    if (next.length === open.length && next.every((each, at) => each === open[at])) return next
    open = next
  }
}

const INNERMOST = /\{([^{}]*,[^{}]*)\}|[@+*?!]?\(([^()]*)\)/

function expandOnce(glob: string): string[] {
  const group = INNERMOST.exec(glob)
  if (group === null) return [glob]
  const [whole, commas, bars = ''] = group
  const before = glob.slice(0, group.index)
  const after = glob.slice(group.index + whole.length)
  const parts = commas === undefined ? bars.split('|') : commas.split(',')
  return parts.map((part) => before + part + after)
}

/** `**`, `**\/*`, `**\/*.*`: any depth without a fixed character. */
function isBoundless(glob: string): boolean {
  return glob.includes('**') && /^[*?/.!^[\]{}-]*$/.test(glob)
}

/** One line of a .gitignore. */
export interface IgnoreRule {
  /** The folder of the file, relative to the root, with slashes; empty for the root. */
  folder: string
  /** One pattern for each part of a path. A line without a slash matches at any depth. */
  parts: readonly string[]
  isNegated: boolean
  isForFolders: boolean
}

/** The rules of a .gitignore, in its order. */
export function readIgnoreFile(text: string, folder: string): IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((line) => readLine(line, folder) ?? [])
}

function readLine(line: string, folder: string): IgnoreRule | undefined {
  if (line.startsWith('#')) return undefined
  const isNegated = line.startsWith('!')
  // Trailing blanks count only after a backslash.
  const pattern = line.slice(isNegated ? 1 : 0).replace(/(?<!\\)\s+$/, '')
  const isForFolders = pattern.endsWith('/')
  const path = pattern.replace(/\/+$/, '')
  if (path === '') return undefined
  const parts = path.replace(/^\/+/, '').split('/')
  return { folder, parts: path.includes('/') ? parts : ['**', ...parts], isNegated, isForFolders }
}

/**
 * The last matching rule decides. Callers do not ask about paths in an ignored folder: git does not enter it either.
 */
export function isIgnoredBy(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const { folder, parts, isNegated, isForFolders } = rules[at] as IgnoreRule
    if (isForFolders && !isFolder) continue
    const inside = folder === '' ? path : path.slice(folder.length + 1)
    if (matchesParts(parts, inside.split('/'))) return !isNegated
  }
  return false
}

/** `**` matches any number of folders; at the end, one or more names. */
function matchesParts(parts: readonly string[], names: readonly string[]): boolean {
  return matchesRun(parts.length, names.length, {
    isStar: (at) => parts[at] === '**' && at < parts.length - 1,
    matches: (at, place) => (parts[at] === '**' ? true : matchesName(parts[at] as string, names[place] as string)),
    isOpenEnd: parts.at(-1) === '**',
  })
}

/** `*`, `?`, `[a-z]` and `\` in one name. */
function matchesName(pattern: string, name: string): boolean {
  const tokens = pattern.match(GLOB_TOKEN) ?? []
  const letters = [...name]
  return matchesRun(tokens.length, letters.length, {
    isStar: (at) => /^\*+$/.test(tokens[at] as string),
    matches: (at, place) => matchesLetter(tokens[at] as string, letters[place] as string),
    isOpenEnd: false,
  })
}

const GLOB_TOKEN = /\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|\\?[\s\S]/gu

function matchesLetter(token: string, letter: string): boolean {
  if (token === '?') return true
  if (token.length > 2 && token.startsWith('[')) return isInClass(token, letter)
  return (token.length > 1 && token.startsWith('\\') ? token.slice(1) : token) === letter
}

function isInClass(token: string, letter: string): boolean {
  const isNegated = /^\[[!^]/.test(token)
  const letters = [...token.slice(isNegated ? 2 : 1, -1).replace(/\\(.)/gu, '$1')]
  let isFound = false
  for (let at = 0; at < letters.length; at++) {
    const isRange = letters[at + 1] === '-' && at + 2 < letters.length
    const [low, high] = [letters[at] as string, (isRange ? letters[at + 2] : letters[at]) as string]
    isFound ||= letter >= low && letter <= high
    if (isRange) at += 2
  }
  return isFound !== isNegated
}

interface Run {
  isStar(at: number): boolean
  matches(at: number, place: number): boolean
  /** Whether the last part matches everything left. */
  isOpenEnd: boolean
}

/** Backtracks only to the last star, so that matching takes at most pattern length times text length. */
function matchesRun(length: number, places: number, { isStar, matches, isOpenEnd }: Run): boolean {
  let [at, place, star, restart] = [0, 0, -1, 0]
  while (place < places) {
    if (at < length && isStar(at)) {
      star = at++
      restart = place
    } else if (at < length && matches(at, place)) {
      if (isOpenEnd && at === length - 1) return true
      at++
      place++
    } else if (star >= 0) {
      at = star + 1
      place = ++restart
    } else return false
  }
  while (at < length && isStar(at)) at++
  return at === length
}
