import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Machine } from '../../src/machine/machine.ts'
import { fetchPacks, Packs } from '../../src/packs/catalog.ts'
import { clonePath } from '../../src/packs/disk/discover.ts'
import { makeFolder } from '../cli/run.ts'
import { packText } from './machine.ts'

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim()

/** A repository with one pack, and a function that changes it. */
function makeRemote(name: string) {
  const folder = makeFolder()
  git(folder, 'init', '--quiet', '--initial-branch=main')
  const publish = (version: string) => {
    mkdirSync(join(folder, 'knowledge', name), { recursive: true })
    writeFileSync(join(folder, 'knowledge', name, 'KNOWLEDGE.md'), packText({ name, version }))
    git(folder, 'add', '--all')
    git(folder, 'commit', '--quiet', '--message', version)
    return git(folder, 'rev-parse', 'HEAD')
  }
  return { folder, publish, commit: publish('1') }
}

function makeMachine(packs: unknown[]): Machine {
  const home = makeFolder()
  mkdirSync(join(home, '.config/loadout'), { recursive: true })
  writeFileSync(join(home, '.config/loadout/config.json'), JSON.stringify({ organization: { packs } }))
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' }
  return new Machine({ cwd: makeFolder(), home, env, now: () => new Date() })
}

const packsOf = (machine: Machine) =>
  new Packs(machine, {}).discovery.packs
    .filter(({ scope }) => scope === 'organization')
    .map(({ manifest }) => `${manifest.name} ${manifest.version}`)

const statesOf = async (machine: Machine) => (await fetchPacks(machine, {})).sources.map(({ state }) => state)

describe('fetching the packs of an organization', () => {
  it('clones, does nothing when nothing is new, and updates', async () => {
    const remote = makeRemote('team')
    const machine = makeMachine([{ git: remote.folder }])
    expect(new Packs(machine, {}).discovery.findings).toEqual([
      expect.objectContaining({ code: 'discovery.skipped', hint: 'loadout packs fetch' }),
    ])
    const { value, findings } = await machine.collect((listening) => fetchPacks(listening, {}))
    expect(value.sources).toEqual([{ source: remote.folder, state: 'fetched', commit: remote.commit }])
    expect(findings).toEqual([])
    expect(packsOf(machine)).toEqual(['team 1'])
    expect(await statesOf(machine)).toEqual(['unchanged'])
    const second = remote.publish('2')
    expect((await fetchPacks(machine, {})).sources).toEqual([
      { source: remote.folder, state: 'updated', commit: second },
    ])
    expect(packsOf(machine)).toEqual(['team 2'])
    expect(readdirSync(join(machine.cacheFolder, 'packs', 'organization'))).toHaveLength(1)
  })

  it('follows the branch that is named, and a history that was rewritten', async () => {
    const remote = makeRemote('team')
    git(remote.folder, 'checkout', '--quiet', '-b', 'next')
    remote.publish('2')
    git(remote.folder, 'checkout', '--quiet', 'main')
    const machine = makeMachine([{ git: remote.folder, branch: 'next' }])
    expect(await statesOf(machine)).toEqual(['fetched'])
    expect(packsOf(machine)).toEqual(['team 2'])
    git(remote.folder, 'branch', '--force', 'next', 'main')
    expect(await statesOf(machine)).toEqual(['updated'])
    expect(packsOf(machine)).toEqual(['team 1'])
  })

  it('a source that fails stops no other, and keeps its old copy', async () => {
    const [first, second] = [makeRemote('first'), makeRemote('second')]
    const machine = makeMachine([{ git: first.folder }, { git: '/nowhere/x.git' }, { git: second.folder }])
    expect(await statesOf(machine)).toEqual(['fetched', 'failed', 'fetched'])
    rmSync(first.folder, { recursive: true })
    second.publish('2')
    const { value, findings } = await machine.collect((listening) => fetchPacks(listening, {}))
    expect(value.sources.map(({ state, commit }) => [state, commit !== undefined])).toEqual([
      ['failed', true],
      ['failed', false],
      ['updated', true],
    ])
    expect(findings.map(({ severity, subject }) => [severity, subject])).toEqual([
      ['error', first.folder],
      ['error', '/nowhere/x.git'],
    ])
    expect(packsOf(machine).sort()).toEqual(['first 1', 'second 2'])
  })

  it.each(['ext::sh -c id', '--upload-pack=id', 'ftp://host/x.git'])('refuses the address %s', async (url) => {
    const { value, findings } = await makeMachine([{ git: url }]).collect((listening) => fetchPacks(listening, {}))
    expect(value.sources).toEqual([expect.objectContaining({ state: 'failed' })])
    expect(findings).toEqual([expect.objectContaining({ code: 'GIT_UNSAFE' })])
  })

  it('does not trust a copy whose settings run programs, and makes it anew', async () => {
    const remote = makeRemote('team')
    const machine = makeMachine([{ git: remote.folder }])
    await fetchPacks(machine, {})
    const copy = clonePath(machine, { url: remote.folder })
    git(copy, 'config', 'core.sshCommand', 'touch /nowhere/ran')
    expect(await statesOf(machine)).toEqual(['fetched'])
    expect(git(copy, 'config', '--default=none', '--get', 'core.sshCommand')).toBe('none')
  })

  it('puts right what a killed process left behind', async () => {
    const remote = makeRemote('team')
    const machine = makeMachine([{ git: remote.folder }])
    await fetchPacks(machine, {})
    const copy = clonePath(machine, { url: remote.folder })
    mkdirSync(`${copy}.0a0a0a0a.new`)
    execFileSync('mv', [copy, `${copy}.0a0a0a0a.old`])
    expect(await statesOf(machine)).toEqual(['unchanged'])
    expect(readdirSync(join(machine.cacheFolder, 'packs', 'organization'))).toHaveLength(1)
  })

  it('shows no password', async () => {
    const { value, findings } = await makeMachine(['https://me:secret@127.0.0.1:9/x.git']).collect((listening) =>
      fetchPacks(listening, {}),
    )
    expect(JSON.stringify({ value, findings })).not.toContain('secret')
    expect(value.sources[0]?.state).toBe('failed')
  })
})
