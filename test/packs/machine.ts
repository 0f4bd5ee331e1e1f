import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Machine } from '../../src/machine/machine.ts'
import { type Discovery, type DiscoveryRequest, discoverPacks } from '../../src/packs/disk/discover.ts'
import { NO_PACK_CONFIG, type PackConfig } from '../../src/packs/rules/pack-config.ts'
import { makeFolder } from '../cli/run.ts'
import { BOUND } from '../rights.ts'

/** A valid KNOWLEDGE.md with these fields changed. */
export function packText(fields: Record<string, string> = {}, body = '# Guide\n'): string {
  const all = { name: 'a', description: 'What a is.', type: 'domain-reference', status: 'ready', profile: 'wiki-first' }
  const lines = Object.entries({ ...all, ...fields }).map(([key, value]) => `${key}: ${value}\n`)
  return `---\n${lines.join('')}---\n\n${body}`
}

export interface Place {
  /** Default: the workspace. */
  cwd?: string
  home?: string
  config?: Partial<PackConfig>
  packageFolder?: string
  env?: Record<string, string>
}

export function machineOf(place: Place & { workspace?: string }): { machine: Machine; request: DiscoveryRequest } {
  const { workspace, home = makeFolder(), config, packageFolder = makeFolder(), env = {} } = place
  const cwd = place.cwd ?? workspace ?? makeFolder()
  return {
    machine: new Machine({ cwd, home, env, now: () => new Date() }),
    request: { project: workspace, config: { ...NO_PACK_CONFIG, ...config }, packageFolder },
  }
}

/** Discovers the packs of a project. */
export function discoverIn(workspace: string | undefined, place: Place = {}): Discovery {
  const { machine, request } = machineOf({ ...place, ...(workspace !== undefined && { workspace }) })
  return discoverPacks(machine, request)
}

export function namesOf({ packs }: Discovery): string[] {
  return packs.map(({ manifest }) => manifest.name)
}

export interface Watched {
  discovery: Discovery
  opened: string[]
  listed: string[]
  bytes: number
}

/** Discovers in a separate process and records every opened file. `isBound`: file permissions bind it, also as root. */
export function watchDiscovery(workspace: string, options: Place & { isBound?: boolean } = {}): Watched {
  const scratch = makeFolder()
  const record = join(scratch, 'record.json')
  const { machine, request } = machineOf({ ...options, workspace })
  const recorder = join(import.meta.dirname, 'record-files.cjs')
  const words = [process.execPath, '--require', recorder, '--import', 'tsx', 'test/packs/discover-once.ts']
  const [program = '', ...args] = [...(options.isBound ? BOUND : []), ...words]
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { PATH: process.env.PATH, HOME: scratch, RECORD_BELOW: workspace, RECORD_INTO: record },
    input: JSON.stringify({ machine, request }),
    encoding: 'utf8',
  })
  if (status !== 0 && stdout === '') throw new Error(stderr)
  const recorded = options.isBound ? {} : JSON.parse(readFileSync(record, 'utf8'))
  return { discovery: JSON.parse(stdout), ...recorded }
}
