import { readInside, readTextInside } from '../../machine/inside.ts'
import { LoadoutError } from '../../text/trouble.ts'
import type { Build } from './build.ts'

/** The maximum that a client may read of one skill. */
const MOST_FILES = 512
const MOST_BYTES = 16 * 1024 * 1024

/** One file of a build; undefined if it has no such file. */
export function readBuildFile({ folder, files, made }: Build, path: string): Uint8Array | undefined {
  const text = made.get(path)
  if (text !== undefined) return Buffer.from(text)
  if (!files.some((file) => file.path === path)) return undefined
  const { bytes, failure } = readInside(folder, path, { most: MOST_BYTES })
  if (bytes === undefined) throw failure
  return bytes
}

/** All files of a build, by path. Throws if they exceed the limits for a client. */
export function readBuild(build: Build): Record<string, Uint8Array> {
  const paths = new Set([...build.files.map(({ path }) => path), ...build.made.keys()])
  const bytes = build.files.reduce((sum, { size }) => sum + size, 0)
  if (paths.size > MOST_FILES || bytes > MOST_BYTES) {
    throw new LoadoutError('FILE_TOO_LARGE', `${build.folder} is too large for a client`, {
      hint: `at most ${MOST_FILES} files with 16 MB; loadout equip can still install it`,
    })
  }
  return Object.fromEntries(
    [...paths].flatMap((path) => {
      const content = readBuildFile(build, path)
      return content === undefined ? [] : [[path, content]]
    }),
  )
}

/** The text of one file of a skill's folder. */
export function readSkillFile(folder: string, path: string): string {
  return readTextInside(folder, path).replace(/^\ufeff/, '')
}
