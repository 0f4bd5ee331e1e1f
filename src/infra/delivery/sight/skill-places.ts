import { accessSync, constants } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import type { Agent } from '../../../domain/skills/agents.ts'
import type { ReadingRules, SkillPlace } from '../../../domain/skills/reading-rules.ts'
import { exists, isFolder, isLink } from '../../files.ts'
import { type Machine, xdgConfigHome } from '../../machine.ts'
import { findRepository } from '../../open-project.ts'

/** A folder that an agent looks into on this machine. */
export interface FoundPlace {
  path: string
  scope: SkillPlace['scope']
  isCommands: boolean
  /** Before the names of what is in it. */
  plugin?: string
  state: 'read' | 'missing' | 'unreadable'
  why?: string
}

/** Every folder that an agent looks into, in its order. Without a working folder: those of no project. */
export function findPlaces(machine: Machine, agent: Agent, rules: ReadingRules, cwd: string | undefined): FoundPlace[] {
  const seen = new Set<string>()
  return rules.places.flatMap((place) =>
    pathsOf(machine, agent, rules, place, cwd).flatMap((path) => {
      if (seen.has(path)) return []
      seen.add(path)
      return [{ path, scope: place.scope, isCommands: place.isCommands === true, ...stateOf(path) }]
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

/** The agent's own folder, which a variable may move. */
export function ownFolder(machine: Machine, { home, userFolder }: Agent): string {
  const moved = home && machine.env[home.variable]
  if (moved && isAbsolute(moved)) return moved
  return homePath(machine, home?.folder ?? dirname(userFolder))
}

function homePath(machine: Machine, path: string): string {
  return path.startsWith('.config/')
    ? join(xdgConfigHome(machine), path.slice('.config/'.length))
    : join(machine.home, path)
}

/** From a folder up to the root of its repository. The home folder is nobody's project. */
export function projectFolders(machine: Machine, cwd: string, climbs: boolean): string[] {
  const repository = findRepository(cwd)
  const folders: string[] = []
  for (let folder = cwd; folder !== machine.home; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === repository || dirname(folder) === folder || (repository === undefined && !climbs)) break
  }
  return folders
}

export function stateOf(path: string): Pick<FoundPlace, 'state' | 'why'> {
  try {
    if (!isFolder(path)) {
      if (!exists(path)) return { state: 'missing' }
      return { state: 'unreadable', why: isLink(path) ? 'it is a link that leads nowhere' : 'it is not a folder' }
    }
    accessSync(path, constants.R_OK | constants.X_OK)
    return { state: 'read' }
  } catch {
    return { state: 'unreadable', why: 'it may not be read' }
  }
}
