import type { EntryLookup, Lookup } from '../../app/loadout.ts'
import { entryId } from '../../domain/delivery/entry/entry-id.ts'
import { shellWord } from '../../domain/shared/shell-word.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { alignRows, grouped, lines, printableLine, wrap } from '../screen.ts'

export const lookup = defineCommand({
  name: 'lookup',
  summary: 'one payload, pack or skill by its id',
  details:
    'An id is release-pipeline, pack:name or skill:name; with a path behind it, pack:name/wiki/a.md, it is one file. A bare name is looked for among payloads, then skills, then packs. Ends with 3 when an approval or a yes is missing.',
  args: [{ name: 'id', summary: 'the id of the entry', required: true }],
  flags: {
    load: { kind: 'switch', summary: 'print its text, fenced as data, and record the load' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) =>
    loadout.lookUp({ id: args.id ?? '', load: flags.load, layers: loadout.nameLayers(flags) }),
  print: (found: Lookup | EntryLookup, screen) => {
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

function rowsOf(found: Lookup | EntryLookup): [what: string, value: string][] {
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
        ['trust', `${pack.effectiveTrust}${pack.tier === undefined ? '' : ` up to ${pack.tier}`}`],
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
