import { dirname, isAbsolute, join, resolve } from 'node:path'
import { exists, readJson, writeAtomically } from './files.ts'
import { acquireLock } from './lock.ts'
import { configFolder, type Machine, stateFolder } from './machine.ts'
import { asRecord, unknownKeys } from './rules/config-keys.ts'

export function configPath(machine: Machine): string {
  const named = machine.env.LOADOUT_CONFIG
  return named ? resolve(machine.cwd, expandHome(machine, named)) : join(configFolder(machine), 'config.json')
}

export function expandHome({ home }: Machine, path: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}

/** A path from the configuration: `~` is the home folder; a relative path is relative to the file. */
export function resolveConfigured(machine: Machine, path: string): string {
  const expanded = expandHome(machine, path)
  return isAbsolute(expanded) ? resolve(expanded) : resolve(dirname(configPath(machine)), expanded)
}

/** The unchanged file with all its keys, known or not. */
export type ConfigJson = Record<string, unknown>

/** The only reader of `config.json`. Always reports unknown keys; the users of a value check it. */
export function readConfigJson(machine: Machine): ConfigJson {
  const path = configPath(machine)
  const json = asRecord(exists(path) ? readJson(path) : {}, path, 'the file')
  for (const finding of unknownKeys(json, path)) machine.report?.(finding)
  return json
}

/**
 * The only writer of `config.json`. Changes only the requested keys and keeps unknown ones. `check` throws for bad
 * values.
 */
export async function changeConfigJson(
  machine: Machine,
  check: (json: ConfigJson, path: string) => unknown,
  change: (json: ConfigJson) => ConfigJson,
): Promise<void> {
  const path = configPath(machine)
  // Before creating anything: a file that must be repaired first should leave no traces.
  check(readConfigJson(machine), path)
  const release = await acquireLock(join(stateFolder(machine), 'locks', 'config'), { purpose: 'config' })
  try {
    const json = readConfigJson(machine)
    check(json, path)
    writeAtomically(path, `${JSON.stringify(change(json), null, 2)}\n`, 0o600)
  } finally {
    release()
  }
}
