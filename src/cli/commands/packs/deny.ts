import { defineCommand } from '../../command.ts'
import { PACK_ARGUMENT, WORKSPACE_FLAG } from '../../pack-flags.ts'
import { printAnswer } from './answer.ts'

export const packsDeny = defineCommand({
  name: 'packs deny',
  summary: 'never read a pack, and do not ask about it again',
  args: [PACK_ARGUMENT],
  flags: WORKSPACE_FLAG,
  run: ({ args, flags }, loadout) => loadout.denyPack({ pack: args.pack ?? '', project: flags.project }),
  print: printAnswer,
})
