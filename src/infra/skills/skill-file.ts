import { join } from 'node:path'
import { packPathProblem } from '../../domain/packs/pack-path.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { readText } from '../files.ts'
import { staysInside } from '../inside.ts'

/** Prose for a model is smaller than this. */
const LARGEST_SKILL_FILE = 4 * 1024 * 1024

/** The text of one file of a skill, only if it lies inside the skill's folder once every link is followed. */
export function readSkillFile(folder: string, path: string): string {
  const problem =
    packPathProblem(path) ?? (staysInside(folder, path) ? undefined : 'it is a link that leaves the skill')
  if (problem === undefined) return readText(join(folder, path), LARGEST_SKILL_FILE).replace(/^\ufeff/, '')
  throw new LoadoutError('PATH_ESCAPE', `the path ${JSON.stringify(path.slice(0, 200))} is refused: ${problem}`, {
    hint: 'name a file inside the skill',
  })
}
