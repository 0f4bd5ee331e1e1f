import { pointerText } from '../../display-rules.ts'
import { describeWhy, type EntryLookup, entryId, percent, type SearchHit } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { defineCommand, LAYER_FLAGS, limitFlag } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

export const search = defineCommand({
  name: 'search',
  keepsPaths: true,
  summary: 'search payloads, packs, skills and files, best first',
  details: `Of packs their metadata is searched, and the sections of those that you approved. loadout lookup <id> --load prints what was found.
Files are those of a git repository; in another folder ask for them with --kind file.`,
  args: [{ name: 'words', summary: 'what you are looking for', required: true, rest: 'text' }],
  flags: {
    ...limitFlag(10),
    kinds: {
      name: 'kind',
      kind: 'list',
      value: 'payload|pack|skill|file',
      summary: 'only these kinds; may be repeated',
    },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.context.search({ ...flags, query: args.words, layers: loadout.knowledge.nameLayers(flags) }),
  print: ({ hits, sections, known, files }, screen) =>
    hits.length + sections.length + files.length === 0
      ? lines(
          'No matches.',
          known.payload === 0 && 'There are no payloads yet. Start with: loadout rules build',
          known.payload === undefined && known.skill === 0 && 'There are no skills yet. Start with: loadout init',
        )
      : lines(
          hits.flatMap((hit) => present(hit, screen)),
          sections.flatMap(({ id, title, confidence }) => [
            `  ${screen.strong(printableLine(id))}  ${percent(confidence)}  section`,
            ...wrap(title, 4),
          ]),
          files.map((pointer) => `  ${pointerText(pointer, printableLine)}`),
          '',
          screen.strong(count(hits.length + sections.length + files.length, 'hit')),
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

export const lookup = defineCommand({
  name: 'lookup',
  keepsPaths: true,
  summary: 'show one payload, pack or skill by its id',
  details:
    'An id is release-pipeline, pack:name or skill:name; followed by a path, as in pack:name/wiki/a.md, it is one file. Loadout looks for a bare name among payloads, then skills, then packs. Exits with 3 when an approval or a confirmation is missing.',
  args: [{ name: 'id', summary: 'the id of the entry', required: true }],
  flags: {
    load: { kind: 'switch', summary: 'print its text, fenced as data, and record the load' },
    ...LAYER_FLAGS,
  },
  run: ({ request, flags }, loadout) =>
    loadout.context.lookUp({ ...request, layers: loadout.knowledge.nameLayers(flags) }),
  print: (found, screen) => {
    if ('contents' in found) return found.contents?.text ?? ''
    const id = found.kind === 'payload' ? entryId('payload', found.entry.id) : found.id
    return lines(
      screen.strong(printableLine(id)),
      found.kind !== 'payload' && wrap(found.kind === 'pack' ? found.pack.description : found.skill.description, 2),
      alignRows(rowsOf(found).map(([what, value]) => [`  ${what}`, value])),
      found.kind === 'skill' && wrap(filesOf(found), 2),
      '',
      `Its text: loadout lookup ${printableLine(shellWord(id))} --load`,
    )
  },
})

function rowsOf(found: EntryLookup): [what: string, value: string][] {
  switch (found.kind) {
    case 'payload': {
      const { entry, layer } = found
      return [
        ['summary', entry.summary ?? ''],
        ['priority', entry.priority],
        ['keywords', (entry.keywords ?? []).join(', ') || 'none'],
        ['patterns', (entry.patterns ?? []).join(', ') || 'none'],
        ['cost', `${grouped(entry.tokens_est)} tokens, ${entry.lines} lines`],
        ['file', `${entry.path} (${layer} layer)`],
      ]
    }
    case 'pack': {
      const { pack } = found
      return [
        ['status', pack.status],
        ['trust', pack.effectiveTrust],
        ['found in', pack.scope],
        ['type', pack.type],
        ['next', pack.next],
      ]
    }
    case 'skill': {
      const { skill } = found
      return [
        ['found in', skill.source],
        ['folder', skill.folder],
        ['tags', skill.tags.join(', ') || 'none'],
      ]
    }
  }
}

const MOST_NAMES = 20

function filesOf({ skill: { files } }: EntryLookup & { kind: 'skill' }): string {
  const rest = files.length - MOST_NAMES
  const names = files.slice(0, MOST_NAMES).map(({ path }) => path)
  return `files: ${names.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`
}
