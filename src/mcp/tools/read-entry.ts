import * as z from 'zod'
import { defineTool, MOST_CHARACTERS, NAME, PROJECT, placeOf } from '../tool.ts'

export const readEntry = defineTool({
  name: 'read_entry',
  description: 'The text of one thing that search_knowledge or plan_context names.',
  input: z.strictObject({
    id: NAME.describe('payload-id, pack:name/path or skill:name'),
    project: PROJECT,
  }),
  call: async ({ id, project }, call) => {
    const request = { id, ...placeOf(call, project), maxCharacters: MOST_CHARACTERS }
    return (await call.loadout.context.read(request)).value.text
  },
})
