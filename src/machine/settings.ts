import { join } from 'node:path'
import { STRATEGIES, type Strategy } from '../search/strategy.ts'
import { globProblem } from '../text/glob.ts'
import { nameOf } from '../text/json.ts'
import { nearest } from '../text/nearest.ts'
import { isRecord, isTextList } from '../text/record.ts'
import { LoadoutError } from '../text/trouble.ts'
import { exists, readJson } from './files.ts'

export const SETTINGS_FILE = 'loadout.json'

/** What a project says about itself in `loadout.json`. */
export interface Settings {
  /** Globs of the payload files, relative to the project. */
  payloads: string[]
  routing: { strategy: Strategy }
}

/** All keys of the file. Those that a plan does not need are only checked by who reads them. */
export const SETTINGS_KEYS = [
  '$schema',
  'payloads',
  'routing',
  'preset',
  'controlPlane',
  'intents',
  'tactical',
  'adapters',
  'budget',
  'sanitize',
] as const

const DEFAULTS: Settings = {
  payloads: ['.claude/loadout/**/*.md', '.claude/rules/**/*.md'],
  routing: { strategy: 'keywords' },
}

/** The settings of a project, or the defaults when it has none. A mistake in the file is an error: guessing would hide it. */
export function readSettings(projectRoot: string): Settings {
  const path = join(projectRoot, SETTINGS_FILE)
  return exists(path) ? parseSettings(readJson(path), path) : DEFAULTS
}

export function parseSettings(json: unknown, path: string): Settings {
  if (!isRecord(json)) throw badSettings(path, `it must be a JSON object, but is ${nameOf(json)}`)
  checkKeys(json, SETTINGS_KEYS, path, '')
  if (json.$schema !== undefined && typeof json.$schema !== 'string')
    throw badSettings(path, '"$schema" must be a text')
  return { payloads: readGlobs(json.payloads, path), routing: readRouting(json.routing, path) }
}

function checkKeys(json: Record<string, unknown>, known: readonly string[], path: string, prefix: string): void {
  for (const key of Object.keys(json)) {
    if (known.includes(key)) continue
    const close = nearest(key, known)
    throw badSettings(
      path,
      `there is no setting "${prefix}${key}"${close === undefined ? '' : `; did you mean "${prefix}${close}"?`}`,
    )
  }
}

function readGlobs(json: unknown = DEFAULTS.payloads, path: string): string[] {
  if (!isTextList(json)) throw badSettings(path, '"payloads" must be a list of globs')
  json.forEach((glob, at) => {
    const problem = globProblem(glob)
    if (problem !== undefined) throw badSettings(path, `"payloads[${at}]" is refused: ${problem}`)
  })
  return json
}

function readRouting(json: unknown = {}, path: string): Settings['routing'] {
  if (!isRecord(json)) throw badSettings(path, `"routing" must be an object, but is ${nameOf(json)}`)
  checkKeys(json, Object.keys(DEFAULTS.routing), path, 'routing.')
  const strategy = STRATEGIES.find(
    (known) => known === (json.strategy === undefined ? DEFAULTS.routing.strategy : json.strategy),
  )
  if (strategy === undefined) throw badSettings(path, `"routing.strategy" must be one of ${STRATEGIES.join(', ')}`)
  return { strategy }
}

export function badSettings(path: string, problem: string): LoadoutError {
  return new LoadoutError('BAD_SETTINGS', `${path}: ${problem}`, {
    hint: `settings: ${SETTINGS_KEYS.slice(1).join(', ')}`,
  })
}
