import {
  AGENT_FLAG,
  COMMIT_FLAGS,
  COMMON_FLAGS,
  type Command,
  DRY_RUN_FLAG,
  type Flag,
  type Flags,
  LAYER_FLAGS,
  listedFlags,
} from './command.ts'
import { type CommandGroup, RARE, SURFACE } from './commands.ts'
import { showArgument, usageLine } from './parse.ts'
import { alignRows, lines, type Screen, wrap } from './screen.ts'

/** Line breaks of details that stay: after a sentence, and before `zsh: …`. The others are only those of the source. */
const SENTENCE_END = /(?<=\.)\n|\n(?=\w+: )/

/** One screen: what a newcomer needs, and the names of the rest. */
export function overview(screen: Screen): string {
  const [start, ...others] = SURFACE
  const [first = '', ...next] = alignRows(start?.rows.map(({ name, summary }) => [name, summary]) ?? [])
  const column = Math.max(...SURFACE.map(({ title }) => title.length)) + 2
  const beside = (title: string, text: string) => `${screen.strong(title)}${' '.repeat(column - title.length)}${text}`
  return lines(
    'Loadout gives your AI agents the right skills and the right context.',
    '',
    beside(start?.title ?? '', first),
    next.map((line) => beside('', line)),
    others.flatMap(({ title, rows }) => {
      const [names = '', ...more] = wrap(rows.map(({ name }) => name).join('  '), column)
      return [beside(title, names.trim()), ...more]
    }),
    '',
    'loadout help <command> explains one, loadout help --all lists the others.',
    'New here? Start with: loadout try',
  )
}

/** Every command, below the word of the overview that it belongs to. */
export function everything(screen: Screen): string {
  const parts = SURFACE.map(({ title, rows }) => ({ title, commands: rows.flatMap(({ commands }) => commands) }))
  return lines(
    'usage: loadout <command> [arguments] [flags]',
    [...parts, { title: 'Rarely needed', commands: RARE }].flatMap(({ title, commands }) => [
      '',
      screen.strong(title),
      ...describeNames(commands.map(({ name, summary }) => [name, summary])),
    ]),
    '',
    'loadout help <command> explains one. Earlier names of commands still work.',
    'Exit codes: 0 success, 1 action needed, 2 could not run, 3 answer needed.',
  )
}

/** The commands behind one word, such as `packs`. */
export function groupHelp({ name, summary, commands }: CommandGroup, screen: Screen): string {
  const [title = '', ...more] = wrap(`loadout ${name}: ${summary}`, 0)
  return lines(
    screen.strong(`loadout ${name}`) + title.slice(`loadout ${name}`.length),
    more,
    '',
    describeNames(commands.map((command) => [`loadout ${command.name}`, command.summary])),
    '',
    'loadout help <command> explains one.',
  )
}

export function commandHelp(command: Command, screen: Screen): string {
  const row = SURFACE.flatMap(({ rows }) => rows).find(({ name }) => name === command.name)
  const related = row?.commands.slice(1) ?? []
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
    describeNames(flagRows({ ...command.flags, ...COMMON_FLAGS })),
    related.length > 0 && ['', 'Related:', ...describeNames(related.map(({ name, summary }) => [name, summary]))],
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
function flagRows(flags: Flags): [string, string][] {
  return listedFlags(flags).map(([name, flag]) => [`--${name}${showValue(flag)}`, flag.summary])
}

function showValue(flag: Flag): string {
  if (flag.kind === 'switch') return ''
  return flag.kind === 'choice' ? ` <${flag.choices.join('|')}>` : ` <${flag.value}>`
}

/** Explained once, at the head of the reference, and only named below a command; `--project` with its default. */
const EXPLAINED: [string, string][] = [
  ['--project <folder>', 'the project folder, such as .; the default stands behind it'],
  ...flagRows({ ...LAYER_FLAGS, ...AGENT_FLAG, ...DRY_RUN_FLAG, ...COMMIT_FLAGS, ...COMMON_FLAGS }).slice(1),
]

/** The reference of all commands as Markdown: the source of docs/commands.md. */
export function commandReference(): string {
  const sections = SURFACE.map(({ title, rows }) => `## ${title}\n\n${rows.map(rowReference).join('\n\n')}`)
  return [
    '# Commands',
    'Generated from the command table by `npm run docs`; do not edit by hand.',
    'Exit codes of every command: 0 success, 1 when something needs action, 2 when the command could not run, 3 when you must answer first.\nProblems go to standard error; with `--json`, standard output is always one JSON value.',
    'Every command takes `--json` and `--help`. These flags mean the same wherever a command names them:',
    listed(EXPLAINED),
    ...sections,
    `## Rarely needed\n\n${RARE.map((command) => reference(command, '####')).join('\n\n')}`,
  ]
    .join('\n\n')
    .concat('\n')
}

/** A word of the overview with its commands; the first may have the same name. */
function rowReference({ name, summary, commands }: CommandGroup): string {
  const [first, ...others] = commands
  const isGroup = first?.name !== name
  const head = isGroup ? `### loadout ${name}\n\n${sentence(summary)}` : reference(first, '###')
  return [head, ...(isGroup ? commands : others).map((command) => reference(command, '####'))].join('\n\n')
}

function reference(command: Command, level: string): string {
  const rows = flagRows(command.flags)
  const own = rows.filter((row) => !EXPLAINED.some((each) => isSame(each, row)))
  const also = rows
    .filter((row) => !own.includes(row))
    .map(([flag, summary]) => {
      const [, preset = ''] = /^--project\b.*\(default: (.*)\)$/.exec(`${flag} ${summary}`) ?? []
      return `\`${flag.split(' ')[0]}\`${preset && ` (${preset})`}`
    })
  return [
    `${level} loadout ${command.name}`,
    [sentence(command.summary), command.details].filter(Boolean).join('\n'),
    listed([...command.args.map((each): [string, string] => [showArgument(each), each.summary]), ...own]),
    also.length > 0 && `Also ${also.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** `--project` differs in its default only. */
function isSame([flag, summary]: [string, string], [other, meaning]: [string, string]): boolean {
  return flag === other && (summary === meaning || flag.startsWith('--project '))
}

function listed(rows: readonly (readonly [name: string, meaning: string])[]): string {
  return rows.map(([name, meaning]) => `- \`${name}\`: ${meaning}`).join('\n')
}

function sentence(summary: string): string {
  return `${summary[0]?.toUpperCase()}${summary.slice(1)}.`
}
