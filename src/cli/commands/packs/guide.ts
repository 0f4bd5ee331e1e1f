import { defineCommand } from '../../command.ts'
import { PACK_ARGUMENT, WORKSPACE_FLAG } from '../../pack-flags.ts'
import { printableText } from '../../screen.ts'

export const packsGuide = defineCommand({
  name: 'packs guide',
  summary: 'the guide of a knowledge pack, fenced as data',
  details: 'Ends with 3 when an approval or a yes is missing.',
  args: [PACK_ARGUMENT],
  flags: {
    confirm: { kind: 'switch', summary: 'although it is a draft or disputed' },
    ...WORKSPACE_FLAG,
  },
  run: ({ args, flags: { confirm, project } }, loadout) =>
    loadout.openGuide({ pack: args.pack ?? '', project, isConfirmed: confirm }),
  print: ({ guide }: { guide: string }) => printableText(guide),
})
