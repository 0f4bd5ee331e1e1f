import {
  type ConfigJson,
  changeConfigJson,
  configPath,
  readConfigJson,
  resolveConfigured,
} from '../machine/config-file.ts'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { LoadoutError } from '../text/trouble.ts'
import { type Config, parseConfig } from './rules/config.ts'

/** Reads the settings of the library and the agents. Throws for a bad value. */
export function readConfig(machine: Machine): Config {
  return parseConfig(readConfigJson(machine), configPath(machine))
}

export function changeConfig(machine: Machine, change: (json: ConfigJson) => ConfigJson): Promise<void> {
  return changeConfigJson(machine, parseConfig, change)
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
