import { randomBytes } from 'node:crypto'
import { createLoadout } from '../../loadout.ts'
import { failWith } from '../../text/trouble.ts'
import { defineCommand, PROJECT_FLAG } from '../command.ts'

const USUAL_PORT = 8417
const SHORTEST_TOKEN = 16

export const mcp = defineCommand({
  name: 'mcp',
  keepsPaths: true,
  summary: 'serve agents over the Model Context Protocol',
  details:
    'Uses standard input and output, until the client disconnects. With --http it listens on 127.0.0.1, for programs with the token: $LOADOUT_MCP_TOKEN, or a new one that it prints once.',
  args: [],
  flags: {
    http: { kind: 'switch', summary: 'use HTTP instead' },
    port: { kind: 'number', value: 'n', summary: `HTTP port; 0 for any free port (default: ${USUAL_PORT})` },
    ...PROJECT_FLAG,
  },
  run: async ({ flags: { http, port, project }, asJson, control: { signal } }) => {
    if (asJson) throw failWith('USAGE/mcp-json')
    if (port !== undefined && !http) {
      throw failWith('USAGE/port')
    }
    // The agent's own name for its conversation if known, as in its hooks; otherwise a new one.
    const conversation = process.env.CLAUDE_CODE_SESSION_ID || randomBytes(8).toString('hex')
    const loadout = createLoadout({ persist: true, caller: { via: 'mcp', session: http ? undefined : conversation } })
    // Report a missing folder now, not at every call.
    loadout.knowledge.nameLayers({ project })
    const { serve } = await import('../../mcp/main.ts')
    if (!http) await serve({ loadout, project, signal })
    else {
      const token = process.env.LOADOUT_MCP_TOKEN || undefined
      if (token !== undefined && !(token.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(token))) {
        throw failWith('USAGE/mcp-token', { least: SHORTEST_TOKEN })
      }
      await serve({ loadout, project, signal, http: { port: port ?? USUAL_PORT, token } })
    }
    return { value: {}, findings: [] }
  },
  print: () => '',
})

const PAGE_PORT = 8419

export const web = defineCommand({
  name: 'web',
  summary: 'show agents, bundles, usage and skills in a browser',
  details:
    'Serves a page on 127.0.0.1 until ctrl-c. Only the address that it prints opens the page, because it contains\n' +
    'a token; each start makes a new one. Nothing leaves this machine.',
  args: [],
  flags: {
    port: { kind: 'number', value: 'n', summary: `the port; 0 for any free port (default: ${PAGE_PORT})` },
    open: { kind: 'switch', summary: 'open the page in the browser' },
    ...PROJECT_FLAG,
  },
  run: async ({ flags: { port = PAGE_PORT, open, project }, asJson, control: { signal } }) => {
    if (asJson) throw failWith('USAGE/web-json')
    const loadout = createLoadout({ persist: true })
    // Report a missing folder now, not at every request.
    loadout.knowledge.nameLayers({ project })
    const { project: around } = project === undefined ? await loadout.agents.detectProject({}) : { project }
    const { serveWeb } = await import('../../web/main.ts')
    const tell = (text: string) => void process.stderr.write(`${text}\n`)
    await serveWeb({ port, project: around, isOpened: open === true, signal, tell })
    return { value: {}, findings: [] }
  },
  print: () => '',
})
