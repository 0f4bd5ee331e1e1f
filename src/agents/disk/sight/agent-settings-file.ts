import { join } from 'node:path'
import type { Machine } from '../../../machine/machine.ts'
import { readToml } from '../../../machine/toml.ts'
import { getDeep, isRecord, isTextList } from '../../../text/values.ts'
import type { Agent } from '../../rules/agents.ts'
import type { SettingsRules } from '../../rules/reading-rules.ts'
import { type AgentSettings, NO_SETTINGS, usageScore } from '../../rules/sight/agent-settings.ts'
import { HEAD_BYTES, readHead } from './read-head.ts'
import { ownFolder } from './skill-places.ts'

/** The state file of an agent grows with every project. */
const LARGEST_STATE = 64 * 1024 * 1024

/** What this machine's configuration of an agent says. A file that cannot be read says nothing. */
export function readAgentSettings(
  machine: Machine,
  agent: Agent,
  rules: SettingsRules | undefined,
  cwd: string | undefined,
): AgentSettings {
  if (rules === undefined) return NO_SETTINGS
  const readAll = settingsReader(machine, agent, rules, cwd)
  const read: Reader = (key) => readAll(key)[0]
  const { keys, variables } = rules
  const number = (key: string | undefined) => positive(read(key))
  const model = textOf(variables.model && machine.env[variables.model]) ?? textOf(read(keys.model))
  const budget = positive(Number(variables.budget && machine.env[variables.budget]))
  const overrides = read(keys.overrides)
  const moreNames = read(keys.moreNames)
  const names = read(keys.names)
  return {
    ...present({
      share: number(keys.share),
      perSkill: number(keys.perSkill),
      window: number(keys.window),
      mostBytes: number(keys.mostBytes),
      model,
      budget,
      names: isTextList(names) ? names : textOf(names) === undefined ? undefined : [String(names)],
    }),
    overrides: isRecord(overrides) ? textValues(overrides) : {},
    withoutOwn: read(keys.withoutOwn) === true,
    plugins: switchedOn(readAll(keys.plugins)),
    moreNames: isTextList(moreNames) ? moreNames : [],
    off: switchedOff(read(keys.switches)),
    usage: readUsage(machine, agent, rules),
  }
}

type Reader = (key: string | undefined) => unknown

/** The values of a key in all files that have it, the one that counts first. */
function settingsReader(machine: Machine, agent: Agent, rules: SettingsRules, cwd: string | undefined) {
  const files = rules.files.flatMap(({ from, path }) => {
    if (from === 'machine') return [path]
    if (from === 'project') return cwd === undefined ? [] : [join(cwd, path)]
    return [join(from === 'own' ? ownFolder(machine, agent) : machine.home, path)]
  })
  const readers = files.map((file) => (rules.format === 'json' ? jsonReader(file) : tomlReader(file))).reverse()
  return (key: string | undefined): unknown[] =>
    key === undefined ? [] : readers.map((read) => read(key)).filter((value) => value !== undefined)
}

function jsonReader(file: string, largest = HEAD_BYTES): Reader {
  const head = readHead(file, largest)
  if ('problem' in head) return () => undefined
  try {
    const json: unknown = JSON.parse(head.text)
    return (key = '') => getDeep(json, ...key.split('.'))
  } catch {
    return () => undefined
  }
}

function tomlReader(file: string): Reader {
  const head = readHead(file)
  if ('problem' in head) return () => undefined
  const toml = readToml(head.text)
  return (key = '') => getDeep(toml, ...key.split('.'))
}

/** Each is on or off as the first says that speaks of it. */
function switchedOn(switches: readonly unknown[]): string[] {
  const merged = Object.assign({}, ...switches.filter(isRecord).reverse())
  return Object.entries(merged).flatMap(([name, isOn]) => (isOn === true ? [name] : []))
}

function switchedOff(value: unknown): AgentSettings['off'] {
  if (!Array.isArray(value)) return []
  return value.flatMap((table: unknown) => {
    if (!isRecord(table) || table.enabled !== false) return []
    return [present({ path: textOf(table.path), name: textOf(table.name) })]
  })
}

function readUsage(machine: Machine, agent: Agent, { usageFile }: SettingsRules): Record<string, number> {
  if (usageFile === undefined) return {}
  const isMoved = agent.home !== undefined && machine.env[agent.home.variable]
  const folder = isMoved ? ownFolder(machine, agent) : machine.home
  const usage = jsonReader(join(folder, usageFile), LARGEST_STATE)('skillUsage')
  if (!isRecord(usage)) return {}
  const now = machine.now().getTime()
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, use]) => {
      if (!isRecord(use) || typeof use.usageCount !== 'number' || typeof use.lastUsedAt !== 'number') return []
      return [[name, usageScore(use.usageCount, use.lastUsedAt, now)]]
    }),
  )
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function textValues(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  )
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
