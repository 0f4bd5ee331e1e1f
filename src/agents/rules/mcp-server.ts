import type { ProgramCall } from './hook-settings/hook-command.ts'
import { add, type HookSettings, type Read, removeOutermost } from './hook-settings/hook-settings.ts'
import { appendTables, cutTable } from './hook-settings/hook-tables.ts'
import { findSetting } from './hook-settings/list-switch.ts'
import {
  applyEdits,
  type Container,
  findProperty,
  type Item,
  type SettingsValue,
} from './hook-settings/settings-layout.ts'

/** Where an agent names the MCP servers of its user, and how. */
export interface McpPlace {
  /** In the agent's own folder, or beside it unless a variable has moved the folder. */
  file: string
  isBeside?: true
  /** The table of servers; that of Codex is TOML. */
  key: 'mcpServers' | 'mcp_servers' | 'mcp'
  /** The fields of a server that starts with these words. */
  entry(command: string, args: readonly string[]): Readonly<Record<string, unknown>>
}

const NAME = 'loadout'

/** Adds the server, or renews one that Loadout wrote. One that a person wrote or changed stays. */
export function addServer(before: HookSettings, place: McpPlace, call: ProgramCall, read: Read): HookSettings {
  const value =
    typeof call === 'string' ? place.entry('loadout', ['mcp']) : place.entry(call.node, [call.script, 'mcp'])
  if (place.key === 'mcp_servers') return addTable(before, value)
  const found = findServer(before.text, place, read)
  const isSame = JSON.stringify(found) === JSON.stringify(value)
  if (found !== undefined && (isSame || !isOurs(found, place))) return before
  const { text } = removeServer(before, place, read)
  const tree = read(text)
  const servers = findSetting(tree, place.key, 'object')
  const step =
    servers === undefined
      ? add(tree, '', tree.root, { key: place.key, value: { [NAME]: value } })
      : add(tree, place.key, servers.value, { key: NAME, value })
  return { text: applyEdits(text, step.edits), blanks: { ...before.blanks, ...step.blanks } }
}

/** Undoes `addServer`. */
export function removeServer(before: HookSettings, place: McpPlace, read: Read): HookSettings {
  if (place.key === 'mcp_servers') return removeTable(before)
  const found = findServer(before.text, place, read)
  if (found === undefined || !isOurs(found, place)) return before
  const tree = read(before.text)
  const servers = findSetting(tree, place.key, 'object')!
  const levels: [string, Container, Item][] = [
    ['', tree.root as Container, servers],
    [place.key, servers.value as Container, findProperty(servers, NAME)!],
  ]
  return { text: applyEdits(before.text, removeOutermost(tree, before.blanks, levels)), blanks: before.blanks }
}

function findServer(text: string, { key }: McpPlace, read: Read): unknown {
  const servers = findSetting(read(text), key, 'object')
  const found = servers && findProperty(servers, NAME)
  return found && jsonOf(found.value)
}

function jsonOf(value: SettingsValue): unknown {
  if (value.kind === 'literal') return value.value
  if (value.kind === 'array') return value.items.map((item) => jsonOf(item.value))
  return Object.fromEntries(value.items.map((item) => [item.key, jsonOf(item.value)]))
}

/** Whether it has exactly what Loadout writes, whichever copy of the program it starts. */
function isOurs(found: unknown, { entry }: McpPlace): boolean {
  const { command, args = [] } = found as { command?: unknown; args?: unknown }
  const words = [command, args].flat()
  if (!words.every((word) => typeof word === 'string') || words.at(-1) !== 'mcp') return false
  const [start = '', ...rest] = words
  const isProgram =
    words.length === 2 ? start === 'loadout' : words.length === 3 && /[\\/]cli\.cjs$/.test(rest[0] ?? '')
  return isProgram && JSON.stringify(found) === JSON.stringify(entry(start, rest))
}

const ANY_TABLE = /^[ \t]*\[\s*mcp_servers\s*\.\s*["']?loadout["']?\s*\]/m
const OWN_TABLE =
  /^\[mcp_servers\.loadout\]\r?\ncommand = "[^"\r\n]*(?:loadout|node|node\.exe)"\r?\nargs = \[(?:"[^"\r\n]*cli\.cjs", )?"mcp"\]\r?\n(?=\s*(?:\[|$(?![\s\S])))/m

function addTable(before: HookSettings, { command, args }: Readonly<Record<string, unknown>>): HookSettings {
  const eol = before.text.includes('\r\n') ? '\r\n' : '\n'
  const words = (args as string[]).map((word) => JSON.stringify(word)).join(', ')
  const table = [`[mcp_servers.${NAME}]`, `command = ${JSON.stringify(command)}`, `args = [${words}]`, ''].join(eol)
  if (OWN_TABLE.test(before.text)) return { ...before, text: before.text.replace(OWN_TABLE, () => table) }
  return ANY_TABLE.test(before.text) ? before : appendTables(before, 'mcp_servers', table)
}

function removeTable(before: HookSettings): HookSettings {
  const found = OWN_TABLE.exec(before.text)
  return found === null ? before : cutTable(before, 'mcp_servers', { start: found.index, text: found[0] })
}
