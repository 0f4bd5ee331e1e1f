import { randomBytes } from 'node:crypto'
import { createLoadout } from '../../loadout.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { defineCommand, PROJECT_FLAG } from '../command.ts'

const USUAL_PORT = 8417
const SHORTEST_TOKEN = 16

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'serve agents over the Model Context Protocol',
  details:
    'Over standard input and output, until the client goes. With --http on 127.0.0.1 for programs that have the token: $LOADOUT_MCP_TOKEN, or a new one that is shown once.',
  args: [],
  flags: {
    http: { kind: 'switch', summary: 'over HTTP instead' },
    port: { kind: 'number', value: 'n', summary: `of HTTP; 0 takes any (default: ${USUAL_PORT})` },
    ...PROJECT_FLAG,
  },
  run: async ({ flags: { http, port, project }, asJson, signal }) => {
    if (asJson) throw new LoadoutError('USAGE', 'mcp prints nothing that could be JSON', { hint: 'leave out --json' })
    if (port !== undefined && !http) {
      throw new LoadoutError('USAGE', '--port is for HTTP', { hint: 'loadout mcp --http --port 0' })
    }
    const loadout = createLoadout({ caller: { via: 'mcp', session: http ? undefined : sessionOf(process.env) } })
    // A folder that is not there is told now, not to every call.
    loadout.nameLayers({ project })
    const { serve } = await import('../../mcp/main.ts')
    if (!http) await serve({ loadout, project, signal })
    else {
      const token = readToken(process.env.LOADOUT_MCP_TOKEN)
      await serve({ loadout, project, signal, http: { port: port ?? USUAL_PORT, token } })
    }
    return { value: {}, findings: [] }
  },
  print: () => '',
})

/** The conversation that started the server, by the name its hooks know it by where the agent tells; else a new one. */
function sessionOf({ CLAUDE_CODE_SESSION_ID: told }: NodeJS.ProcessEnv): string {
  return told || randomBytes(8).toString('hex')
}

function readToken(given: string | undefined): string | undefined {
  if (!given || (given.length >= SHORTEST_TOKEN && /^[\x21-\x7e]+$/.test(given))) return given || undefined
  throw new LoadoutError('USAGE', `LOADOUT_MCP_TOKEN needs ${SHORTEST_TOKEN} characters or more, and no blanks`, {
    hint: 'openssl rand -hex 32 makes a good one; unset it, and every start makes its own',
  })
}
