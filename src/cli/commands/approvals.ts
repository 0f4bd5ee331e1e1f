import type { AdapterList, Answered, PackList } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { failWith, type Report, report } from '../../text/trouble.ts'
import { type Argument, defineCommand, isYes, PROJECT_FLAG, YES_FLAG } from '../command.ts'
import { alignRows, count, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

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

export const trustCommands = [
  defineCommand({
    name: 'trust',
    summary: 'trust the publisher of skills, or list who is trusted',
    details:
      'Allows every skill from this address, now and later, to do the kinds of things that its skills in the library can do\nnow. Anything of another kind is asked about again, and text that misleads always is. Only the address counts: a\nrepository that moves is a new publisher.',
    args: [{ name: 'source', summary: 'owner/repo, or the address of the repository' }],
    flags: { isOff: { name: 'off', kind: 'switch', summary: 'take the trust back' } },
    run: ({ request }, loadout) => loadout.skills.trust(request),
    print: (publishers, screen) =>
      publishers.length === 0
        ? lines('No publisher of skills is trusted on this machine.')
        : lines(
            publishers.flatMap(({ name, skills, allowed }) => [
              screen.strong(printableLine(name)),
              `  ${printableLine(`may: ${allowed.join(', ') || 'nothing yet'}`)}`,
              ...wrap(`skills: ${skills.join(', ')}`, 2),
            ]),
          ),
  }),
  defineCommand({
    name: 'approve',
    aliases: aliasesOf('approve', 'allow'),
    summary: 'allow a pack to be read, an adapter to run or a skill to be installed',
    details:
      'Review it first: the text of a pack can reach a model, and a command runs with your rights. An imported skill needs approval when it can do more than inform: loadout show shows what. The approval covers exactly that: Loadout asks again about what is new or changed, and for a pack or an adapter when one of its files is changed, added or removed.',
    args: [{ ...WHAT, rest: 'names' }],
    flags: {
      waiting: { kind: 'switch', summary: 'every skill that waits for an answer; with --kind pack, every pack' },
      follow: { kind: 'switch', summary: 'trust later changes of a pack too, for packs you write yourself' },
      tree: { kind: 'switch', summary: 'the default', isUnlisted: true },
      ...YES_FLAG,
      ...WHICH,
    },
    run: async (
      { words, flags: { tree: _, yes, ...flags }, ask },
      loadout,
    ): Promise<Report<Answered[] | Pick<PackList, 'waiting'>>> => {
      if (flags.waiting && flags.kind === 'pack') {
        const { waiting } = (await loadout.knowledge.listPacks({ project: flags.project })).value
        const all = count(waiting.length, 'pack')
        const what = waiting.map(summaryOf).join('\n')
        const isAsked = waiting.length > 0 && !yes
        if (isAsked && ask === undefined)
          return { value: { waiting }, findings: [report('APPROVAL_NEEDED/packs', { all })] }
        if (isAsked && !isYes(ask!(`${what}\n\nApprove ${all}? [y/N] `))) throw failWith('NOT_CONFIRMED')
      }
      return answerAll(words, (what) => loadout.agents.approve({ what, ...flags }))
    },
    isWaiting: (value) => 'waiting' in value,
    print: (value, screen) => ('waiting' in value ? lines(value.waiting.map(summaryOf)) : printAnswers(value, screen)),
    toJson: (value) => ('waiting' in value ? value : singleAnswer(value)),
  }),
  defineCommand({
    name: 'deny',
    aliases: aliasesOf('deny', 'deny'),
    summary: 'never read a pack, run an adapter or install a skill',
    args: [{ ...WHAT, rest: 'names' }],
    flags: WHICH,
    run: ({ words, flags }, loadout) => answerAll(words, (what) => loadout.agents.deny({ what, ...flags })),
    print: printAnswers,
    toJson: singleAnswer,
  }),
  defineCommand({
    name: 'revoke',
    aliases: aliasesOf('revoke', 'revoke'),
    summary: 'revoke an approval or a denial',
    details: 'Also works for a folder that no longer exists.',
    args: [{ ...WHAT, rest: 'names' }],
    flags: WHICH,
    run: ({ words, flags }, loadout) => answerAll(words, (what) => loadout.agents.revoke({ what, ...flags })),
    print: printAnswers,
    toJson: singleAnswer,
  }),
  defineCommand({
    name: 'adapters list',
    summary: 'list the adapters of a project, and whether they may run',
    args: [],
    flags: PROJECT_FLAG,
    run: ({ request }, loadout) => loadout.knowledge.listAdapters(request),
    print: (value, screen) =>
      lines(
        value.adapters.length === 0 ? 'loadout.json of this project has no adapters.' : describeAdapters(value),
        value.adapters.some(({ trust }) => trust !== 'allowed') &&
          screen.faint('to allow one: loadout approve adapter:<name>'),
      ),
  }),
]

/** What a person needs to know about a pack before they agree. */
function summaryOf({ name, root, description, says, files, bytes, changes, wouldShadow }: PackList['waiting'][number]) {
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
  return [
    `${printableLine(name)}: ${count(files, 'file')}, ${size}; ${printableLine(says)}`,
    `  ${printableLine(root)}`,
    ...wrap(shorten(printableLine(description), 300), 2),
    ...(changes.length > 0 ? wrap(`changed: ${printableLine(changes.slice(0, 5).join(', '))}`, 2) : []),
    ...(wouldShadow ? ['  would override another pack of this name'] : []),
  ].join('\n')
}

/** Nothing named: the call decides what that means. */
async function answerAll(
  words: readonly string[],
  answer: (what: string | undefined) => Promise<Report<Answered[]>>,
): Promise<Report<Answered[]>> {
  const all: Report<Answered[]> = { value: [], findings: [] }
  for (const what of words.length === 0 ? [undefined] : words) {
    const { value, findings } = await answer(what)
    all.value.push(...value)
    all.findings.push(...findings)
  }
  return all
}

/** One decision, unless several were meant. */
function singleAnswer(answers: readonly Answered[]): unknown {
  const [first, second] = answers
  if (first !== undefined && first.kind !== 'adapter') return second === undefined ? first : { answers }
  return { adapters: answers }
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
    ...(answer.review ?? []).slice(0, MOST_FILES).map((each) => `    ${printableLine(each)}`),
    ...(answer.review !== undefined && answer.review.length > MOST_FILES
      ? [`    and ${answer.review.length - MOST_FILES} more`]
      : []),
    ...files.slice(0, answer.review === undefined ? MOST_FILES : 0).map((path) => `    ${printableLine(path)}`),
    ...(more > 0 && answer.review === undefined ? [`    and ${more} more files`] : []),
  ]
}

function sentence(name: string, { decision, kind, isWholeTree, files = [] }: Answered): string {
  const covered = files.length === 1 ? 'this file' : 'these files'
  switch (decision) {
    case 'approved':
      if (kind === 'adapter')
        return `The adapter ${name} may run on this machine${files.length > 0 ? `, with exactly ${covered}` : ''}:`
      if (kind === 'skill') return `${name} may be installed on this machine, with what it can do now:`
      if (kind === 'rule')
        return `The rule ${name} may be given to agents on this machine, with exactly its present text.`
      return `${name} is approved, ${isWholeTree ? `for exactly ${covered}` : 'with all later changes'}.`
    case 'denied':
      if (kind === 'skill' || kind === 'rule') return `${name} is denied: it will not be installed.`
      return kind === 'pack'
        ? `${name} is denied: Loadout will not read it or ask again.`
        : `The adapter ${name} is denied: its command will not run.`
    case 'revoked':
      return `The decision about ${name} was revoked.`
    case 'unchanged':
      return `Nothing was changed for ${name}.`
  }
}

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
