import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { removeDeadLocks } from './git-process.ts'

const root = mkdtempSync(join(tmpdir(), 'loadout-locks-'))
const repo = join(root, 'repo')
const lock = join(repo, '.git/index.lock')
for (const name of ['repo', 'other']) execFileSync('git', ['init', '-q', join(root, name)])
mkdirSync(join(repo, 'deep'))
symlinkSync(repo, join(root, 'link'))

let running: ChildProcess | undefined
afterEach(() => running?.kill('SIGKILL'))
afterAll(() => rmSync(root, { recursive: true }))

/** Starts a process that looks like git, then writes a lock into the repository. */
async function startGit(
  cwd: string,
  words: readonly string[] = [],
  env: Record<string, string> = {},
  user: { uid?: number } = {},
): Promise<void> {
  const options = { argv0: 'git', cwd: join(root, cwd), env: { PATH: process.env.PATH, ...env }, ...user }
  const git = spawn('sh', ['-c', 'echo; sleep 60; :', ...words], options)
  running = git
  await new Promise((ready) => git.stdout.once('data', ready))
  writeFileSync(lock, '')
}

describe('a lock of git stays while a git may hold it', () => {
  it.each<[string, Parameters<typeof startGit>]>([
    ['in the repository', ['repo']],
    ['in a folder of it', ['repo/deep']],
    ['that names it by a link', ['other', ['--git-dir', join(root, 'link/.git')]]],
    ['that names it by a relative path', ['other', ['--git-dir=../repo/.git']]],
    ['that got it from its parent', ['other', [], { GIT_DIR: join(repo, '.git') }]],
  ])('%s', async (_, start) => {
    await startGit(...start)
    expect([removeDeadLocks(repo, 0), existsSync(lock)]).toEqual([false, true])
  })
})

/** A git of anyone that ends at this moment no longer says where it works, and counts as one that may work here. */
async function expectRemoved(): Promise<void> {
  await expect.poll(() => removeDeadLocks(repo, 0)).toBe(true)
  expect(existsSync(lock)).toBe(false)
}

describe('a lock of git is removed beside a git', () => {
  it.each<[string, Parameters<typeof startGit>]>([
    ['in another repository', ['other']],
    ['that names another repository', ['other', ['--git-dir', join(root, 'other/.git')]]],
    ['that got another repository from its parent', ['other', [], { GIT_DIR: '.git' }]],
  ])('%s', async (_, start) => {
    await startGit(...start)
    await expectRemoved()
  })
})

describe.runIf(process.getuid?.() === 0)('beside a git of another user in the repository', () => {
  const other = 65534

  it('a lock of this user is removed: the other cannot hold it', async () => {
    chmodSync(root, 0o755)
    await startGit('repo', [], {}, { uid: other })
    await expectRemoved()
  })

  it('a lock of the other user stays', async () => {
    chmodSync(root, 0o755)
    await startGit('repo', [], {}, { uid: other })
    chownSync(lock, other, other)
    expect([removeDeadLocks(repo, 0), existsSync(lock)]).toEqual([false, true])
  })
})
