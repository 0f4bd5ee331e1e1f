interface Answer {
  tests: readonly { path: string }[]
  paths: readonly string[]
}

const MOST = 3

/** The tests of a file, found by name. The bundle lists them without showing them. */
export function testsOf(path: string, { tests, paths }: Answer, shown: ReadonlySet<string>): string[] {
  const stem = stemOf(path)
  if (stem.length < 3) return []
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const own = folder.slice(0, -1).split('/').at(-1) ?? ''
  const { all, byStem } = testsAmong(paths)
  const named = GENERAL.has(stem)
    ? all.filter((each) => each.path.startsWith(folder) || each.stem === own)
    : (byStem.get(stem) ?? [])
  const language = languageOf(path)
  const byName = named.filter((each) => languageOf(each.path) === language).map((each) => each.path)
  const known = new Set(byName)
  const ranked = tests.filter(({ path: each }) => known.has(each)).map((each) => each.path)
  return [...new Set([...ranked, ...byName])].filter((each) => !shown.has(each)).slice(0, MOST)
}

interface Tests {
  all: { path: string; stem: string }[]
  byStem: Map<string, { path: string }[]>
}

// Cached by the list: all files of an answer search the same paths.
const testsIn = new WeakMap<readonly string[], Tests>()

function testsAmong(paths: readonly string[]): Tests {
  const before = testsIn.get(paths)
  if (before !== undefined) return before
  const all = paths.filter((path) => TEST_NAME.test(path)).map((path) => ({ path, stem: stemOf(path) }))
  const byStem = new Map<string, { path: string }[]>()
  for (const each of all) byStem.set(each.stem, [...(byStem.get(each.stem) ?? []), each])
  const found = { all, byStem }
  testsIn.set(paths, found)
  return found
}

const GENERAL = new Set(['index', 'mod', 'main', 'lib', '__init__'])
/** By its own name, or directly in a folder of tests: deeper files are often fixtures. */
const TEST_NAME =
  /[._-](?:test|spec|tests)\.[^/]*$|_test\.[^/]*$|(?:^|\/)test_[^/]*$|(?:^|\/)(?:tests?|__tests__|spec)\/[^/]*$/i

function languageOf(path: string): string {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return /^[cm]?[jt]sx?$/.test(ending) ? 'js' : ending
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return name
    .replace(/\.[^.]+$/, '')
    .replace(/[._-](?:test|spec|tests)$/, '')
    .replace(/^test_/, '')
}

interface Text {
  path: string
  text: string
}

const SAME = 0.8

/**
 * Whether two files are builds of one source: they are in one folder, have one name with different extensions, and
 * almost the same lines. Mirrored trees do not count: a change there changes both.
 */
export function isSameBuild(one: Text, other: Text): boolean {
  if (baseOf(one.path) !== baseOf(other.path)) return false
  const [a, b] = [linesOf(one.text), linesOf(other.text)]
  if (Math.min(a.size, b.size) < SAME * Math.max(a.size, b.size)) return false
  let both = 0
  for (const line of a) if (b.has(line)) both++
  return both >= SAME * (a.size + b.size - both)
}

/** `priv/static/phoenix` of `priv/static/phoenix.cjs.js`. */
function baseOf(path: string): string {
  return /^(?:.*\/)?[^/][^/.]*/.exec(path)?.[0] ?? path
}

function linesOf(text: string): Set<string> {
  return new Set(text.split('\n').map((line) => line.trim()))
}
