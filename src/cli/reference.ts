import { COMMAND_GROUPS } from './commands.ts'
import { flagRows } from './help.ts'
import { usageLine } from './parse.ts'

/** The reference of all commands as Markdown: the source of docs/commands.md. */
export function commandReference(): string {
  const sections = COMMAND_GROUPS.map(({ title, commands }) => {
    const parts = commands.map((command) =>
      [
        `### loadout ${command.name}`,
        `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
        ...(command.details === undefined ? [] : [command.details]),
        `\`\`\`text\n${usageLine(command)} [flags]\n\`\`\``,
        table(
          ['argument', 'meaning'],
          command.args.map(({ name, summary }) => [`\`${name}\``, summary]),
        ),
        table(
          ['flag', 'meaning'],
          flagRows(command).map(([flag, summary]) => [`\`${flag}\``, summary]),
        ),
      ]
        .filter(Boolean)
        .join('\n\n'),
    )
    return `## ${title}\n\n${parts.join('\n\n')}`
  })
  return [
    '# Commands',
    'Made from the command table by `npm run docs`; do not edit by hand.',
    'Every command ends with 0 when all is well, 1 when it found something that needs action, 2 when it could not run, 3 when somebody has to be asked first.\nProblems go to standard error; with `--json`, standard output is always one JSON value.',
    ...sections,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
