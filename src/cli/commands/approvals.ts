import type { AdapterList, Answered } from '../../app/loadout.ts'
import { TIERS } from '../../domain/packs/vocabulary.ts'
import { shellWord } from '../../domain/shared/shell-word.ts'
import { defineCommand } from '../command.ts'
import { PACK_ARGUMENT, PROJECT_FLAG } from '../flags.ts'
import { alignRows, lines, printableLine, type Screen } from '../screen.ts'

export const packsApprove = defineCommand({
  name: 'packs approve',
  summary: 'let a pack of a workspace be read',
  details:
    'Read it first: what it says can reach a model. It is asked for again when KNOWLEDGE.md changes, with --tree when any file does.',
  args: [PACK_ARGUMENT],
  flags: {
    tier: { kind: 'choice', choices: TIERS, summary: 'how far it opens (default: evidence, all)' },
    tree: { kind: 'switch', summary: 'approve exactly the files that are there now' },
    ...PROJECT_FLAG,
  },
  run: ({ args, flags }, loadout) => loadout.approvePack({ pack: args.pack ?? '', ...flags }),
  print: printAnswer,
})

export const packsDeny = defineCommand({
  name: 'packs deny',
  summary: 'never read a pack, and do not ask about it again',
  args: [PACK_ARGUMENT],
  flags: PROJECT_FLAG,
  run: ({ args, flags }, loadout) => loadout.denyPack({ pack: args.pack ?? '', project: flags.project }),
  print: printAnswer,
})

export const packsRevoke = defineCommand({
  name: 'packs revoke',
  summary: 'take an approval or a denial back',
  details: 'Works also for a folder that is gone.',
  args: [PACK_ARGUMENT],
  flags: PROJECT_FLAG,
  run: ({ args, flags }, loadout) => loadout.revokeApproval({ pack: args.pack ?? '', project: flags.project }),
  print: printAnswer,
})

/** What approving, denying and revoking say. */
function printAnswer(answer: Answered, screen: Screen): string {
  const name = printableLine(answer.name)
  return lines(screen.strong(sentence(name, answer)), `  ${printableLine(answer.root)}`)
}

function sentence(name: string, { decision, tier, isWholeTree }: Answered): string {
  switch (decision) {
    case 'approved':
      return `${name} is approved up to ${tier}${isWholeTree ? ', for exactly these files' : ''}.`
    case 'denied':
      return `${name} is denied: it is not read, and not asked about again.`
    case 'revoked':
      return `The answer for ${name} is taken back.`
    case 'unchanged':
      return `Nothing was changed for ${name}.`
  }
}

export const adaptersList = defineCommand({
  name: 'adapters list',
  summary: 'the tools a project takes news from, and whether they may run',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.listAdapters({ project: flags.project }),
  print: (value: AdapterList, screen) =>
    lines(
      value.adapters.length === 0 ? 'The project names no adapters in loadout.json.' : describeAdapters(value),
      value.adapters.some(({ trust }) => trust !== 'allowed') &&
        screen.faint('to let them run: loadout adapters allow'),
    ),
})

const TRUST = {
  allowed: 'allowed',
  changed: 'changed since it was allowed',
  unknown: 'not allowed',
  unpinnable: 'cannot be allowed',
} as const

function describeAdapters({ adapters }: AdapterList): string[] {
  return alignRows(
    adapters.flatMap(({ id, file, command, trust, files = [], problems = [] }) =>
      command === undefined
        ? [[id, 'file', `reads ${file ?? 'nothing'}`]]
        : [
            [id, TRUST[trust], `runs ${command.map(shellWord).join(' ')}`],
            ...files.map((path) => ['', '', `  with ${printableLine(path)}`]),
            ...problems.map((problem) => ['', '', `  but ${printableLine(problem)}`]),
          ],
    ),
  )
}

export const adaptersAllow = defineCommand({
  name: 'adapters allow',
  summary: 'let the commands of a project run for its context',
  details:
    'Read them first: loadout adapters list. They run as you. Loadout asks again when a command or one of the files listed changes.',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.allowAdapters({ project: flags.project }),
  print: (value: AdapterList, screen: Screen) =>
    lines(screen.strong('These commands may run on this machine:'), describeCommands(value)),
})

export const adaptersRevoke = defineCommand({
  name: 'adapters revoke',
  summary: 'take that back',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.revokeAdapters({ project: flags.project }),
  print: () => lines('No command of this project runs on this machine.'),
})

function describeCommands({ adapters, projectRoot }: AdapterList): string[] {
  return describeAdapters({ projectRoot, adapters: adapters.filter(({ command }) => command !== undefined) })
}
