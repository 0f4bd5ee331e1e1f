import { type Command, type Flag, listedFlags } from './command.ts'
import { COMMAND_GROUPS } from './commands.ts'
import { usageLine } from './parse.ts'
import { alignRows, lines, type Screen, wrap } from './screen.ts'

/** Line breaks of details that stay: after a sentence, and before `zsh: …`. The others are only those of the source. */
const SENTENCE_END = /(?<=\.)\n|\n(?=\w+: )/

/** All commands, or those that start with a word. */
export function overview(version: string, screen: Screen, word = ''): string {
  const groups = COMMAND_GROUPS.flatMap(({ title, commands }) => {
    const shown = commands.filter(({ name }) => word === '' || name.startsWith(`${word} `))
    const rows = alignRows(shown.map(({ name, summary }) => [`  ${name}`, summary]))
    return rows.length > 0 ? ['', screen.strong(title), ...rows] : []
  })
  return lines(
    `${screen.strong('loadout')} ${version}: equips AI agents with skills and knowledge, and shows why.`,
    '',
    'usage: loadout <command> [arguments] [flags]',
    groups,
    '',
    'loadout help <command> explains one. New here? Start with: loadout try',
    'Exit codes: 0 success, 1 action needed, 2 could not run, 3 answer needed.',
  )
}

export function commandHelp(command: Command, screen: Screen): string {
  const args = describeNames(command.args.map(({ name, summary }) => [name, summary]))
  const name = `loadout ${command.name}`
  const [title = '', ...more] = wrap(`${name}: ${command.summary}`, 0)
  return lines(
    screen.strong(name) + title.slice(name.length),
    more,
    command.details !== undefined && [
      '',
      ...command.details.split(SENTENCE_END).flatMap((line) => wrap(line.replaceAll('\n', ' '), 0)),
    ],
    '',
    `usage: ${usageLine(command)} [flags]`,
    args.length > 0 && ['', ...args],
    '',
    describeNames(flagRows(command)),
  )
}

/** Names and their meanings, side by side; a long meaning continues below. */
function describeNames(rows: readonly (readonly [name: string, meaning: string])[]): string[] {
  const indent = Math.max(0, ...rows.map(([name]) => name.length)) + 4
  return rows.flatMap(([name, meaning]) => {
    const [first = '', ...more] = wrap(meaning, indent)
    return [`  ${name}`.padEnd(indent) + first.slice(indent), ...more]
  })
}

/** `--flag <value>` and what it does, for help and documentation. */
function flagRows(command: Command): [string, string][] {
  return listedFlags(command).map(([name, flag]) => [`--${name}${showValue(flag)}`, flag.summary])
}

function showValue(flag: Flag): string {
  if (flag.kind === 'switch') return ''
  return flag.kind === 'choice' ? ` <${flag.choices.join('|')}>` : ` <${flag.value}>`
}

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
    'Generated from the command table by `npm run docs`; do not edit by hand.',
    'Exit codes of every command: 0 success, 1 when something needs action, 2 when the command could not run, 3 when you must answer first.\nProblems go to standard error; with `--json`, standard output is always one JSON value.',
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
