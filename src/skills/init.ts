import { resolve } from 'node:path'
import { Config } from '../agents/config.ts'
import { AGENTS } from '../agents/rules/agents.ts'
import { parseConfig, withDefaults, withRepoPath, withTarget } from '../agents/rules/config.ts'
import { changeConfig } from '../change/edits.ts'
import { cloneRepository } from '../machine/clone.ts'
import { exists, makeFolder } from '../machine/files.ts'
import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { shellWord } from '../text/printable.ts'
import { failWith } from '../text/trouble.ts'
import { commitPaths } from './disk/library-git.ts'
import { readForReview, SKILLS_FOLDER } from './disk/registry.ts'
import { namedAgents } from './installs.ts'

export interface InitRequest {
  /** Exactly one of these. */
  repo?: string
  clone?: string
  create?: string
  /** The folder of a clone; default: a folder named like the repository, in the home folder. */
  into?: string
  targets?: readonly string[]
  dryRun?: boolean
  signal?: AbortSignal
}

export interface InitResult {
  config: string
  library: string
  how: 'taken' | 'cloned' | 'made'
  isDryRun: boolean
  skills: number
  agents: string[]
}

/** Connects this machine to a library: an existing one, a clone, or a new one. */
export async function initialize(machine: Machine, request: InitRequest): Promise<InitResult> {
  // A configuration that cannot be read must be repaired, not replaced.
  const before = new Config(machine)
  const agents = namedAgents(request.targets)
  const { library, how } = chooseLibrary(machine, request)
  const enabled = agents ?? before.agentsHere()
  const value = { config: machine.config.path, library, how, agents: enabled, skills: 0, isDryRun: true }
  if (request.dryRun) return value
  await openLibrary(new Repository(machine, library), request)
  await changeConfig(machine, parseConfig, (json) => {
    const switched = agents === undefined ? [] : AGENTS.filter(({ id }) => before.isEnabled(id) !== agents.includes(id))
    const connected = switched.reduce(
      (config, { id }) => withTarget(config, id, enabled.includes(id)),
      withRepoPath(json, library),
    )
    const written = AGENTS.filter(({ id, isEnabledByDefault }) => isEnabledByDefault || enabled.includes(id))
    const places = written.map((agent) => {
      const path = before.userRoot(agent)?.replace(`${machine.home}/`, '~/')
      return { id: agent.id, enabled: enabled.includes(agent.id), path }
    })
    return withDefaults(connected, places)
  })
  const { skills, findings } = readForReview(new Repository(machine, library))
  machine.report(...findings)
  return { ...value, skills: skills.length, isDryRun: false }
}

function chooseLibrary(machine: Machine, request: InitRequest): Pick<InitResult, 'library' | 'how'> {
  const { repo, clone, create, into } = request
  const ways = [repo, clone, create].filter((way) => way !== undefined)
  if (ways.length !== 1) {
    throw failWith(ways.length === 0 ? 'USAGE/no-library-flag' : 'USAGE/one-library-flag')
  }
  const place = (path: string) => machine.resolve(path)
  if (repo !== undefined) return { library: place(repo), how: 'taken' }
  if (create !== undefined) return { library: place(create), how: 'made' }
  const library = into === undefined ? resolve(machine.home, repositoryName(clone ?? '')) : place(into)
  return { library, how: 'cloned' }
}

async function openLibrary(opened: Repository, { clone, repo, signal }: InitRequest): Promise<void> {
  const { machine, path: library } = opened
  if (repo !== undefined) return opened.require()
  if (clone !== undefined) return cloneRepository(machine, clone, library, { signal })
  if (exists(resolve(library, '.git'))) {
    throw failWith('FILE_EXISTS/library', { library, library2: shellWord(library) })
  }
  await makeLibrary(opened)
}

async function makeLibrary(repo: Repository): Promise<void> {
  const { path: library } = repo
  await repo.init()
  makeFolder(resolve(library, SKILLS_FOLDER))
  const readme = resolve(library, 'README.md')
  if (!exists(readme)) {
    writeNewInside(
      library,
      'README.md',
      '# Skills\n\nOne folder per skill in `skills/`, with `skill.json` and `SKILL.md`.\n',
    )
    await commitPaths(repo, ['README.md'], 'Start a library of skills')
  }
}

/** `git@host:team/skills.git` → `skills` */
function repositoryName(url: string): string {
  const name = /([^/:\\]+?)(?:\.git)?[/\\]*$/.exec(url)?.[1]
  return name === undefined || name.startsWith('.') || name.startsWith('-') ? 'skills-library' : name
}
