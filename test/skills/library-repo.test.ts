import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cloneRepository } from '../../src/machine/clone.ts'
import { gitFolder } from '../../src/machine/git-process.ts'
import { Machine } from '../../src/machine/machine.ts'
import { gitVersion, Repository } from '../../src/machine/repository.ts'
import {
  commitPaths,
  commitsBehind,
  diffFolders,
  fetchRemote,
  pushBranch,
  readRepoState,
  uncommittedPaths,
} from '../../src/skills/disk/library-git.ts'

import { fastForward } from '../../src/skills/disk/library-transaction.ts'
import { decideSync } from '../../src/skills/rules/sync-decision.ts'
import { LoadoutError } from '../../src/text/trouble.ts'
import { makeFolder } from '../cli/run.ts'

const IDENTITY = '[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n'

/** A machine with a home of its own, so that nobody's settings leak in. */
function makeMachine(gitconfig = IDENTITY, env: Record<string, string | undefined> = {}): Machine {
  const home = makeFolder()
  writeFileSync(join(home, '.gitconfig'), gitconfig)
  const base = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere' }
  return new Machine({ cwd: home, home, env: { ...base, ...env }, now: () => new Date(0) })
}

const machine = makeMachine()

/** Git as a person runs it, without any of the protection. */
function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: machine.home, GIT_CONFIG_NOSYSTEM: '1' }
  const result = spawnSync('git', ['-C', folder, ...args], { env, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`)
  return result.stdout.trim()
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

function commitAll(folder: string, files: Record<string, string>, message = 'change'): string {
  write(folder, files)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--message', message)
  return git(folder, 'rev-parse', 'HEAD')
}

/** A repository with one commit and, unless told otherwise, a remote that has it too. */
function makeLibrary({ remote = true } = {}): { repo: string; bare: string } {
  pattern ??= makePattern()
  const [repo, bare] = [makeFolder(), makeFolder()]
  cpSync(pattern.repo, repo, { recursive: true })
  cpSync(pattern.bare, bare, { recursive: true })
  if (!remote) git(repo, 'remote', 'remove', 'origin')
  const config = join(repo, '.git/config')
  writeFileSync(config, readFileSync(config, 'utf8').replace(pattern.bare, bare))
  return { repo, bare }
}

let pattern: { repo: string; bare: string } | undefined

function makePattern(): { repo: string; bare: string } {
  const [repo, bare] = [makeFolder(), makeFolder()]
  git(bare, 'init', '--quiet', '--bare', '--template=', '--initial-branch=main')
  git(repo, 'init', '--quiet', '--template=', '--initial-branch=main')
  commitAll(repo, { 'skills/a/SKILL.md': 'a\n' }, 'first')
  git(repo, 'remote', 'add', 'origin', bare)
  git(repo, 'push', '--quiet', '--set-upstream', 'origin', 'main')
  return { repo, bare }
}

function cloneOf(bare: string): string {
  const folder = makeFolder()
  git(folder, 'clone', '--quiet', bare, '.')
  return folder
}

function makeEmptyRemote(): string {
  const bare = makeFolder()
  git(bare, 'init', '--quiet', '--bare', '--initial-branch=main')
  return bare
}

function makeProgram(path: string, script: string): string {
  write(dirname(path), { [path.slice(dirname(path).length + 1)]: `#!/bin/sh\n${script}\n` })
  chmodSync(path, 0o755)
  return path
}

async function failure(call: Promise<unknown>): Promise<LoadoutError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof LoadoutError) return error
  throw new Error(`expected a LoadoutError, got ${error}`)
}

async function sync(on: Machine, repo: string, push = false) {
  const { remote } = await readRepoState(new Repository(on, repo))
  const fetched = remote === undefined ? 'no remote' : await fetchRemote(new Repository(on, repo), remote)
  const state = await readRepoState(new Repository(on, repo))
  const decision = decideSync(repo, state, fetched, { push })
  for (const step of decision.steps) {
    if (step.kind === 'fast-forward') await fastForward(new Repository(on, repo), step, state.head)
    else await pushBranch(new Repository(on, repo), step)
  }
  return { steps: decision.steps.map(({ kind }) => kind), codes: decision.findings.map(({ code }) => code) }
}

describe('finding the repository', () => {
  it('takes the root of one', async () => {
    await expect(new Repository(machine, makeLibrary().repo).require()).resolves.toBeUndefined()
  })

  it.each<[what: string, folder: string, prepare?: (repo: string) => unknown]>([
    ['a folder that is missing', 'gone'],
    ['a folder inside a repository', 'skills'],
    ['a folder with an empty .git', 'skills/a', (repo) => mkdirSync(join(repo, 'skills/a/.git'))],
    ['a .git file that leads nowhere', 'x', (repo) => write(repo, { 'x/.git': 'gitdir: ../gone\n' })],
    ['a bare repository', '', (repo) => git(repo, 'config', 'core.bare', 'true')],
    ['files elsewhere', '', (repo) => git(repo, 'config', 'core.worktree', machine.home)],
  ])('refuses %s', async (_, name, prepare) => {
    const { repo } = makeLibrary()
    const folder = join(repo, name)
    prepare?.(repo)
    const error = await failure(new Repository(machine, folder).require())
    expect(error).toMatchObject({ code: 'REPO_NOT_FOUND', hint: expect.stringContaining('loadout init') })
    expect(error.message).toContain(folder)
  })

  it('follows the .git file of a worktree', async () => {
    const { repo } = makeLibrary()
    const tree = join(makeFolder(), 'tree')
    git(repo, 'worktree', 'add', '--quiet', '-b', 'other', tree)
    await new Repository(machine, tree).require()
    expect(gitFolder(tree)).toBe(git(tree, 'rev-parse', '--absolute-git-dir'))
    expect(gitFolder(repo)).toBe(join(repo, '.git'))
    write(tree, { 'skills/b/SKILL.md': 'b' })
    expect(await commitPaths(new Repository(machine, tree), ['skills/b'], 'add b')).toBe(
      git(tree, 'rev-parse', 'other'),
    )
  })

  it('makes one, on main, with nothing in it', async () => {
    const folder = join(makeFolder(), 'new', 'library')
    await new Repository(machine, folder).init()
    await new Repository(machine, folder).require()
    expect(await new Repository(machine, folder).head()).toBeUndefined()
    const state = { branch: 'main', head: undefined, remotes: [], remote: undefined, upstream: undefined, ahead: 0 }
    expect(await readRepoState(new Repository(machine, folder))).toMatchObject(state)
  })

  it('says which git it is', async () => {
    expect(await gitVersion(machine)).toMatch(/^\d+\.\d+/)
  })
})

