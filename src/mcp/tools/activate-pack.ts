import * as z from 'zod'
import { isToldElsewhere, newWrappers } from '../../display-rules.ts'
import { failWith, retell } from '../../text/trouble.ts'
import { defineTool, MOST_CHARACTERS, NAME, PROJECT, TASK, warningsOf } from '../tool.ts'

export const activatePack = defineTool({
  name: 'activate_pack',
  description:
    'What a knowledge pack says about a question, fenced; without one its guide and files. An unapproved pack is refused, with the command to approve it.',
  input: z.strictObject({
    pack: NAME,
    question: TASK.optional(),
    cite: z.boolean().optional(),
    deep: z.boolean().optional(),
    need: z.array(z.string()).max(20).optional(),
    confirm: z.boolean().optional().describe('The user agreed'),
    max_tokens: z.int().min(1).max(50_000).optional(),
    project: PROJECT,
  }),
  call: async ({ pack, question, cite, deep, need, confirm, max_tokens: budget, project }, call) => {
    const place = { pack, project: project ?? call.project }
    if (question === undefined) {
      const request = { ...place, isConfirmed: confirm, maxCharacters: MOST_CHARACTERS }
      return (await call.loadout.knowledge.openGuide(request)).value.guide
    }
    const { value, findings } = await call.loadout.knowledge.resolvePacks({
      task: question,
      packs: [pack],
      cite,
      deep,
      needs: need,
      confirmed: confirm ? [pack] : [],
      budget,
      project: place.project,
    })
    const [shut] = value.refused
    if (value.active.length === 0 && shut !== undefined) {
      const about = findings.find(({ subject }) => subject === shut.name)
      throw about === undefined ? failWith('PACK_REFUSED/shut', { message: shut.message }) : retell(about)
    }
    // A wrapper already contains the findings about its own content.
    const untold = findings.filter(
      (each) => !isToldElsewhere(each, value) && each.code !== 'pack.substituted' && each.code !== 'claim.disputed',
    )
    // A wrapper also names what is missing.
    const texts = newWrappers(value).map((wrapper) => wrapper.text)
    const text = [...texts, ...warningsOf(untold).map((line) => `${line}\n`)].join('')
    return text || 'The pack has nothing for this question.\n'
  },
})
