import { dirname, isAbsolute, join, resolve } from 'node:path'
import { configPath, expandHome, readConfigJson } from '../machine/config-file.ts'
import { exists, writeAtomically } from '../machine/files.ts'
import { acquireLock } from '../machine/lock.ts'
import { type Machine, stateFolder } from '../machine/machine.ts'
import { type PackConfig, parsePackConfig } from '../packs/rules/pack-config.ts'
import { LoadoutError } from '../text/trouble.ts'
import { type Config, type ConfigJson, parseConfig } from './rules/config.ts'

/** What the machine's configuration says about the library, agents and usage. A bad value is an error. */
export function readConfig(machine: Machine): Config {
  return parseConfig(readConfigJson(machine), configPath(machine))
}

/** What it says about packs. A bad value is an error for packs alone. */
export function readPackConfig(machine: Machine): PackConfig {
  return parsePackConfig(readConfigJson(machine), configPath(machine))
}

/** The only writer. Changes what it is asked to and nothing else: keys that are not ours stay. */
export async function changeConfig(machine: Machine, change: (json: ConfigJson) => ConfigJson): Promise<void> {
  // Before anything is made: a file that must be repaired first is no reason to leave traces.
  readConfig(machine)
  const release = await acquireLock(join(stateFolder(machine), 'locks', 'config'), { purpose: 'config' })
  try {
    const json = readConfigJson(machine)
    const path = configPath(machine)
    parseConfig(json, path)
    writeAtomically(
      path,
      `${JSON.stringify(change(json), null, 2)}
`,
      0o600,
    )
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
