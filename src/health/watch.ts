import { join } from 'node:path'
import { Config } from '../agents/config.ts'
import { stampAt } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { LoadoutError } from '../text/trouble.ts'

/** What can change while the user watches. */
const WATCHED = ['config', 'library', 'installs', 'usage', 'sessions', 'consent', 'project'] as const
export type Watched = (typeof WATCHED)[number]

export type Stamps = Record<Watched, string>

/**
 * One text per watched thing, which changes when that thing changes. It is made from the few files and folders that any
 * change touches, so that checking every second costs some dozens of calls, however large the library and the log are.
 */
export function readStamps(machine: Machine, { project }: { project?: string }): Stamps {
  const state = machine.stateFolder
  const files = [
    'loadout.json',
    'AGENTS.md',
    'CLAUDE.md',
    '.claude/loadout',
    '.claude/loadout/index.json',
    '.git/index',
  ]
  const places = {
    ...{
      config: [machine.config.path],
      usage: [machine.usageLog],
      sessions: [machine.sessions.folder],
      consent: ['approvals.json', 'packs/approvals.json'].map((name) => join(state, name)),
    },
    ...configuredPlaces(machine, project),
    project: project === undefined ? [] : files.map((name) => join(project, name)),
  }
  const entries = WATCHED.map((name) => [name, places[name].map((path) => stampAt(path)?.join('.') ?? '-').join(' ')])
  return Object.fromEntries(entries) as Stamps
}

/** Empty while the configuration is broken: its repair is a change of `config`. */
function configuredPlaces(machine: Machine, project: string | undefined) {
  try {
    const config = new Config(machine)
    const library = config.library
    const roots = [...config.targetRoots(), ...(project ? config.targetRoots(project) : [])]
    const inGit = ['HEAD', 'index', 'logs/HEAD', 'FETCH_HEAD'].map((name) => join('.git', name))
    return {
      library: library === undefined ? [] : ['.', 'skills', ...inGit].map((name) => join(library, name)),
      installs: [...new Set(roots.map(({ path }) => path))],
    }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return { library: [], installs: [] }
  }
}