describe('a git that cannot answer', () => {
  it('is missing', async () => {
    const error = await failure(gitVersion(makeMachine('', { PATH: makeFolder() })))
    expect(error).toMatchObject({ code: 'GIT_MISSING', hint: expect.stringContaining('PATH') })
  })

  it('says in its own words what went wrong, and where', async () => {
    const { repo } = makeLibrary()
    const error = await failure(new Repository(machine, repo).git(['rev-parse', '--verify', 'nothing']))
    expect(error).toMatchObject({ code: 'GIT_FAILED' })
    expect(error.message).toBe(`git rev-parse failed in ${repo}: Needed a single revision`)
  })

  it('does not show a password', async () => {
    const { repo } = makeLibrary()
    git(repo, 'remote', 'set-url', 'origin', 'https://ann:secret@localhost:1/x.git')
    expect(JSON.stringify(await fetchRemote(new Repository(machine, repo), 'origin'))).not.toContain('secret')
    expect(JSON.stringify(await fetchRemote(new Repository(machine, repo), 'origin'))).toContain('localhost')
  })

  const slow = () => {
    const pid = join(makeFolder(), 'pid')
    const ssh = makeProgram(join(dirname(pid), 'ssh.sh'), `echo $$ > ${pid}; trap '' TERM; sleep 60; sleep 60`)
    const { repo } = makeLibrary()
    git(repo, 'remote', 'set-url', 'origin', 'ssh://localhost/x.git')
    return { repo, pid, on: makeMachine(`${IDENTITY}[core]\n\tsshCommand = ${ssh}\n`) }
  }
  const isRunning = (pid: string) => {
    // On a busy machine it may have been ended before it began.
    if (!existsSync(pid)) return false
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', readFileSync(pid, 'utf8').trim()], { encoding: 'utf8' })
    return stdout.trim() !== '' && !stdout.includes('Z')
  }

  it('takes too long, and is ended together with its ssh', async () => {
    const { repo, pid, on } = slow()
    const fetched = await fetchRemote(new Repository(on, repo), 'origin', { timeoutMs: 400 })
    expect(fetched).toEqual({ failed: expect.stringContaining('took longer than 0.4 s') })
    // A killed process needs a moment to end.
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('is cancelled', async () => {
    const { repo, pid, on } = slow()
    const controller = new AbortController()
    const fetching = failure(fetchRemote(new Repository(on, repo), 'origin', { signal: controller.signal }))
    await expect.poll(() => isRunning(pid)).toBe(true)
    controller.abort()
    expect(await fetching).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('was cancelled') })
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('leaves something in the background that holds its output open', async () => {
    const { repo } = makeLibrary()
    const pid = join(makeFolder(), 'pid')
    makeProgram(join(repo, '.git/hooks/pre-commit'), `sleep 600 & echo $! > ${pid}`)
    write(repo, { 'skills/b/SKILL.md': 'b' })
    await commitPaths(new Repository(machine, repo), ['skills/b'], 'add b')
    expect(isRunning(pid)).toBe(true)
    process.kill(Number(readFileSync(pid, 'utf8')))
  })

  it('tells ssh not to ask', async () => {
    const said = join(makeFolder(), 'said')
    makeProgram(join(dirname(said), 'ssh'), `echo "$@" > ${said}; exit 1`)
    const { repo } = makeLibrary()
    git(repo, 'remote', 'set-url', 'origin', 'ssh://localhost/x.git')
    const on = makeMachine(IDENTITY, { PATH: `${dirname(said)}:${process.env.PATH}` })
    expect(await fetchRemote(new Repository(on, repo), 'origin')).toHaveProperty('failed')
    expect(readFileSync(said, 'utf8')).toContain('BatchMode=yes')
  })
})

describe('cloning', () => {
  it('brings the files and the upstream, and says how far it is', async () => {
    const { repo, bare } = makeLibrary()
    const folder = join(makeFolder(), 'deep', 'clone')
    const lines: string[] = []
    await cloneRepository(machine, bare, folder, { onProgress: (line) => lines.push(line) })
    expect(await new Repository(machine, folder).head()).toBe(git(repo, 'rev-parse', 'HEAD'))
    expect(readFileSync(join(folder, 'skills/a/SKILL.md'), 'utf8')).toBe('a\n')
    expect(lines.join('\n')).toContain('100%')
    expect(await sync(machine, folder)).toEqual({ steps: [], codes: [] })
    expect(existsSync(join(folder, '.git/hooks'))).toBe(false)
  })

  it('takes a path as it was typed in the working folder, and only as many commits as asked for', async () => {
    const { repo, bare } = makeLibrary()
    commitAll(repo, { 'skills/a/SKILL.md': 'b\n' })
    git(repo, 'push', '--quiet')
    const folder = join(makeFolder(), 'clone')
    await cloneRepository(
      new Machine({ ...machine, cwd: dirname(bare) }),
      `./${bare.slice(dirname(bare).length + 1)}`,
      folder,
      {
        depth: 1,
      },
    )
    expect(git(folder, 'rev-list', '--count', 'HEAD')).toBe('1')
  })

  it('takes the only branch if the remote names another as its default, as a bare repository made elsewhere may', async () => {
    const { repo, bare } = makeLibrary()
    git(bare, 'symbolic-ref', 'HEAD', 'refs/heads/other')
    const folder = join(makeFolder(), 'clone')
    await cloneRepository(machine, bare, folder)
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(git(repo, 'rev-parse', 'HEAD'))
    expect(await sync(machine, folder)).toEqual({ steps: [], codes: [] })
  })

  it('leaves submodules out', async () => {
    const { repo, bare } = makeLibrary()
    const inner = makeLibrary().bare
    git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'inner')
    git(repo, 'commit', '--quiet', '--message', 'inner')
    git(repo, 'push', '--quiet')
    const folder = join(makeFolder(), 'clone')
    await cloneRepository(makeMachine(`${IDENTITY}[submodule]\n\trecurse = true\n`), bare, folder)
    expect(readdirSync(join(folder, 'inner'))).toEqual([])
  })

  it('does not show a password when it fails', async () => {
    const error = await failure(cloneRepository(machine, 'https://ann:secret@localhost:1/x', join(makeFolder(), 'x')))
    expect(error.code).toBe('GIT_FAILED')
    expect(`${error.message} ${error.hint}`).not.toContain('secret')
  })

  it('removes what it made when it fails', async () => {
    const [parent, there] = [makeFolder(), makeFolder()]
    const error = await failure(cloneRepository(machine, join(parent, 'no.git'), join(parent, 'clone')))
    expect(error).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('does not exist') })
    expect(readdirSync(parent)).toEqual([])
    await failure(cloneRepository(machine, join(parent, 'no.git'), there))
    expect(readdirSync(there)).toEqual([])
  })

  it('leaves a folder with files alone', async () => {
    const { repo, bare } = makeLibrary()
    expect(await failure(cloneRepository(machine, bare, repo))).toMatchObject({ code: 'FILE_EXISTS' })
    expect(existsSync(join(repo, 'skills/a/SKILL.md'))).toBe(true)
  })

  const made = join(makeFolder(), 'made')
  it.each([
    `ext::sh -c touch% ${made}`,
    `--upload-pack=touch ${made}`,
    `-u${made}`,
    'fd::3',
    '::x',
    'ftp://example.org/x',
    'https://example.org/x\n',
    '',
  ])('refuses %j', async (url) => {
    const folder = join(makeFolder(), 'clone')
    expect(await failure(cloneRepository(machine, url, folder))).toMatchObject({ code: 'GIT_UNSAFE' })
    expect(existsSync(made) || existsSync(folder)).toBe(false)
  })

  it('does not let a transport through that runs programs, even if asked directly', async () => {
    const url = `ext::sh -c touch% ${made}`
    const on = makeMachine(`${IDENTITY}[protocol "ext"]\n\tallow = always\n`)
    const error = await failure(new Repository(on, makeFolder()).git(['clone', '--', url, 'x']))
    expect(error.message).toContain("transport 'ext' not allowed")
    expect(existsSync(made)).toBe(false)
  })
})

