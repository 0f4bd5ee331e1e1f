import { join, resolve } from 'node:path'
import { configFolder, type Machine } from './machine.ts'

export function configPath(machine: Machine): string {
  const named = machine.env.LOADOUT_CONFIG
  return named ? resolve(machine.cwd, expandHome(machine, named)) : join(configFolder(machine), 'config.json')
}

export function expandHome({ home }: Machine, path: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}
