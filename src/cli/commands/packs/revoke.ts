import { defineCommand } from '../../command.ts'
import { PACK_ARGUMENT, WORKSPACE_FLAG } from '../../pack-flags.ts'
import { printAnswer } from './answer.ts'

export const packsRevoke = defineCommand({
  name: 'packs revoke',
  summary: 'take an approval or a denial back',
  details: 'Works also for a folder that is gone.',
  args: [PACK_ARGUMENT],
  flags: WORKSPACE_FLAG,
  run: ({ args, flags }, loadout) => loadout.revokeApproval({ pack: args.pack ?? '', project: flags.project }),
  print: printAnswer,
})
