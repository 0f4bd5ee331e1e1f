import { TIERS } from '../../display-rules.ts'
import type { AdapterList, Answered } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { type Argument, defineCommand, PROJECT_FLAG } from '../command.ts'
import { alignRows, lines, printableLine, type Screen } from '../screen.ts'

const WHAT: Argument = {
  name: 'what',
  summary: 'pack:<name>, adapter:<name>, skill:<name>, a name, or the path of a pack',
}

const WHICH = {
  kind: { kind: 'choice', choices: ['pack', 'adapter', 'skill'], summary: 'only this kind', isUnlisted: true },
  ...PROJECT_FLAG,
} as const

/** Names in earlier versions; `adapters allow` approves every adapter of the project. */
const aliasesOf = (packs: string, adapters: string) => ({
  [`packs ${packs}`]: ['--kind', 'pack'],
  [`adapters ${adapters}`]: ['--kind', 'adapter'],
})

export const approve = defineCommand({
  name: 'approve',
  aliases: aliasesOf('approve', 'allow'),
  summary: 'allow a pack to be read, an adapter to run or a skill to be installed',
  details:
    'Review it first: the text of a pack can reach a model, and a command runs with your rights. An imported skill needs approval only when Loadout found something dangerous in it. The approval covers exactly the current files: Loadout asks again when one of them is changed, added or removed.',
  args: [WHAT],
  flags: {
    tier: { kind: 'choice', choices: TIERS, summary: 'how much of a pack may be read (default: evidence, everything)' },
    follow: { kind: 'switch', summary: 'trust later changes of a pack too, for packs you write yourself' },
    tree: { kind: 'switch', summary: 'the default', isUnlisted: true },
    ...WHICH,
  },
  run: ({ args, flags: { tree: _, ...flags } }, loadout) => loadout.approve({ what: args.what, ...flags }),
  print: printAnswers,
  toJson: singleAnswer,
})

export const deny = defineCommand({
  name: 'deny',
  aliases: aliasesOf('deny', 'deny'),
  summary: 'never read a pack, run an adapter or install a skill',
  args: [WHAT],
  flags: WHICH,
  run: ({ args, flags }, loadout) => loadout.deny({ what: args.what, ...flags }),
  print: printAnswers,
  toJson: singleAnswer,
})

export const revoke = defineCommand({
  name: 'revoke',
  aliases: aliasesOf('revoke', 'revoke'),
  summary: 'revoke an approval or a denial',
  details: 'Also works for a folder that no longer exists.',
  args: [WHAT],
  flags: WHICH,
  run: ({ args, flags }, loadout) => loadout.revoke({ what: args.what, ...flags }),
  print: printAnswers,
  toJson: singleAnswer,
})

/** One decision, unless all adapters were meant. */
function singleAnswer(answers: readonly Answered[]): unknown {
  const [first, second] = answers
  return first !== undefined && first.kind !== 'adapter' && second === undefined ? first : { adapters: answers }
}

function printAnswers(answers: readonly Answered[], screen: Screen): string {
  if (answers.length === 0) return lines('There was nothing to revoke.')
  return lines(...answers.flatMap((answer) => printAnswer(answer, screen)))
}

const MOST_FILES = 20

function printAnswer(answer: Answered, screen: Screen): string[] {
  const { files = [], command, root, kind } = answer
  const more = files.length - MOST_FILES
  return [
    screen.strong(sentence(printableLine(answer.name), answer)),
    `  ${kind === 'adapter' && command !== undefined ? `runs ${command.map(shellWord).map(printableLine).join(' ')}` : printableLine(root)}`,
    ...(answer.review ?? []).map((each) => `    ${printableLine(each)}`),
    ...files.slice(0, answer.review === undefined ? MOST_FILES : 0).map((path) => `    ${printableLine(path)}`),
    ...(more > 0 && answer.review === undefined ? [`    and ${more} more files`] : []),
  ]
}

function sentence(name: string, { decision, kind, tier, isWholeTree, files = [] }: Answered): string {
  const covered = files.length === 1 ? 'this file' : 'these files'
  switch (decision) {
    case 'approved':
      if (kind === 'adapter')
        return `The adapter ${name} may run on this machine${files.length > 0 ? `, with exactly ${covered}` : ''}:`
      if (kind === 'skill') return `${name} may be installed on this machine, as long as these places do not change:`
      return `${name} is approved up to ${tier}, ${isWholeTree ? `for exactly ${covered}` : 'with all later changes'}.`
    case 'denied':
      if (kind === 'skill') return `${name} is denied: it will not be installed.`
      return kind === 'pack'
        ? `${name} is denied: Loadout will not read it or ask again.`
        : `The adapter ${name} is denied: its command will not run.`
    case 'revoked':
      return `The decision about ${name} was revoked.`
    case 'unchanged':
      return `Nothing was changed for ${name}.`
  }
}

export const adaptersList = defineCommand({
  name: 'adapters list',
  summary: 'list the adapters of a project, and whether they may run',
  args: [],
  flags: { ...PROJECT_FLAG },
  run: ({ flags }, loadout) => loadout.listAdapters({ project: flags.project }),
  print: (value: AdapterList, screen) =>
    lines(
      value.adapters.length === 0 ? 'loadout.json of this project has no adapters.' : describeAdapters(value),
      value.adapters.some(({ trust }) => trust !== 'allowed') &&
        screen.faint('to allow one: loadout approve adapter:<name>'),
    ),
})

const TRUST = {
  allowed: 'approved',
  changed: 'changed since it was approved',
  unknown: 'not approved',
  unpinnable: 'cannot be approved',
  denied: 'denied',
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
