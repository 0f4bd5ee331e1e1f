import { findJsonError } from '../domain/shared/json-error.ts'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { readText } from './files.ts'

/** The JSON of a file, of any shape. A byte order mark is accepted; an error names line and column. */
export function readJson(path: string): unknown {
  const text = readText(path).replace(/^\ufeff/, '')
  if (text.trim() === '') {
    throw new LoadoutError('BAD_JSON', `${path} is empty, but should hold JSON`, { hint: 'repair or remove the file' })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const before = text.slice(0, findJsonError(text)).split('\n')
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
    throw new LoadoutError('BAD_JSON', `${path} is not valid JSON: see ${place}`, {
      hint: 'repair the file',
      cause: error,
    })
  }
}
