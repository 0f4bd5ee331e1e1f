import type { MigrateResult } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { alignRows, grouped, lines, printableLine } from '../screen.ts'

export const indexMigrate = defineCommand({
  name: 'index migrate',
  summary: 'split a large instruction file into payloads',
  details:
    'Shows what would happen; --write does it. Sections become payloads, rules for everything stay inline, the file gets\na list of what can be loaded, and the original is kept beside it. No existing file is overwritten.',
  args: [{ name: 'file', summary: 'such as CLAUDE.md', required: true, complete: 'file' }],
  flags: {
    write: { kind: 'switch', summary: 'write the payloads, the lean file and the index' },
    into: { kind: 'text', value: 'folder', summary: 'where payloads go (default: .claude/loadout)' },
    level: {
      kind: 'number',
      value: '1-6',
      summary: 'split at headings of this level (default: the highest that repeats)',
    },
    keep: { kind: 'list', value: 'heading', summary: 'a section that stays inline; may be given again' },
    project: { kind: 'text', value: 'folder', summary: 'project folder (default: around the working folder)' },
  },
  run: ({ args, flags }, loadout) => loadout.migrate({ file: args.file ?? '', ...flags }),
  print: (result: MigrateResult, screen) => {
    const { payloads, kept, tokensBefore, tokensAfter, file, backup } = result
    return lines(
      alignRows(
        [
          ...payloads.map(({ path, tokens, keywords }) => [
            '  payload',
            path,
            `${grouped(tokens)} tok`,
            keywords.join(', '),
          ]),
          ...kept.map(({ heading, tokens, reason }) => [
            '  inline',
            heading || '(beginning)',
            `${grouped(tokens)} tok`,
            reason,
          ]),
        ],
        [2],
      ),
      '',
      screen.strong(`${printableLine(file)}: ${grouped(tokensBefore)} tokens before, ${grouped(tokensAfter)} after`),
      backup === undefined
        ? 'Nothing was written. To do it: add --write'
        : `Written. The original is kept as ${printableLine(backup)}; loadout index check watches the rest.`,
    )
  },
})
