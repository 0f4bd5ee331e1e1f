import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { nearest } from '../domain/shared/nearest.ts'
import type { Command } from './command.ts'
import { budget, dead, overlaps } from './commands/analysis.ts'
import { completion } from './commands/completion.ts'
import { adaptersAllow, adaptersRevoke } from './commands/context/adapters-allow.ts'
import { adaptersList } from './commands/context/adapters-list.ts'
import { context } from './commands/context/context.ts'
import { noteAdd } from './commands/context/note-add.ts'
import { noteList } from './commands/context/note-list.ts'
import { notePrune } from './commands/context/note-prune.ts'
import { replay } from './commands/context/replay.ts'
import { agentsMd } from './commands/delivery/agents-md.ts'
import { hook } from './commands/delivery/hook.ts'
import { hooksInstall, hooksRemove, hooksStatus } from './commands/delivery/hooks.ts'
import { mcp } from './commands/delivery/mcp.ts'
import { see } from './commands/delivery/see.ts'
import { evaluate } from './commands/eval.ts'
import { explain } from './commands/explain.ts'
import { indexBuild } from './commands/index-build.ts'
import { indexCheck } from './commands/index-check.ts'
import { indexMigrate } from './commands/index-migrate.ts'
import { lookup } from './commands/lookup.ts'
import { packsApprove } from './commands/packs/approve.ts'
import { packsDeny } from './commands/packs/deny.ts'
import { packsEval } from './commands/packs/eval.ts'
import { packsFetch } from './commands/packs/fetch.ts'
import { packsGuide } from './commands/packs/guide.ts'
import { packsList } from './commands/packs/list.ts'
import { packsNew } from './commands/packs/new.ts'
import { packsRehydrate } from './commands/packs/rehydrate.ts'
import { packsResolve } from './commands/packs/resolve.ts'
import { packsRevoke } from './commands/packs/revoke.ts'
import { packsShow } from './commands/packs/show.ts'
import { packsValidate } from './commands/packs/validate.ts'
import { packsWhy } from './commands/packs/why.ts'
import { plan } from './commands/plan.ts'
import { replayPrompts } from './commands/replay-prompts.ts'
import { resolve } from './commands/resolve.ts'
import { search } from './commands/search.ts'
import { adopt } from './commands/skills/adopt.ts'
import { agents, agentsDisable, agentsEnable } from './commands/skills/agents.ts'
import { deleteSkill } from './commands/skills/delete.ts'
import { diff } from './commands/skills/diff.ts'
import { doctor } from './commands/skills/doctor.ts'
import { equip, unequip } from './commands/skills/equip.ts'
import { importSkills } from './commands/skills/import.ts'
import { init } from './commands/skills/init.ts'
import { inspect } from './commands/skills/inspect.ts'
import { inventory } from './commands/skills/inventory.ts'
import { newSkill } from './commands/skills/new.ts'
import { profileApply, profileList, profileSave } from './commands/skills/profile.ts'
import { share } from './commands/skills/share.ts'
import { suggest } from './commands/skills/suggest.ts'
import { sync } from './commands/skills/sync.ts'
import { tryIt } from './commands/try.ts'
import { usage } from './commands/usage.ts'
import { validate } from './commands/validate.ts'

/** Every command, in the order of the help. */
export const COMMAND_GROUPS: readonly { title: string; commands: readonly Command[] }[] = [
  { title: 'Skills for agents', commands: [inventory, suggest, inspect, equip, unequip, sync, diff, adopt, doctor] },
  { title: 'The library of skills', commands: [init, newSkill, importSkills, deleteSkill, share] },
  {
    title: 'This machine',
    commands: [agents, agentsEnable, agentsDisable, profileSave, profileApply, profileList],
  },
  { title: 'Knowledge for a task', commands: [context, replay, plan, search, lookup, explain, resolve] },
  {
    title: 'Knowledge packs',
    commands: [
      packsResolve,
      packsRehydrate,
      packsList,
      packsShow,
      packsGuide,
      packsWhy,
      packsApprove,
      packsDeny,
      packsRevoke,
      packsValidate,
      packsEval,
      packsNew,
      packsFetch,
    ],
  },
  {
    title: 'Notes for the work at hand',
    commands: [noteAdd, noteList, notePrune, adaptersList, adaptersAllow, adaptersRevoke],
  },
  { title: 'The index', commands: [indexBuild, indexCheck, indexMigrate, validate, evaluate] },
  { title: 'Agents', commands: [see, hooksInstall, hooksRemove, hooksStatus, hook, mcp, agentsMd] },
  { title: 'What was used', commands: [usage, replayPrompts, dead, overlaps, budget] },
  { title: 'The program', commands: [tryIt, completion] },
]

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)

/** The command that some words name, and the words after its name. An alias puts its own words in front of these. */
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
  const [first = ''] = words
  throw Object.hasOwn(RESERVED, first) ? reserved(first) : unknownCommand(words)
}

/** Names of commands to come, and what does their work until then. */
const RESERVED: Readonly<Record<string, string>> = {
  status: 'loadout inventory lists skills, loadout doctor finds problems, loadout hooks status checks hooks',
  update: 'loadout sync updates skills, loadout packs fetch updates packs, loadout index build updates the index',
}

function reserved(name: string): LoadoutError {
  return new LoadoutError('USAGE', `"loadout ${name}" comes in a later version`, { hint: RESERVED[name] })
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
