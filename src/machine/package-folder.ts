import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt, isRecord } from '../text/values.ts'

/** The folder that contains this program: the nearest one upwards with a package.json. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return folder
  }
}

/** The version of this program; empty when its package.json is missing. */
export function programVersion(): string {
  return attempt(() => {
    const json: unknown = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'))
    return isRecord(json) && typeof json.version === 'string' ? json.version : ''
  }, '')
}
