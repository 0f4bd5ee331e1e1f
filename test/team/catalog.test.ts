import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { ask, askForPostgres, makeDatabase, withClient } from './postgres.ts'
import { makeMachine, startTeam, type TestMachine, type TestServer } from './server.ts'

let team: TestServer
/** The address of the library that all machines clone. */
let origin: string
let author: Member
let other: Member

interface Member extends TestMachine {
  library: string
  /** The text of an installed skill; undefined when it is not installed. */
  installed(name: string): string | undefined
}

beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  origin = join(makeFolder(), 'library.git')
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin])
  author = await joinAs('admin', 'web')
  const key = makeKey(author, 'id_ed25519')
  writeSkill('lint', 'Version one.')
  mkdirSync(join(author.library, 'catalog'))
  writeFileSync(join(author.library, 'catalog/allowed_signers'), `admin@example.com ${key}\n`)
  publishLibrary('Start')
  other = await joinAs('member', 'web')
})
afterAll(() => team.stop())

function git(folder: string, ...words: string[]): string {
  const env = { PATH: process.env.PATH, HOME: author?.home ?? folder, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
    encoding: 'utf8',
    env,
  }).trim()
}

async function joinAs(role: 'admin' | 'maintainer' | 'member', group: string, signers?: string): Promise<Member> {
  const machine = makeMachine()
  const library = join(machine.home, 'library')
  git(machine.home, 'clone', '--quiet', origin, library)
  if (!existsSync(join(library, '.git/refs/heads/main'))) git(library, 'checkout', '--quiet', '-B', 'main')
  mkdirSync(join(machine.home, '.claude/skills'), { recursive: true })
  await machine.loadout.initialize({ repo: library })
  await machine.loadout.joinTeam({ url: team.url, token: await team.token(role, group), signers })
  const installed = (name: string) => {
    const path = join(machine.home, '.claude/skills', name, 'SKILL.md')
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  return { ...machine, library, installed }
}

/** Makes an SSH key for a person and returns the public key. */
function makeKey({ home }: TestMachine, name: string): string {
  mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 })
  const path = join(home, '.ssh', name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path])
  return readFileSync(`${path}.pub`, 'utf8').trim()
}

function writeSkill(name: string, text: string): void {
  const folder = join(author.library, 'skills', name)
  mkdirSync(folder, { recursive: true })
  const description = `Checks ${name}.`
  writeFileSync(join(folder, 'skill.json'), JSON.stringify({ name, description, targets: ['claude'] }))
  writeFileSync(join(folder, 'SKILL.md'), `# ${name}\n\n${text}\n`)
}

function publishLibrary(message: string): void {
  git(author.library, 'add', '--all')
  git(author.library, 'commit', '--quiet', '--message', message)
  git(author.library, 'push', '--quiet', 'origin', 'HEAD:main')
  git(author.library, 'branch', '--quiet', '--set-upstream-to=origin/main')
}

async function approved(name: string, version: string, groups?: string[]): Promise<void> {
  await author.loadout.publishVersion({ name, version })
  await author.loadout.approveVersion({ name, version, groups })
}

async function codesOf(run: Promise<{ findings: { code: string }[] }>): Promise<string[]> {
  return (await run).findings.map(({ code }) => code)
}

