import * as z from 'zod'
import { pointerText } from '../../display-rules.ts'
import { describeWhy, type SearchHit } from '../../loadout.ts'
import { printableLine } from '../../text/printable.ts'
import { cap, defineTool, formatFinding, MOST_WARNINGS, PROJECT, placeOf } from '../tool.ts'

const LONGEST_QUERY = 2_000
const USUAL = 10

export const searchKnowledge = defineTool({
  name: 'search_knowledge',
  description:
    'Searches payloads, packs, their sections, and skills; best first, to be read with read_entry. `files`: places in the project. A hit with `needs` is shut until the user runs that.',
  input: z.strictObject({
    query: z.string().regex(/\S/).max(LONGEST_QUERY),
    limit: z.int().min(1).max(50).optional(),
    project: PROJECT,
  }),
  call: async ({ query, limit = USUAL, project }, call) => {
    const { value, findings } = await call.loadout.search({ query, limit, ...placeOf(call, project) })
    const warnings = cap(findings.map(formatFinding), MOST_WARNINGS, 'warnings are')
    const files = value.files.map((pointer) => pointerText(pointer, printableLine))
    const sections = value.sections.map(({ id, title, confidence }) => {
      return { id: printableLine(id), kind: 'section', summary: printableLine(title), confidence, why: 'its text' }
    })
    return {
      hits: [...value.hits.map(describeHit), ...sections],
      files,
      warnings: [...warnings.shown, ...warnings.cut],
    }
  },
})

function describeHit(hit: SearchHit) {
  const { id, kind, summary, confidence, why } = hit
  return {
    id,
    kind,
    summary: printableLine(summary),
    confidence: Math.round(confidence * 100) / 100,
    why: describeWhy(why),
    ...(hit.kind === 'pack' ? { status: hit.status, trust: hit.trust } : {}),
    ...(hit.kind === 'pack' && hit.admission !== 'admitted' ? { needs: hit.next } : {}),
  }
}
