import { NO_PACK_CONFIG, type PackConfig, parsePackConfig } from '../../domain/packs/pack-config.ts'
import { exists } from '../files.ts'
import { readJson } from '../json-file.ts'
import type { Machine } from '../machine.ts'
import { configPath } from '../skills/config-file.ts'

/** What the machine's configuration says about packs; the defaults when there is none. A mistake in it is an error. */
export function readPackConfig(machine: Machine): PackConfig {
  const path = configPath(machine)
  return exists(path) ? parsePackConfig(readJson(path), path) : NO_PACK_CONFIG
}
