import { bundleText } from '../../display-rules.ts'
import { DRY_RUN_FLAG, defineCommand, limitFlag } from '../command.ts'
import { alignRows, count, lines, printableText, shorten } from '../screen.ts'

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
