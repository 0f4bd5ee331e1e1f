import { appendFileSync, chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, type Run, runShell } from './run.ts'
import { commitAll, git, makeMachine, makeRepository, put, putAll, skill, type TestMachine } from './skills-machine.ts'

/** A bare repository that two machines know as their remote; both have alpha equipped for Claude. */
function makePair(): { remote: string; here: TestMachine; there: TestMachine } {
  const remote = makeRepository(join(makeFolder(), 'library.git'), '--bare', '--initial-branch=main')
  const there = makeMachine({ skills: { ...skill('alpha'), ...skill('beta') } })
  there.git('remote', 'add', 'origin', remote)
  there.git('push', '--quiet', '--set-upstream', 'origin', 'main')
  const here = makeMachine({ config: false })
  expect(here.run('init', '--clone', remote, '--into', 'library').code).toBe(0)
  for (const machine of [here, there]) machine.run('equip', 'alpha', '--target', 'claude')
  return { remote, here, there }
}

function change(machine: TestMachine, text: string, name = 'alpha'): string {
  put(join(machine.library, `skills/${name}/SKILL.md`), text)
  return commitAll(machine.library, text)
}

function installed(machine: TestMachine, name = 'alpha'): string {
  return machine.read(`.claude/skills/${name}/SKILL.md`).replace(/^---[\s\S]*?---\n\n/, '')
}

function marker(machine: TestMachine, name = 'alpha'): Record<string, unknown> {
  return JSON.parse(machine.read(`.claude/skills/${name}/.loadout`))
}

