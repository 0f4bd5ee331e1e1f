import { realpathSync } from 'node:fs'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { makeFolder } from './files.ts'
import { type GitOptions, runGit } from './git.ts'
import { readSafeConfig, type Setting } from './git-config.ts'
import { gitFolder, notARepository } from './git-folder.ts'
import type { GitOutput } from './git-process.ts'
import type { Machine } from './machine.ts'

/** A folder with a git repository, and the machine whose git works in it. */
export class Repository {
  readonly machine: Machine
  readonly path: string

  constructor(machine: Machine, path: string) {
    this.machine = machine
    this.path = path
  }

  /** The same git in another folder. */
  at(path: string): Repository {
    return new Repository(this.machine, path)
  }

  git(args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
    return runGit(this.machine, this.path, args, options)
  }

  /** All settings in effect. Throws for settings that make git run a program. */
  settings(): Promise<Setting[]> {
    return readSafeConfig(this.machine, this.path)
  }

  /** Throws unless the folder is the root of a repository with a work tree; a folder inside another one is refused. */
  async require(): Promise<void> {
    gitFolder(this.path)
    await this.settings()
    const top = await this.workingRoot()
    if (realpathSync(top) !== realpathSync(this.path)) throw notARepository(this.path, `its files are in ${top}`)
  }

  private async workingRoot(): Promise<string> {
    try {
      return (await this.git(['rev-parse', '--show-toplevel'])).stdout.replace(/\n$/, '')
    } catch (error) {
      const message = error instanceof LoadoutError ? error.message : ''
      if (message.includes('must be run in a work tree'))
        throw notARepository(this.path, 'it has no files of its own (bare)')
      if (message.includes('not a git repository')) throw notARepository(this.path, 'its .git is incomplete')
      throw error
    }
  }

  async init(): Promise<void> {
    makeFolder(this.path)
    await this.git(['init', '--quiet', '--template=', '--initial-branch=main'])
  }

  /** Undefined before the first commit. */
  async head(): Promise<string | undefined> {
    const { stdout } = await this.git(['rev-parse', '--quiet', '--verify', 'HEAD'], { okCodes: [0, 1] })
    return stdout.trim() || undefined
  }

  async commitOf(ref: string): Promise<string> {
    const { stdout } = await this.git(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`])
    return stdout.trim()
  }

  async branch(): Promise<string | undefined> {
    const { stdout } = await this.git(['symbolic-ref', '--quiet', 'HEAD'], { okCodes: [0, 1] })
    const branch = /^refs\/heads\/(.+)\n$/.exec(stdout)?.[1]
    if (branch !== undefined) this.refuseOption(branch)
    return branch
  }

  /** Throws for the name of a branch or remote that git would read as an option. */
  refuseOption(name: string): void {
    if (!name.startsWith('-')) return
    throw failWith('GIT_UNSAFE/option', { name, repo: this.path })
  }
}

/** `2.39.5` */
export async function gitVersion(machine: Machine): Promise<string> {
  const { stdout } = await runGit(machine, '/', ['version'])
  return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
}
