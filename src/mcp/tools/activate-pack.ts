import * as z from 'zod'
import { defineTool, NAME, PROJECT } from '../tool.ts'
import { MOST_CHARACTERS } from './read-entry.ts'

export const activatePack = defineTool({
  name: 'activate_pack',
  description:
    'The guide of a knowledge pack and the list of its files, fenced. A pack that nobody approved is refused, with the command that a person runs to approve it.',
  input: z.strictObject({ pack: NAME, project: PROJECT }),
  output: z.object({ name: z.string(), text: z.string(), warnings: z.array(z.string()) }),
  call: async ({ pack, project }, { loadout, project: usual }) => {
    const { value, findings } = await loadout.openGuide({
      pack,
      project: project ?? usual,
      maxCharacters: MOST_CHARACTERS,
    })
    return { name: value.name, text: value.guide, warnings: findings.map(({ message }) => message) }
  },
  toText: ({ text }) => text,
})