/** The first command of a hint, run the way a person would paste it. */
function follow(run: Run, machine: TestMachine): Run {
  const command = /^ {2}(?:try )?(git -C .*?)(?: \(or|, or|; |, then|$)/m.exec(run.stderr)?.[1] ?? 'false'
  const config = '-c user.name=T -c user.email=t@localhost'
  return runShell(command.replaceAll('git -C', `git ${config} -C`), { home: machine.home })
}

describe('sync', () => {
  it('no remote: only the installs are refreshed', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha', '--target', 'claude')
    const head = change(machine, 'second')
    const run = machine.run('sync')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/refreshed +alpha +claude/)
    expect(marker(machine).repo_commit).toBe(head)
    expect(machine.json('sync')).toMatchObject({ steps: [], operations: [], head, findings: [] })
  })

  it('behind: fast-forwards, refreshes what changed, and only marks what did not', () => {
    const { here, there } = makePair()
    here.run('equip', 'beta', '--target', 'claude')
    const head = change(there, 'second')
    there.git('push', '--quiet')
    const before = here.tree().filter((row) => !row.startsWith('library/.git/'))
    const dry = here.run('sync', '--dry-run')
    expect(dry.stdout).toContain('1 commit would be pulled')
    expect(dry.stdout).toMatch(/changed +alpha/)
    expect(dry.stdout).toMatch(/refresh +alpha +claude/)
    expect(dry.stdout).not.toContain('Every install')
    expect(here.run('sync', '--dry-run', '--diff').stdout).toContain('+second')
    expect(here.tree().filter((row) => !row.startsWith('library/.git/'))).toEqual(before)
    const run = here.run('sync')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('1 commit pulled from the remote')
    expect(run.stdout).toContain('1 unchanged install was marked')
    expect(installed(here)).toBe('second')
    expect([marker(here).repo_commit, marker(here, 'beta').repo_commit]).toEqual([head, head])
  })

  it('a skill that is gone from the library stays installed, as a finding', () => {
    const { here, there } = makePair()
    there.run('unequip', 'alpha')
    there.run('delete', 'alpha')
    there.git('push', '--quiet')
    const run = here.run('sync')
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('loadout remove --copies alpha')
    expect(existsSync(here.path('.claude/skills/alpha'))).toBe(true)
    expect(here.run('unequip', 'alpha').code).toBe(0)
  })

  it('remote unreachable: a finding, and the installs are refreshed all the same', () => {
    const { here, remote } = makePair()
    renameSync(remote, `${remote}.away`)
    change(here, 'second')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('UNREACHABLE')
    expect(installed(here)).toBe('second')
    expect(here.json('sync')).toMatchObject({ findings: [{ code: 'UNREACHABLE', severity: 'error' }] })
    renameSync(`${remote}.away`, remote)
    expect(follow(run, here).code).toBe(0)
  })

  it('ahead: says how many commits wait; --push sends them', () => {
    const { here, there } = makePair()
    change(here, 'second')
    change(here, 'third')
    const run = here.run('sync')
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('2 commits')
    expect(run.stderr).toContain('loadout sync --push')
    expect(installed(here)).toBe('third')
    const dry = here.run('sync', '--push', '--dry-run')
    expect(dry.stdout).toContain('would be pushed to origin')
    const pushed = here.run('sync', '--push')
    expect(pushed).toMatchObject({ code: 0, stderr: '' })
    expect(pushed.stdout).toContain('2 commits pushed to origin')
    there.run('sync')
    expect(installed(there)).toBe('third')
  })

  it('ahead, with sync_push in the configuration', () => {
    const { here, there } = makePair()
    const config = JSON.parse(here.read('.config/loadout/config.json'))
    here.write('.config/loadout/config.json', JSON.stringify({ ...config, repo_actions: { sync_push: true } }))
    const head = change(here, 'second')
    expect(here.run('sync').code).toBe(0)
    there.git('fetch', '--quiet')
    expect(there.git('rev-parse', 'origin/main')).toBe(head)
  })

  it('the command that a hint offers instead of --push works too', () => {
    const { here, remote } = makePair()
    const head = change(here, 'second')
    const hint = /loadout sync --push, or (.*)/.exec(here.run('sync').stderr)?.[1] ?? 'false'
    expect(runShell(hint, { home: here.home }).code).toBe(0)
    expect(git(remote, 'rev-parse', 'main')).toBe(head)
  })

  it('diverged: no merge, no force, the commands that help, and the installs refreshed', () => {
    const { here, there, remote } = makePair()
    change(there, 'theirs', 'beta')
    there.git('push', '--quiet')
    const mine = change(here, 'mine')
    const run = here.run('sync', '--push')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('DIVERGED')
    expect(here.git('rev-parse', 'HEAD')).toBe(mine)
    expect(git(remote, 'log', '-1', '--format=%s')).toBe('theirs')
    expect(installed(here)).toBe('mine')
    expect(follow(run, here).code).toBe(0)
    expect(here.run('sync', '--push')).toMatchObject({ code: 0, stderr: '' })
    there.run('sync')
    expect(installed(there)).toBe('mine')
  })

  it('empty remote: nothing is published unasked, then under the name that the remote has', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    const remote = makeRepository(join(makeFolder(), 'empty.git'), '--bare')
    machine.git('remote', 'add', 'company', remote)
    const waiting = machine.run('sync')
    expect(waiting.code).toBe(0)
    expect(waiting.stderr).toContain('1 commit')
    expect(waiting.stderr).toContain('push --set-upstream company main')
    const run = machine.run('sync', '--push')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toContain('pushed to company')
    expect(machine.git('rev-parse', '--abbrev-ref', 'main@{upstream}')).toBe('company/main')
    expect(git(remote, 'log', '--format=%s', 'main')).toBe('Start')
  })

  it('cloned while the remote was empty: takes what came since', () => {
    const remote = makeRepository(join(makeFolder(), 'library.git'), '--bare', '--initial-branch=main')
    const machine = makeMachine({ config: false })
    const cloned = machine.run('init', '--clone', remote, '--into', 'library')
    expect(cloned).toMatchObject({ code: 0, stderr: '' })
    expect(machine.run('sync')).toMatchObject({ code: 0, stderr: '' })
    const author = makeMachine({ skills: skill('alpha') })
    author.git('remote', 'add', 'origin', remote)
    author.run('sync', '--push')
    const run = machine.run('sync')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(machine.json('inventory')).toMatchObject({ skills: [{ name: 'alpha' }] })
    change(author, 'second')
    author.run('sync', '--push')
    expect(machine.json('sync')).toMatchObject({ steps: [{ kind: 'fast-forward', commits: 1 }] })
  })

  it('cloned while empty, filled here: the first commit is published', () => {
    const remote = makeRepository(join(makeFolder(), 'library.git'), '--bare', '--initial-branch=trunk')
    const machine = makeMachine({ config: false })
    machine.run('init', '--clone', remote, '--into', 'library')
    machine.write('a/SKILL.md', '# A\n\nText.\n')
    machine.run('import', 'a', '--targets', 'claude')
    expect(machine.run('sync', '--push')).toMatchObject({ code: 0, stderr: '' })
    const second = makeMachine({ config: false })
    second.run('init', '--clone', remote, '--into', 'library')
    expect(second.json('inventory')).toMatchObject({ skills: [{ name: 'a' }] })
  })

  it('upstream missing: the command that the finding names puts it right', () => {
    const { here, there } = makePair()
    here.git('branch', '--unset-upstream')
    change(there, 'second')
    there.git('push', '--quiet')
    change(here, 'third', 'beta')
    here.run('equip', 'beta', '--target', 'claude')
    change(here, 'fourth', 'beta')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('UPSTREAM_MISSING')
    expect(installed(here, 'beta')).toBe('fourth')
    expect(follow(run, here).code).toBe(0)
    expect(here.run('sync').stderr).toContain('DIVERGED')
  })

  it('stale upstream: the branch was removed from the remote', () => {
    const { here, there, remote } = makePair()
    here.git('switch', '--quiet', '--create', 'topic')
    here.git('push', '--quiet', '--set-upstream', 'origin', 'topic')
    git(remote, 'branch', '--delete', '--force', 'topic')
    change(here, 'second')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('topic follows origin/topic')
    expect(installed(here)).toBe('second')
    expect(follow(run, here).code).toBe(0)
    expect(here.run('sync').code).toBe(0)
    expect(there.run('sync').code).toBe(0)
  })

  it('detached HEAD: the command that leads back', () => {
    const { here } = makePair()
    here.git('switch', '--quiet', '--detach')
    put(join(here.library, 'skills/alpha/SKILL.md'), 'second')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('UPSTREAM_MISSING')
    expect(installed(here)).toBe('second')
    expect(follow(run, here).code).toBe(0)
    expect(here.git('branch', '--show-current')).toBe('main')
  })

  it('uncommitted changes are reported, and not taken for what is committed', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha', '--target', 'claude')
    const head = machine.git('rev-parse', 'HEAD')
    put(join(machine.library, 'skills/alpha/SKILL.md'), 'draft')
    const run = machine.run('sync')
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('skills/alpha/SKILL.md')
    expect(installed(machine)).toBe('draft')
    expect(marker(machine)).toMatchObject({ repo_commit: head, uncommitted: true })
    machine.git('checkout', '--quiet', '.')
    expect(machine.json('inventory')).toMatchObject({ skills: [{ state: 'outdated' }] })
    machine.run('sync')
    expect(installed(machine)).toContain('The text of alpha.')
    expect(marker(machine)).not.toHaveProperty('uncommitted')
  })

  it('uncommitted changes in the way of a fast-forward stop it, and nothing is lost', () => {
    const { here, there } = makePair()
    change(there, 'theirs')
    there.git('push', '--quiet')
    put(join(here.library, 'skills/alpha/SKILL.md'), 'draft')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('commit these files first')
    expect(here.read('library/skills/alpha/SKILL.md')).toBe('draft')
    expect(installed(here)).toBe('draft')
  })

  it('one install that fails does not stop the others', () => {
    const machine = makeMachine({ skills: { ...skill('alpha'), ...skill('beta'), ...skill('gamma') } })
    machine.run('equip', '--all', '--target', 'claude')
    for (const name of ['alpha', 'gamma']) change(machine, 'second', name)
    put(join(machine.library, 'skills/beta/SKILL.md'), new Uint8Array([0xff, 0xfe, 0]))
    commitAll(machine.library, 'Break beta')
    const run = machine.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('skills/beta/SKILL.md')
    expect([installed(machine, 'alpha'), installed(machine, 'gamma')]).toEqual(['second', 'second'])
    expect(installed(machine, 'beta')).toContain('The text of beta.')
    expect(machine.run('sync').code).toBe(1)
    expect(machine.json('sync')).toMatchObject({ findings: [{ severity: 'error', subject: 'beta' }] })
  })

  it('unmanaged folders are left alone', () => {
    const { here, there } = makePair()
    here.write('.claude/skills/beta/SKILL.md', 'mine')
    change(there, 'second', 'beta')
    there.git('push', '--quiet')
    expect(here.run('sync').code).toBe(0)
    expect(here.read('.claude/skills/beta/SKILL.md')).toBe('mine')
  })

  it('a push that the remote refuses is a finding', () => {
    const { here, remote } = makePair()
    chmodSync(put(join(remote, 'hooks/pre-receive'), '#!/bin/sh\necho "frozen until Monday" >&2\nexit 1\n'), 0o755)
    change(here, 'second')
    const run = here.run('sync', '--push')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('frozen until Monday')
    expect(installed(here)).toBe('second')
  })

  it('several remotes and no upstream: names them', () => {
    const { here, remote } = makePair()
    here.git('remote', 'rename', 'origin', 'one')
    here.git('remote', 'add', 'two', remote)
    here.git('branch', '--unset-upstream')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('one, two')
    expect(follow(run, here).code).toBe(0)
    expect(here.run('sync')).toMatchObject({ code: 0, stderr: '' })
  })

  it('history that was rewritten on the remote is not followed', () => {
    const { here, there } = makePair()
    there.git('commit', '--quiet', '--amend', '--message', 'Other')
    putAll(join(there.library, 'skills'), skill('alpha', {}, 'rewritten'))
    commitAll(there.library, 'Rewritten')
    there.git('push', '--quiet', '--force')
    const head = here.git('rev-parse', 'HEAD')
    const run = here.run('sync')
    expect(run.code).toBe(1)
    expect(here.git('rev-parse', 'HEAD')).toBe(head)
    expect(run.stderr).toContain('DIVERGED')
  })
})

