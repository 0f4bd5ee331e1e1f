import { basename, dirname, join } from 'node:path'
import type { Strategy } from '../search/document.ts'
import { type Finding, LoadoutError, report, retell } from '../text/trouble.ts'
import { exists } from './files.ts'
import { readJsonInside } from './inside.ts'
import type { Machine } from './machine.ts'
import { checkSettings, type SettingsFile, type SettingsPart } from './rules/settings-shape.ts'

export const SETTINGS_FILE = 'loadout.json'

/** The settings in `loadout.json`. A part with a mistake is missing, and reported in the findings. */
export interface Settings extends SettingsFile {
  /** Globs of the payload files, relative to the project. */
  readonly payloads: readonly string[]
  readonly routing: { readonly strategy: Strategy }
  readonly findings: readonly Finding[]
  /** The parts with a mistake, each with its first finding. */
  readonly badParts: ReadonlyMap<string, Finding>
}

const DEFAULT_PAYLOADS = ['.claude/loadout/**/*.md', '.claude/rules/**/*.md']

/**
 * The only reader of `loadout.json`, used by `openProject`. Reports every mistake; throws unless the file is an object.
 */
export function readProjectSettings(machine: Machine, projectRoot: string): Settings {
  const path = join(projectRoot, SETTINGS_FILE)
  const { file, findings, badParts } = exists(path) ? readChecked(machine, path) : NO_FILE
  machine.report(...findings)
  const strategy = file.routing?.strategy ?? 'ranked'
  return { ...file, payloads: file.payloads ?? DEFAULT_PAYLOADS, routing: { strategy }, findings, badParts }
}

const NO_FILE: ReadSettings = { file: {}, findings: [], badParts: new Map() }

function readChecked(machine: Machine, path: string): ReadSettings {
  try {
    const checked = readSettingsFile(path)
    throwIfBad(checked, [''])
    return checked
  } catch (error) {
    throw withConfigTrouble(machine, error)
  }
}

interface ReadSettings {
  file: SettingsFile
  findings: Finding[]
  badParts: Map<string, Finding>
}

/** Reads any `loadout.json`, with everything that is wrong with it. Throws when it is not JSON. */
export function readSettingsFile(path: string): ReadSettings {
  // People write settings by hand, but a hook reads them at every prompt, even in a foreign project.
  const { file, problems } = checkSettings(readJsonInside(dirname(path), basename(path), 1024 * 1024))
  const badParts = new Map<string, Finding>()
  const findings: Finding[] = []
  for (const { part, place, says } of problems) {
    const finding = findingOf(path, says, part === '' ? 'correct it' : `correct it; until then "${part}" is not set`)
    if (!badParts.has(part)) badParts.set(part, finding)
    // More at a time would not help.
    if (findings.length < 50) findings.push({ ...finding, subject: place })
  }
  const more = problems.length - findings.length
  if (more > 0) findings.push(findingOf(path, `there are ${more} more mistakes`, 'correct those first'))
  return { file, findings, badParts }
}

function findingOf(path: string, says: string, hint: string): Finding {
  return report('BAD_SETTINGS/value', { path, says, hint })
}

/** For code that cannot continue without some parts: limits, and where something is written. */
export function requireParts(settings: Settings, ...parts: readonly SettingsPart[]): void {
  throwIfBad(settings, parts)
}

function throwIfBad({ badParts }: Pick<Settings, 'badParts'>, parts: readonly string[]): void {
  for (const part of parts) {
    const finding = badParts.get(part)
    if (finding !== undefined) throw retell(finding, { hint: SHOWS_ALL })
  }
}

const SHOWS_ALL = `correct the file; to see every mistake: loadout check ${SETTINGS_FILE}`

/** A user who repairs one settings file should learn about mistakes in the other. */
function withConfigTrouble(machine: Machine, error: unknown): unknown {
  if (!(error instanceof LoadoutError)) return error
  try {
    machine.config.read()
    return error
  } catch (other) {
    if (!(other instanceof LoadoutError)) return error
    return retell(error, { message: `${error.message}; ${other.message}`, hint: 'repair or remove both files' })
  }
}
