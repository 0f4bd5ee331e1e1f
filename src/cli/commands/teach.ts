import type { TeachExport, Teaching, TeachStatus } from '../../loadout.ts'
import { failWith, type Report } from '../../text/trouble.ts'
import { COMMIT_FLAGS, DRY_RUN_FLAG, defineCommand, LAYER_FLAGS } from '../command.ts'
import { alignRows, commitText, count, lines, printableLine, type Screen, WOULD } from '../screen.ts'

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
    { name: 'prompt', summary: 'what a person would type, each in quotes', rest: 'text' },
  ],
  flags: {
    not: { kind: 'switch', summary: 'the entry must not match these prompts' },
    export: { kind: 'switch', summary: 'print the task for an agent to write examples, or write it to [what]' },
    import: { kind: 'switch', summary: 'read the answer of an agent from the file [what]; - reads standard input' },
    status: { kind: 'switch', summary: 'show how many examples each entry has, and which are stale' },
    renew: { kind: 'switch', summary: 'confirm that the examples still fit their changed descriptions' },
    ...DRY_RUN_FLAG,
    ...COMMIT_FLAGS,
    ...LAYER_FLAGS,
  },
  run: ({ flags, words, readStdin }, loadout): Promise<Report<Teaching | TeachExport | TeachStatus>> => {
    const [mode, second] = (['export', 'import', 'status', 'renew'] as const).filter((each) => flags[each])
    if (second !== undefined) throw failWith('USAGE/combined', { flags: `--${mode} and --${second}`, command: 'teach' })
    const unexpected = (word: string) => failWith('USAGE/unexpected', { word: printableLine(word), command: 'teach' })
    const place = () => ({ project: flags.project, layers: loadout.knowledge.nameLayers(flags) })
    const change = { dryRun: flags.dryRun ?? false, commit: flags.commit }
    const [first, ...others] = words
    if (mode === 'export') {
      const isId = (word: string) => /^(?:skill|pack|payload):/.test(word)
      const [out, other] = words.filter((word) => !isId(word))
      if (other !== undefined) throw unexpected(other)
      return loadout.knowledge.exportTeaching({ ...place(), out, ids: words.filter(isId) })
    }
    if (mode === 'import') {
      if (first === undefined) throw failWith('USAGE/no-answer', { command: 'teach' })
      if (others[0] !== undefined) throw unexpected(others[0])
      const source = first === '-' ? { text: readStdin() } : { file: first }
      return loadout.knowledge.importTeaching({ ...place(), ...change, ...source })
    }
    if (mode === 'status') {
      if (first !== undefined) throw unexpected(first)
      return loadout.knowledge.teachStatus(place())
    }
    if (mode === 'renew') {
      if (first === undefined)
        throw failWith('USAGE/needs', { flag: '--renew', what: 'at least one entry', command: 'teach' })
      return loadout.knowledge.renewTeaching({ ...place(), ...change, ids: words })
    }
    if (first === undefined) throw failWith('USAGE/no-entry')
    if (others.length === 0) throw failWith('USAGE/no-prompt', { entry: printableLine(first) })
    const item = { id: first, prompts: flags.not ? [] : others, negatives: flags.not ? others : [] }
    return loadout.knowledge.teach({ ...place(), ...change, items: [item], origin: 'hand' })
  },
  print: (value, screen) => {
    if ('entries' in value) return printStatus(value, screen)
    if (!('text' in value)) return printTeaching(value)
    const { tasks, text, path } = value
    if (path === undefined) return text
    return lines(
      `${count(tasks.length, 'entry lacks', 'entries lack')} examples: written to ${printableLine(path)}`,
      'Give the file to an agent, save its answer, then: loadout teach --import <file>',
    )
  },
  toJson: (value) => ('text' in value ? { ...value, text: undefined } : value),
})

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
    isDryRun && WOULD,
    `Added ${count(prompts, 'prompt')} to ${count(taught.length, 'entry', 'entries')}.`,
    alignRows(rows),
    more > 0 && `  and ${count(more, 'more entry', 'more entries')}`,
    commit !== undefined && commitText(commit),
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
