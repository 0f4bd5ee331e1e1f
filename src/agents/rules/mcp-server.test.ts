import { describe, expect, it } from 'vitest'
import { readSettings } from '../disk/hook-settings/settings-file.ts'
import { SETTINGS_HOSTS } from './hook-hosts.ts'
import type { ProgramCall } from './hook-settings/hook-command.ts'
import { addServer, removeServer } from './mcp-server.ts'

const read = (text: string) => readSettings(text, 'settings.json')
const placeOf = (agent: string) => SETTINGS_HOSTS.find((host) => host.agent === agent)!.mcp!
const OTHER: ProgramCall = { node: '/opt/node', script: '/opt/loadout/dist/cli.cjs' }

function added(agent: string, text: string, call: ProgramCall = 'named') {
  return addServer({ text, blanks: {} }, placeOf(agent), call, read)
}

const json: [agent: string, text: string][] = [
  ['claude', '{}\n'],
  ['claude', '{"numStartups": 3}'],
  ['claude', '{"mcpServers": {}}\n'],
  ['claude', '{ "mcpServers": { } , "a": 1 }'],
  ['gemini', '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x" }, // theirs\n  }\n}\n'],
  ['copilot', '{\r\n\t"mcpServers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n'],
  [
    'opencode',
    '{ "$schema": "https://opencode.ai/config.json", "mcp": { "other": { "type": "local", "command": ["x"] } } }\n',
  ],
]
const toml = ['', 'model = "x"', 'model = "x"\n', '[mcp_servers.other]\r\ncommand = "y"\r\n', '[a]\nb = 1\n\n']

describe('the MCP server in the settings of an agent', () => {
  it.each(json)('of %s is added once, renewed, and removed byte for byte: %j', (agent, text) => {
    const first = added(agent, text)
    const key = placeOf(agent).key
    expect(first.text).toContain('"loadout"')
    expect(read(first.text).root).toMatchObject({ kind: 'object' })
    expect(addServer(first, placeOf(agent), 'named', read).text).toBe(first.text)
    const renewed = addServer(first, placeOf(agent), OTHER, read)
    expect(renewed.text.split(key)).toHaveLength(first.text.split(key).length)
    expect(renewed.text).toContain('/opt/loadout/dist/cli.cjs')
    expect(removeServer(first, placeOf(agent), read).text).toBe(text)
    expect(removeServer(renewed, placeOf(agent), read).text).toBe(text)
  })

  it.each(toml)('of Codex is a table at the end of the file, renewed and removed byte for byte: %j', (text) => {
    const first = added('codex', text)
    expect(first.text.replaceAll('\r', '')).toContain('[mcp_servers.loadout]\ncommand = "loadout"\nargs = ["mcp"]\n')
    expect(addServer(first, placeOf('codex'), 'named', read).text).toBe(first.text)
    const renewed = addServer(first, placeOf('codex'), OTHER, read)
    expect(renewed.text.match(/mcp_servers\.loadout/g)).toHaveLength(1)
    expect(removeServer(renewed, placeOf('codex'), read).text).toBe(text)
  })

  it.each([
    ['claude', '{"mcpServers":{"loadout":{"type":"stdio","command":"loadout","args":["mcp"],"env":{"A":"1"}}}}'],
    ['claude', '{"mcpServers":{"loadout":{"type":"http","url":"http://127.0.0.1:8417/mcp"}}}'],
    ['cursor', '{"mcpServers":{"loadout":"mine"}}'],
    ['gemini', '{"mcpServers":{"loadout":{"command":"my-loadout","args":["mcp"]}}}'],
    ['codex', '[mcp_servers.loadout]\ncommand = "loadout"\nargs = ["mcp"]\nenv = { A = "1" }\n'],
    ['codex', '[mcp_servers."loadout"]\nurl = "http://127.0.0.1:8417/mcp"\n'],
  ])('of %s stays as a person wrote it: %s', (agent, text) => {
    expect(added(agent, text).text).toBe(text)
    expect(removeServer({ text, blanks: {} }, placeOf(agent), read).text).toBe(text)
  })

  it.each([
    ['a list of servers', '{"mcpServers": []}'],
    ['servers that are there twice', '{"mcpServers": {}, "mcpServers": {}}'],
    ['a file that is a list', '[]'],
  ])('is not added to %s, with the place', (_, text) => {
    expect(() => added('claude', text)).toThrow(/line 1, column \d+/)
  })
})
