import type { Loadout, TeachExport, Teaching, TeachStatus } from '../../loadout.ts'
import { LoadoutError, type Report } from '../../text/trouble.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, defineCommand, type Input, LAYER_FLAGS } from '../command.ts'
import { alignRows, count, lines, printableLine, type Screen } from '../screen.ts'

const FLAGS = {
  not: { kind: 'switch', summary: 'the entry must not match these prompts' },
  export: { kind: 'switch', summary: 'print the task for an agent to write examples, or write it to [what]' },
  import: { kind: 'switch', summary: 'read the answer of an agent from the file [what]; - reads standard input' },
  status: { kind: 'switch', summary: 'show how many examples each entry has, and which are stale' },
  renew: { kind: 'switch', summary: 'confirm that the examples still fit their changed descriptions' },
  ...DRY_RUN_FLAG,
  ...COMMIT_FLAGS,
  ...LAYER_FLAGS,
} as const

export const teach = defineCommand({
  name: 'teach',
  summary: 'add example prompts to an entry, to improve the search',
  details: `loadout teach skill:notes "what changed since the last tag?" "write release notes" adds two prompts by hand.
loadout teach --export tasks.md writes a file for an agent; loadout teach --import answer.txt reads its answer.
Over MCP the prompt "teach" does the same in one conversation.
Ten prompts per entry are enough. Loadout stores examples beside the entries, never inside them: in examples/ of the
library, in .claude/loadout/examples.jsonl of the project, and for entries of others in the state folder.`,
  args: [
    {
      name: 'what',
      summary: 'skill:x, pack:x, payload:x, a name that only one of them has, or a file',
      complete: 'file',
    },
    { name: 'prompt', summary: 'what a person would type, each in quotes', rest: true },
  ],
  flags: FLAGS,
  run: (input, loadout): Promise<Report<Answer>> => {
    const { flags } = input
    const modes = (['export', 'import', 'status', 'renew'] as const).filter((mode) => flags[mode])
    if (modes.length > 1) throw misuse(`--${modes[0]} and --${modes[1]} cannot be combined`)
    return RUNS[modes[0] ?? 'hand'](input, loadout)
  },
  print: (value: Answer, screen) => {
    if ('text' in value) return printExport(value)
    return 'entries' in value ? printStatus(value, screen) : printTeaching(value)
  },
  toJson: (value: Answer) => {
    if (!('text' in value)) return value
    const { text: _, ...rest } = value
    return rest
  },
})

type Answer = Teaching | TeachExport | TeachStatus
type Run = (input: Input<typeof FLAGS>, loadout: Loadout) => Promise<Report<Answer>>

function placeOf({ flags }: Input<typeof FLAGS>, loadout: Loadout) {
  return { project: flags.project, layers: loadout.nameLayers(flags) }
}

function changeOf({ flags }: Input<typeof FLAGS>) {
  return { dryRun: flags['dry-run'] ?? false, commit: commitChoice(flags) }
}

const RUNS: Record<'export' | 'import' | 'status' | 'renew' | 'hand', Run> = {
  hand: (input, loadout) => {
    const [id, ...prompts] = input.words
    if (id === undefined) throw misuse('<what> is missing: an entry, or --export, --import, --status')
    if (prompts.length === 0)
      throw misuse(`a prompt is missing: loadout teach ${printableLine(id)} "what a person types"`)
    const isNegative = input.flags.not ?? false
    const item = { id, prompts: isNegative ? [] : prompts, negatives: isNegative ? prompts : [] }
    return loadout.teach({ ...placeOf(input, loadout), ...changeOf(input), items: [item], origin: 'hand' })
  },
  export: (input, loadout) => {
    const isId = (word: string) => /^(?:skill|pack|payload):/.test(word)
    const [out, other] = input.words.filter((word) => !isId(word))
    if (other !== undefined) throw misuse(`Unexpected argument: ${printableLine(other)}`)
    const ids = input.words.filter(isId)
    return loadout.exportTeaching({ ...placeOf(input, loadout), out, ids })
  },
  import: (input, loadout) => {
    const [file, other] = input.words
    if (file === undefined) throw misuse('--import needs a file, or - for standard input')
    if (other !== undefined) throw misuse(`Unexpected argument: ${printableLine(other)}`)
    const source = file === '-' ? { text: input.readStdin() } : { file }
    return loadout.importTeaching({ ...placeOf(input, loadout), ...changeOf(input), ...source })
  },
  status: (input, loadout) => {
    if (input.words.length > 0) throw misuse(`Unexpected argument: ${printableLine(input.words[0] ?? '')}`)
    return loadout.teachStatus(placeOf(input, loadout))
  },
  renew: (input, loadout) => {
    if (input.words.length === 0) throw misuse('--renew needs at least one entry')
    return loadout.renewTeaching({ ...placeOf(input, loadout), ...changeOf(input), ids: input.words })
  },
}

function misuse(message: string): LoadoutError {
  return new LoadoutError('USAGE', message, { hint: 'loadout help teach' })
}

const MOST_LISTED = 20

function printTeaching({ taught, commit, isDryRun }: Teaching): string {
  if (taught.length === 0) return lines('No examples were added.')
  const rows = taught.slice(0, MOST_LISTED).map(({ id, prompts, negatives, path }) => {
    const parts = [
      ...(prompts.length > 0 ? [count(prompts.length, 'prompt')] : []),
      ...(negatives.length > 0 ? [`${negatives.length} not`] : []),
    ]
    return [`  ${printableLine(id)}`, `  ${parts.join(', ')}`, `  ${printableLine(path)}`]
  })
  const prompts = taught.reduce((sum, each) => sum + each.prompts.length + each.negatives.length, 0)
  const more = taught.length - rows.length
  return lines(
    isDryRun && 'Nothing was changed. This would be done:',
    `Added ${count(prompts, 'prompt')} to ${count(taught.length, 'entry', 'entries')}.`,
    alignRows(rows),
    more > 0 && `  and ${count(more, 'more entry', 'more entries')}`,
    commit !== undefined && `commit ${commit.slice(0, 7)}`,
  )
}

function printExport({ tasks, text, path }: TeachExport): string {
  if (path === undefined) return text
  return lines(
    `${count(tasks.length, 'entry lacks', 'entries lack')} examples: written to ${printableLine(path)}`,
    'Give the file to an agent, save its answer, then: loadout teach --import <file>',
  )
}

function printStatus({ entries, wanted }: TeachStatus, screen: Screen): string {
  const lacking = entries.filter(({ written }) => written < wanted)
  const taught = entries.filter(({ written, negatives, fromUse, stale }) => written + negatives + fromUse + stale > 0)
  const rows = taught
    .slice(0, MOST_LISTED)
    .map(({ id, written, negatives, fromUse, stale, place }) => [
      `  ${printableLine(id)}`,
      `  ${written}`,
      `  ${negatives > 0 ? `${negatives} not` : ''}`,
      `  ${fromUse > 0 ? `${fromUse} from use` : ''}`,
      `  ${stale > 0 ? `${stale} stale` : ''}`,
      `  ${place}`,
    ])
  const untaught = entries.length - taught.length
  return lines(
    alignRows(rows, [1]),
    taught.length > rows.length && `  and ${count(taught.length - rows.length, 'more entry', 'more entries')}`,
    untaught > 0 && `  ${count(untaught, 'entry has', 'entries have')} none`,
    screen.strong(
      `${entries.length - lacking.length} of ${count(entries.length, 'entry', 'entries')} have ${wanted} examples or more.`,
    ),
    lacking.length > 0 && 'loadout teach --export writes a task for an agent to add the rest.',
  )
}
