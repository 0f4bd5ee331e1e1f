import { TIERS } from '../../../domain/packs/vocabulary.ts'
import { defineCommand } from '../../command.ts'
import { PACK_ARGUMENT, WORKSPACE_FLAG } from '../../pack-flags.ts'
import { printAnswer } from './answer.ts'

export const packsApprove = defineCommand({
  name: 'packs approve',
  summary: 'let a pack of a workspace be read',
  details:
    'Read it first: what it says can reach a model. It is asked for again when KNOWLEDGE.md changes, with --tree when any file does.',
  args: [PACK_ARGUMENT],
  flags: {
    tier: { kind: 'choice', choices: TIERS, summary: 'how far it opens (default: evidence, all)' },
    tree: { kind: 'switch', summary: 'approve exactly the files that are there now' },
    ...WORKSPACE_FLAG,
  },
  run: ({ args, flags }, loadout) => loadout.approvePack({ pack: args.pack ?? '', ...flags }),
  print: printAnswer,
})
