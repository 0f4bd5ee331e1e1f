import { LoadoutError } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import type { Command } from './command.ts'
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
import { evaluate } from './commands/eval.ts'
import { explain } from './commands/explain.ts'
import { hook, hooksInstall, hooksRemove, hooksStatus } from './commands/hooks.ts'
import { importSkills } from './commands/import.ts'
import { indexBuild, indexCheck, indexMigrate, resolve } from './commands/index.ts'
import { adopt, diff, equip, sync, unequip } from './commands/installs.ts'
import { inspect, inventory, suggest } from './commands/inventory.ts'
import { deleteSkill, init, newSkill, share, targets } from './commands/library.ts'
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
import { packsExample, packsFetch, packsGuide, packsList, packsNew, packsShow } from './commands/packs.ts'
import { plan } from './commands/plan.ts'
import { pluginBuild } from './commands/plugin.ts'
import { auditList, auditPrune, replay, replayPrompts } from './commands/replay.ts'
import { lookup, search } from './commands/search.ts'
import { rulesList, see } from './commands/see.ts'
import { status } from './commands/status.ts'
import { teach } from './commands/teach.ts'
import { teamJoin, teamLeave, teamPush, teamStatus } from './commands/team.ts'
import { teamReport } from './commands/team-report.ts'
import { teamInvite, teamMachines, teamMigrate, teamRevoke, teamServe, teamTokens } from './commands/team-server.ts'
import { tryIt } from './commands/try.ts'
import { outdated, pin, undo, unpin, update } from './commands/update.ts'
import { usage } from './commands/usage.ts'
import { validate } from './commands/validate.ts'
import { web } from './commands/web.ts'

/** Every command, in the order of the help. */
export const COMMAND_GROUPS: readonly { title: string; commands: readonly Command[] }[] = [
  {
    title: 'Skills for agents',
    commands: [inventory, suggest, inspect, equip, unequip, sync, diff, adopt, merge, doctor],
  },
  {
    title: 'The skill library',
    commands: [
      init,
      newSkill,
      importSkills,
      targets,
      outdated,
      update,
      undo,
      pin,
      unpin,
      deleteSkill,
      share,
      pluginBuild,
    ],
  },
  {
    title: 'This machine',
    commands: [
      status,
      config,
      agents,
      agentsEnable,
      agentsDisable,
      profileSave,
      profileApply,
      profileSwitch,
      profileList,
    ],
  },
  { title: 'Knowledge for a task', commands: [context, replay, plan, search, lookup, explain, resolve] },
  {
    title: 'Knowledge packs',
    commands: [
      packsResolve,
      packsList,
      packsShow,
      packsGuide,
      packsNew,
      packsCompile,
      packsStatus,
      packsExample,
      packsFetch,
    ],
  },
  { title: 'Consent', commands: [approve, deny, revoke, trust] },
  {
    title: 'Notes for the current work',
    commands: [noteAdd, noteList, notePrune, adaptersList],
  },
  { title: 'Testing the search', commands: [teach, evaluate] },
  { title: 'The index', commands: [indexBuild, indexCheck, indexMigrate, validate] },
  {
    title: 'Agents',
    commands: [see, rulesList, hooksInstall, hooksRemove, hooksStatus, hook, mcp, agentsMd],
  },
  { title: 'Usage and records', commands: [usage, replayPrompts, auditList, auditPrune] },
  {
    title: 'A team',
    commands: [
      teamJoin,
      teamLeave,
      teamStatus,
      teamPush,
      teamReport,
      catalogSearch,
      catalogPublish,
      catalogApprove,
      catalogRetire,
      catalogQuarantine,
      catalogSign,
      catalogAccept,
      teamServe,
      teamInvite,
      teamTokens,
      teamRevoke,
      teamMachines,
      teamMigrate,
    ],
  },
  { title: 'The program', commands: [web, tryIt, completion] },
]

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)

/** The command that the words name, and the remaining words. An alias inserts its own words before these. */
export function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
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
  throw unknownCommand(words)
}

function unknownCommand([first = '', second = '']: readonly string[]): LoadoutError {
  const below = COMMANDS.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []))
  if (below.length > 0 && (second === '' || second.startsWith('-'))) {
    return new LoadoutError('USAGE', `Missing subcommand: ${first} ${joinedByOr(below)}`, {
      hint: `loadout help ${first} lists them`,
    })
  }
  const [start, known, hint] =
    below.length > 0
      ? [`${first} `, below, `loadout ${first} ${below.join('|')}`]
      : ['', [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))], 'loadout help lists the commands']
  const close = nearest(below.length > 0 ? second : first, known)
  const meant = close === undefined ? '' : `; did you mean ${start}${close}?`
  return new LoadoutError('USAGE', `Unknown command: ${`${first} ${below.length > 0 ? second : ''}`.trim()}${meant}`, {
    hint,
  })
}

function joinedByOr(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
