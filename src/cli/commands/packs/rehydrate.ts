import type { RehydratedContext } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { printableText } from '../../screen.ts'

export const packsRehydrate = defineCommand({
  name: 'packs rehydrate',
  summary: 'a recorded context once more, byte for byte',
  details:
    'Prints nothing of it when a file that was used has changed since, and refuses when an approval was taken back.',
  args: [{ name: 'record', summary: 'what packs resolve printed; its start is enough', required: true }],
  flags: {},
  run: ({ args }, loadout) => loadout.rehydrate({ id: args.record ?? '' }),
  print: ({ wrappers }: RehydratedContext) => wrappers.map(({ text }) => printableText(text)).join(''),
})
