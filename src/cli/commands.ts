import { failWith, type LoadoutError } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import type { Command } from './command.ts'
import { add } from './commands/add.ts'
import { trustCommands } from './commands/approvals.ts'
import { catalogCommands } from './commands/catalog.ts'
import { completion } from './commands/completion.ts'
import { context } from './commands/context.ts'
import { explain } from './commands/explain.ts'
import { agentsMd, hook, hookCommands } from './commands/hooks.ts'
import { importSkills } from './commands/import.ts'
import { ruleCommands } from './commands/index.ts'
import { adopt, diff, install, remove, sync } from './commands/installs.ts'
import { list, show, suggest } from './commands/inventory.ts'
import { deleteSkill, init, leave, newSkill, targets } from './commands/library.ts'
import { agentCommands, config, doctor, profileCommands, session } from './commands/machine.ts'
import { noteCommands } from './commands/notes.ts'
import { packCommands } from './commands/packs.ts'
import { plan } from './commands/plan.ts'
import { publishCommands } from './commands/plugin.ts'
import { auditList, auditPrune, replay } from './commands/replay.ts'
import { lookup, search } from './commands/search.ts'
import { see } from './commands/see.ts'
import { mcp, web } from './commands/servers.ts'
import { status } from './commands/status.ts'
import { teach } from './commands/teach.ts'
import { memberCommands } from './commands/team.ts'
import { teamReport } from './commands/team-report.ts'
import { serverCommands } from './commands/team-server.ts'
import { test } from './commands/test.ts'
import { tryIt } from './commands/try.ts'
import { merge, outdated, pin, undo, unpin, update } from './commands/update.ts'
import { usage } from './commands/usage.ts'
import { check } from './commands/validate.ts'

/** One word of the overview, and the commands behind it. The first of them may have that very name. */
export interface CommandGroup {
  name: string
  summary: string
  commands: readonly Command[]
}

/** The table of commands: what `loadout help` shows, in its order. Everything else is listed by `loadout help --all`. */
export const SURFACE: readonly { title: string; rows: readonly CommandGroup[] }[] = [
  {
    title: 'Start',
    rows: [
      rowOf(add, importSkills, targets),
      rowOf(status),
      rowOf(...hookCommands, agentsMd, mcp, hook),
      rowOf(context, plan, explain, replay),
    ],
  },
  {
    title: 'Skills',
    rows: [
      rowOf(list, suggest),
      rowOf(show, diff, lookup),
      rowOf(newSkill),
      rowOf(install),
      rowOf(sync, adopt),
      rowOf(update, outdated, pin, unpin),
      rowOf(merge),
      rowOf(undo),
      rowOf(remove, deleteSkill),
      group('profile', 'sets of installed skills', ...profileCommands),
      group('publish', 'give skills to others', ...publishCommands),
    ],
  },
  {
    title: 'Agents',
    rows: [rowOf(see), rowOf(check), rowOf(...agentCommands), rowOf(...trustCommands)],
  },
  {
    title: 'Knowledge',
    rows: [
      rowOf(search),
      group('note', 'what matters for the next few days', ...noteCommands),
      group('rules', 'the rules of a project and their index', ...ruleCommands),
      group('packs', 'what is known about a subject, with evidence', ...packCommands),
      rowOf(usage, auditList, auditPrune),
      rowOf(test, teach),
    ],
  },
  {
    title: 'More',
    rows: [
      rowOf(doctor),
      group(
        'team',
        'share usage, skills and packs with a team',
        ...memberCommands,
        teamReport,
        ...serverCommands,
        ...catalogCommands,
      ),
      rowOf(web),
    ],
  },
]

/** Rarely needed: `loadout help --all` lists them, the overview does not. */
export const RARE: readonly Command[] = [init, config, leave, session, tryIt, completion]

export const COMMANDS: readonly Command[] = [
  ...SURFACE.flatMap(({ rows }) => rows.flatMap(({ commands }) => commands)),
  ...RARE,
]

function rowOf(...commands: Command[]): CommandGroup {
  const { name = '', summary = '' } = commands[0] ?? {}
  return { name, summary, commands }
}

function group(name: string, summary: string, ...commands: Command[]): CommandGroup {
  return { name, summary, commands }
}

/** The row of a word that is not a command by itself, such as `packs`. */
export function findGroup(word: string): CommandGroup | undefined {
  if (findNamed([word]) !== undefined) return undefined
  const rows = SURFACE.flatMap(({ rows }) => rows)
  const found = rows.find(({ name }) => name === word)
  if (found !== undefined) return found
  const below = COMMANDS.filter((command) => namesOf(command).some((name) => name.startsWith(`${word} `)))
  return below.length === 0 ? undefined : { name: word, summary: `${word} commands`, commands: below }
}

/** The command that the words name, and the remaining words. An alias inserts its own words before these. */
export function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const found = findNamed(words)
  if (found !== undefined) return found
  throw unknownCommand(words)
}

function findNamed(words: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const typed = words.slice(0, length).join(' ')
    const rest = words.slice(length)
    for (const command of COMMANDS) {
      if (command.name === typed) return { command, rest }
      if (command.aliases !== undefined && Object.hasOwn(command.aliases, typed)) {
        return { command, rest: [...(command.aliases[typed] ?? []), ...rest] }
      }
    }
  }
  return undefined
}

function namesOf({ name, aliases = {} }: Command): string[] {
  return [name, ...Object.keys(aliases)]
}

function unknownCommand([first = '', second = '']: readonly string[]): LoadoutError {
  if (first.startsWith('-')) {
    return failWith('USAGE/flag-first', { first })
  }
  const names = COMMANDS.flatMap(namesOf)
  const below = names.flatMap((name) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []))
  const isBelow = below.length > 0
  const known = isBelow ? below : [...new Set(names.map((name) => name.split(' ')[0] ?? ''))]
  const close = nearest(isBelow ? second : first, known)
  const start = isBelow ? `${first} ` : ''
  const meant = close === undefined ? '' : `; did you mean ${start}${close}?`
  return failWith(isBelow ? 'USAGE/subcommand' : 'USAGE/command', {
    what: isBelow ? `${first} ${second}` : first,
    meant,
    first,
  })
}
