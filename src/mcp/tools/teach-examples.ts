import * as z from 'zod'
import { TEACHING_INSTRUCTIONS } from '../../display-rules.ts'
import { printableLine } from '../../text/printable.ts'
import { defineTool, PROJECT, placeOf, warningsOf } from '../tool.ts'

const PROMPTS = z.array(z.string()).max(40)

/** Teaches a library of any size in one conversation: takes the written examples, returns the next entries. */
export const teachExamples = defineTool({
  name: 'teach_examples',
  description:
    'Writes example prompts; gives the next entries without. Only when the user asks to teach: call without examples, then with what you wrote, until none is left.',
  input: z.strictObject({
    examples: z
      .array(z.strictObject({ id: z.string(), prompts: PROMPTS, not: PROMPTS.optional() }))
      .max(50)
      .optional(),
    skip: z.array(z.string()).optional(),
    limit: z.int().min(0).max(20).optional(),
    project: PROJECT,
  }),
  isWriting: true,
  call: async ({ examples = [], skip, limit = 8, project }, call) => {
    const place = placeOf(call, project)
    const items = examples.map(({ id, prompts, not = [] }) => ({ id, prompts, negatives: not }))
    const done =
      items.length === 0 ? undefined : await call.loadout.knowledge.teach({ ...place, items, origin: 'agent' })
    const { value, findings } = await call.loadout.knowledge.nextTeaching({ ...place, limit, skip })
    const taught = (done?.value.taught ?? []).reduce(
      (sum, each) => sum + each.prompts.length + each.negatives.length,
      0,
    )
    return {
      taught,
      entries: value.tasks.map(({ id, description, wanted }) => {
        return { id: printableLine(id), description: printableLine(description), wanted }
      }),
      left: value.left,
      how: done === undefined ? TEACHING_INSTRUCTIONS : undefined,
      warnings: warningsOf([...(done?.findings ?? []), ...findings]),
    }
  },
})

export const TEACHING_PROMPT = `Teach Loadout what its skills, packs and payloads are for.

1. Call the tool teach_examples without arguments. It gives some entries, and in \`left\` how many there are behind them.
2. Write prompts for each entry, then call teach_examples with them as \`examples\`. It writes them down and gives the next entries.
3. Go on until it gives no entries. An entry that you cannot write about goes into \`skip\`.
4. Say in two sentences what was taught, and what was refused and why.

${TEACHING_INSTRUCTIONS}`
