import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { type CatalogWorld, codesOf, git, type Member, makeKey, saidBy, startCatalog } from './catalog-world.ts'
import { makeMachine } from './server.ts'

let world: CatalogWorld
let author: Member
let other: Member

beforeAll(async () => {
  world = await startCatalog()
  ;({ author } = world)
  world.writeSkill('lint', 'Version one.')
  world.publishLibrary()
  other = await world.joinAs()
})
afterAll(() => world.team.stop())

describe('a version of a skill', () => {
  it('is installed as of its commit once it is approved, also when the library is newer', async () => {
    await author.loadout.team.publish({ name: 'lint', version: '1' })
    await expect(other.loadout.skills.equip({ fromCatalog: true, names: ['lint'] })).rejects.toMatchObject({
      code: 'CATALOG_HELD',
    })
    await author.loadout.team.approve({ name: 'lint' })
    world.writeSkill('lint', 'Version two, which nobody approved.')
    world.publishLibrary('Change lint')
    await other.loadout.skills.sync({})
    expect(readFileSync(join(other.library, 'skills/lint/SKILL.md'), 'utf8')).toContain('Version two')
    await other.loadout.skills.equip({ fromCatalog: true, names: ['lint'] })
    expect(other.installed('lint')).toContain('Version one.')
    const { value } = await other.loadout.skills.inventory({})
    expect(value.skills.find(({ name }) => name === 'lint')?.state).toBe('current')
    await other.loadout.skills.sync({})
    expect(other.installed('lint')).toContain('Version one.')
  })

  it('follows with the next sync when a newer one is approved', async () => {
    await world.approve('lint', '2')
    await other.loadout.skills.sync({})
    expect(other.installed('lint')).toContain('Version two')
    const { value } = await other.loadout.team.searchCatalog({ words: 'lint' })
    expect(value.versions.map(({ version, state, signedBy, here }) => [version, state, signedBy, here])).toEqual([
      ['1', 'approved', 'admin@example.com', ''],
      ['2', 'approved', 'admin@example.com', 'installs'],
    ])
  })

  it('goes to the groups that it was approved for', async () => {
    world.writeSkill('lint', 'Version three, for the pilots.')
    world.publishLibrary('Pilot lint')
    await world.approve('lint', '3', ['pilot'])
    const pilot = await world.joinAs({ group: 'pilot' })
    await pilot.loadout.skills.equip({ fromCatalog: true, names: ['lint'] })
    await other.loadout.skills.sync({})
    expect([pilot.installed('lint'), other.installed('lint')]).toEqual([
      expect.stringContaining('Version three'),
      expect.stringContaining('Version two'),
    ])
  })

  it('stays as it is while it is in quarantine', async () => {
    await author.loadout.team.quarantine({ name: 'lint', version: '2', isHeld: true })
    expect(await codesOf(other.loadout.skills.sync({}))).toContain('CATALOG_HELD')
    expect(other.installed('lint')).toContain('Version two')
    await author.loadout.team.quarantine({ name: 'lint', version: '2', isHeld: false })
    expect(await codesOf(other.loadout.skills.sync({}))).not.toContain('CATALOG_HELD')
  })

  it('is installed without a connection as the catalog last said', async () => {
    const away = await world.joinAs()
    await away.loadout.skills.equip({ fromCatalog: true, names: ['lint'] })
    const path = join(away.home, '.local/state/loadout/team/membership.json')
    const membership = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...membership, url: 'http://127.0.0.1:9' }))
    expect(await codesOf(away.loadout.skills.sync({}))).toContain('UNREACHABLE')
    expect(away.installed('lint')).toContain('Version two')
  })

  it('is removed by a retirement, which says so', async () => {
    world.writeSkill('old', 'Old.')
    world.publishLibrary('Add old')
    await other.loadout.skills.sync({})
    await world.approve('old', '1')
    await other.loadout.skills.equip({ fromCatalog: true, names: ['old'] })
    expect(other.installed('old')).toContain('Old.')
    await author.loadout.team.retire({ name: 'old' })
    const { value, findings } = await other.loadout.skills.sync({})
    expect(value.operations.map(({ kind, skill }) => [kind, skill])).toContainEqual(['remove', 'old'])
    expect(findings.find(({ code }) => code === 'CATALOG_HELD')?.message).toContain('admin@example.com retired it')
    expect(other.installed('old')).toBeUndefined()
    await expect(other.loadout.skills.equip({ fromCatalog: true, names: ['old'] })).rejects.toMatchObject({
      code: 'CATALOG_HELD',
    })
  })

  it('must be committed before it is published, and cannot change under its name', async () => {
    world.writeSkill('wip', 'Not committed.')
    await expect(author.loadout.team.publish({ name: 'wip' })).rejects.toMatchObject({ code: 'UNCOMMITTED' })
    world.publishLibrary('Add wip')
    const first = await author.loadout.team.publish({ name: 'wip', version: '1' })
    expect((await author.loadout.team.publish({ name: 'wip', version: '1' })).value.isNew).toBe(false)
    expect(first.value.isNew).toBe(true)
    world.writeSkill('wip', 'Changed.')
    world.publishLibrary('Change wip')
    await expect(author.loadout.team.publish({ name: 'wip', version: '1' })).rejects.toMatchObject({
      code: 'FILE_EXISTS',
    })
  })
})

