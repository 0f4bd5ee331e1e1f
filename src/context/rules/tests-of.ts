interface Answer {
  tests: readonly { path: string }[]
  paths: readonly string[]
}

const MOST = 3

/** Tests of a file, by their name; a reader looks them up, the bundle does not show them. */
export function testsOf(path: string, { tests, paths }: Answer, shown: ReadonlySet<string>): string[] {
  const stem = stemOf(path)
  if (stem.length < 3) return []
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const own = folder.slice(0, -1).split('/').at(-1) ?? ''
  const isIndex = GENERAL.has(stem)
  const isTest = (each: string) => {
    const name = stemOf(each)
    return isIndex ? each.startsWith(folder) || name === own : name === stem
  }
  const language = languageOf(path)
  const byName = paths.filter((each) => TEST_NAME.test(each) && isTest(each) && languageOf(each) === language)
  const known = new Set(byName)
  const ranked = tests.filter(({ path: each }) => known.has(each)).map((each) => each.path)
  return [...new Set([...ranked, ...byName])].filter((each) => !shown.has(each)).slice(0, MOST)
}

const GENERAL = new Set(['index', 'mod', 'main', 'lib', '__init__'])
/** By its own name, or because it lies right in a folder of tests: what lies deeper is often what tests work on. */
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
