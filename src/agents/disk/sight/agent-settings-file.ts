import { join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import type { Machine } from '../../../machine/machine.ts'
import { findRepository, upwards } from '../../../machine/open-project.ts'
import { readToml } from '../../../machine/toml.ts'
import { getDeep, isRecord, isTextList } from '../../../text/values.ts'
import type { Agent } from '../../rules/agents.ts'
import type { SettingsRules } from '../../rules/reading-rules.ts'
import { type AgentSettings, NO_SETTINGS, usageScore } from '../../rules/sight/agent-settings.ts'
import { homePath, ownFolder } from './places.ts'
import { HEAD_BYTES, readHead } from './read-head.ts'

/** The state file of an agent grows with every project. */
const LARGEST_STATE = 64 * 1024 * 1024

/** Reads the settings of an agent on this machine. Ignores files that cannot be read. */
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
    overrides: textValues(merged(readAll(keys.overrides))),
    withoutOwn: read(keys.withoutOwn) === true,
    plugins: switchedOn(readAll(keys.plugins)),
    moreNames: isTextList(moreNames) ? moreNames : [],
    off: [...switchedOff(read(keys.switches)), ...disabled(readAll(keys.disabled))],
    permissions: permissions(readAll(keys.permissions)),
    usage: readUsage(machine, agent, rules),
  }
}

type Reader = (key: string | undefined) => unknown

/** The settings file for personal choices: the user's own or, in a project, the last one that the agent reads. */
export function personalFile(
  machine: Machine,
  agent: Agent,
  { files }: SettingsRules,
  cwd: string | undefined,
): string | undefined {
  const last = files.findLast(({ from }) => from === (cwd === undefined ? 'own' : 'project'))
  return last && settingsFiles(machine, agent, [last], cwd)[0]
}

function settingsFiles(machine: Machine, agent: Agent, files: SettingsRules['files'], cwd: string | undefined) {
  return files.flatMap(({ from, path }) => {
    if (from === 'machine') return [path]
    if (from === 'own') return [join(ownFolder(machine, agent), path)]
    if (from === 'home') return [homePath(machine, path)]
    if (cwd === undefined) return []
    const folders = from === 'project' ? [cwd] : upwards(cwd, findRepository(cwd) ?? cwd).reverse()
    return folders.map((folder) => join(folder, path))
  })
}

/** The values of a key in all files, the one with the highest priority first. */
function settingsReader(machine: Machine, agent: Agent, rules: SettingsRules, cwd: string | undefined) {
  const open = { json: jsonReader, 'json with comments': commentedReader, toml: tomlReader }[rules.format]
  const files = settingsFiles(machine, agent, rules.files, cwd)
  const readers = files.map((file) => open(file)).reverse()
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

function commentedReader(file: string): Reader {
  const head = readHead(file)
  if ('problem' in head) return () => undefined
  const errors: ParseError[] = []
  const json: unknown = parse(head.text, errors, { allowTrailingComma: true })
  return (key = '') => (errors.length > 0 ? undefined : getDeep(json, ...key.split('.')))
}

function tomlReader(file: string): Reader {
  const head = readHead(file)
  if ('problem' in head) return () => undefined
  const toml = readToml(head.text)
  return (key = '') => getDeep(toml, ...key.split('.'))
}

/** Merges tables; for each key, the first table wins. */
function merged(values: readonly unknown[]): Record<string, unknown> {
  return Object.assign({}, ...values.filter(isRecord).reverse())
}

function switchedOn(switches: readonly unknown[]): string[] {
  return Object.entries(merged(switches)).flatMap(([name, isOn]) => (isOn === true ? [name] : []))
}

function switchedOff(value: unknown): AgentSettings['off'] {
  if (!Array.isArray(value)) return []
  return value.flatMap((table: unknown) => {
    if (!isRecord(table) || table.enabled !== false) return []
    return [present({ path: textOf(table.path), name: textOf(table.name) })]
  })
}

function disabled(lists: readonly unknown[]): AgentSettings['off'] {
  return lists.flatMap((list) => (isTextList(list) ? list : [])).map((name) => ({ name }))
}

/** A single word instead of a table applies to every skill. */
function permissions(values: readonly unknown[]): AgentSettings['permissions'] {
  const tables = values.map((value) => (typeof value === 'string' ? { '*': value } : value))
  return Object.entries(merged(tables)).map(([pattern, word]) => ({ pattern, isOff: word === 'deny' }))
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
