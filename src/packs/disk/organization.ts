import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { cloneRepository, cloneSource } from '../../machine/clone.ts'
import { asLoadoutError, exists, isFolder, makeFolders } from '../../machine/files.ts'
import { withoutPassword } from '../../machine/git-process.ts'
import { readInside } from '../../machine/inside.ts'
import { acquireLock } from '../../machine/lock.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { type Patience, Repository, runGit } from '../../machine/repository.ts'
import { Walk } from '../../machine/walk.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { clonePath } from './discover.ts'

export interface GitSource {
  url: string
  branch: string | undefined
}

/** The result of fetching one repository of the organization. */
export interface FetchedSource {
  /** Its address, without a password. */
  source: string
  branch?: string
  state: 'fetched' | 'updated' | 'unchanged' | 'failed'
  /** The current commit; after a failure, the previous one. */
  commit?: string
  error?: LoadoutError
}

/** Clones a repository or updates its clone. A failure leaves the clone as it was. */
export async function fetchSource(
  machine: Machine,
  source: GitSource,
  patience: Patience = {},
): Promise<FetchedSource> {
  const { url, branch } = source
  const told = { source: withoutPassword(url), branch }
  const folder = clonePath(machine, source)
  let before: string | undefined
  try {
    const lock = join(machine.stateFolder, 'locks', `packs-${basename(folder)}`)
    const release = await acquireLock(lock, { purpose: 'packs fetch', signal: patience.signal })
    try {
      // A path is relative to the configuration file.
      const known = cloneSource(machine, url)
      const address = /^[^/]+:/.test(url) ? known : machine.config.resolve(url)
      makeFolders(dirname(folder))
      recover(folder)
      before = await copiedCommit(new Repository(machine, folder))
      if (before !== undefined) {
        const ask = ['ls-remote', '--quiet', '--', address, branch === undefined ? 'HEAD' : `refs/heads/${branch}`]
        const { stdout } = await runGit(machine, dirname(folder), ask, { timeoutMs: 60_000, ...patience })
        const isSame = /^[0-9a-f]{40,64}/.exec(stdout)?.[0] === before
        if (isSame) return { ...told, state: 'unchanged', commit: before }
      }
      // The new clone is made beside the old one and swapped when it is complete.
      const id = randomBytes(4).toString('hex')
      const [stage, old] = [`${folder}.${id}.new`, `${folder}.${id}.old`]
      await cloneRepository(machine, address, stage, { depth: 1, branch, ...patience })
      const commit = await new Repository(machine, stage).head()
      if (exists(folder)) move(folder, old)
      move(stage, folder)
      rmSync(old, { recursive: true, force: true })
      return { ...told, state: before === undefined ? 'fetched' : 'updated', commit }
    } finally {
      release()
    }
  } catch (error) {
    if (!(error instanceof LoadoutError) && patience.signal?.aborted) throw error
    const problem = asLoadoutError(error, folder, 'write')
    return { ...told, state: 'failed', commit: before, error: problem }
  }
}

/** Undefined if the clone is not a repository or its git settings are unsafe: then it is cloned again. */
async function copiedCommit(repository: Repository): Promise<string | undefined> {
  if (!exists(join(repository.path, '.git'))) return undefined
  try {
    await repository.settings()
    return await repository.head()
  } catch {
    return undefined
  }
}

/** Cleans up after a killed process: removes unfinished clones and restores the old one if there is no new one. */
function recover(folder: string): void {
  const own = `${basename(folder)}.`
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(own)) continue
    const path = join(dirname(folder), name)
    if (name.endsWith('.old') && !exists(folder)) move(path, folder)
    else if (/\.(?:new|old)$/.test(name)) rmSync(path, { recursive: true, force: true })
  }
}

/** Where to look for a package, nearest first. Looks only at folders and runs nothing. */
export interface PackagePlaces {
  /** The installed package of Loadout, for packages beside it. */
  packageFolder: string
  /** The folder of the call, and the project around it. */
  place: string
  root: string
}

/** The folder where npm, pnpm or yarn installed a package. Undefined if it is not installed. */
export function findPackage(machine: Machine, name: string, { packageFolder, place, root }: PackagePlaces) {
  const modules = (folder: string) => join(folder, 'node_modules', name)
  return (
    firstFolder(upwardsFrom(packageFolder), modules) ??
    firstFolder(globalModules(machine), (folder) => join(folder, name)) ??
    firstFolder(upwardsFrom(place), modules) ??
    firstFolder(foldersBelow(root), modules)
  )
}

function firstFolder(folders: Iterable<string>, at: (folder: string) => string): string | undefined {
  for (const folder of folders) {
    const found = at(folder)
    if (isFolder(found)) return found
  }
  return undefined
}

function* upwardsFrom(start: string): Generator<string> {
  for (let folder = start; ; folder = dirname(folder)) {
    yield folder
    if (dirname(folder) === folder) return
  }
}

/** Folders of global packages: from npm's prefix setting, and beside the `bin` folders on the PATH. */
function* globalModules({ env, home }: Machine): Generator<string> {
  const npmrc = readInside(home, '.npmrc', { most: 64 * 1024 }).bytes?.toString('utf8') ?? ''
  const written = /^\s*prefix\s*=\s*(.+?)\s*$/m.exec(npmrc)?.[1]?.replace(/^(["'])(.*)\1$/, '$2')
  const prefixes = [env.npm_config_prefix, written?.replace(/^(?:~|\$\{HOME\})(?=$|\/)/, home)]
  for (const prefix of prefixes) if (prefix !== undefined && prefix !== '') yield join(prefix, 'lib', 'node_modules')
  for (const folder of (env.PATH ?? '').split(delimiter).slice(0, 100)) {
    if (/[\\/]bin$/.test(folder)) yield join(dirname(folder), 'lib', 'node_modules')
  }
  if (env.PNPM_HOME !== undefined) yield join(env.PNPM_HOME, 'global', '5', 'node_modules')
  if (env.APPDATA !== undefined) yield join(env.APPDATA, 'npm', 'node_modules')
}

/** The folders of a project, nearest first: a package of a workspace, or another package, may hold what is looked for. */
function* foldersBelow(root: string): Generator<string> {
  const walk = new Walk(root, { ignore: ['versions'], mostFolders: 5_000, mostDepth: 6 })
  for (const { path, entries, enter } of walk.folders()) {
    yield path
    for (const { name, kind, isIgnored } of entries) if (kind === 'folder' && !isIgnored) enter(name)
  }
}
