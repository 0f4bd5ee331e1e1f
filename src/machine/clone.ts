import { readdirSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { shellWord } from '../text/printable.ts'
import { failWith, type LoadoutError } from '../text/trouble.ts'
import { asLoadoutError, exists, isFolder, makeFolders } from './files.ts'
import { needsLogin, withoutPassword } from './git-process.ts'
import type { Machine } from './machine.ts'
import { isUnsafeUrl, type Patience, Repository, runGit } from './repository.ts'

export interface CloneOptions extends Patience {
  depth?: number
  /** Defaults to the remote's default branch. */
  branch?: string
  /** Receives each line of git's progress. */
  onProgress?: (line: string) => void
}

/** All or nothing: if it fails, the folder is unchanged. The remote may be empty. */
export async function cloneRepository(
  machine: Machine,
  url: string,
  folder: string,
  options: CloneOptions = {},
): Promise<void> {
  const { depth, branch, onProgress, signal, timeoutMs = 30 * 60_000 } = options
  const source = cloneSource(machine, url)
  const target = resolve(machine.cwd, folder)
  const wasThere = exists(target)
  if (wasThere && (!isFolder(target) || readdirSync(target).length > 0)) {
    throw failWith('FILE_EXISTS/not-empty', { target })
  }
  const flags = ['--template=', '--no-recurse-submodules', '--no-local', onProgress ? '--progress' : '--quiet']
  if (depth !== undefined) flags.push(`--depth=${depth}`)
  if (branch !== undefined) flags.push(`--branch=${branch}`)
  try {
    makeFolders(dirname(target))
    await runGit(machine, dirname(target), ['clone', ...flags, '--', source, target], {
      timeoutMs,
      signal,
      onLine: onProgress,
    })
    const repo = new Repository(machine, target)
    if (depth === undefined && branch === undefined && (await repo.head()) === undefined) {
      // A bare repository may name a default branch that was never pushed: then its only one is meant.
      const { stdout } = await repo.git(['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes'])
      const [only, ...more] = stdout.split('\n').filter((name) => name !== '' && name !== 'HEAD')
      if (only !== undefined && more.length === 0) {
        repo.refuseOption(only)
        await repo.git(['checkout', '--quiet', only])
      }
    }
  } catch (error) {
    for (const name of isFolder(target) ? readdirSync(target) : []) {
      rmSync(join(target, name), { recursive: true, force: true })
    }
    if (!wasThere) rmSync(target, { recursive: true, force: true })
    throw cloneError(asLoadoutError(error, target, 'write'), withoutPassword(url))
  }
}

/** Reports the address that failed rather than the target folder. */
function cloneError(error: LoadoutError, url: string): LoadoutError {
  const reason = /^git clone failed in .*?: (.*)$/s.exec(error.message)?.[1]
  if (reason === undefined) return error
  if (needsLogin(reason)) {
    return loginError(error, url)
  }
  if (/^repository '.*' not found$/.test(reason)) {
    return failWith('GIT_FAILED/not-found', { url }, { cause: error })
  }
  const byHand = `run it by hand: git clone ${shellWord(url)}`
  const hint = error.hint?.startsWith('run it by hand') ? byHand : error.hint
  return failWith('GIT_FAILED/clone', { url, reason, hint }, { cause: error })
}

/** Explains a login request of the remote. */
export function loginError(error: LoadoutError, url: string): LoadoutError {
  return failWith('GIT_FAILED/login', { url: withoutPassword(url), hint: error.hint }, { cause: error })
}

/** A relative path is relative to the working folder. */
export function cloneSource(machine: Machine, url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  const isKnown = scheme === undefined || /^(?:file|git|https?|ssh|git\+ssh|ssh\+git)$/.test(scheme)
  if (url === '' || isUnsafeUrl(url) || !isKnown) {
    throw failWith('GIT_UNSAFE/url', { url: withoutPassword(url) || 'an empty URL' })
  }
  const isRemote = scheme !== undefined || /^[^/]+:/.test(url)
  return isRemote || isAbsolute(url) ? url : resolve(machine.cwd, url)
}
