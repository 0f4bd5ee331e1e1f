import type { Lookup } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { alignRows, grouped, lines, printableLine } from '../screen.ts'

export const lookup = defineCommand({
  name: 'lookup',
  summary: 'one entry by its id, also a manual one',
  args: [{ name: 'id', summary: 'the id of the entry', required: true }],
  flags: {
    load: { kind: 'switch', summary: 'print its text, fenced as data, and record the load' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.lookUp({ id: args.id ?? '', load: flags.load, layers: loadout.nameLayers(flags) }),
  print: ({ entry, layer, ...rest }: Lookup, screen) => {
    if ('contents' in rest) return rest.contents?.text ?? ''
    return lines(
      screen.strong(printableLine(entry.id)),
      alignRows([
        ['  summary', entry.summary ?? ''],
        ['  priority', entry.priority],
        ['  keywords', (entry.keywords ?? []).join(', ') || 'none'],
        ['  patterns', (entry.patterns ?? []).join(', ') || 'none'],
        ['  cost', `${grouped(entry.tokens_est)} tokens, ${entry.lines} lines`],
        ['  file', `${entry.path} (${layer} layer)`],
      ]),
      '',
      `Its text: loadout lookup ${printableLine(entry.id)} --load`,
    )
  },
})
