import { dirname, isAbsolute, join, resolve } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { isRecord } from '../../domain/shared/record.ts'
import { type Config, type ConfigJson, NO_CONFIG, parseConfig } from '../../domain/skills/config.ts'
import { configPath, expandHome } from '../config-path.ts'
import { exists, writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { acquireLock } from '../lock.ts'
import { type Machine, stateFolder } from '../machine.ts'

export { configPath, expandHome }

/** The machine's configuration; the defaults when there is none. A mistake in the file is an error. */
export function readConfig(machine: Machine): Config {
  const path = configPath(machine)
  return exists(path) ? parseConfig(readJson(path), path) : NO_CONFIG
}

/** Changes the file and nothing else in it: keys that are not ours stay. */
export async function changeConfig(machine: Machine, change: (json: ConfigJson) => ConfigJson): Promise<void> {
  const path = configPath(machine)
  // Before anything is made: a file that must be repaired first is no reason to leave traces.
  readConfig(machine)
  const release = await acquireLock(join(stateFolder(machine), 'locks', 'config'), { purpose: 'config' })
  try {
    const json = exists(path) ? readJson(path) : {}
    parseConfig(json, path)
    writeAtomically(path, `${JSON.stringify(change(isRecord(json) ? json : {}), null, 2)}\n`, 0o600)
  } finally {
    release()
  }
}

/** The library's folder. */
export function libraryPath(machine: Machine, { repoPath }: Config): string {
  if (repoPath !== undefined) return resolveConfigured(machine, repoPath)
  const path = configPath(machine)
  const problem = exists(path) ? `${path} names no library` : 'there is no library yet'
  throw new LoadoutError('CONFIG_NOT_FOUND', problem, {
    hint: 'loadout init --new <folder> makes one; --clone <url> and --repo <folder> take one that exists',
  })
}

/** A path from the configuration: `~` is the home folder, anything relative is beside the file. */
export function resolveConfigured(machine: Machine, path: string): string {
  const expanded = expandHome(machine, path)
  return isAbsolute(expanded) ? resolve(expanded) : resolve(dirname(configPath(machine)), expanded)
}
