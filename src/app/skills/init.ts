import { resolve } from 'node:path'
import type { Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { AGENTS } from '../../domain/skills/agents.ts'
import { withRepoPath, withTarget } from '../../domain/skills/config.ts'
import { exists, makeFolder, writeNew } from '../../infra/files.ts'
import type { Machine } from '../../infra/machine.ts'
import { changeConfig, configPath, expandHome, readConfig } from '../../infra/skills/config-file.ts'
import { cloneRepository, commitPaths, initRepository, requireRepository } from '../../infra/skills/library-repo.ts'
import { readRegistry, SKILLS_FOLDER } from '../../infra/skills/registry.ts'
import { openTreeCache } from '../../infra/skills/tree-cache.ts'
import { namedAgents } from './setup.ts'

export interface InitRequest {
  /** Exactly one of these. */
  repo?: string | undefined
  clone?: string | undefined
  create?: string | undefined
  /** Where a clone goes; by default a folder named like the repository, in the home folder. */
  into?: string | undefined
  targets?: readonly string[] | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((line: string) => void) | undefined
}

export interface InitResult {
  config: string
  library: string
  how: 'taken' | 'cloned' | 'made'
  skills: number
  agents: string[]
}

/** Connects this machine with a library: one that is here, one from elsewhere, or a new one. */
export async function initialize(machine: Machine, request: InitRequest): Promise<Report<InitResult>> {
  // A configuration that cannot be read must be repaired, not replaced.
  readConfig(machine)
  const agents = namedAgents(request.targets)
  const { library, how } = await openLibrary(machine, request)
  await changeConfig(machine, (json) => {
    const named = withRepoPath(json, library)
    if (agents === undefined) return named
    return AGENTS.reduce((config, { id, isEnabledByDefault }) => {
      return agents.includes(id) || isEnabledByDefault ? withTarget(config, id, agents.includes(id)) : config
    }, named)
  })
  const { skills, findings } = readRegistry(library, openTreeCache(machine))
  const config = readConfig(machine)
  const enabled = AGENTS.filter(({ id, isEnabledByDefault }) => config.targets[id]?.isEnabled ?? isEnabledByDefault)
  const value = {
    config: configPath(machine),
    library,
    how,
    skills: skills.length,
    agents: enabled.map(({ id }) => id),
  }
  return { value, findings }
}

async function openLibrary(machine: Machine, request: InitRequest): Promise<Pick<InitResult, 'library' | 'how'>> {
  const ways = [request.repo, request.clone, request.create].filter((way) => way !== undefined)
  if (ways.length !== 1) {
    throw new LoadoutError('USAGE', ways.length === 0 ? 'no library is named' : 'only one library can be taken', {
      hint: '--new <folder> makes one, --clone <url> fetches one, --repo <folder> takes one that is here',
    })
  }
  const place = (path: string) => resolve(machine.cwd, expandHome(machine, path))
  if (request.repo !== undefined) {
    await requireRepository(machine, place(request.repo))
    return { library: place(request.repo), how: 'taken' }
  }
  if (request.clone !== undefined) {
    const { clone, signal, onProgress } = request
    const library = request.into === undefined ? resolve(machine.home, repositoryName(clone)) : place(request.into)
    await cloneRepository(machine, clone, library, { ...(signal && { signal }), ...(onProgress && { onProgress }) })
    return { library, how: 'cloned' }
  }
  const library = place(request.create ?? '')
  if (exists(resolve(library, '.git'))) {
    throw new LoadoutError('FILE_EXISTS', `${library} is a repository already`, { hint: `--repo ${library} takes it` })
  }
  await makeLibrary(machine, library)
  return { library, how: 'made' }
}

async function makeLibrary(machine: Machine, library: string): Promise<void> {
  await initRepository(machine, library)
  makeFolder(resolve(library, SKILLS_FOLDER))
  const readme = resolve(library, 'README.md')
  if (!exists(readme)) {
    writeNew(readme, '# Skills\n\nOne folder per skill in `skills/`, with `skill.json` and `SKILL.md`.\n')
    await commitPaths(machine, library, ['README.md'], 'Start a library of skills')
  }
}

/** `git@host:team/skills.git` → `skills` */
function repositoryName(url: string): string {
  const name = /([^/:\\]+?)(?:\.git)?[/\\]*$/.exec(url)?.[1]
  return name === undefined || name.startsWith('.') || name.startsWith('-') ? 'skills-library' : name
}
