import * as z from 'zod'
import { defineTool, NAME, PROJECT, warningsOf } from '../tool.ts'

export const compilePack = defineTool({
  name: 'compile_pack',
  description:
    'Only when the user asks to compile a pack: call without `answer` for the task, then with what you wrote.',
  input: z.strictObject({ pack: NAME, answer: z.any().optional(), project: PROJECT }),
  isWriting: true,
  call: async ({ pack, answer, project }, { loadout, project: usual }) => {
    const request = { pack, project: project ?? usual }
    if (answer === undefined) {
      const giveBack = 'Then call the tool compile_pack again, with the same `pack` and the object as `answer`.'
      const { value } = await loadout.knowledge.exportCompile({ ...request, giveBack })
      return value.text
    }
    const given = typeof answer === 'string' ? answer : JSON.stringify(answer)
    const { value, findings } = await loadout.knowledge.importCompile({ ...request, text: given })
    const next = value.next.map((command) => `the user runs: ${command}`)
    const done = value.written.length === 0 ? 'Nothing was written.' : 'The views were written.'
    return [done, ...warningsOf(findings), ...value.written, ...next].join('\n')
  },
})
