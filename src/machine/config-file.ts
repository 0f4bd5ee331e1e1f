import { dirname, isAbsolute, join, resolve } from 'node:path'
import { exists, readJson } from './files.ts'
import type { Machine } from './machine.ts'
import { asRecord, unknownKeys } from './rules/config-keys.ts'

/** The unchanged file with all its keys, known or not. */
export type ConfigJson = Record<string, unknown>

/** The only reader of `config.json`. `changeConfig` changes it. */
export class ConfigFile {
  readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  get path(): string {
    const named = this.machine.env.LOADOUT_CONFIG
    return named ? this.machine.resolve(named) : join(this.machine.configFolder, 'config.json')
  }

  /** A path from the configuration: `~` is the home folder; a relative path is relative to the file. */
  resolve(path: string): string {
    const expanded = this.machine.expandHome(path)
    return isAbsolute(expanded) ? resolve(expanded) : resolve(dirname(this.path), expanded)
  }

  /** Always reports unknown keys; the users of a value check it. */
  read(): ConfigJson {
    const { path } = this
    const json = asRecord(exists(path) ? readJson(path) : {}, path, 'the file')
    this.machine.report(...unknownKeys(json, path))
    return json
  }
}