describe('syncing the repository', () => {
  it('fast-forwards when behind', async () => {
    const { repo, bare } = makeLibrary()
    const other = cloneOf(bare)
    const newest = commitAll(other, { 'skills/b/SKILL.md': 'b' })
    git(other, 'push', '--quiet')
    expect(await sync(machine, repo)).toEqual({ steps: ['fast-forward'], codes: [] })
    expect(await new Repository(machine, repo).head()).toBe(newest)
    expect(readFileSync(join(repo, 'skills/b/SKILL.md'), 'utf8')).toBe('b')
  })

  it.each([
    ['modified', 'skills/a/SKILL.md', ''],
    ['untracked', 'skills/b/SKILL.md', ''],
    ['ignored', 'skills/b/SKILL.md', 'skills/b\n'],
  ])('does not overwrite a file that is %s', async (_, path, ignore) => {
    const { repo, bare } = makeLibrary()
    const other = cloneOf(bare)
    commitAll(other, { [path]: 'theirs' })
    git(other, 'push', '--quiet')
    write(repo, { [path]: 'mine', '.git/info/exclude': ignore })
    const before = await new Repository(machine, repo).head()
    const error = await failure(sync(machine, repo))
    expect(error.code).toBe('GIT_FAILED')
    expect(error.message).toContain(path)
    expect(readFileSync(join(repo, path), 'utf8')).toBe('mine')
    expect(await new Repository(machine, repo).head()).toBe(before)
  })

  it('counts what waits, and pushes when asked', async () => {
    const { repo, bare } = makeLibrary()
    const newest = commitAll(repo, { 'skills/b/SKILL.md': 'b' })
    expect(await readRepoState(new Repository(machine, repo))).toMatchObject({ ahead: 1, behind: 0 })
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: ['UNCOMMITTED'] })
    expect(await sync(machine, repo, true)).toEqual({ steps: ['push'], codes: [] })
    expect(git(bare, 'rev-parse', 'main')).toBe(newest)
    expect(await sync(machine, repo, true)).toEqual({ steps: [], codes: [] })
  })

  it('does not force a push', async () => {
    const { repo, bare } = makeLibrary()
    const other = cloneOf(bare)
    const theirs = commitAll(other, { 'skills/b/SKILL.md': 'b' })
    git(other, 'push', '--quiet')
    commitAll(repo, { 'skills/c/SKILL.md': 'c' })
    const step = { kind: 'push', remote: 'origin', branch: 'main', mergeRef: 'refs/heads/main' } as const
    const error = await failure(pushBranch(new Repository(machine, repo), step))
    expect(error).toMatchObject({ code: 'GIT_FAILED', hint: expect.stringContaining('sync again') })
    expect(git(bare, 'rev-parse', 'main')).toBe(theirs)
    expect(await sync(machine, repo, true)).toEqual({ steps: [], codes: ['DIVERGED'] })
  })

  it('asks the pre-push hook', async () => {
    const { repo } = makeLibrary()
    commitAll(repo, { 'skills/b/SKILL.md': 'b' })
    makeProgram(join(repo, '.git/hooks/pre-push'), 'echo not today; exit 1')
    expect((await failure(sync(machine, repo, true))).message).toContain('not today')
  })

  it('publishes to an empty remote, whatever it is called', async () => {
    const { repo } = makeLibrary({ remote: false })
    const bare = makeEmptyRemote()
    git(repo, 'remote', 'add', 'team', bare)
    expect(await readRepoState(new Repository(machine, repo))).toMatchObject({
      remote: 'team',
      ahead: 1,
      remoteBranches: [],
    })
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: ['UNCOMMITTED'] })
    expect(await sync(machine, repo, true)).toEqual({ steps: ['publish'], codes: [] })
    expect(git(repo, 'rev-parse', '--abbrev-ref', 'main@{upstream}')).toBe('team/main')
  })

  it.each(['main', 'trunk'])('catches up with a remote that was empty when cloned and now has %s', async (branch) => {
    const bare = makeEmptyRemote()
    const repo = join(makeFolder(), 'clone')
    await cloneRepository(machine, bare, repo)
    expect(await sync(machine, repo, true)).toEqual({ steps: [], codes: [] })
    const other = makeLibrary({ remote: false }).repo
    git(other, 'push', '--quiet', bare, `main:${branch}`)
    expect(await sync(machine, repo)).toEqual({ steps: ['fast-forward'], codes: [] })
    expect(await new Repository(machine, repo).head()).toBe(git(other, 'rev-parse', 'main'))
    expect(existsSync(join(repo, 'skills/a/SKILL.md'))).toBe(true)
    expect(git(repo, 'rev-parse', '--abbrev-ref', 'HEAD', '@{upstream}')).toBe(`${branch}\norigin/${branch}`)
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: [] })
  })

  it('asks the remote for its default branch when there are several', async () => {
    const bare = makeEmptyRemote()
    const repo = join(makeFolder(), 'clone')
    await cloneRepository(machine, bare, repo)
    const other = makeLibrary({ remote: false }).repo
    git(other, 'push', '--quiet', bare, 'main:dev', 'main:trunk')
    git(bare, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    expect(await sync(machine, repo)).toEqual({ steps: ['fast-forward'], codes: [] })
    expect(git(repo, 'branch', '--show-current')).toBe('trunk')
  })

  it.each([
    ['main', ''],
    ['trunk', ''],
    ['main', 'skills\n'],
    ['main', 'staged'],
  ])('keeps files that are in the way of the first commits of %s (ignored: %j)', async (branch, ignore) => {
    const bare = makeEmptyRemote()
    const repo = join(makeFolder(), 'clone')
    await cloneRepository(machine, bare, repo)
    write(repo, { 'skills/a/SKILL.md': 'mine', '.git/info/exclude': ignore })
    if (ignore === 'staged') git(repo, 'add', '--all')
    git(makeLibrary({ remote: false }).repo, 'push', '--quiet', bare, `main:${branch}`)
    expect(await failure(sync(machine, repo))).toMatchObject({ code: 'GIT_FAILED' })
    expect(readFileSync(join(repo, 'skills/a/SKILL.md'), 'utf8')).toBe('mine')
    expect(git(repo, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(await new Repository(machine, repo).head()).toBeUndefined()
  })

  it('says that the upstream is missing, stale or detached, and that the remote is gone', async () => {
    const { repo, bare } = makeLibrary()
    git(repo, 'push', '--quiet', 'origin', 'main:trunk')
    git(bare, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    git(bare, 'branch', '-D', 'main')
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: ['UPSTREAM_MISSING'] })
    git(repo, 'branch', '--unset-upstream')
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: ['UPSTREAM_MISSING'] })
    git(repo, 'switch', '--quiet', '--detach')
    expect(await readRepoState(new Repository(machine, repo))).toMatchObject({ branch: undefined, branches: ['main'] })
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: ['UPSTREAM_MISSING'] })
    git(repo, 'switch', '--quiet', 'main')
    rmSync(bare, { recursive: true })
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: ['UNREACHABLE'] })
    git(repo, 'remote', 'remove', 'origin')
    expect(await sync(machine, repo)).toEqual({ steps: [], codes: [] })
  })
})

