import { join, resolve } from 'node:path'
import { getOwn, isRecord } from '../text/record.ts'
import { LoadoutError } from '../text/trouble.ts'
import { exists, readJson } from './files.ts'
import { configFolder, type Machine } from './machine.ts'
import { unknownKeys } from './rules/config-keys.ts'

export function configPath(machine: Machine): string {
  const named = machine.env.LOADOUT_CONFIG
  return named ? resolve(machine.cwd, expandHome(machine, named)) : join(configFolder(machine), 'config.json')
}

export function expandHome({ home }: Machine, path: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}

/** The only reader of `config.json`. Reports unknown keys, whoever asks; values are checked by what needs them. */
export function readConfigJson(machine: Machine): Record<string, unknown> {
  const path = configPath(machine)
  const json = exists(path) ? readJson(path) : {}
  if (!isRecord(json)) {
    throw new LoadoutError('BAD_CONFIG', `${path}: the file must be a JSON object`, {
      hint: 'repair the file; nothing was changed',
    })
  }
  for (const finding of unknownKeys(json, path)) machine.report?.(finding)
  return json
}

/** Whether the user asked to keep the words of tasks: `usage.keep_tasks`. Anything unclear is a no. */
export function keepsTasks(machine: Machine): boolean {
  try {
    const usage = getOwn(readConfigJson(machine), 'usage')
    return isRecord(usage) && getOwn(usage, 'keep_tasks') === true
  } catch (error) {
    if (error instanceof LoadoutError) return false
    throw error
  }
}
