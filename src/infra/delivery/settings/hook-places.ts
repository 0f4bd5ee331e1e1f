import { isAbsolute, join, resolve } from 'node:path'
import type { HookHost } from '../../../domain/delivery/hook-hosts.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { requireAgent } from '../../../domain/skills/agents.ts'
import type { Scope } from '../../../domain/skills/placement.ts'
import { isFolder } from '../../files.ts'
import type { Machine } from '../../machine.ts'
import { openProject, type Project } from '../../open-project.ts'

/** A settings file that one agent reads its hooks from. */
export interface HookPlace {
  host: HookHost
  label: string
  scope: Scope
  path: string
  /** For the scope of a project. */
  project: string | undefined
}

export function hookPlace(machine: Machine, host: HookHost, project: string | undefined): HookPlace {
  const { label } = requireAgent(host.agent)
  const path = project === undefined ? join(hostFolder(machine, host), host.userFile) : join(project, host.projectFile)
  return { host, label, scope: project === undefined ? 'user' : 'project', path, project }
}

/** Where an agent keeps everything of its user. */
export function hostFolder({ env, home }: Machine, { agent }: HookHost): string {
  const own = requireAgent(agent).home
  const moved = own && env[own.variable]
  return moved && isAbsolute(moved) ? resolve(moved) : join(home, own?.folder ?? '')
}

/** Whether an agent seems to be used on this machine. */
export function isPresent(machine: Machine, host: HookHost): boolean {
  return isFolder(hostFolder(machine, host))
}

/** The repository around a place; the home folder is none, because the user's own settings are there. */
export function findHookProject(machine: Machine, { repository }: Project): string | undefined {
  return repository === machine.home ? undefined : repository
}

export function requireHookProject(machine: Machine, named: string): string {
  const opened = openProject(machine, named)
  const project = findHookProject(machine, opened)
  if (project !== undefined) return project
  throw new LoadoutError('NO_PROJECT', `${opened.place} is in no git repository other than your home`, {
    hint: 'name a place in a project; without --project the hooks are installed for you, everywhere',
  })
}