describe('committing exactly some paths', () => {
  const filesOf = (repo: string, commit = 'HEAD') =>
    git(repo, 'show', '--format=', '--name-status', '--no-renames', commit).split('\n')

  it('leaves everything else as it was, staged or not', async () => {
    const { repo } = makeLibrary()
    commitAll(repo, { 'skills/c/SKILL.md': 'c', 'README.md': 'r' })
    write(repo, { 'skills/c/SKILL.md': 'staged', 'new.md': 'staged' })
    git(repo, 'add', '--all')
    write(repo, { 'skills/c/SKILL.md': 'and edited', 'README.md': 'edited', 'skills/d/SKILL.md': 'untracked' })
    write(repo, { 'skills/b/SKILL.md': 'b', 'skills/b/deep/run.sh': 'x', 'skills/bb/SKILL.md': 'bb' })
    const commit = await commitPaths(new Repository(machine, repo), ['skills/b'], 'Import b\n\n# more')
    expect(commit).toBe(git(repo, 'rev-parse', 'HEAD'))
    expect(filesOf(repo)).toEqual(['A\tskills/b/SKILL.md', 'A\tskills/b/deep/run.sh'])
    expect(git(repo, 'log', '-1', '--format=%an <%ae> %B')).toBe('Ann <ann@example.org> Import b\n\n# more')
    expect(
      git(repo, 'status', '--porcelain')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['M README.md', 'A  new.md', 'MM skills/c/SKILL.md', '?? skills/bb/', '?? skills/d/'])
    expect(git(repo, 'show', ':skills/c/SKILL.md')).toBe('staged')
  })

  it('takes what is on disk, not what was staged of the same path', async () => {
    const { repo } = makeLibrary()
    write(repo, { 'skills/a/SKILL.md': 'staged' })
    git(repo, 'add', '--all')
    write(repo, { 'skills/a/SKILL.md': 'on disk' })
    await commitPaths(new Repository(machine, repo), ['skills/a/'], 'change a')
    expect(git(repo, 'show', 'HEAD:skills/a/SKILL.md')).toBe('on disk')
    expect(git(repo, 'status', '--porcelain')).toBe('')
  })

  it.each([
    ['from disk', (repo: string) => rmSync(join(repo, 'skills/a'), { recursive: true })],
    ['with git', (repo: string) => git(repo, 'rm', '-r', '--quiet', 'skills/a')],
  ])('commits a removal %s', async (_, remove) => {
    const { repo } = makeLibrary()
    remove(repo)
    await commitPaths(new Repository(machine, repo), ['skills/a'], 'delete a')
    expect(filesOf(repo)).toEqual(['D\tskills/a/SKILL.md'])
    expect(git(repo, 'status', '--porcelain')).toBe('')
  })

  it('makes the first commit, and leaves what else is staged', async () => {
    const repo = join(makeFolder(), 'new')
    await new Repository(machine, repo).init()
    write(repo, { 'skills/a/SKILL.md': 'a', 'other.md': 'o' })
    git(repo, 'add', 'other.md')
    expect(await commitPaths(new Repository(machine, repo), ['skills/a'], 'first')).toMatch(/^[0-9a-f]{40}$/)
    expect(git(repo, 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('skills/a/SKILL.md')
    expect(git(repo, 'status', '--porcelain')).toBe('A  other.md')
  })

  it('has nothing to commit', async () => {
    const { repo } = makeLibrary()
    write(repo, { 'skills/b/SKILL.md': 'staged, then removed' })
    git(repo, 'add', '--all')
    rmSync(join(repo, 'skills/b'), { recursive: true })
    const before = await new Repository(machine, repo).head()
    expect(
      await commitPaths(new Repository(machine, repo), ['skills/a', 'skills/b', 'skills/gone'], 'none'),
    ).toBeUndefined()
    expect(await new Repository(machine, repo).head()).toBe(before)
  })

  it.each([
    'skills/*',
    'skills/:(top)x',
    'skills/-x',
    "skills/it's $(x) \\ \u00e9\u6f22",
    'skills/a\nb',
    'skills/ "q"',
  ])('takes %j by its letters', async (path) => {
    const { repo } = makeLibrary()
    write(repo, { [`${path}/SKILL.md`]: 'odd', 'skills/other/SKILL.md': 'other' })
    expect(await uncommittedPaths(new Repository(machine, repo))).toContain(`${path}/SKILL.md`)
    expect(await commitPaths(new Repository(machine, repo), [path], 'odd')).toBeDefined()
    expect(await uncommittedPaths(new Repository(machine, repo))).toEqual(['skills/other/SKILL.md'])
  })

  it('puts the index back when a hook refuses', async () => {
    const { repo } = makeLibrary()
    makeProgram(join(repo, '.git/hooks/pre-commit'), 'echo; echo no tabs allowed; echo more; exit 1')
    write(repo, { 'skills/a/SKILL.md': 'staged' })
    git(repo, 'add', '--all')
    write(repo, { 'skills/a/SKILL.md': 'on disk', 'skills/a/new.md': 'n', 'skills/b/SKILL.md': 'b' })
    const before = git(repo, 'ls-files', '--stage')
    const error = await failure(commitPaths(new Repository(machine, repo), ['skills/a', 'skills/b'], 'refused'))
    expect(error).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('no tabs allowed') })
    expect(git(repo, 'ls-files', '--stage')).toBe(before)
    expect(readFileSync(join(repo, 'skills/a/SKILL.md'), 'utf8')).toBe('on disk')
    expect(git(repo, 'rev-list', '--count', 'HEAD')).toBe('1')
  })

  it('lets hooks use git as they always do', async () => {
    const { repo } = makeLibrary()
    makeProgram(join(repo, '.git/hooks/pre-commit'), `git diff --cached -- '*.md' | grep -q '^+b'`)
    write(repo, { 'skills/b/SKILL.md': 'b' })
    expect(await commitPaths(new Repository(machine, repo), ['skills/b'], 'add b')).toBeDefined()
  })

  it('says which rule ignores a path', async () => {
    const { repo } = makeLibrary()
    write(repo, { '.gitignore': '# comment\nskills/b*\n*.log\n', 'skills/b/SKILL.md': 'b' })
    const error = await failure(commitPaths(new Repository(machine, repo), ['skills/b'], 'add b'))
    expect(error).toMatchObject({ code: 'GIT_FAILED' })
    expect(error.message).toBe('skills/b cannot be committed: git ignores it (.gitignore:2: skills/b*)')
    write(repo, { 'skills/a/x.log': 'l', 'skills/c/SKILL.md': 'c', 'skills/c/x.log': 'l' })
    expect(await commitPaths(new Repository(machine, repo), ['skills/a'], 'unchanged')).toBeUndefined()
    expect(await commitPaths(new Repository(machine, repo), ['skills/c'], 'add c')).toBeDefined()
    expect(filesOf(repo)).toEqual(['A\tskills/c/SKILL.md'])
  })

  it.each([
    ['nobody', '', 'loadout <loadout@localhost>'],
    ['a name only', '[user]\n\tname = Ann\n', 'Ann <loadout@localhost>'],
    ['nobody to be guessed', '[user]\n\tuseConfigOnly = true\n', 'loadout <loadout@localhost>'],
  ])('commits for %s', async (_, gitconfig, author) => {
    const { repo } = makeLibrary()
    write(repo, { 'skills/b/SKILL.md': 'b' })
    await commitPaths(new Repository(makeMachine(gitconfig), repo), ['skills/b'], 'add b')
    expect(git(repo, 'log', '-1', '--format=%an <%ae>')).toBe(author)
  })

  it('does not take a repository for a folder', async () => {
    const { repo } = makeLibrary()
    git(repo, 'init', '--quiet', 'skills/b/inner')
    commitAll(join(repo, 'skills/b/inner'), { 'x.md': 'x' })
    write(repo, { 'skills/b/SKILL.md': 'b' })
    const error = await failure(commitPaths(new Repository(machine, repo), ['skills/b'], 'add b'))
    expect(error.message).toBe('skills/b/inner/ cannot be committed: it is a repository of its own')
    git(repo, 'add', '--all')
    rmSync(join(repo, 'skills/b'), { recursive: true })
    git(repo, 'commit', '--quiet', '--message', 'with a link')
    expect(await commitPaths(new Repository(machine, repo), ['skills/b'], 'delete b')).toBeDefined()
    expect(git(repo, 'ls-files')).toBe('skills/a/SKILL.md')
  })

  it('lists what is not committed, both names of a renamed file too', async () => {
    const { repo } = makeLibrary()
    git(repo, 'mv', 'skills/a/SKILL.md', 'skills/a/OTHER.md')
    write(repo, { 'skills/b/deep/x.md': 'x', 'outside.md': 'o' })
    const inside = ['skills/a/OTHER.md', 'skills/a/SKILL.md', 'skills/b/deep/x.md']
    expect(await uncommittedPaths(new Repository(machine, repo))).toEqual(inside)
    expect(await uncommittedPaths(new Repository(machine, repo), '')).toEqual(['outside.md', ...inside])
    expect((await readRepoState(new Repository(machine, repo))).uncommitted).toEqual(inside)
  })
})

