import type { SearchResult } from '../../app/loadout.ts'
import { describeWhy, percent } from '../../domain/routing/ranked.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { count, lines, printableLine, wrap } from '../screen.ts'

export const search = defineCommand({
  name: 'search',
  summary: 'what is known about some words, best first',
  args: [{ name: 'words', summary: 'what you are looking for', required: true, rest: true }],
  flags: {
    limit: { kind: 'number', value: 'n', summary: 'at most so many (default: 10)' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.search({ query: args.words ?? '', limit: flags.limit, layers: loadout.nameLayers(flags) }),
  print: ({ hits, known }: SearchResult, screen) =>
    hits.length === 0
      ? lines(known > 0 ? 'Nothing fits.' : 'Nothing is known yet: no index was found. Start with: loadout index build')
      : lines(
          hits.flatMap(({ id, confidence, summary, why, layer }) => [
            `  ${screen.strong(printableLine(id))}  ${percent(confidence)}  ${layer}`,
            ...wrap(summary, 4),
            ...wrap(describeWhy(why), 4),
          ]),
          '',
          screen.strong(count(hits.length, 'hit')),
        ),
})
