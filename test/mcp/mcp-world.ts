import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { atEnd, CLI, CODE_CACHE } from '../cli/run.ts'
import { makeMachine } from '../cli/skills-machine.ts'
import { type ContextWorld, FULL_PROJECT, makeContextWorld, payload } from '../context/context-world.ts'
import { guide, SECRET } from '../packs/pack-world.ts'

export const ODD_ID = 'Ärger, 100%/b?c#d'
/** Nothing in it depends on the clock, so the same call gives the same answer. */
const { 'board.json': _, ...files } = FULL_PROJECT
export const PROJECT: Readonly<Record<string, string>> = {
  ...files,
  'rules/odd.md': payload(JSON.stringify(ODD_ID), { keywords: '[unusual]' }),
  'rules/long.md': payload('long', { keywords: '[tome]' }, 'A line of a long text.\n'.repeat(5_000)),
  '.agents/knowledge/water/wiki/high tide.md': '# High tide\n\nTwice a day.\n',
  '.agents/knowledge/closed/KNOWLEDGE.md': guide(
    { name: 'closed', description: 'How the flood gauge is read' },
    SECRET,
  ),
  'loadout.json': JSON.stringify({ payloads: ['rules/*.md'] }),
}

/** A project with payloads, an open and a shut pack, and a home with a library of skills. */
export function makeMcpWorld(project: Readonly<Record<string, string>> = PROJECT): ContextWorld {
  const label = (name: string) => JSON.stringify({ name, description: `How to ${name}.`, targets: ['claude'] })
  const machine = makeMachine({
    skills: {
      'gauge-reading/skill.json': label('gauge-reading'),
      'gauge-reading/SKILL.md': '# Reading a gauge\n\nLook at the water.\n',
      'gauge-reading/references/tide table.md': '# Tides\n',
      'gauge-reading/picture.bin': new Uint8Array([0, 255, 1, 254]),
      'linked/skill.json': label('linked'),
      'linked/SKILL.md': '# Linked\n',
    },
  })
  return makeContextWorld(project, { home: machine.home })
}

export function environmentOf({ home }: ContextWorld): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home, ...CODE_CACHE }
}

export type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** The server as a client starts it. */
export function startServer(world: ContextWorld, words: readonly string[] = []): Child {
  const options = { cwd: world.project, env: environmentOf(world), stdio: 'pipe' as const }
  const child = spawn(process.execPath, [CLI, 'mcp', ...words], options)
  atEnd(() => child.kill('SIGKILL'))
  return child
}

export interface HttpServer {
  child: Child
  url: string
  token: string
}

/** The server over HTTP, as soon as it prints its address. Ignores what it prints later. */
export async function startHttp(world: ContextWorld): Promise<HttpServer> {
  const child = startServer(world, ['--http', '--port', '0'])
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    const [, url, token] = /^loadout mcp: (http:\S+)\nloadout mcp: token (\S+)\n/.exec(said) ?? []
    if (url !== undefined && token !== undefined) return { child, url, token }
  }
  throw new Error(`the server did not start: ${said}`)
}

/** A client of the official SDK, with its defaults or with negotiation of the protocol version. */
export async function connect(
  world: ContextWorld,
  { mode, http }: { mode: 'legacy' | 'auto'; http?: HttpServer },
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${http?.token}` }
  const options = { command: process.execPath, args: [CLI, 'mcp'], cwd: world.project, env: environmentOf(world) }
  await client.connect(
    http === undefined
      ? new StdioClientTransport({ ...options, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }),
  )
  atEnd(() => client.close())
  return client
}

/** The text of an answer: all that a tool sends. */
export const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