describe('a version of a skill', () => {
  it('is installed as of its commit once it is approved, also when the library is newer', async () => {
    await author.loadout.publishVersion({ name: 'lint', version: '1' })
    await expect(other.loadout.equipFromCatalog({ names: ['lint'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
    await author.loadout.approveVersion({ name: 'lint' })
    writeSkill('lint', 'Version two, which nobody approved.')
    publishLibrary('Change lint')
    await other.loadout.sync({})
    expect(readFileSync(join(other.library, 'skills/lint/SKILL.md'), 'utf8')).toContain('Version two')
    await other.loadout.equipFromCatalog({ names: ['lint'] })
    expect(other.installed('lint')).toContain('Version one.')
    const { value } = await other.loadout.inventory({})
    expect(value.skills.find(({ name }) => name === 'lint')?.state).toBe('current')
    await other.loadout.sync({})
    expect(other.installed('lint')).toContain('Version one.')
  })

  it('follows with the next sync when a newer one is approved', async () => {
    await approved('lint', '2')
    await other.loadout.sync({})
    expect(other.installed('lint')).toContain('Version two')
    const { value } = await other.loadout.searchCatalog({ words: 'lint' })
    expect(value.map(({ version, state, signedBy, here }) => [version, state, signedBy, here])).toEqual([
      ['1', 'approved', 'admin@example.com', ''],
      ['2', 'approved', 'admin@example.com', 'installs'],
    ])
  })

  it('goes to the groups that it was approved for', async () => {
    writeSkill('lint', 'Version three, for the pilots.')
    publishLibrary('Pilot lint')
    await approved('lint', '3', ['pilot'])
    const pilot = await joinAs('member', 'pilot')
    await pilot.loadout.equipFromCatalog({ names: ['lint'] })
    await other.loadout.sync({})
    expect([pilot.installed('lint'), other.installed('lint')]).toEqual([
      expect.stringContaining('Version three'),
      expect.stringContaining('Version two'),
    ])
  })

  it('stays as it is while it is in quarantine', async () => {
    await author.loadout.quarantineVersion({ name: 'lint', version: '2', isHeld: true })
    expect(await codesOf(other.loadout.sync({}))).toContain('CATALOG_HELD')
    expect(other.installed('lint')).toContain('Version two')
    await author.loadout.quarantineVersion({ name: 'lint', version: '2', isHeld: false })
    expect(await codesOf(other.loadout.sync({}))).not.toContain('CATALOG_HELD')
  })

  it('is installed without a connection as the catalog last said', async () => {
    const away = await joinAs('member', 'web')
    await away.loadout.equipFromCatalog({ names: ['lint'] })
    const path = join(away.home, '.local/state/loadout/team/membership.json')
    const membership = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...membership, url: 'http://127.0.0.1:9' }))
    expect(await codesOf(away.loadout.sync({}))).toContain('UNREACHABLE')
    expect(away.installed('lint')).toContain('Version two')
  })

  it('is removed by a retirement, which says so', async () => {
    writeSkill('old', 'Old.')
    publishLibrary('Add old')
    await other.loadout.sync({})
    await approved('old', '1')
    await other.loadout.equipFromCatalog({ names: ['old'] })
    expect(other.installed('old')).toContain('Old.')
    await author.loadout.retireVersion({ name: 'old' })
    const { value, findings } = await other.loadout.sync({})
    expect(value.operations.map(({ kind, skill }) => [kind, skill])).toContainEqual(['remove', 'old'])
    expect(findings.find(({ code }) => code === 'CATALOG_RETIRED')?.message).toContain('admin@example.com retired it')
    expect(other.installed('old')).toBeUndefined()
    await expect(other.loadout.equipFromCatalog({ names: ['old'] })).rejects.toMatchObject({ code: 'CATALOG_RETIRED' })
  })

  it('must be committed before it is published, and cannot change under its name', async () => {
    writeSkill('wip', 'Not committed.')
    await expect(author.loadout.publishVersion({ name: 'wip' })).rejects.toMatchObject({ code: 'UNCOMMITTED' })
    publishLibrary('Add wip')
    const first = await author.loadout.publishVersion({ name: 'wip', version: '1' })
    expect((await author.loadout.publishVersion({ name: 'wip', version: '1' })).value.isNew).toBe(false)
    expect(first.value.isNew).toBe(true)
    writeSkill('wip', 'Changed.')
    publishLibrary('Change wip')
    await expect(author.loadout.publishVersion({ name: 'wip', version: '1' })).rejects.toMatchObject({
      code: 'SKILL_EXISTS',
    })
  })
})

describe('a stolen database', () => {
  const change = (sql: string, values: unknown[] = []) =>
    withClient(team.databaseUrl, (client) => client.query(sql, values))

  it('cannot approve: neither by a state, nor with a statement that it makes up, nor with one about something else', async () => {
    writeSkill('evil', 'Evil.')
    publishLibrary('Add evil')
    await author.loadout.publishVersion({ name: 'evil', version: '1' })
    const victim = await joinAs('member', 'web')
    const attempts: [sql: string, values: unknown[]][] = [
      [`UPDATE catalog_version SET state = 'approved' WHERE name = 'evil'`, []],
      [
        `UPDATE catalog_version e SET statement = l.statement, signature = l.signature FROM catalog_version l WHERE e.name = 'evil' AND l.name = 'lint' AND l.version = '2'`,
        [],
      ],
      [
        `UPDATE catalog_version e SET statement = replace(l.statement, 'lint', 'evil'), signature = l.signature FROM catalog_version l WHERE e.name = 'evil' AND l.name = 'lint' AND l.version = '2'`,
        [],
      ],
    ]
    for (const [sql, values] of attempts) {
      await change(sql, values)
      await expect(victim.loadout.equipFromCatalog({ names: ['evil'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
      expect(victim.installed('evil')).toBeUndefined()
    }
    const { findings } = await victim.loadout.searchCatalog({})
    expect(findings.map(({ code }) => code)).toContain('CATALOG_UNVERIFIED')
    await change(`DELETE FROM catalog_version WHERE name = 'evil'`)
  })

  it('cannot change what was approved: another commit and digest beside a valid signature count for nothing', async () => {
    const victim = await joinAs('member', 'web')
    const evil = git(author.library, 'log', '-1', '--format=%H', '--', 'skills/wip')
    await change(`UPDATE catalog_version SET commit_id = $1, digest = $2 WHERE name = 'lint' AND version = '2'`, [
      evil,
      'f'.repeat(64),
    ])
    await victim.loadout.equipFromCatalog({ names: ['lint'] })
    expect(victim.installed('lint')).toContain('Version two')
  })

  it('cannot bring an older version back to a machine that has seen a newer approval', async () => {
    const victim = await joinAs('member', 'web')
    await victim.loadout.equipFromCatalog({ names: ['lint'] })
    const rows = await ask(team.databaseUrl, `SELECT * FROM catalog_version WHERE name = 'lint' AND version <> '1'`)
    await change(
      `UPDATE catalog_version SET statement = NULL, signature = NULL, state = 'draft' WHERE name = 'lint' AND version <> '1'`,
    )
    const codes = await codesOf(victim.loadout.sync({}))
    expect(codes).toEqual(expect.arrayContaining(['CATALOG_UNVERIFIED', 'CATALOG_HELD']))
    expect(victim.installed('lint')).toContain('Version two')
    for (const { version, statement, signature, state } of rows) {
      await change(
        `UPDATE catalog_version SET statement = $1, signature = $2, state = $3 WHERE name = 'lint' AND version = $4`,
        [statement, signature, state, String(version)],
      )
    }
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
    await member.loadout.fetchPacks({})
    const { value, findings } = await member.loadout.resolvePacks({ task: 'refunds', packs: ['handbook'] })
    const listed = (await member.loadout.listPacks({})).findings
    const why = value.refused.map(({ message }) => message).join()
    return { active: value.active.length, why, findings, codes: listed.map(({ code }) => code) }
  }

  beforeAll(async () => {
    shared = join(makeFolder(), 'packs.git')
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', shared])
    ;[first, second] = [author, await joinAs('member', 'web')]
    git(first.home, 'clone', '--quiet', shared, join(first.home, '.agents'))
    git(join(first.home, '.agents'), 'checkout', '--quiet', '-B', 'main')
    writePack('Within five days.')
    await expect(first.loadout.publishVersion({ name: 'handbook' })).rejects.toMatchObject({ code: 'UNCOMMITTED' })
    share()
    git(second.home, 'clone', '--quiet', shared, join(second.home, '.agents'))
  })

  it('is used freely until the catalog lists it, and then only once it is approved', async () => {
    expect(await uses(second)).toMatchObject({ active: 1, why: '' })
    const { value } = await first.loadout.publishVersion({ name: 'handbook' })
    expect(value).toMatchObject({ kind: 'pack', version: '1.0.0', state: 'draft', isNew: true })
    expect(await uses(second)).toMatchObject({
      active: 0,
      why: 'the pack handbook is not used: no version of it is approved in the catalog',
      codes: expect.arrayContaining(['CATALOG_HELD']),
    })
    await first.loadout.approveVersion({ name: 'pack:handbook' })
    expect(await uses(second)).toMatchObject({ active: 1, why: '' })
    const rows = (await second.loadout.searchCatalog({ words: 'handbook' })).value
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
    await expect(second.loadout.openGuide({ pack: 'handbook' })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
    await first.loadout.publishVersion({ name: 'handbook', version: '1.1.0' })
    await first.loadout.approveVersion({ name: 'handbook', version: '1.1.0' })
    expect(await uses(second)).toMatchObject({ active: 1 })
  })

  it('that is in quarantine is not used until it is let go', async () => {
    const about = { name: 'handbook', version: '1.1.0' }
    await first.loadout.quarantineVersion({ ...about, isHeld: true })
    expect(await uses(second)).toMatchObject({ active: 0, why: expect.stringContaining('is in quarantine') })
    await first.loadout.quarantineVersion({ ...about, isHeld: false })
    expect(await uses(second)).toMatchObject({ active: 1 })
  })

  it('a stolen database cannot approve other content', async () => {
    writePack('To the thief.')
    share()
    pull()
    const { value } = await first.loadout.publishVersion({ name: 'handbook', version: '6.6.6' })
    await withClient(team.databaseUrl, (client) =>
      client.query(
        `UPDATE catalog_version e SET state = 'approved', signature = l.signature,
           statement = replace(replace(l.statement, '1.1.0', '6.6.6'), l.digest, $1)
         FROM catalog_version l WHERE e.name = 'handbook' AND e.version = '6.6.6' AND l.name = 'handbook' AND l.version = '1.1.0'`,
        [value.digest],
      ),
    )
    expect(await uses(second)).toMatchObject({ active: 0 })
    await withClient(team.databaseUrl, (client) => client.query(`DELETE FROM catalog_version WHERE version = '6.6.6'`))
    writePack('Whenever you like.')
    share()
    pull()
    expect(await uses(second)).toMatchObject({ active: 1 })
  })

  it('that is retired is not used any more, and says who retired it', async () => {
    await first.loadout.retireVersion({ name: 'handbook' })
    expect(await uses(second)).toMatchObject({
      active: 0,
      why: 'the pack handbook is not used: admin@example.com retired it in the catalog',
      codes: expect.arrayContaining(['CATALOG_RETIRED']),
    })
  })

  it('has to be named by its kind where a skill is called the same', async () => {
    writeSkill('handbook', 'A skill.')
    publishLibrary('Add a skill of that name')
    await expect(first.loadout.publishVersion({ name: 'handbook' })).rejects.toMatchObject({ code: 'USAGE' })
    await first.loadout.publishVersion({ name: 'skill:handbook', version: '1' })
    await expect(first.loadout.retireVersion({ name: 'handbook' })).rejects.toMatchObject({ code: 'USAGE' })
  })
})

describe('a dry run of sync', () => {
  it('asks the catalog, writes nothing of what it said, and says when it could not ask', async () => {
    writeSkill('fresh', 'One.')
    publishLibrary('Add fresh')
    const member = await joinAs('member', 'web')
    await approved('fresh', '1')
    await member.loadout.equipFromCatalog({ names: ['fresh'] })
    await author.loadout.retireVersion({ name: 'fresh' })
    const record = join(member.home, '.local/state/loadout/team/verdicts.json')
    const before = readFileSync(record, 'utf8')
    const { value } = await member.loadout.sync({ dryRun: true })
    expect(value.operations.map(({ kind, skill }) => [kind, skill])).toContainEqual(['remove', 'fresh'])
    expect([readFileSync(record, 'utf8'), member.installed('fresh')]).toEqual([before, expect.stringContaining('One.')])
    const membership = join(member.home, '.local/state/loadout/team/membership.json')
    writeFileSync(membership, readFileSync(membership, 'utf8').replace(team.url, 'http://127.0.0.1:9'))
    const { findings, value: unasked } = await member.loadout.sync({ dryRun: true })
    expect(unasked.operations).toEqual([])
    expect(findings.map(({ code, message }) => `${code} ${message}`).join()).toContain(
      'UNREACHABLE the catalog could not be read, so its last answer counts',
    )
  })
})

describe('who may approve', () => {
  it('is in the library: a key that is not there cannot, whatever the role', async () => {
    const stranger = await joinAs('admin', 'web')
    makeKey(stranger, 'id_ed25519')
    await expect(stranger.loadout.approveVersion({ name: 'wip', version: '1' })).rejects.toMatchObject({
      code: 'CATALOG_UNVERIFIED',
    })
  })

  it('needs the role of an administrator, and publishing that of a maintainer', async () => {
    const member = await joinAs('member', 'web')
    await expect(member.loadout.publishVersion({ name: 'lint', version: '9' })).rejects.toMatchObject({
      code: 'TEAM_ROLE',
    })
    const maintainer = await joinAs('maintainer', 'web')
    const key = join(author.home, '.ssh/id_ed25519')
    await expect(maintainer.loadout.approveVersion({ name: 'wip', version: '1', key })).rejects.toMatchObject({
      code: 'TEAM_ROLE',
    })
  })

  it('can be pinned by a person who joins: then the library cannot say otherwise', async () => {
    const file = join(makeFolder(), 'signers')
    const someone = makeMachine()
    writeFileSync(file, `eve@example.com ${makeKey(someone, 'eve')}\n`)
    const pinned = await joinAs('member', 'web', file)
    await expect(pinned.loadout.equipFromCatalog({ names: ['lint'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
  })
})
