/** One line of a .gitignore. */
export interface IgnoreRule {
  /** The folder of the file, from the root, with slashes; empty for the root. */
  folder: string
  /** One pattern for each part of a path. Without a slash in the line, a file of any depth can match. */
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
  // Blanks at the end count only behind a backslash.
  const pattern = line.slice(isNegated ? 1 : 0).replace(/(?<!\\)\s+$/, '')
  const isForFolders = pattern.endsWith('/')
  const path = pattern.replace(/\/+$/, '')
  if (path === '') return undefined
  const parts = path.replace(/^\/+/, '').split('/')
  return { folder, parts: path.includes('/') ? parts : ['**', ...parts], isNegated, isForFolders }
}

/** The last rule that matches decides. A path in an ignored folder is not asked about: git does not enter it either. */
export function isIgnoredBy(rules: readonly IgnoreRule[], path: string, isFolder: boolean): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const { folder, parts, isNegated, isForFolders } = rules[at] as IgnoreRule
    if (isForFolders && !isFolder) continue
    const inside = folder === '' ? path : path.slice(folder.length + 1)
    if (matchesParts(parts, inside.split('/'))) return !isNegated
  }
  return false
}

/** `**` stands for any number of folders, at the end for one or more names. */
function matchesParts(parts: readonly string[], names: readonly string[]): boolean {
  return matchesRun(parts.length, names.length, {
    isStar: (at) => parts[at] === '**' && at < parts.length - 1,
    matches: (at, place) => (parts[at] === '**' ? true : matchesName(parts[at] as string, names[place] as string)),
    isOpenEnd: parts.at(-1) === '**',
  })
}

/** `*`, `?`, `[a-z]` and `\` in one name. */
function matchesName(pattern: string, name: string): boolean {
  const tokens = pattern.match(TOKEN) ?? []
  const letters = [...name]
  return matchesRun(tokens.length, letters.length, {
    isStar: (at) => /^\*+$/.test(tokens[at] as string),
    matches: (at, place) => matchesLetter(tokens[at] as string, letters[place] as string),
    isOpenEnd: false,
  })
}

const TOKEN = /\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|\\?[\s\S]/gu

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
  /** Whether the last part takes all that is left. */
  isOpenEnd: boolean
}

/** Goes back only to the last star, so that no pattern takes longer than its length times that of the text. */
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
