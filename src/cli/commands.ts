import { failWith, LoadoutError } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import type { Command } from './command.ts'
import { add } from './commands/add.ts'
import { agentsMd } from './commands/agents-md.ts'
import { adaptersList, approve, deny, revoke, trust } from './commands/approvals.ts'
import {
  catalogAccept,
  catalogApprove,
  catalogPublish,
  catalogQuarantine,
  catalogRetire,
  catalogSearch,
  catalogSign,
} from './commands/catalog.ts'
import { completion } from './commands/completion.ts'
import { context } from './commands/context.ts'
import { test } from './commands/eval.ts'
import { explain } from './commands/explain.ts'
import { connect, hook, hooksRemove, hooksStatus } from './commands/hooks.ts'
import { importSkills } from './commands/import.ts'
import { rulesBuild, rulesCheck, rulesMigrate, rulesResolve } from './commands/index.ts'
import { adopt, diff, install, remove, sync } from './commands/installs.ts'
import { list, show, suggest } from './commands/inventory.ts'
import { deleteSkill, init, newSkill, publishArchive, targets } from './commands/library.ts'
import {
  agents,
  agentsDisable,
  agentsEnable,
  config,
  doctor,
  profileApply,
  profileList,
  profileSave,
  profileSwitch,
} from './commands/machine.ts'
import { mcp } from './commands/mcp.ts'
import { merge } from './commands/merge.ts'
import { noteAdd, noteList, notePrune } from './commands/notes.ts'
import { packsCompile, packsStatus } from './commands/pack-compile.ts'
import { packsResolve } from './commands/pack-context.ts'
import { packsExample, packsExport, packsFetch, packsGuide, packsList, packsNew, packsShow } from './commands/packs.ts'
import { plan } from './commands/plan.ts'
import { publishManifest, publishPlugin } from './commands/plugin.ts'
import { auditList, auditPrune, replay, replayPrompts } from './commands/replay.ts'
import { lookup, search } from './commands/search.ts'
import { agentsVersions, see } from './commands/see.ts'
import { status } from './commands/status.ts'
import { teach } from './commands/teach.ts'
import { teamJoin, teamLeave, teamPush, teamStatus } from './commands/team.ts'
import { teamReport } from './commands/team-report.ts'
import {
  teamAudit,
  teamInvite,
  teamMachines,
  teamMigrate,
  teamRevoke,
  teamServe,
  teamTokens,
} from './commands/team-server.ts'
import { tryIt } from './commands/try.ts'
import { outdated, pin, undo, unpin, update } from './commands/update.ts'
import { usage } from './commands/usage.ts'
import { check } from './commands/validate.ts'
import { web } from './commands/web.ts'

/** One word of the overview, and the commands behind it. The first of them may have that very name. */
export interface Row {
  name: string
  summary: string
  commands: readonly Command[]
}

/** The table of commands: what `loadout help` shows, in its order. Everything else is listed by `loadout help --all`. */
export const SURFACE: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: 'Start',
    rows: [
      row(add, importSkills, targets),
      row(status),
      row(connect, hooksStatus, hooksRemove, agentsMd, mcp, hook),
      row(context, plan, explain, replay),
    ],
  },
  {
    title: 'Skills',
    rows: [
      row(list, suggest),
      row(show, diff, lookup),
      row(newSkill),
      row(install),
      row(sync, adopt),
      row(update, outdated, pin, unpin),
      row(merge),
      row(undo),
      row(remove, deleteSkill),
      group('profile', 'sets of installed skills', profileList, profileSave, profileApply, profileSwitch),
      group('publish', 'give skills to others', publishArchive, publishPlugin, publishManifest),
    ],
  },
  {
    title: 'Agents',
    rows: [
      row(see),
      row(check),
      row(agents, agentsEnable, agentsDisable, agentsVersions),
      row(trust, approve, deny, revoke, adaptersList),
    ],
  },
  {
    title: 'Knowledge',
    rows: [
      row(search),
      group('note', 'what matters for the next few days', noteAdd, noteList, notePrune),
      group('rules', 'the rules of a project and their index', rulesBuild, rulesCheck, rulesMigrate, rulesResolve),
      group(
        'packs',
        'what is known about a subject, with evidence',
        packsList,
        packsShow,
        packsGuide,
        packsResolve,
        packsNew,
        packsCompile,
        packsStatus,
        packsExample,
        packsExport,
        packsFetch,
      ),
      row(usage, auditList, auditPrune, replayPrompts),
      row(test, teach),
    ],
  },
  {
    title: 'More',
    rows: [
      row(doctor),
      group(
        'team',
        'share usage, skills and packs with a team',
        teamJoin,
        teamLeave,
        teamStatus,
        teamPush,
        teamReport,
        teamServe,
        teamInvite,
        teamTokens,
        teamRevoke,
        teamMachines,
        teamAudit,
        teamMigrate,
        catalogSearch,
        catalogPublish,
        catalogApprove,
        catalogRetire,
        catalogQuarantine,
        catalogSign,
        catalogAccept,
      ),
      row(web),
    ],
  },
]

/** Rarely needed: `loadout help --all` lists them, the overview does not. */
export const RARE: readonly Command[] = [init, config, tryIt, completion]

export const COMMANDS: readonly Command[] = [
  ...SURFACE.flatMap(({ rows }) => rows.flatMap(({ commands }) => commands)),
  ...RARE,
]

function row(command: Command, ...others: Command[]): Row {
  return { name: command.name, summary: command.summary, commands: [command, ...others] }
}

function group(name: string, summary: string, ...commands: Command[]): Row {
  return { name, summary, commands }
}

/** The row of a word that is not a command by itself, such as `packs`. */
export function findGroup(word: string): Row | undefined {
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
  return new LoadoutError('USAGE', `Unknown command: ${isBelow ? `${first} ${second}` : first}${meant}`, {
    hint: isBelow ? `loadout ${first} lists its commands` : 'loadout help --all lists the commands',
  })
}
