import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { asLoadoutError } from '../files.ts'
import { staysInside } from '../inside.ts'
import type { Build } from '../skills/build.ts'

/** What a client may be given of one skill. */
export const MOST_FILES = 512
const MOST_BYTES = 16 * 1024 * 1024

/** One file of a skill as it would be installed; undefined when it has no such file. */
export function readBuildFile({ folder, files, made }: Build, path: string): Uint8Array | undefined {
  const text = made.get(path)
  if (text !== undefined) return Buffer.from(text)
  if (!files.some((file) => file.path === path)) return undefined
  if (!staysInside(folder, path)) throw new LoadoutError('PATH_ESCAPE', `${path} leads out of its skill`)
  return readPlainFile(join(folder, path))
}

/** All files of a skill, by path. Throws when they are more than a client may be given. */
export function readBuild(build: Build): Record<string, Uint8Array> {
  const paths = new Set([...build.files.map(({ path }) => path), ...build.made.keys()])
  const bytes = build.files.reduce((sum, { size }) => sum + size, 0)
  if (paths.size > MOST_FILES || bytes > MOST_BYTES) {
    throw new LoadoutError('FILE_TOO_LARGE', `${build.folder} holds more than a client may be given`, {
      hint: `at most ${MOST_FILES} files with 16 MB; loadout equip installs it all the same`,
    })
  }
  return Object.fromEntries(
    [...paths].flatMap((path) => {
      const content = readBuildFile(build, path)
      return content === undefined ? [] : [[path, content]]
    }),
  )
}

/** The file itself: a link that took its place since it was listed is not followed. */
function readPlainFile(path: string): Uint8Array {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (!stat.isFile() || stat.size > MOST_BYTES) throw new LoadoutError('NOT_A_FILE', `${path} is no file to be given`)
    return readFileSync(file)
  } catch (error) {
    throw error instanceof LoadoutError ? error : asLoadoutError(error, path, 'read')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
