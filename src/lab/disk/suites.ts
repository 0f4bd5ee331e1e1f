import { basename, dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { asLoadoutError, exists, isFolder, readJson, readText } from '../../machine/files.ts'
import { Walk } from '../../machine/walk.ts'
import { parseYaml, readValue, YamlError } from '../../machine/yaml.ts'
import type { RankDocument } from '../../search/document.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { attempt, compareText } from '../../text/values.ts'
import type { Question } from '../rules/cases.ts'
import { readLibraryLines, readQuestionLines, readTriggerTests } from '../rules/suite-forms.ts'

const LIBRARY_FILE = 'library.jsonl'

/** The questions of a file, or of every suite below a folder, in the order of their paths. */
export function readSuite(path: string): Question[] {
  const isSuite = (name: string) =>
    (name.endsWith('.jsonl') && basename(name) !== LIBRARY_FILE) ||
    /(?:^|\/)evals\/[^/]+\.(?:json|ya?ml)$/.test(name) ||
    // Tests directly inside a folder that is itself called evals.
    (basename(path) === 'evals' && /^[^/]+\.(?:json|ya?ml)$/.test(name))
  const files = isFolder(path) ? pathsBelow(path).filter(isSuite) : undefined
  const questions = files === undefined ? readFile(path) : files.flatMap((name) => readFile(join(path, name)))
  if (questions.length > 0) return questions
  throw failWith('BAD_SUITE/empty', { path })
}

/** Where public repositories store the tests of their skills. */
const TESTS =
  /(?:^|\/)(?:(?:evals|evaluations)\/.+\.(?:jsonl?|ya?ml)|evals?\.(?:json|ya?ml)|[^/]*(?:trigger|activation)[^/]*\.(?:jsonl?|ya?ml))$/
/** Examples of a library, workflows, and what tests work with or have left behind. */
const NO_TESTS = /^(?:examples|\.github)\/|\/(?:files|fixtures?|inputs?|results?|runs|sandboxes|target|src)\//
/** Tests of other programs lie there too. */
const FOREIGN_TESTS =
  /(?:^|\/)(?:evals|evaluations)\/(?:.+\/)?[^/]*(?:case|eval|prompt|scenario|task|test|trigger|outcome)[^/]*\.(?:py|ts|js|csv|md|toml)$/i

/** The tests beside the skills of a folder. Skips a file in another form, and names it. */
export function readTestsBeside(folder: string): { questions: Question[]; unused: string[] } {
  const unused: string[] = []
  const all = pathsBelow(folder).filter((name) => !NO_TESTS.test(name))
  unused.push(...all.filter((name) => FOREIGN_TESTS.test(name)).map((name) => join(folder, name)))
  const questions = all
    .filter((name) => TESTS.test(name))
    .flatMap((name) => {
      try {
        return readFile(join(folder, name))
      } catch (error) {
        if (!(error instanceof LoadoutError)) throw error
        unused.push(join(folder, name))
        return []
      }
    })
  return { questions, unused }
}

/** The library beside a suite, if there is one. */
export function libraryBeside(path: string): string | undefined {
  const library = join(isFolder(path) ? path : dirname(path), LIBRARY_FILE)
  return exists(library) ? library : undefined
}

export function readLibrary(path: string): RankDocument[] {
  const documents = readLibraryLines(readText(path))
  if (typeof documents !== 'string') return documents
  throw failWith('BAD_SUITE/library', { path, documents })
}

function readFile(path: string): Question[] {
  // `my-skill/evals/trigger.json` and `my-skill/evals/tasks/one.yaml` test my-skill.
  const owner = basename(/^(.+?)\/(?:evals|evaluations)(?:\/.*)?$/.exec(dirname(path))?.[1] ?? dirname(path))
  const questions = path.endsWith('.jsonl')
    ? readQuestionLines(readText(path))
    : readTriggerTests(/\.ya?ml$/.test(path) ? readYaml(path) : readJson(path), owner)
  if (typeof questions === 'string') throw badSuite(path, questions)
  return questions.map((each) => (each.task === undefined ? each : { ...each, task: { ...each.task, path } }))
}

function readYaml(path: string): unknown {
  try {
    const { document, lines } = parseYaml(readText(path))
    return readValue(document, lines)
  } catch (error) {
    throw error instanceof YamlError ? badSuite(path, `line ${error.line}: ${error.message}`) : error
  }
}

function badSuite(path: string, problem: string): LoadoutError {
  return failWith('BAD_SUITE/form', { path, problem })
}

/** The files of a folder, sorted by path, with slashes. */
export function pathsBelow(folder: string): string[] {
  const found: string[] = []
  const walk = new Walk(folder, { ignore: ['versions', 'dependencies'] })
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind, isIgnored } of entries) {
      if (kind !== 'folder') found.push(inside === '' ? name : `${inside}/${name}`)
      else if (!isIgnored) enter(name)
    }
  }
  for (const { path, error } of walk.leftOut.unreadable) throw asLoadoutError(error, path, 'read')
  return found.sort(compareText)
}

/** Whether a foreign pattern matches; undefined if it is not valid, or takes too long. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const isCaseless = pattern.startsWith('(?i)')
  const about = { pattern: isCaseless ? pattern.slice(4) : pattern, flags: isCaseless ? 'i' : '', text }
  return attempt<boolean, undefined>(
    () => runInNewContext('new RegExp(pattern, flags).test(text)', about, { timeout: 1_000 }),
    undefined,
  )
}
