import { basename, dirname, join } from 'node:path'
import { asLoadoutError, exists, isFolder, readJson, readText } from '../../machine/files.ts'
import { Walk } from '../../machine/walk.ts'
import { parseYaml, readValue, YamlError } from '../../machine/yaml.ts'
import type { RankDocument } from '../../search/document.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import type { EvalQuery } from '../rules/evaluation.ts'
import { readLibraryLines, readQueryLines, readTriggerTests, type SuiteReading } from '../rules/suite-forms.ts'

const LIBRARY_FILE = 'library.jsonl'

/** The questions of a file, or of every suite below a folder, in the order of their paths. */
export function readSuite(path: string): EvalQuery[] {
  const files = isFolder(path) ? suiteFiles(path) : [path]
  const queries = files.flatMap(readSuiteFile)
  if (queries.length > 0) return queries
  throw new LoadoutError('BAD_SUITE', `${path} contains no questions`, {
    hint: 'write one per line: {"query": "cut a release", "relevant": ["release-pipeline"]}',
  })
}

/** The library beside a suite, if there is one. */
export function libraryBeside(path: string): string | undefined {
  const library = join(isFolder(path) ? path : dirname(path), LIBRARY_FILE)
  return exists(library) ? library : undefined
}

export function readLibrary(path: string): RankDocument[] {
  const result = readLibraryLines(readText(path))
  if ('documents' in result) return result.documents
  throw new LoadoutError('BAD_SUITE', `${path} is not a library: ${result.problem}`, {
    hint: 'one JSON object per line',
  })
}

function readSuiteFile(path: string): EvalQuery[] {
  const result = readForm(path)
  if ('queries' in result) return result.queries
  throw new LoadoutError('BAD_SUITE', `${path} cannot be used: ${result.problem}`, {
    hint: 'see docs/routing.md for the forms',
  })
}

function readForm(path: string): SuiteReading {
  if (path.endsWith('.jsonl')) return readQueryLines(readText(path))
  return readTriggerTests(/\.ya?ml$/.test(path) ? readYaml(path) : readJson(path), ownerOf(path))
}

function readYaml(path: string): unknown {
  try {
    const { document, lines } = parseYaml(readText(path))
    return readValue(document, lines)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw new LoadoutError('BAD_SUITE', `${path} cannot be used: line ${error.line}: ${error.message}`, {
      hint: 'see docs/routing.md for the forms',
    })
  }
}

/** `my-skill/evals/trigger.json` tests my-skill. */
function ownerOf(path: string): string {
  const folder = dirname(path)
  return basename(basename(folder) === 'evals' ? dirname(folder) : folder)
}

/** Where public repositories store the tests of their skills. */
const TESTS =
  /(?:^|\/)(?:(?:evals|evaluations)\/[^/]+\.(?:jsonl?|ya?ml)|evals?\.(?:json|ya?ml)|[^/]*(?:trigger|activation)[^/]*\.(?:jsonl?|ya?ml))$/

/** The tests beside the skills of a folder. Skips a file in another form, and names it. */
export function readTestsBeside(folder: string): { queries: EvalQuery[]; unused: string[] } {
  const queries: EvalQuery[] = []
  const unused: string[] = []
  for (const path of filesBelow(folder, (name) => TESTS.test(name) && !name.startsWith('examples/'))) {
    try {
      const result = readForm(path)
      if ('queries' in result) queries.push(...result.queries)
      else unused.push(path)
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      unused.push(path)
    }
  }
  return { queries, unused }
}

function suiteFiles(folder: string): string[] {
  return filesBelow(
    folder,
    (name) =>
      (name.endsWith('.jsonl') && basename(name) !== LIBRARY_FILE) ||
      /(^|\/)evals\/[^/]+\.(?:json|ya?ml)$/.test(name) ||
      isFlatSuite(folder, name),
  )
}

/** In the order of their paths. */
function filesBelow(folder: string, isWanted: (name: string) => boolean): string[] {
  const found: string[] = []
  const walk = new Walk(folder, { ignore: ['versions', 'dependencies'] })
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind, isIgnored } of entries) {
      if (kind !== 'folder') found.push(inside === '' ? name : `${inside}/${name}`)
      else if (!isIgnored) enter(name)
    }
  }
  for (const { path, error } of walk.leftOut.unreadable) throw asLoadoutError(error, path, 'read')
  return found
    .filter(isWanted)
    .sort(compareText)
    .map((name) => join(folder, name))
}

/** Tests directly inside a folder that is itself called evals. */
function isFlatSuite(folder: string, name: string): boolean {
  return basename(folder) === 'evals' && /^[^/]+\.(?:json|ya?ml)$/.test(name)
}
