import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { readText } from './files.ts'

/** The JSON of a file, of any shape. A byte order mark is accepted; an error names line and column. */
export function readJson(path: string): unknown {
  const text = readText(path).replace(/^\ufeff/, '')
  if (text.trim() === '') throw new LoadoutError('BAD_JSON', `${path} is empty, but should hold JSON`)
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = placeOf(error instanceof Error ? error.message : '', text)
    throw new LoadoutError('BAD_JSON', `${path} is not valid JSON${place}`, { hint: 'repair the file', cause: error })
  }
}

function placeOf(message: string, text: string): string {
  const position = /position (\d+)/.exec(message)?.[1]
  const at = position === undefined ? text.length : Number(position)
  const before = text.slice(0, at).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