describe('a version of a pack', () => {
  let shared: string
  let first: Member
  let second: Member

  const guide = (member: Member) => join(member.home, '.agents/knowledge/handbook/KNOWLEDGE.md')
  function writePack(text: string): void {
    mkdirSync(dirname(guide(first)), { recursive: true })
    const head = 'name: handbook\ndescription: How refunds are paid.\ntype: domain\nstatus: ready\nversion: 1.0.0\n'
    writeFileSync(guide(first), `---\n${head}---\n\n# Refunds\n\n${text}\n`)
  }
  function share(): void {
    const folder = join(first.home, '.agents')
    git(folder, 'add', '--all')
    git(folder, 'commit', '--quiet', '--message', 'Change the handbook')
    git(folder, 'push', '--quiet', 'origin', 'HEAD:main')
  }
  const pull = () => git(join(second.home, '.agents'), 'pull', '--quiet', 'origin', 'main')
  const uses = async (member: Member) => {
    await member.loadout.knowledge.fetchPacks({})
    const { value, findings } = await member.loadout.knowledge.resolvePacks({ task: 'refunds', packs: ['handbook'] })
    const listed = (await member.loadout.knowledge.listPacks({})).findings
    const why = value.refused.map(({ message }) => message).join()
    return { active: value.active.length, why, findings, codes: listed.map(({ code }) => code) }
  }

  beforeAll(async () => {
    shared = join(makeFolder(), 'packs.git')
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', shared])
    ;[first, second] = [author, await world.joinAs()]
    git(first.home, 'clone', '--quiet', shared, join(first.home, '.agents'))
    git(join(first.home, '.agents'), 'checkout', '--quiet', '-B', 'main')
    writePack('Within five days.')
    await expect(first.loadout.team.publish({ name: 'handbook' })).rejects.toMatchObject({ code: 'UNCOMMITTED' })
    share()
    git(second.home, 'clone', '--quiet', shared, join(second.home, '.agents'))
  })

  it('is used freely until the catalog lists it, and then only once it is approved', async () => {
    expect(await uses(second)).toMatchObject({ active: 1, why: '' })
    const { value } = await first.loadout.team.publish({ name: 'handbook' })
    expect(value).toMatchObject({ kind: 'pack', version: '1.0.0', state: 'draft', isNew: true })
    expect(await uses(second)).toMatchObject({
      active: 0,
      why: 'the pack handbook is not used: no version of it is approved in the catalog',
      codes: expect.arrayContaining(['CATALOG_HELD']),
    })
    await first.loadout.team.approve({ name: 'pack:handbook' })
    expect(await uses(second)).toMatchObject({ active: 1, why: '' })
    const rows = (await second.loadout.team.searchCatalog({ words: 'handbook' })).value.versions
    expect(rows.map(({ kind, signedBy, here }) => [kind, signedBy, here])).toEqual([
      ['pack', 'admin@example.com', 'uses'],
    ])
  })

  it('counts by its digest: other content is not used, and told', async () => {
    writePack('Whenever you like.')
    share()
    pull()
    const { active, why } = await uses(second)
    expect([active, why]).toEqual([
      0,
      'the pack handbook is not used: it differs from version 1.0.0 that admin@example.com approved in the catalog',
    ])
    await expect(second.loadout.knowledge.openGuide({ pack: 'handbook' })).rejects.toMatchObject({
      code: 'CATALOG_HELD',
    })
    await first.loadout.team.publish({ name: 'handbook', version: '1.1.0' })
    await first.loadout.team.approve({ name: 'handbook', version: '1.1.0' })
    expect(await uses(second)).toMatchObject({ active: 1 })
  })

  it('that is in quarantine is not used until it is let go', async () => {
    const about = { name: 'handbook', version: '1.1.0' }
    await first.loadout.team.quarantine({ ...about, isHeld: true })
    expect(await uses(second)).toMatchObject({ active: 0, why: expect.stringContaining('is in quarantine') })
    await first.loadout.team.quarantine({ ...about, isHeld: false })
    expect(await uses(second)).toMatchObject({ active: 1 })
  })

  it('that is retired is not used any more, and says who retired it', async () => {
    await first.loadout.team.retire({ name: 'handbook' })
    expect(await uses(second)).toMatchObject({
      active: 0,
      why: 'the pack handbook is not used: admin@example.com retired it in the catalog',
      codes: expect.arrayContaining(['CATALOG_HELD']),
    })
  })

  it('has to be named by its kind where a skill is called the same', async () => {
    world.writeSkill('handbook', 'A skill.')
    world.publishLibrary('Add a skill of that name')
    await expect(first.loadout.team.publish({ name: 'handbook' })).rejects.toMatchObject({ code: 'USAGE' })
    await first.loadout.team.publish({ name: 'skill:handbook', version: '1' })
    await expect(first.loadout.team.retire({ name: 'handbook' })).rejects.toMatchObject({ code: 'USAGE' })
  })
})

