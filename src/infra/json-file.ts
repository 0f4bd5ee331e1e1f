import { parseJson } from '../domain/shared/json.ts'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { readText } from './files.ts'

/** The JSON of a file, of any shape. A byte order mark is accepted; an error names line and column. */
export function readJson(path: string): unknown {
  const { value, problem } = parseJson(readText(path).replace(/^\ufeff/, ''))
  if (problem === undefined) return value
  throw new LoadoutError(
    'BAD_JSON',
    problem.replace(/^it /, () => `${path} `),
    { hint: 'repair or remove the file' },
  )
}
