import type { SearchHit, SearchResult } from '../../app/loadout.ts'
import { describeWhy, percent } from '../../domain/routing/ranked.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { count, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

export const search = defineCommand({
  name: 'search',
  summary: 'payloads, packs and skills about some words, best first',
  details: 'Of packs only their metadata is searched. loadout lookup <id> --load prints what was found.',
  args: [{ name: 'words', summary: 'what you are looking for', required: true, rest: true }],
  flags: {
    limit: { kind: 'number', value: 'n', summary: 'at most so many (default: 10)' },
    kind: { kind: 'list', value: 'payload|pack|skill', summary: 'only these; may be given again' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.search({
      query: args.words ?? '',
      limit: flags.limit,
      kinds: flags.kind,
      layers: loadout.nameLayers(flags),
    }),
  print: ({ hits, known }: SearchResult, screen) =>
    hits.length === 0
      ? lines(
          'Nothing fits.',
          known.payload === 0 && 'No payload is known yet. Start with: loadout index build',
          known.payload === undefined && known.skill === 0 && 'No skill is known yet. Start with: loadout init',
        )
      : lines(
          hits.flatMap((hit) => present(hit, screen)),
          '',
          screen.strong(count(hits.length, 'hit')),
        ),
})

function present(hit: SearchHit, screen: Screen): string[] {
  const facts = `${percent(hit.confidence)}  ${whatItIs(hit)}`
  return [
    `  ${screen.strong(shorten(hit.id, 80 - 4 - facts.length))}  ${facts}`,
    ...wrap(hit.summary, 4),
    ...wrap(describeWhy(hit.why), 4),
    ...(hit.kind === 'pack' && hit.admission !== 'admitted' ? [`    ${screen.faint(printableLine(hit.next))}`] : []),
  ]
}

function whatItIs(hit: SearchHit): string {
  if (hit.kind === 'payload') return `payload, ${hit.layer}`
  return hit.kind === 'skill' ? `skill, ${hit.source}` : `pack, ${hit.scope}, ${hit.status}, ${hit.trust}`
}
