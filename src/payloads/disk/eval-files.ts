import { basename, dirname, join } from 'node:path'
import { asLoadoutError, exists, isFolder, readJson, readText } from '../../machine/files.ts'
import { Walk } from '../../machine/walk.ts'
import type { RankDocument } from '../../search/document.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { type EvalQuery, readLibraryLines, readQueryLines, readTriggerTests } from '../rules/evaluation.ts'

const LIBRARY_FILE = 'library.jsonl'

/** The questions of a file, or of every suite below a folder, in the order of their paths. */
export function readSuite(path: string): EvalQuery[] {
  const files = isFolder(path) ? suiteFiles(path) : [path]
  const queries = files.flatMap(readSuiteFile)
  if (queries.length > 0) return queries
  throw new LoadoutError('BAD_SUITE', `${path} holds no questions`, {
    hint: 'write one a line: {"query": "cut a release", "relevant": ["release-pipeline"]}',
  })
}

/** The library beside a suite, if it brings its own. */
export function libraryBeside(path: string): string | undefined {
  const library = join(isFolder(path) ? path : dirname(path), LIBRARY_FILE)
  return exists(library) ? library : undefined
}

export function readLibrary(path: string): RankDocument[] {
  const result = readLibraryLines(readText(path))
  if ('documents' in result) return result.documents
  throw new LoadoutError('BAD_SUITE', `${path} is not a library: ${result.problem}`, { hint: 'one JSON object a line' })
}

function readSuiteFile(path: string): EvalQuery[] {
  const result = path.endsWith('.jsonl')
    ? readQueryLines(readText(path))
    : readTriggerTests(readJson(path), ownerOf(path))
  if ('queries' in result) return result.queries
  throw new LoadoutError('BAD_SUITE', `${path} cannot be used: ${result.problem}`, {
    hint: 'see docs/routing.md for the forms',
  })
}

/** `my-skill/evals/trigger.json` tests my-skill. */
function ownerOf(path: string): string {
  const folder = dirname(path)
  return basename(basename(folder) === 'evals' ? dirname(folder) : folder)
}

function suiteFiles(folder: string): string[] {
  const isSuite = (name: string) =>
    (name.endsWith('.jsonl') && basename(name) !== LIBRARY_FILE) ||
    /(^|\/)evals\/[^/]+\.json$/.test(name) ||
    isFlatJson(folder, name)
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
    .filter(isSuite)
    .sort(compareText)
    .map((name) => join(folder, name))
}

/** JSON files directly inside a folder that is itself called evals. */
function isFlatJson(folder: string, name: string): boolean {
  return basename(folder) === 'evals' && /^[^/]+\.json$/.test(name)
}
