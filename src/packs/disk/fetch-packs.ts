import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cloneRepository, cloneSource } from '../../machine/clone.ts'
import { resolveConfigured } from '../../machine/config-file.ts'
import { asLoadoutError, exists, makeFolders } from '../../machine/files.ts'
import { type Patience, runGit } from '../../machine/git.ts'
import { refuseUnsafeConfig } from '../../machine/git-config.ts'
import { withoutPassword } from '../../machine/git-process.ts'
import { acquireLock } from '../../machine/lock.ts'
import { type Machine, stateFolder } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import { headCommit } from '../../machine/repository.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { clonePath } from './pack-roots.ts'

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

const ASK_MS = 60_000

/** Clones a repository or updates its clone. A failure leaves the clone as it was. */
export async function fetchSource(
  machine: Machine,
  source: GitSource,
  patience: Patience = {},
): Promise<FetchedSource> {
  const { url, branch } = source
  const told = { source: withoutPassword(url), ...(branch !== undefined && { branch }) }
  const folder = clonePath(machine, source)
  let before: string | undefined
  try {
    const lock = join(stateFolder(machine), 'locks', `packs-${basename(folder)}`)
    const release = await acquireLock(lock, { purpose: 'packs fetch', signal: patience.signal })
    try {
      const address = addressOf(machine, url)
      makeFolders(dirname(folder))
      recover(folder)
      before = await copiedCommit(machine, folder)
      if (before !== undefined && before === (await remoteCommit(machine, folder, address, branch, patience))) {
        return { ...told, state: 'unchanged', commit: before }
      }
      const commit = await replace(machine, folder, address, branch, patience)
      return { ...told, state: before === undefined ? 'fetched' : 'updated', ...(commit !== undefined && { commit }) }
    } finally {
      release()
    }
  } catch (error) {
    if (!(error instanceof LoadoutError) && patience.signal?.aborted) throw error
    const problem = asLoadoutError(error, folder, 'write')
    return { ...told, state: 'failed', ...(before !== undefined && { commit: before }), error: problem }
  }
}

/** A path is relative to the configuration file. */
function addressOf(machine: Machine, url: string): string {
  const address = cloneSource(machine, url)
  return /^[^/]+:/.test(url) ? address : resolveConfigured(machine, url)
}

/** Undefined if the clone is not a repository or its git settings are unsafe: then it is cloned again. */
async function copiedCommit(machine: Machine, folder: string): Promise<string | undefined> {
  if (!exists(join(folder, '.git'))) return undefined
  try {
    await refuseUnsafeConfig(machine, folder)
    return await headCommit(machine, folder)
  } catch {
    return undefined
  }
}

async function remoteCommit(
  machine: Machine,
  folder: string,
  address: string,
  branch: string | undefined,
  patience: Patience,
): Promise<string | undefined> {
  const ref = branch === undefined ? 'HEAD' : `refs/heads/${branch}`
  const args = ['ls-remote', '--quiet', '--', address, ref]
  const { stdout } = await runGit(machine, dirname(folder), args, { timeoutMs: ASK_MS, ...patience })
  return /^[0-9a-f]{40,64}/.exec(stdout)?.[0]
}

/** Makes the new clone beside the old one and swaps them when it is complete. */
async function replace(
  machine: Machine,
  folder: string,
  address: string,
  branch: string | undefined,
  patience: Patience,
): Promise<string | undefined> {
  const id = randomBytes(4).toString('hex')
  const [stage, old] = [`${folder}.${id}.new`, `${folder}.${id}.old`]
  await cloneRepository(machine, address, stage, { depth: 1, branch, ...patience })
  const commit = await headCommit(machine, stage)
  if (exists(folder)) move(folder, old)
  move(stage, folder)
  rmSync(old, { recursive: true, force: true })
  return commit
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
