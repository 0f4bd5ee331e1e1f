import { join } from 'node:path'
import { nameOf } from '../domain/routing/loadout-index.ts'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { nearest } from '../domain/shared/nearest.ts'
import { isRecord, isTextList } from '../domain/shared/record.ts'
import { isFile } from './files.ts'
import { readJson } from './json-file.ts'
import { SETTINGS_FILE } from './project-root.ts'

/** What a project says about itself in `loadout.json`. */
export interface Settings {
  /** Globs of the payload files, relative to the project. */
  payloads: string[]
}

const DEFAULTS: Settings = { payloads: ['.claude/loadout/**/*.md', '.claude/rules/**/*.md'] }

/** The settings of a project, or the defaults when it has none. A mistake in the file is an error: guessing would hide it. */
export function readSettings(projectRoot: string): Settings {
  const path = join(projectRoot, SETTINGS_FILE)
  return isFile(path) ? parseSettings(readJson(path), path) : DEFAULTS
}

export function parseSettings(json: unknown, path: string): Settings {
  if (!isRecord(json)) throw bad(path, `it must be a JSON object, but is ${nameOf(json)}`)
  const known = ['$schema', ...Object.keys(DEFAULTS)]
  for (const key of Object.keys(json)) {
    if (known.includes(key)) continue
    const close = nearest(key, known)
    throw bad(path, `there is no setting "${key}"${close === undefined ? '' : `; did you mean "${close}"?`}`)
  }
  const { payloads = DEFAULTS.payloads } = json
  if (!isTextList(payloads)) throw bad(path, '"payloads" must be a list of globs')
  const escaping = payloads.find((glob) => glob.startsWith('/') || glob.split('/').includes('..') || glob === '')
  if (escaping !== undefined) throw bad(path, `the glob "${escaping}" must stay inside the project`)
  return { payloads }
}

function bad(path: string, problem: string): LoadoutError {
  return new LoadoutError('BAD_SETTINGS', `${path}: ${problem}`, {
    hint: `settings: ${Object.keys(DEFAULTS).join(', ')}`,
  })
}
