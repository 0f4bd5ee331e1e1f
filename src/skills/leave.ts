import { hooksPlan } from '../agents/hooks-change.ts'
import { ListSwitch, type Switches } from '../agents/list-switch.ts'
import { RECORDED_AGENTS } from '../agents/rules/recorded-rules.ts'
import { changeFiles } from '../change/edits.ts'
import type { RecordFile } from '../machine/records.ts'
import { failWith } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { Backups, type GivenBack, takeAgain } from './disk/apply.ts'
import { type ScopeRequest, withInstalls } from './installs.ts'
import { asRootWriter, observe, type RunOptions } from './observe.ts'
import { isInstalled } from './rules/skill.ts'

export interface LeaveRequest extends Pick<ScopeRequest, 'allProjects'>, RunOptions {
  /** Take the last `leave` back. */
  undo?: boolean
}

export interface Leaving {
  library: string
  copies: GivenBack[]
  /** The agents whose settings lose the hooks or the MCP server; with `undo`, get them back. */
  hooks: string[]
  /** The agents whose lists of skills are as before `see --fix`. */
  lists: string[]
  isUndo: boolean
  isDryRun: boolean
}

/** What the last `leave` did, so that it can be taken back. */
interface Left {
  copies: GivenBack[]
  /** With `mcp`, the settings had our server too. */
  hooks: { agent: string; mcp: boolean }[]
  lists: { agent: string; switches: Switches; cameWithHooks: boolean }[]
}

const LEFT: RecordFile<Left> = {
  place: 'left.json',
  empty: { copies: [], hooks: [], lists: [] },
  parse(json, path) {
    const { copies, hooks, lists } = isRecord(json) ? json : {}
    const isListOf = (rows: unknown, ...texts: string[]) =>
      Array.isArray(rows) && rows.every((row) => isRecord(row) && texts.every((key) => typeof row[key] === 'string'))
    const isWhole = isListOf(copies, 'skill', 'agent', 'root', 'marker') && isListOf(hooks, 'agent')
    if (!isWhole || !isListOf(lists, 'agent')) {
      throw failWith('BAD_JSON/undo', { path, edited: 'what loadout leave gave back' })
    }
    return json as Left
  },
  format: (left) => `${JSON.stringify(left, null, 2)}\n`,
  broken: (_, cause) => cause,
}

/**
 * Gives everything back: folders and links that Loadout took over are as they were, other copies stay as ordinary folders,
 * and the settings of agents lose what Loadout wrote. The library stays.
 */
export const leave = withInstalls(async (installs, request: LeaveRequest): Promise<Leaving> => {
  const { machine, library } = installs
  const { undo: isUndo = false, dryRun: isDryRun = false } = request
  const about = { library, isUndo, isDryRun }
  const backups = new Backups(machine)
  const all = installs.removalRoots(undefined)
  // Only folders with copies are locked: no later command would find a lock in any other if this is killed.
  const used = new Set(
    isUndo
      ? machine.records.read(LEFT).copies.map(({ root }) => root)
      : (await observe(installs, all)).placements.flatMap(({ marker, root }) =>
          marker === undefined ? [] : root.path,
        ),
  )
  const roots = all.filter(({ path }) => used.has(path))

  const takeBack = async (): Promise<Leaving> => {
    const { copies, hooks, lists } = machine.records.read(LEFT)
    const shown = { ...about, copies, hooks: hooks.map(({ agent }) => agent), lists: lists.map(({ agent }) => agent) }
    if (isDryRun) return shown
    for (const copy of copies) machine.report(...takeAgain(copy))
    await changeFiles(machine, { purpose: 'leave' }, (edits) => {
      for (const { agent, switches, cameWithHooks } of lists) {
        ListSwitch.open(machine, agent, undefined)?.plan(edits, switches, cameWithHooks)
      }
      for (const { agent, mcp } of hooks) hooksPlan(machine, { agents: [agent], mcp }, true)(edits)
    })
    await machine.records.change(LEFT, 'leave', () => LEFT.empty)
    return shown
  }

  const giveUp = async (): Promise<Leaving> => {
    const { statuses } = await observe(installs, roots, !isDryRun)
    const copies = statuses.filter(isInstalled).flatMap(({ name, placements }) =>
      placements.flatMap(({ placement: { root, marker }, agent, state }): GivenBack[] => {
        if (state === 'broken' || marker === undefined || 'problem' in marker) return []
        return [backups.planGiveBack({ skill: name, agent, root: root.path, tookOver: marker.tookOver })]
      }),
    )
    const lists = RECORDED_AGENTS.flatMap((agent): Left['lists'] => {
      const { own = {}, cameWithHooks = false } = ListSwitch.open(machine, agent, undefined) ?? {}
      return Object.keys(own).length === 0 ? [] : [{ agent, switches: own, cameWithHooks }]
    })
    const settings = (dryRun: boolean) =>
      changeFiles(machine, { purpose: 'leave', isDryRun: dryRun }, (edits) => {
        const removed = hooksPlan(machine, { agents: [] }, false)(edits).filter(({ before, after }) => before !== after)
        for (const { agent } of lists) ListSwitch.open(machine, agent, undefined)?.planUndo(edits)
        return removed.map(({ part, host }) => ({ agent: host.agent, mcp: part === 'mcp' }))
      })
    // Before anything changes: settings that cannot be edited stop it here.
    const edits = await settings(true)
    const agents = [...new Set(edits.map(({ agent }) => agent))]
    const hooks = agents.map((agent) => ({ agent, mcp: edits.some((edit) => edit.agent === agent && edit.mcp) }))
    const leaving = { ...about, copies, hooks: agents, lists: lists.map(({ agent }) => agent) }
    if (isDryRun || copies.length + hooks.length + lists.length === 0) return leaving
    // A killed `leave` is completed by the next one, which must not forget what the first had done.
    const isNew = ({ skill, root }: GivenBack) => !copies.some((each) => each.skill === skill && each.root === root)
    await machine.records.change(LEFT, 'leave', (before) => ({
      copies: [...before.copies.filter(isNew), ...copies],
      hooks: hooks.length > 0 ? hooks : before.hooks,
      lists: lists.length > 0 ? lists : before.lists,
    }))
    for (const copy of copies) backups.giveBack(copy)
    await settings(false)
    return leaving
  }

  const run = isUndo ? takeBack : giveUp
  return isDryRun ? run() : asRootWriter(installs, roots, 'leave', run, request.signal)
})