describe('a dry run of sync', () => {
  it('asks the catalog, writes nothing of what it said, and says when it could not ask', async () => {
    world.writeSkill('fresh', 'One.')
    world.publishLibrary('Add fresh')
    const member = await world.joinAs()
    await world.approve('fresh', '1')
    await member.loadout.skills.equip({ fromCatalog: true, names: ['fresh'] })
    await author.loadout.team.retire({ name: 'fresh' })
    const record = join(member.home, '.local/state/loadout/team/verdicts.json')
    const before = readFileSync(record, 'utf8')
    const { value } = await member.loadout.skills.sync({ dryRun: true })
    expect(value.operations.map(({ kind, skill }) => [kind, skill])).toContainEqual(['remove', 'fresh'])
    expect([readFileSync(record, 'utf8'), member.installed('fresh')]).toEqual([before, expect.stringContaining('One.')])
    const membership = join(member.home, '.local/state/loadout/team/membership.json')
    writeFileSync(membership, readFileSync(membership, 'utf8').replace(world.team.url, 'http://127.0.0.1:9'))
    const { findings, value: unasked } = await member.loadout.skills.sync({ dryRun: true })
    expect(unasked.operations).toEqual([])
    expect(findings.map(({ code, message }) => `${code} ${message}`).join()).toContain(
      'UNREACHABLE the catalog could not be read, so its last answer counts',
    )
  })
})

