import { join } from 'node:path'
import {
  describeChange,
  type HookChange,
  type HookChanges,
  type HooksRequest,
  hooksPlan,
  reportUnreadable,
} from '../agents/hooks-change.ts'
import { AGENT_IDS, requireAgent } from '../agents/rules/agents.ts'
import { HOOK_HOSTS, type HookHost, SETTINGS_HOSTS } from '../agents/rules/hook-hosts.ts'
import { changeFiles, type Edits, newRecord } from '../change/edits.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { diffLines } from '../text/line-diff.ts'
import { report } from '../text/trouble.ts'
import { gatherItems, inFile } from './agents-md.ts'
import { buildBlock, changeBlock, readBlock } from './rules/index-block.ts'

/**
 * Lets agents ask Loadout: hooks, the MCP server, and for agents without hooks a list in AGENTS.md. Changes nothing else
 * in the files.
 */
export function installHooks(machine: Machine, request: HooksRequest): Promise<HookChanges> {
  return connect(machine, request, true)
}

/** Removes exactly what `installHooks` added. */
export function removeHooks(machine: Machine, request: HooksRequest): Promise<HookChanges> {
  return connect(machine, request, false)
}

async function connect(machine: Machine, request: HooksRequest, isInstall: boolean): Promise<HookChanges> {
  const isDryRun = request.dryRun ?? false
  const [hooks, list] = [hooksPlan(machine, request, isInstall), listPlan(machine, request, isInstall)]
  const { edits, listed } = await changeFiles(machine, { purpose: 'hooks', isDryRun }, (all) => {
    return { edits: hooks(all), listed: list(all) }
  })
  if (isInstall) reportUnreadable(machine, edits)
  // A server that was never named is nothing to tell of.
  const told = edits.filter(({ part, before, after }) => isInstall || part === 'hooks' || before !== after)
  return { changes: [...told.map((edit) => describeChange(edit, isInstall)), ...listed], isDryRun }
}

const UNDO_FILE = 'hook-installs.json'

/** Plans the list in the AGENTS.md of the project, for agents that Loadout has no hooks for. */
function listPlan(machine: Machine, request: HooksRequest, isInstall: boolean): (edits: Edits) => HookChange[] {
  const named = request.agents.map((name) => requireAgent(name).id)
  const ids = named.length === 0 && !isInstall ? AGENT_IDS : named
  const isHooked = ({ projectFile }: HookHost) => request.project === undefined || projectFile !== undefined
  const wanted = ids.filter((id) => !HOOK_HOSTS.some((host) => host.agent === id && isHooked(host)))
  if (wanted.length === 0) return () => []
  const project = machine.openProject(request.project || undefined)
  const { root, place } = project
  // An agent with an MCP server is connected without the list, too.
  const hasServer = (id: string) => request.mcp && SETTINGS_HOSTS.some(({ agent }) => agent === id)
  const needed = isInstall && !wanted.every(hasServer)
  if (root === machine.home) {
    if (needed) machine.report(report('NO_PROJECT/hook-project', { place }))
    return () => []
  }
  const path = join(root, 'AGENTS.md')
  refuseNamedLinkOut(root, path)
  const { items, findings } = gatherItems(machine, { layers: {} }, project)
  if (needed && items.length === 0) machine.report(...findings, report('NO_INDEX/nothing'))
  return (edits) => {
    const before = edits.read(path)
    const known = edits.find(UNDO_FILE, path)
    const { agents: own = [] } = known ?? {}
    const isThere = before !== undefined && inFile(path, () => readBlock(before)) !== undefined
    // A list that "agents-md --write" wrote stays; so does the list of other agents.
    if (isInstall ? items.length === 0 || (isThere && own.length === 0) : own.length === 0) return []
    const agents = isInstall ? [...new Set([...own, ...wanted])] : own.filter((id) => !wanted.includes(id))
    const task = agents.length === 0 ? 'remove' : 'write'
    const { after } =
      isInstall || task === 'remove' ? changeBlock(before, task, buildBlock(items, 1_000).text) : { after: before }
    const record = { ...(known ?? newRecord(path, before, false, undefined)), agents }
    edits.addUndoable({ path, project: root, before, after }, UNDO_FILE, task === 'remove' ? undefined : record)
    const done = isInstall ? (isThere ? 'updated' : 'installed') : 'removed'
    return (isInstall ? wanted : own.filter((id) => !agents.includes(id))).map((agent) => ({
      agent,
      label: requireAgent(agent).label,
      scope: 'project',
      part: 'AGENTS.md',
      path,
      change: before === after ? 'none' : done,
      diff: before === after ? '' : diffLines(before ?? '', after ?? ''),
    }))
  }
}
