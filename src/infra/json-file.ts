import { parseForeignJson, parseJson } from '../domain/shared/json.ts'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { readText } from './files.ts'

/**
 * The JSON of a file, of any shape. A byte order mark is accepted; an error names line and column. With a limit in bytes
 * the nesting is limited too: the time of reading is then limited, whoever wrote the file.
 */
export function readJson(path: string, largest?: number): unknown {
  const text = readText(path, largest).replace(/^\ufeff/, '')
  const { value, problem } = largest === undefined ? parseJson(text) : parseForeignJson(text)
  if (problem === undefined) return value
  throw new LoadoutError(
    'BAD_JSON',
    problem.replace(/^it /, () => `${path} `),
    { hint: 'repair or remove the file' },
  )
}
