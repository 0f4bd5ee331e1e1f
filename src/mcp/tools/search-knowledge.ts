import * as z from 'zod'
import { pointerText } from '../../display-rules.ts'
import { describeWhy } from '../../loadout.ts'
import { printableLine } from '../../text/printable.ts'
import { defineTool, PROJECT, placeOf, warningsOf } from '../tool.ts'

export const searchKnowledge = defineTool({
  name: 'search_knowledge',
  description:
    'Searches payloads, packs, their sections, and skills; best first, to be read with read_entry. `files`: places in the project. A hit with `needs` is shut until the user runs that.',
  input: z.strictObject({
    query: z.string().regex(/\S/).max(2_000),
    limit: z.int().min(1).max(50).optional(),
    project: PROJECT,
  }),
  call: async ({ query, limit = 10, project }, call) => {
    const { value, findings } = await call.loadout.context.search({ query, limit, ...placeOf(call, project) })
    const files = value.files.map((pointer) => pointerText(pointer, printableLine))
    const sections = value.sections.map(({ id, title, confidence }) => {
      return { id: printableLine(id), kind: 'section', summary: printableLine(title), confidence, why: 'its text' }
    })
    const hits = value.hits.map((hit) => {
      const { id, kind, summary, confidence, why } = hit
      return {
        id,
        kind,
        summary: printableLine(summary),
        confidence: Math.round(confidence * 100) / 100,
        why: describeWhy(why),
        status: hit.kind === 'pack' ? hit.status : undefined,
        trust: hit.kind === 'pack' ? hit.trust : undefined,
        needs: hit.kind === 'pack' && hit.admission !== 'admitted' ? hit.next : undefined,
      }
    })
    return { hits: [...hits, ...sections], files, warnings: warningsOf(findings) }
  },
})