describe('doctor and the repository', () => {
  it('says what a sync would meet, without the network', () => {
    const { here, remote } = makePair()
    expect(here.run('doctor').stdout).toContain('main follows origin')
    rmSync(remote, { recursive: true })
    expect(here.run('doctor').code).toBe(0)
    here.git('switch', '--quiet', '--detach')
    const run = here.run('doctor')
    expect(run.code).toBe(1)
    expect(run.stdout).toContain('switch main')
  })
})

describe('two commands at once', () => {
  it('both succeed, one after the other', () => {
    const machine = makeMachine({ skills: { ...skill('alpha'), ...skill('beta') } })
    const run = runShell(
      'loadout install alpha >/dev/null & first=$!; loadout install beta >/dev/null & second=$!; wait $first && wait $second',
      { home: machine.home, cwd: machine.home },
    )
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(machine.json('inventory')).toMatchObject({ skills: [{ state: 'current' }, { state: 'current' }] })
  })

  it('a library that changes under a sync leaves installs that the next one puts right', () => {
    const machine = makeMachine({ skills: skill('alpha') })
    machine.run('equip', 'alpha')
    const file = join(machine.library, 'skills/alpha/SKILL.md')
    const run = runShell(`(for i in $(seq 200); do echo "line $i" >> ${file}; done) & loadout sync >/dev/null; wait`, {
      home: machine.home,
      cwd: machine.home,
    })
    expect(run.code).toBe(0)
    appendFileSync(file, 'the end\n')
    expect(machine.run('sync').code).toBe(0)
    expect(machine.json('inventory')).toMatchObject({ skills: [{ state: 'current' }] })
    expect(machine.read('.claude/skills/alpha/SKILL.md')).toContain('the end\n')
  })
})
