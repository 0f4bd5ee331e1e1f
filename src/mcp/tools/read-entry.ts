import * as z from 'zod'
import { defineTool, MOST_CHARACTERS, NAME, PROJECT, placeOf } from '../tool.ts'

export const readEntry = defineTool({
  name: 'read_entry',
  description: 'The text of one thing that search_knowledge or plan_context names.',
  input: z.strictObject({
    id: NAME.describe('payload-id, pack:name/path or skill:name'),
    project: PROJECT,
  }),
  output: z.object({
    id: z.string(),
    kind: z.string(),
    path: z.string(),
    tokens: z.number(),
    text: z.string(),
    cut: z.string().optional(),
  }),
  call: async ({ id, project }, call) => {
    const request = { id, ...placeOf(call, project), maxCharacters: MOST_CHARACTERS }
    const { value } = await call.loadout.read(request)
    const { kind, path, tokens, text, cut } = value
    const note = cut && { cut: `the first ${cut.characters} of ${cut.of} characters` }
    return { id: value.id, kind, path, tokens, text, ...note }
  },
  toText: ({ text }) => text,
})
