import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { TASK } from './fields.ts'
import { orProtocolError } from './problem.ts'
import type { Desk } from './tool.ts'
import { buildFitting } from './tools/fitting-bundle.ts'

/** For people, who choose it by name: a task together with what it needs. */
export function servePrompts(mcp: McpServer, { loadout, project }: Desk): void {
  mcp.registerPrompt(
    'load-context',
    {
      description: 'A task, together with what this project knows about it',
      argsSchema: z.object({ task: TASK.describe('What is to be done') }),
    },
    ({ task }, { mcpReq }) =>
      orProtocolError(async () => {
        const { value } = await buildFitting(loadout.buildContext, { task, project, signal: mcpReq.signal })
        const say = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })
        return { messages: [value.renderings.markdown, task].filter((text) => text !== '').map(say) }
      }),
  )
}