describe('a command that changes installs', () => {
  let member: Member
  const skill = (name: string) => join(member.home, '.claude/skills', name, 'SKILL.md')

  beforeAll(async () => {
    await world.release('asked', '1', 'One.')
    member = await world.joinAs()
    await member.loadout.skills.equip({ names: ['asked'] })
    await member.loadout.skills.saveProfile({ name: 'mine' })
    await member.loadout.skills.unequip({ names: ['asked'] })
  })

  it('obeys a quarantine that this machine has not heard of', async () => {
    await author.loadout.team.quarantine({ name: 'asked', version: '1', isHeld: true })
    expect(await codesOf(member.loadout.skills.applyProfile({ name: 'mine' }))).toEqual(['CATALOG_HELD'])
    expect(member.installed('asked')).toBeUndefined()
    const own = '---\nname: asked\ndescription: Checks asked.\n---\n\n# asked\n\nOne.\n'
    mkdirSync(dirname(skill('asked')))
    writeFileSync(skill('asked'), own)
    expect(await codesOf(member.loadout.skills.import({ adopt: true }))).toContain('CATALOG_HELD')
    expect(member.installed('asked')).toBe(own)
    rmSync(dirname(skill('asked')), { recursive: true })
    await author.loadout.team.quarantine({ name: 'asked', version: '1', isHeld: false })
    expect(await codesOf(member.loadout.skills.applyProfile({ name: 'mine' }))).toEqual([])
    expect(member.installed('asked')).toContain('One.')
  })

  it.each<[string, (loadout: Member['loadout']) => Promise<{ findings: { code: string; message: string }[] }>]>([
    ['equip', (loadout) => loadout.skills.equip({ names: ['asked'] })],
    ['profile apply', (loadout) => loadout.skills.applyProfile({ name: 'mine' })],
    ['update', (loadout) => loadout.skills.update({})],
    ['import --adopt', (loadout) => loadout.skills.import({ adopt: true })],
    ['adopt', (loadout) => loadout.skills.adopt({ name: 'asked' })],
    ['undo', (loadout) => loadout.skills.undo({})],
  ])('says when it could not ask the catalog: %s', async (name, run) => {
    const membership = join(member.home, '.local/state/loadout/team/membership.json')
    const before = readFileSync(membership, 'utf8')
    if (name === 'adopt') writeFileSync(skill('asked'), `${member.installed('asked')}\nAn edit.\n`)
    writeFileSync(membership, before.replace(world.team.url, 'http://127.0.0.1:9'))
    expect(await saidBy(run(member.loadout))).toContain('the catalog could not be read, so its last answer counts')
    writeFileSync(membership, before)
  })
})

it('approves a draft only with the content that the approver’s library has', async () => {
  world.writeSkill('forged', 'One.')
  world.publishLibrary('Add forged')
  const { value } = await author.loadout.team.publish({ name: 'forged', version: '1' })
  const other = value.digest.replace(/./g, (digit) => (digit === '0' ? '1' : '0'))
  await world.change(`UPDATE catalog_version SET digest = $1 WHERE name = 'forged'`, [other])
  const approve = () => author.loadout.team.approve({ name: 'forged' })
  await expect(approve()).rejects.toMatchObject({
    code: 'CATALOG_UNVERIFIED',
    message: expect.stringMatching(new RegExp(`draft has the digest ${other}.* has ${value.digest}`)),
  })
  await world.change(`UPDATE catalog_version SET commit_id = $1 WHERE name = 'forged'`, ['0'.repeat(40)])
  await expect(approve()).rejects.toThrow('does not have commit 000000000000 of the library')
  await world.change(`UPDATE catalog_version SET digest = $1, commit_id = $2 WHERE name = 'forged'`, [
    value.digest,
    value.commit,
  ])
  expect((await approve()).value.changed.map(({ name }) => name)).toEqual(['forged'])
})

describe('who may approve', () => {
  it('is in the library: a key that is not there cannot, whatever the role', async () => {
    const stranger = await world.joinAs({ role: 'admin' })
    makeKey(stranger, 'id_ed25519')
    await expect(stranger.loadout.team.approve({ name: 'wip', version: '1' })).rejects.toMatchObject({
      code: 'CATALOG_UNVERIFIED',
    })
  })

  it('needs the role of an administrator, and publishing that of a maintainer', async () => {
    const member = await world.joinAs()
    await expect(member.loadout.team.publish({ name: 'lint', version: '9' })).rejects.toMatchObject({
      code: 'TEAM_ROLE',
    })
    const maintainer = await world.joinAs({ role: 'maintainer' })
    const key = join(author.home, '.ssh/id_ed25519')
    await expect(maintainer.loadout.team.approve({ name: 'wip', version: '1', key })).rejects.toMatchObject({
      code: 'TEAM_ROLE',
    })
  })

  it('can be pinned by a person who joins: then the library cannot say otherwise', async () => {
    const file = join(makeFolder(), 'signers')
    const someone = makeMachine()
    writeFileSync(file, `eve@example.com ${makeKey(someone, 'eve')}\n`)
    const pinned = await world.joinAs({ role: 'member', group: 'web', signers: file })
    await expect(pinned.loadout.skills.equip({ fromCatalog: true, names: ['lint'] })).rejects.toMatchObject({
      code: 'CATALOG_HELD',
    })
  })
})
