import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder this program was installed into: the nearest one upwards with a package.json. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return folder
  }
}