describe('history and differences', () => {
  it('counts the commits that touched a path since', async () => {
    const { repo } = makeLibrary()
    const first = git(repo, 'rev-parse', 'HEAD')
    commitAll(repo, { 'skills/a/SKILL.md': 'b' })
    commitAll(repo, { 'skills/b/SKILL.md': 'b' })
    expect(await commitsBehind(new Repository(machine, repo), first, 'skills/a')).toBe(1)
    expect(await commitsBehind(new Repository(machine, repo), first, '')).toBe(2)
    expect(await commitsBehind(new Repository(machine, repo), '0'.repeat(40), 'skills/a')).toBeUndefined()
    expect(await commitsBehind(new Repository(machine, repo), '--all', 'skills/a')).toBeUndefined()
  })

  it('compares two folders the same way for everyone', async () => {
    const parent = makeFolder()
    write(parent, { 'library/SKILL.md': 'one\n', 'library/same.md': 's', 'installed/SKILL.md': 'two\n' })
    write(parent, { 'installed/same.md': 's', 'installed/new.md': 'n\n', 'library/.gitattributes': '* -diff\n' })
    write(parent, { 'installed/.gitattributes': '* -diff\n' })
    const noise = '[diff]\n\tnoprefix = false\n\tmnemonicPrefix = true\n\tcontext = 0\n\texternal = false\n'
    const on = makeMachine(`${noise}[color]\n\tui = always\n[core]\n\tabbrev = 20\n`, {
      GIT_EXTERNAL_DIFF: 'false',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.abbrev',
      GIT_CONFIG_VALUE_0: '20',
    })
    expect(await diffFolders(new Repository(on, parent), 'library', 'installed')).toBe(
      [
        'diff --git library/SKILL.md installed/SKILL.md',
        'index 5626abf..f719efd 100644',
        '--- library/SKILL.md',
        '+++ installed/SKILL.md',
        '@@ -1 +1 @@',
        '-one',
        '+two',
        'diff --git installed/new.md installed/new.md',
        'new file mode 100644',
        'index 0000000..8ba3a16',
        '--- /dev/null',
        '+++ installed/new.md',
        '@@ -0,0 +1 @@',
        '+n',
        '',
      ].join('\n'),
    )
    expect(await diffFolders(new Repository(on, parent), 'library', 'library')).toBe('')
  })
})

