import * as z from 'zod'
import { describeWhy } from '../../domain/routing/ranked.ts'
import { PROJECT, placeOf } from '../fields.ts'
import { defineTool } from '../tool.ts'

const LONGEST_QUERY = 2_000
const USUAL = 10

export const searchKnowledge = defineTool({
  name: 'search_knowledge',
  description: 'Searches payloads, packs and skills for words; best first, to be read with read_entry.',
  input: z.strictObject({
    query: z.string().regex(/\S/).max(LONGEST_QUERY),
    limit: z.int().min(1).max(50).optional(),
    project: PROJECT,
  }),
  output: z.object({
    hits: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        summary: z.string(),
        confidence: z.number(),
        why: z.string(),
      }),
    ),
  }),
  call: async ({ query, limit = USUAL, project }, call) => {
    const { value } = await call.loadout.search({ query, limit, ...placeOf(call, project) })
    const hits = value.hits.map(({ id, kind, summary, confidence, why }) => ({
      id,
      kind,
      summary,
      confidence: Math.round(confidence * 100) / 100,
      why: describeWhy(why),
    }))
    return { hits }
  },
})
