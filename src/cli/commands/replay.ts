import { bundleText } from '../../display-rules.ts'
import { type PromptReplay, STRATEGIES } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { DRY_RUN_FLAG, defineCommand, LAYER_FLAGS, limitFlag } from '../command.ts'
import {
  alignRows,
  count,
  formatFindings,
  lines,
  printableLine,
  printableText,
  type Screen,
  shorten,
  wrap,
} from '../screen.ts'

const REPLAY_FORMATS = ['text', 'markdown', 'xml', 'json'] as const

export const replay = defineCommand({
  name: 'replay',
  keepsPaths: true,
  aliases: { 'packs rehydrate': [] },
  summary: 'print a recorded bundle or pack context again, byte for byte',
  details:
    'If the result would differ now, prints only what has changed. Refuses if the approval of a pack\n' +
    'was revoked.',
  args: [
    {
      name: 'record',
      summary: 'the id that context --explain or packs resolve printed; its start is enough',
      required: true,
    },
  ],
  flags: { format: { kind: 'choice', choices: REPLAY_FORMATS, summary: 'output format of a bundle (default: text)' } },
  run: async ({ args, flags }, loadout) => {
    const { value, findings } = await loadout.context.replay({ id: args.record })
    return { value: { ...value, format: flags.format ?? 'text' }, findings }
  },
  print: (answer) => {
    if ('wrappers' in answer) return answer.wrappers.map(({ text }) => printableText(text)).join('')
    const { context, format } = answer
    if (context === undefined) return ''
    return format === 'json' ? bundleText(context.bundle) : printableText(context.renderings[format])
  },
  toJson: ({ format: _, ...value }) =>
    'wrappers' in value ? value : { id: value.id, changes: value.changes, bundle: value.context?.bundle },
})

export const auditList = defineCommand({
  name: 'audit list',
  summary: 'list the latest recorded bundles',
  args: [],
  flags: limitFlag(50),
  run: ({ request }, loadout) => loadout.context.listRecords(request),
  print: (records) =>
    records.length === 0
      ? lines('No bundle was recorded yet: loadout context "<task>"')
      : lines(
          alignRows(
            records.map(({ id, at, task, root, files }) => [
              `  ${id}`,
              at.slice(0, 16).replace('T', ' '),
              count(files, 'file'),
              shorten(task, 40),
              root,
            ]),
          ),
          '',
          `loadout replay ${records[0]?.id} prints the newest again`,
        ),
})

export const auditPrune = defineCommand({
  name: 'audit prune',
  summary: 'remove old records of bundles and pack contexts',
  details:
    'Every bundle and every answer of packs leaves a record for replay. This removes records that were not written again for\n' +
    'a number of days: --older-than, else audit.keep_days of config.json, else 90.',
  args: [],
  flags: {
    days: { name: 'older-than', kind: 'number', value: 'days', summary: 'the age in days' },
    isDry: { name: 'dry-run', ...DRY_RUN_FLAG.dryRun },
  },
  run: ({ request }, loadout) => loadout.context.pruneRecords(request),
  print: ({ removed, bytes, kept, days, isDry }) => {
    const size = `${Math.ceil(bytes / 1024).toLocaleString('en')} KB`
    const verb = isDry ? 'Would remove' : 'Removed'
    return lines(`${verb} ${count(removed, 'record')} older than ${count(days, 'day')}, ${size}. Kept ${kept}.`)
  },
})

export const replayPrompts = defineCommand({
  name: 'replay-prompts',
  keepsPaths: true,
  summary: 'show which past tasks would choose other entries now',
  details:
    'Routes the tasks in the log again, and compares with the plan of that time.\nExits with 1 when one differs, and with 2 when the log has no tasks: loadout usage --keep-tasks on keeps them.',
  args: [{ name: 'log', summary: 'a usage log (default: this machine’s)', complete: 'file' }],
  flags: {
    index: { kind: 'text', value: 'file', summary: 'use this index instead of the project’s' },
    strategy: { kind: 'choice', choices: STRATEGIES, summary: 'how to find entries (default: as before)' },
    limit: {
      kind: 'number',
      value: 'count',
      summary: 'maximum number of listed tasks, the newest first (default: 20)',
    },
    allProjects: { kind: 'switch', summary: 'also tasks of other projects' },
    ...LAYER_FLAGS,
  },
  run: ({ request, flags }, loadout) =>
    loadout.knowledge.replayPrompts({ ...request, layers: loadout.knowledge.nameLayers(flags) }),
  print: (replay, screen, findings) => {
    // The headline contains it.
    const others = findings.filter(({ code }) => code !== 'CONTEXT_CHANGED')
    return printReplay(replay, screen) + formatFindings(others, screen)
  },
  printsFindings: true,
})

function printReplay(replay: PromptReplay, screen: Screen): string {
  const { tasks, differing, otherProjects, changes, entries } = replay
  const [newest] = changes
  const ids = newest === undefined ? [] : [...newest.gained, ...newest.lost]
  return lines(
    differing === 0
      ? screen.good(
          `${tasks === 1 ? 'The task chooses' : `All ${count(tasks, 'task')} choose`} the same entries as before.`,
        )
      : screen.strong(`${differing} of ${count(tasks, 'task')} choose other entries now.`),
    otherProjects > 0 && `${count(otherProjects, 'task')} of other projects skipped.`,
    changes.flatMap(({ task, timestamp, gained, lost, kept }) => [
      '',
      `  ${timestamp.slice(0, 10)}  ${shorten(task, 66)}`,
      ...listed('newly', gained),
      ...listed('no longer', lost),
      ...(kept.length > 0 ? [`    ${'as before'.padEnd(LABEL)}${count(kept.length, 'entry', 'entries')}`] : []),
    ]),
    differing > changes.length && [
      '',
      `  … and ${count(differing - changes.length, 'older task')}: --limit shows more`,
    ],
    entries.length > 0 && [
      '',
      ...alignRows(
        [
          ['', 'newly', 'no longer'],
          ...entries.map(({ id, gained, lost }) => [`  ${shorten(id, 50)}`, String(gained), String(lost)]),
        ],
        [1, 2],
      ),
    ],
    newest !== undefined && ['', explainCommand(ids[0] ?? '', newest.task)],
  )
}

const LABEL = 11

function listed(label: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return []
  const [first = '', ...others] = wrap(ids.join(', '), LABEL + 4)
  return [`    ${label.padEnd(LABEL)}${first.trimStart()}`, ...others]
}

/** Ready to be typed, if it is short enough to read. */
function explainCommand(id: string, task: string): string {
  const shownId = typed(id, 40) ?? '<id>'
  return `loadout explain ${shownId} --task ${typed(task, 56 - shownId.length) ?? '"<task>"'}`
}

function typed(text: string, most: number): string | undefined {
  const word = shellWord(printableLine(text))
  return word.length > most ? undefined : word
}
