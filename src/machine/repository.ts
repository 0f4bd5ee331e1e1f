import { realpathSync } from 'node:fs'
import { LoadoutError } from '../text/trouble.ts'
import { makeFolder } from './files.ts'
import { runGit } from './git.ts'
import { refuseUnsafeConfig } from './git-config.ts'
import { gitFolder, notARepository } from './git-folder.ts'
import type { Machine } from './machine.ts'

/** The folder must be the root of a repository with a work tree; a folder inside another repository is refused. */
export async function requireRepository(machine: Machine, folder: string): Promise<void> {
  gitFolder(folder)
  await refuseUnsafeConfig(machine, folder)
  const top = await workingRoot(machine, folder)
  if (realpathSync(top) !== realpathSync(folder)) throw notARepository(folder, `its files are in ${top}`)
}

async function workingRoot(machine: Machine, folder: string): Promise<string> {
  try {
    return (await runGit(machine, folder, ['rev-parse', '--show-toplevel'])).stdout.replace(/\n$/, '')
  } catch (error) {
    const message = error instanceof LoadoutError ? error.message : ''
    if (message.includes('must be run in a work tree'))
      throw notARepository(folder, 'it has no files of its own (bare)')
    if (message.includes('not a git repository')) throw notARepository(folder, 'its .git is incomplete')
    throw error
  }
}

export async function initRepository(machine: Machine, folder: string): Promise<void> {
  makeFolder(folder)
  await runGit(machine, folder, ['init', '--quiet', '--template=', '--initial-branch=main'])
}

/** Undefined before the first commit. */
export async function headCommit(machine: Machine, repo: string): Promise<string | undefined> {
  const { stdout } = await runGit(machine, repo, ['rev-parse', '--quiet', '--verify', 'HEAD'], { okCodes: [0, 1] })
  return stdout.trim() || undefined
}

export async function commitOf(machine: Machine, repo: string, ref: string): Promise<string> {
  const { stdout } = await runGit(machine, repo, ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`])
  return stdout.trim()
}

export async function currentBranch(machine: Machine, repo: string): Promise<string | undefined> {
  const { stdout } = await runGit(machine, repo, ['symbolic-ref', '--quiet', 'HEAD'], { okCodes: [0, 1] })
  const branch = /^refs\/heads\/(.+)\n$/.exec(stdout)?.[1]
  if (branch !== undefined) refuseOption(repo, branch)
  return branch
}

export function refuseOption(repo: string, name: string): void {
  if (!name.startsWith('-')) return
  throw new LoadoutError('GIT_UNSAFE', `the name ${name} in ${repo} would be read as an option`, {
    hint: 'give the branch or the remote another name',
  })
}

/** `2.39.5` */
export async function gitVersion(machine: Machine): Promise<string> {
  const { stdout } = await runGit(machine, '/', ['version'])
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
}
