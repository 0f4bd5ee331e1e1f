import { isAbsolute, join } from 'node:path'
import type { AgentSettings } from '../../../domain/delivery/sight/agent-settings.ts'
import { getOwn, isRecord } from '../../../domain/shared/record.ts'
import type { Agent } from '../../../domain/skills/agents.ts'
import type { ReadingRules } from '../../../domain/skills/reading-rules.ts'
import type { Machine } from '../../machine.ts'
import { readHead } from './read-head.ts'
import { type FoundPlace, ownFolder, stateOf } from './skill-places.ts'

const LARGEST_RECORD = 4 * 1024 * 1024

/** Folders of the plugins that are installed and switched on: first those of one kind of all, then those of the next. */
export function findPlugins(
  machine: Machine,
  agent: Agent,
  { plugins }: ReadingRules,
  settings: AgentSettings,
  cwd: string | undefined,
): FoundPlace[] {
  if (plugins === undefined || settings.plugins.length === 0) return []
  const installed = readInstalled(join(ownFolder(machine, agent), plugins.installed), settings.plugins, cwd)
  const places = plugins.folders.flatMap(({ path, isCommands }) =>
    installed.map(({ name, folder }): FoundPlace => {
      const at = join(folder, path)
      return { path: at, scope: 'plugin', isCommands: isCommands === true, plugin: name, ...stateOf(at) }
    }),
  )
  // A plugin need not have every kind.
  return places.filter(({ state }) => state !== 'missing')
}

function readInstalled(
  file: string,
  isOn: readonly string[],
  cwd: string | undefined,
): { name: string; folder: string }[] {
  const head = readHead(file, LARGEST_RECORD)
  if ('problem' in head) return []
  try {
    const json: unknown = JSON.parse(head.text)
    const plugins = isRecord(json) && isRecord(json.plugins) ? json.plugins : {}
    return isOn.flatMap((id) => {
      const [name = id] = id.split('@')
      const installs: unknown = getOwn(plugins, id)
      const install = (Array.isArray(installs) ? installs : [installs]).find((each) => isInstalledFor(each, cwd))
      return isRecord(install) && typeof install.installPath === 'string' ? [{ name, folder: install.installPath }] : []
    })
  } catch {
    return []
  }
}

/** For the user, or for the project that the agent works in. */
function isInstalledFor(install: unknown, cwd: string | undefined): boolean {
  if (!isRecord(install) || typeof install.installPath !== 'string' || !isAbsolute(install.installPath)) return false
  const { projectPath } = install
  return typeof projectPath !== 'string' || (cwd !== undefined && `${cwd}/`.startsWith(`${projectPath}/`))
}
