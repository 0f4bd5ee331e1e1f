import { join } from 'node:path'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { pathProblem } from '../domain/shared/safe-path.ts'
import { readText } from './files.ts'
import { staysInside } from './inside.ts'

/** A payload is prose for a model: beyond this it is something else. */
const LARGEST_PAYLOAD = 4 * 1024 * 1024

/** The text of a payload, only if it lies inside its root once every link is followed. */
export function readContained(root: string, path: string): string {
  const problem = pathProblem(path)
  if (problem !== undefined) throw pathEscape(path, problem)
  if (!staysInside(root, path)) throw pathEscape(path, 'it is a link that leaves its root')
  return readText(join(root, path), LARGEST_PAYLOAD)
}

function pathEscape(path: string, problem: string): LoadoutError {
  return new LoadoutError('PATH_ESCAPE', `the payload path ${JSON.stringify(path)} is refused: ${problem}`, {
    hint: 'keep payloads inside the folder that their index belongs to',
  })
}
