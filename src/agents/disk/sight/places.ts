import { accessSync, constants } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { exists, isFolder, isLink } from '../../../machine/files.ts'
import { type Machine, xdgConfigHome } from '../../../machine/machine.ts'
import { findRepository, upwards } from '../../../machine/open-project.ts'
import { getOwn, isRecord } from '../../../text/values.ts'
import type { Agent } from '../../rules/agents.ts'
import type { InstructionRules, ReadingRules, SkillPlace } from '../../rules/reading-rules.ts'
import type { AgentSettings, InstructionFile } from '../../rules/sight/agent-settings.ts'
import { readHead } from './read-head.ts'

/** A folder in which an agent looks for skills on this machine. */
export interface FoundPlace {
  path: string
  scope: SkillPlace['scope']
  isCommands: boolean
  isWorkflows?: boolean
  /** The plugin, whose name goes before the names of its skills. */
  plugin?: string
  state: 'read' | 'missing' | 'unreadable'
  why?: string
}

/** All folders in which an agent looks for skills, in its order. Without `cwd`: no folders of a project. */
export function findPlaces(machine: Machine, agent: Agent, rules: ReadingRules, cwd: string | undefined): FoundPlace[] {
  const seen = new Set<string>()
  return rules.places.flatMap((place) =>
    pathsOf(machine, agent, rules, place, cwd).flatMap((path) => {
      if (seen.has(path)) return []
      seen.add(path)
      const { scope, isCommands = false, isWorkflows } = place
      return [{ path, scope, isCommands, isWorkflows, ...stateOf(path) }]
    }),
  )
}

function pathsOf(
  machine: Machine,
  agent: Agent,
  rules: ReadingRules,
  { from, path, isOutermostFirst }: SkillPlace,
  cwd: string | undefined,
): string[] {
  if (from === 'machine') return [path]
  if (from === 'own') return [join(ownFolder(machine, agent), path)]
  if (from === 'home') return [homePath(machine, path)]
  if (cwd === undefined) return []
  if (from === 'working') return [join(cwd, path)]
  const folders = projectFolders(machine, cwd, rules.climbsWithoutRepository)
  return (isOutermostFirst ? folders.reverse() : folders).map((folder) => join(folder, path))
}

/** The agent's own folder, which an environment variable may move. */
export function ownFolder(machine: Machine, { home, userFolder, projectFolder }: Agent): string {
  const moved = home && machine.env[home.variable]
  if (moved && isAbsolute(moved)) return moved
  return homePath(machine, home?.folder ?? dirname(userFolder ?? projectFolder))
}

export function homePath(machine: Machine, path: string): string {
  return path.startsWith('.config/')
    ? join(xdgConfigHome(machine), path.slice('.config/'.length))
    : join(machine.home, path)
}

/** The folders from `cwd` up to the root of its repository. Stops at the home folder, which is not a project. */
function projectFolders(machine: Machine, cwd: string, climbs: boolean): string[] {
  const repository = findRepository(cwd)
  const folders: string[] = []
  for (let folder = cwd; folder !== machine.home; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === repository || dirname(folder) === folder || (repository === undefined && !climbs)) break
  }
  return folders
}

function stateOf(path: string): Pick<FoundPlace, 'state' | 'why'> {
  try {
    if (!isFolder(path)) {
      if (!exists(path)) return { state: 'missing' }
      return { state: 'unreadable', why: isLink(path) ? 'it is a broken link' : 'it is not a folder' }
    }
    accessSync(path, constants.R_OK | constants.X_OK)
    return { state: 'read' }
  } catch {
    return { state: 'unreadable', why: 'it is not readable' }
  }
}

const LARGEST_RECORD = 4 * 1024 * 1024

/** Folders of installed and enabled plugins: the first kind of folder of all plugins, then the next kind. */
export function findPlugins(
  machine: Machine,
  agent: Agent,
  { plugins }: ReadingRules,
  settings: AgentSettings,
  cwd: string | undefined,
): FoundPlace[] {
  if (plugins === undefined || settings.plugins.length === 0) return []
  const installed = readInstalled(join(ownFolder(machine, agent), plugins.installed), settings.plugins, cwd)
  const places = plugins.folders.flatMap(({ path, isCommands = false, isWorkflows }) =>
    installed.map(({ name, folder }): FoundPlace => {
      const at = join(folder, path)
      return { path: at, scope: 'plugin', isCommands, isWorkflows, plugin: name, ...stateOf(at) }
    }),
  )
  // A plugin may lack some kinds of folders.
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

/** Whether a plugin is installed for the user, or for the project that the agent works in. */
function isInstalledFor(install: unknown, cwd: string | undefined): boolean {
  if (!isRecord(install) || typeof install.installPath !== 'string' || !isAbsolute(install.installPath)) return false
  const { projectPath } = install
  return typeof projectPath !== 'string' || (cwd !== undefined && `${cwd}/`.startsWith(`${projectPath}/`))
}

/** The existing instruction files, in the order in which an agent reads them. */
export function findInstructions(
  machine: Machine,
  agent: Agent,
  rules: InstructionRules,
  settings: Pick<AgentSettings, 'names' | 'moreNames'>,
  cwd: string | undefined,
): InstructionFile[] {
  const global = rules.global.flatMap(({ from, names }) => {
    if (from === 'home') return names.flatMap((name) => filesIn(machine.home, [homePath(machine, name)], true))
    return filesIn(from === 'own' ? ownFolder(machine, agent) : '/', names, true)
  })
  if (cwd === undefined) return global
  // Only file names; names with a path are ignored.
  const inFolders = (names: readonly string[]) =>
    foldersDownTo(cwd, rules.startsAt)
      .flatMap((folder) => filesIn(folder, names, false))
      .filter(({ path }) => !global.some((file) => file.path === path))
  const plain = (names: readonly string[] = []) => names.filter((name) => name === basename(name))
  const found = inFolders([
    ...(settings.names === undefined ? rules.names : plain(settings.names)),
    ...plain(settings.moreNames),
  ])
  const local = found.length === 0 && rules.otherwise !== undefined ? inFolders(rules.otherwise) : found
  return [...global, ...local]
}

function filesIn(folder: string, names: readonly string[], isGlobal: boolean): InstructionFile[] {
  return names.flatMap((name) => {
    const path = isAbsolute(name) ? name : join(folder, name)
    const head = readHead(path, 0)
    if (!('problem' in head)) return [{ path, bytes: head.size, isGlobal, folder }]
    const isThere = head.problem !== 'does not exist' || isLink(path)
    return isThere ? [{ path, bytes: 0, isGlobal, folder, problem: `it ${head.problem}` }] : []
  })
}

function foldersDownTo(cwd: string, startsAt: InstructionRules['startsAt']): string[] {
  if (startsAt === 'machine') return upwards(cwd, undefined).reverse()
  return upwards(cwd, startsAt === 'repository' ? (findRepository(cwd) ?? cwd) : cwd).reverse()
}