describe('a repository that wants to run programs', () => {
  const SSH = 'ssh://localhost/x.git'

  /** Everything sync and import do: the codes they fail with. */
  async function doEverything(repo: string): Promise<unknown[]> {
    write(repo, { 'skills/b/SKILL.md': 'b' })
    const tracked = { kind: 'fast-forward', trackingRef: 'refs/remotes/origin/main' } as const
    const push = { kind: 'push', remote: 'origin', branch: 'main', mergeRef: 'refs/heads/main' } as const
    const results = await Promise.allSettled([
      new Repository(machine, repo).require(),
      readRepoState(new Repository(machine, repo)),
      uncommittedPaths(new Repository(machine, repo)),
      fetchRemote(new Repository(machine, repo), 'origin'),
      fastForward(new Repository(machine, repo), tracked, 'HEAD'),
      commitPaths(new Repository(machine, repo), ['skills/b'], 'add b'),
      pushBranch(new Repository(machine, repo), push),
      commitsBehind(new Repository(machine, repo), '0'.repeat(40), 'skills/a'),
    ])
    return results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done'))
  }

  /** The setting, and a plain git command that falls for it: without that, nothing is proven. */
  const programs: [key: string, value: (program: string) => string, fallsFor: string[], url?: string][] = [
    ['core.sshCommand', (program) => program, ['fetch'], SSH],
    ['core.gitProxy', (program) => program, ['fetch'], 'git://localhost/x.git'],
    ['core.askPass', (program) => program, [], SSH],
    ['core.editor', (program) => program, ['commit', '--allow-empty']],
    ['core.hooksPath', (program) => dirname(program), ['commit', '--allow-empty', '-m', 'x']],
    ['core.alternateRefsCommand', (program) => program, []],
    ['sequence.editor', (program) => program, ['rebase', '--interactive', '--autostash', '--root']],
    ['credential.helper', (program) => `!${program}`, ['credential', 'fill']],
    ['credential.https://example.org.helper', (program) => `!${program}`, []],
    ['filter.x.clean', (program) => program, ['add', '--all']],
    ['filter.x.smudge', (program) => program, ['checkout', 'HEAD~0', '--', '.']],
    ['filter.x.process', (program) => program, ['add', '--all']],
    ['merge.x.driver', (program) => program, []],
    ['diff.external', (program) => program, ['diff', 'HEAD']],
    ['diff.x.command', (program) => program, ['diff', 'HEAD']],
    ['diff.x.textconv', (program) => program, ['diff', 'HEAD']],
    ['gpg.program', (program) => program, ['commit', '--allow-empty', '-S', '-m', 'x']],
    ['gpg.openpgp.program', (program) => program, ['commit', '--allow-empty', '-S', '-m', 'x']],
    ['gpg.ssh.defaultKeyCommand', (program) => program, []],
    ['trailer.x.command', (program) => program, []],
    ['trailer.x.cmd', (program) => program, []],
    ['uploadpack.packObjectsHook', (program) => program, []],
    ['remote.origin.uploadpack', (program) => program, ['fetch']],
    ['remote.origin.receivepack', (program) => program, ['push', 'origin', 'HEAD:new']],
    ['remote.origin.vcs', () => 'x', []],
    ['remote.origin.proxy', () => 'http://localhost:1', []],
    ['http.saveCookies', () => 'true', []],
    ['http.https://example.org.saveCookies', () => 'true', []],
    ['protocol.allow', () => 'always', []],
    ['protocol.ext.allow', () => 'always', []],
    ['remote.origin.url', (program) => `ext::${program}`, ['-c', 'protocol.ext.allow=always', 'fetch']],
    ['remote.origin.pushurl', (program) => `--receive-pack=${program}`, []],
    ['branch.main.remote', (program) => `ext::${program}`, ['-c', 'protocol.ext.allow=always', 'fetch']],
    ['url.ext::sh -c x.insteadOf', () => '/', []],
    ['remote.origin.fetch', () => '+refs/heads/*:refs/heads/*', []],
    ['remote.-x.url', () => '/x', []],
    ['includeIf.onbranch:other.path', () => 'x', []],
  ]

  it.each(programs)('by %s is refused', async (key, value, fallsFor, url) => {
    const { repo } = makeLibrary()
    const made = join(makeFolder(), 'made')
    const program = makeProgram(join(dirname(made), 'hooks', 'pre-commit'), `touch ${made}; exit 1`)
    write(repo, { '.git/info/attributes': '*.md filter=x diff=x merge=x\n', 'skills/a/SKILL.md': 'edited\n' })
    git(repo, 'config', key, value(program))
    if (url !== undefined) git(repo, 'remote', 'set-url', 'origin', url)
    const codes = await doEverything(repo)
    expect(codes).toEqual(codes.map(() => 'GIT_UNSAFE'))
    expect(existsSync(made)).toBe(false)

    const error = await failure(new Repository(machine, repo).settings())
    expect(error.message.toLowerCase()).toContain(`${join(repo, '.git/config')} sets ${key}`.toLowerCase())
    if (fallsFor.length > 0) {
      const env = { PATH: process.env.PATH, HOME: machine.home, GIT_CONFIG_NOSYSTEM: '1', TERM: 'xterm' }
      spawnSync('git', ['-C', repo, ...fallsFor], { env, input: 'protocol=https\nhost=x\n\n', timeout: 5000 })
      expect(existsSync(made)).toBe(true)
    }
    const command = (error.hint ?? '').replace(/^.*?: /, '')
    expect(spawnSync('sh', ['-c', command], { env: { PATH: process.env.PATH } }).status).toBe(0)
    expect(git(repo, 'config', '--list', '--name-only').toLowerCase()).not.toContain(key.toLowerCase())
  })

  it('names all of its settings at once', async () => {
    const { repo } = makeLibrary()
    for (const key of ['core.editor', 'core.askPass']) git(repo, 'config', key, 'x')
    const error = await failure(new Repository(machine, repo).settings())
    expect(error.message).toMatch(/core\.editor: .*; .* core\.askpass: /)
    expect(error.hint).toMatch(/--unset-all core\.editor && git config .* --unset-all core\.askpass$/)
  })

  it('by an included file is refused, with the name of that file', async () => {
    const { repo } = makeLibrary()
    write(repo, { 'shared config': '[core]\n\tsshCommand = x\n' })
    git(repo, 'config', 'include.path', '../shared config')
    const error = await failure(new Repository(machine, repo).settings())
    expect(error.message).toContain(`${join(repo, 'shared config')} sets core.sshcommand`)
    expect(error.hint).toContain(`--file '${join(repo, 'shared config')}' --unset-all core.sshcommand`)
  })

  it('by the settings of a worktree is refused', async () => {
    const { repo } = makeLibrary()
    git(repo, 'config', 'extensions.worktreeConfig', 'true')
    git(repo, 'config', '--worktree', 'core.sshCommand', 'x')
    const error = await failure(new Repository(machine, repo).settings())
    expect(error.message).toContain(`${join(repo, '.git/config.worktree')} sets core.sshcommand`)
  })

  it('by fsmonitor or by unrequested hooks gets nothing run', async () => {
    const { repo, bare } = makeLibrary()
    const made = join(makeFolder(), 'made')
    const program = makeProgram(join(dirname(made), 'program'), `touch ${made}`)
    git(repo, 'config', 'core.fsmonitor', program)
    git(repo, 'config', 'core.pager', program)
    git(repo, 'config', 'pager.status', program)
    for (const hook of ['post-merge', 'post-checkout', 'reference-transaction', 'post-index-change']) {
      makeProgram(join(repo, '.git/hooks', hook), `touch ${made}`)
    }
    const other = cloneOf(bare)
    commitAll(other, { 'skills/c/SKILL.md': 'c' })
    git(other, 'push', '--quiet')
    expect(await sync(machine, repo)).toEqual({ steps: ['fast-forward'], codes: [] })
    expect(existsSync(made)).toBe(false)
    git(repo, 'status')
    expect(existsSync(made)).toBe(true)
  })

  it('does not run the filters of a repository inside it', async () => {
    const { repo } = makeLibrary()
    const made = join(makeFolder(), 'made')
    const program = makeProgram(join(dirname(made), 'program'), `touch ${made}; cat`)
    const inner = join(repo, 'skills/inner')
    mkdirSync(inner)
    git(inner, 'init', '--quiet')
    commitAll(inner, { 'x.md': 'abc' })
    git(repo, 'add', '--all')
    git(repo, 'commit', '--quiet', '--message', 'inner')
    git(inner, 'config', 'filter.x.clean', program)
    write(inner, { '.git/info/attributes': '*.md filter=x\n', 'x.md': 'xyz' })
    expect(await uncommittedPaths(new Repository(machine, repo))).toEqual([])
    write(repo, { 'skills/a/SKILL.md': 'changed' })
    expect(await commitPaths(new Repository(machine, repo), ['skills/a'], 'change a')).toBeDefined()
    write(repo, { 'skills/a/SKILL.md': 'again' })
    const error = await failure(commitPaths(new Repository(machine, repo), ['skills'], 'change all'))
    expect(error.message).toBe('skills/inner cannot be committed: it is a repository of its own')
    expect(await sync(machine, repo, true)).toEqual({ steps: ['push'], codes: ['UNCOMMITTED'] })
    expect(existsSync(made)).toBe(false)
    git(repo, 'status')
    expect(existsSync(made)).toBe(true)
  })

  it('by the name of a branch or a remote is refused', async () => {
    const { repo } = makeLibrary()
    write(repo, { '.git/HEAD': 'ref: refs/heads/--output=x\n' })
    expect(await failure(readRepoState(new Repository(machine, repo)))).toMatchObject({ code: 'GIT_UNSAFE' })
    expect(await failure(commitPaths(new Repository(machine, repo), ['skills'], 'x'))).toMatchObject({
      code: 'GIT_UNSAFE',
    })
    expect(await failure(fetchRemote(new Repository(machine, repo), '--upload-pack=x'))).toMatchObject({
      code: 'GIT_UNSAFE',
    })
  })

  it('may do so by settings of the user', async () => {
    const { repo } = makeLibrary()
    const on = makeMachine(`${IDENTITY}[credential]\n\thelper = store\n[filter "x"]\n\tclean = cat\n`)
    await expect(new Repository(on, repo).settings()).resolves.toBeDefined()
  })
})
