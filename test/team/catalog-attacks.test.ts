import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatSnapshot, nextSnapshot, parseSnapshot, type Snapshot } from '../../src/team/rules/catalog.ts'
import { makeFolder } from '../cli/run.ts'
import { type CatalogWorld, codesOf, git, type Member, makeKey, saidBy, startCatalog } from './catalog-world.ts'
import { ask } from './postgres.ts'
import { makeMachine } from './server.ts'

interface Shown {
  text: string
  signature: string
  digest: string
}

/** What the database shows as the signed catalog. */
async function shownBy({ team }: CatalogWorld): Promise<Shown> {
  const [row] = await ask(team.databaseUrl, 'SELECT text, signature, digest FROM catalog_snapshot')
  return row as unknown as Shown
}

/** Makes the database show another catalog. */
async function show({ change }: CatalogWorld, { text, signature }: Pick<Shown, 'text' | 'signature'>): Promise<void> {
  await change('DELETE FROM catalog_snapshot')
  await change(
    `INSERT INTO catalog_snapshot (text, signature, digest) VALUES ($1, $2, encode(sha256(convert_to($1, 'UTF8')), 'hex'))`,
    [text, signature],
  )
}

function signedWith(key: string, text: string): Pick<Shown, 'text' | 'signature'> {
  const file = join(makeFolder(), 'text')
  writeFileSync(file, text)
  execFileSync('ssh-keygen', ['-Y', 'sign', '-q', '-f', key, '-n', 'loadout-catalog', file], { stdio: 'ignore' })
  return { text, signature: readFileSync(`${file}.sig`, 'utf8') }
}

const keyOf = ({ home }: Member) => join(home, '.ssh/id_ed25519')
const inDays = (days: number) => () => new Date(Date.now() + days * 86_400_000)
/** The same machine with another clock. */
const atTime = ({ home }: Member, now: () => Date) => makeMachine({ home, now }).loadout

async function snapshotOf(world: CatalogWorld): Promise<Snapshot> {
  const snapshot = parseSnapshot((await shownBy(world)).text)
  if (snapshot === undefined) throw new Error('the server has no catalog')
  return snapshot
}

describe('a database that somebody has taken over', () => {
  let world: CatalogWorld
  let member: Member
  let first: Shown

  beforeAll(async () => {
    world = await startCatalog()
    await world.release('notes', '1.0.0', 'VULNERABLE')
    first = await shownBy(world)
    await world.release('notes', '2.0.0', 'Fixed.')
    member = await world.joinAs({ group: 'payments' })
    await member.loadout.skills.equip({ names: ['notes'] })
    await world.release('notes', '3.0.0', 'For the canaries.', ['canary'])
  })
  afterAll(() => world.team.stop())

  it('cannot bring an older version back while a newer one is rolled out to another group', async () => {
    await world.change(`DELETE FROM catalog_version WHERE version = '2.0.0'`)
    await member.loadout.skills.sync({})
    expect(member.installed('notes')).toContain('Fixed.')
    const honest = await shownBy(world)
    await show(world, first)
    expect(await saidBy(member.loadout.skills.sync({}))).toMatch(
      /number 1 of the server’s catalog does not continue .*: it is older than number 3; number 3, which this machine verified, still counts/,
    )
    await member.loadout.skills.equip({ names: ['notes'] })
    expect(member.installed('notes')).toContain('Fixed.')
    await show(world, honest)
  })

  it('gives a new machine the version of its own group, also by equip right after it joined', async () => {
    const machines = [await world.joinAs({ group: 'payments' }), await world.joinAs({ group: 'canary' })]
    for (const machine of machines) await machine.loadout.skills.equip({ names: ['notes'] })
    expect(machines.map((machine) => machine.installed('notes'))).toEqual([
      expect.stringContaining('Fixed.'),
      expect.stringContaining('For the canaries.'),
    ])
  })

  it('cannot hide versions or the whole catalog from a new machine', async () => {
    const honest = await shownBy(world)
    await world.change('DELETE FROM catalog_version')
    const unaware = await world.joinAs({ group: 'payments' })
    await unaware.loadout.skills.equip({ names: ['notes'] })
    expect(unaware.installed('notes')).toContain('Fixed.')
    await world.change('DELETE FROM catalog_snapshot')
    const blind = await world.joinAs({ group: 'payments' })
    await expect(blind.loadout.skills.equip({ names: ['notes'] })).rejects.toMatchObject({
      code: 'CATALOG_HELD',
      message: 'notes cannot be installed: the catalog is not signed yet',
    })
    expect(await saidBy(member.loadout.skills.sync({}))).toContain('the server no longer shows a signed catalog')
    expect([blind.installed('notes'), member.installed('notes')]).toEqual([
      undefined,
      expect.stringContaining('Fixed.'),
    ])
    await show(world, honest)
  })

  it('cannot mix two catalogs, forge one, or count from 0 again', async () => {
    const honest = await shownBy(world)
    const stranger = makeMachine()
    makeKey(stranger, 'id_ed25519')
    const evil = honest.text.replaceAll('"state":"approved","commit"', '"state":"retired","commit"')
    const attempts: [Pick<Shown, 'text' | 'signature'>, said: string][] = [
      [{ text: first.text, signature: honest.signature }, 'has no valid signature of admin@example.com'],
      // A machine that has verified this text keeps the signature that it knows.
      [{ text: honest.text, signature: first.signature }, ''],
      [{ text: evil, signature: honest.signature }, 'has no valid signature'],
      [signedWith(join(stranger.home, '.ssh/id_ed25519'), evil), 'has no valid signature'],
      [{ ...honest, text: honest.text.replace('"number":3', '"number":0') }, 'is damaged'],
      [{ ...honest, text: honest.text.replace('"number":3', '"number":4') }, 'has no valid signature'],
      [{ text: '{}', signature: '' }, 'is damaged'],
    ]
    for (const [attempt, said] of attempts) {
      await show(world, attempt)
      expect(await saidBy(member.loadout.skills.sync({}))).toContain(said)
      expect(member.installed('notes')).toContain('Fixed.')
      const unaware = await world.joinAs({ group: 'payments' })
      await expect(unaware.loadout.skills.equip({ names: ['notes'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
    }
    await show(world, honest)
  })

  it('cannot alter the catalog unnoticed by leaving its digest, nor keep approvers from signing the next one', async () => {
    await world.author.loadout.skills.sync({})
    await world.change(`UPDATE catalog_snapshot SET text = replace(text, '"days":90', '"days":91')`)
    expect(await saidBy(member.loadout.skills.sync({}))).toContain('has no valid signature')
    await expect(world.author.loadout.team.signCatalog({})).rejects.toMatchObject({ code: 'CATALOG_UNVERIFIED' })
    await world.author.loadout.team.signCatalog({ restore: true })
    expect(await codesOf(member.loadout.skills.sync({}))).toEqual([])
  })

  it('can show the same catalog again and again only until it expires', async () => {
    expect(await codesOf(member.loadout.skills.sync({}))).not.toContain('CATALOG_UNVERIFIED')
    const later = atTime(member, inDays(91))
    expect(await saidBy(later.skills.sync({}))).toMatch(
      /the team’s catalog expired on .*: newer decisions may be hidden/,
    )
    expect(await saidBy(later.skills.equip({ names: ['notes'] }))).toContain('expired')
  })

  it('cannot lift a quarantine, which stops a plain equip at once; an approver can', async () => {
    await world.release('lint', '1.0.0', 'One.')
    await member.loadout.skills.sync({})
    await world.author.loadout.team.quarantine({ name: 'lint', version: '1.0.0', isHeld: true })
    const held = { code: 'CATALOG_HELD', message: expect.stringContaining('is in quarantine') }
    await expect(member.loadout.skills.equip({ names: ['lint'] })).rejects.toMatchObject(held)
    await world.change(`UPDATE catalog_version SET state = 'approved'`)
    await expect(member.loadout.skills.equip({ names: ['lint'] })).rejects.toMatchObject(held)
    await world.change(`UPDATE catalog_version SET state = 'quarantined' WHERE name = 'lint'`)
    const { value } = await world.author.loadout.team.signCatalog({})
    expect(value.others).toContain('lint 1.0.0 quarantined by admin@example.com')
    await world.change(`UPDATE catalog_version SET state = 'approved'`)
    const unaware = await world.joinAs({ group: 'payments' })
    await expect(unaware.loadout.skills.equip({ names: ['lint'] })).rejects.toMatchObject(held)
    await world.author.loadout.team.quarantine({ name: 'lint', version: '1.0.0', isHeld: false })
    for (const machine of [member, unaware]) await machine.loadout.skills.equip({ names: ['lint'] })
    expect([member.installed('lint'), unaware.installed('lint')]).toEqual(
      Array(2).fill(expect.stringContaining('One.')),
    )
  })

  it('cannot have an approver take back versions by showing an old catalog to a new machine of theirs', async () => {
    await member.loadout.skills.sync({})
    const { number } = await snapshotOf(world)
    await show(world, first)
    const fresh = await world.joinAs({ role: 'admin' })
    const key = keyOf(world.author)
    while ((await snapshotOf(world)).number <= number) await fresh.loadout.team.signCatalog({ key })
    expect(await saidBy(member.loadout.skills.sync({}))).toMatch(
      /does not continue what this machine verified: it leaves out lint/,
    )
    expect(member.installed('notes')).toContain('Fixed.')
    await expect(world.author.loadout.team.signCatalog({})).rejects.toMatchObject({ code: 'CATALOG_UNVERIFIED' })
    const { value } = await world.author.loadout.team.signCatalog({ restore: true })
    expect([value.number, await codesOf(member.loadout.skills.sync({}))]).toEqual([number + 2, []])
  })

  it('that was restored from an older backup gets the catalog back from an approver', async () => {
    await show(world, first)
    const { value } = await world.author.loadout.team.signCatalog({})
    expect(value.others[0]).toContain('it is older than number')
    expect(await codesOf(member.loadout.skills.sync({}))).toEqual([])
    expect((await snapshotOf(world)).versions.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'lint 1.0.0',
      'notes 1.0.0',
      'notes 2.0.0',
      'notes 3.0.0',
    ])
  })

  it('offers older programs no catalog, and says that they must be updated', async () => {
    const token = (await world.team.token()).slice(4, 36)
    const reply = await fetch(`${world.team.url}/v1/catalog`, { headers: { authorization: `Bearer ${token}` } })
    expect([reply.status, await reply.json()]).toEqual([
      426,
      { error: expect.objectContaining({ code: 'TEAM_FORMAT', hint: 'update Loadout on this machine' }) },
    ])
  })
})

describe('a wrong clock', () => {
  let world: CatalogWorld
  beforeAll(async () => {
    world = await startCatalog()
    await world.release('notes', '1.0.0', 'One.')
  })
  afterAll(() => world.team.stop())

  it('of an approver is refused, and a catalog from 2099 does not stop later ones or a way back', async () => {
    const year2099 = () => new Date('2099-01-01T00:00:00.000Z')
    world.writeSkill('notes', 'Two.')
    world.publishLibrary()
    await world.author.loadout.team.publish({ name: 'notes', version: '2.0.0' })
    const wrong = atTime(world.author, year2099)
    await expect(wrong.team.approve({ name: 'notes' })).rejects.toMatchObject({ code: 'TEAM_CLOCK' })
    const base = await snapshotOf(world)
    const signed = formatSnapshot(nextSnapshot(base, [], { ...base, at: year2099().toISOString() }))
    await show(world, signedWith(keyOf(world.author), signed))
    const member = await world.joinAs()
    await member.loadout.skills.equip({ names: ['notes'] })
    expect(member.installed('notes')).toContain('One.')
    await world.author.loadout.team.approve({ name: 'notes' })
    await member.loadout.skills.sync({})
    expect(member.installed('notes')).toContain('Two.')
    await world.author.loadout.team.retire({ name: 'notes', version: '2.0.0' })
    await member.loadout.skills.sync({})
    expect(member.installed('notes')).toContain('One.')
    await world.author.loadout.team.approve({ name: 'notes', version: '2.0.0' })
    await world.author.loadout.team.approve({ name: 'notes', version: '1.0.0' })
    await member.loadout.skills.sync({})
    expect(member.installed('notes')).toContain('One.')
  })

  it('of a machine changes only whether the catalog counts as expired', async () => {
    for (const [now, codes] of [
      [() => new Date('1970-01-02T00:00:00.000Z'), []],
      [() => new Date('2099-01-01T00:00:00.000Z'), ['CATALOG_UNVERIFIED']],
    ] as const) {
      const member = await world.joinAs({ now })
      expect(await codesOf(member.loadout.skills.equip({ names: ['notes'] }))).toEqual(codes)
      expect(member.installed('notes')).toContain('One.')
    }
  })
})

describe('two approvers', () => {
  let world: CatalogWorld
  let second: Member
  let member: Member
  beforeAll(async () => {
    world = await startCatalog()
    second = await world.joinAs({ role: 'admin' })
    const keys = [readFileSync(`${keyOf(world.author)}.pub`, 'utf8').trim(), makeKey(second, 'id_ed25519')]
    world.allow(`admin@example.com ${keys[0]}\nsecond@example.com ${keys[1]}\n`)
    await world.release('notes', '1.0.0', 'One.')
    await second.loadout.skills.sync({})
    member = await world.joinAs()
    await member.loadout.skills.equip({ names: ['notes'] })
  })
  afterAll(() => world.team.stop())

  it('sign one after the other: the later one is told, and sees what the other changed', async () => {
    const { text, signature } = await shownBy(world)
    const token = (await world.team.token('admin')).slice(4, 36)
    const reply = await fetch(`${world.team.url}/v1/catalog/snapshot`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text, signature, after: '' }),
    })
    expect([reply.status, await reply.json()]).toEqual([409, { error: expect.objectContaining({ code: 'LOCKED' }) }])
    world.writeSkill('lint', 'One.')
    await world.release('notes', '2.0.0', 'Two.')
    await second.loadout.skills.sync({})
    await second.loadout.team.publish({ name: 'lint', version: '1.0.0' })
    const { value } = await second.loadout.team.approve({ name: 'lint' })
    expect([value.by, value.others]).toEqual(['second@example.com', []])
    await world.approve('lint', '1.0.0')
    world.writeSkill('notes', 'Three.')
    world.publishLibrary()
    await world.author.loadout.team.publish({ name: 'notes', version: '3.0.0' })
    await second.loadout.team.quarantine({ name: 'notes', version: '1.0.0', isHeld: true })
    await second.loadout.team.signCatalog({})
    const next = await world.author.loadout.team.approve({ name: 'notes' })
    expect(next.value.others).toEqual(['notes 1.0.0 quarantined by second@example.com'])
  })

  it('are one after the other was removed: who signs the last catalog again, and the removed one no more', async () => {
    await second.loadout.team.signCatalog({})
    const own = readFileSync(`${keyOf(world.author)}.pub`, 'utf8').trim()
    world.allow(`admin@example.com ${own}\n`)
    await second.loadout.skills.sync({})
    await expect(second.loadout.team.signCatalog({})).rejects.toMatchObject({ code: 'CATALOG_UNVERIFIED' })
    await member.loadout.skills.sync({})
    expect(await saidBy(member.loadout.skills.sync({}))).toMatch(
      /signed by second@example.com, who may no longer sign; number \d+/,
    )
    const unaware = await world.joinAs()
    await expect(unaware.loadout.skills.equip({ names: ['lint'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
    // The remaining approver has not seen that catalog while its signature was valid, so a fingerprint is needed.
    const { value: seen } = await member.loadout.team.searchCatalog({})
    await expect(world.author.loadout.team.signCatalog({})).rejects.toMatchObject({
      hint: expect.stringContaining(`loadout catalog accept ${seen.signed?.fingerprint}`),
    })
    await expect(world.author.loadout.team.acceptCatalog({ fingerprint: 'f'.repeat(35) })).rejects.toMatchObject({
      code: 'CATALOG_UNVERIFIED',
    })
    await world.author.loadout.team.acceptCatalog({ fingerprint: seen.signed?.fingerprint ?? '' })
    await world.author.loadout.team.signCatalog({})
    await unaware.loadout.skills.equip({ names: ['lint'] })
    expect([unaware.installed('lint'), await codesOf(member.loadout.skills.sync({}))]).toEqual([
      expect.stringContaining('One.'),
      [],
    ])
  })

  it('who have lost all keys begin again with a new one, and machines go on', async () => {
    rmSync(join(world.author.home, '.ssh'), { recursive: true })
    world.allow(`new@example.com ${makeKey(world.author, 'id_ed25519')}\n`)
    await member.loadout.skills.sync({})
    expect(await saidBy(member.loadout.skills.sync({}))).toContain('who may no longer sign')
    const { value } = await world.author.loadout.team.signCatalog({})
    expect([value.by, await codesOf(member.loadout.skills.sync({}))]).toEqual(['new@example.com', []])
    await world.change('DELETE FROM catalog_snapshot')
    const fresh = await world.joinAs({ role: 'admin' })
    await fresh.loadout.team.signCatalog({ key: keyOf(world.author), restore: true })
    const begun = await snapshotOf(world)
    expect([begun.number, begun.versions]).toEqual([1, []])
    expect(await saidBy(member.loadout.skills.sync({}))).toContain('it is older than number')
    const { value: shown } = await fresh.loadout.team.searchCatalog({})
    await member.loadout.team.acceptCatalog({ fingerprint: shown.signed?.fingerprint ?? '' })
    expect(await codesOf(member.loadout.skills.sync({}))).not.toContain('CATALOG_UNVERIFIED')
  })
})

describe('a team that uses only what is approved', () => {
  let world: CatalogWorld
  let member: Member
  beforeAll(async () => {
    world = await startCatalog()
    for (const name of ['private', 'other']) world.writeSkill(name, 'Not listed.')
    await world.release('notes', '1.0.0', 'One.')
    member = await world.joinAs()
  })
  afterAll(() => world.team.stop())

  it('lets a machine install nothing that the signed catalog does not list', async () => {
    await member.loadout.skills.equip({ all: true, names: [] })
    await world.author.loadout.team.signCatalog({ only: ['skill'] })
    const { findings } = await member.loadout.skills.sync({})
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      [
        'CATALOG_HELD',
        '2 skills were not updated, because the team uses only what its catalog lists and approves: other, private',
      ],
    ])
    await expect(member.loadout.skills.equip({ names: ['private'], replace: true })).rejects.toMatchObject({
      code: 'CATALOG_HELD',
      message: expect.stringContaining('the team uses only what its catalog lists and approves'),
    })
    await member.loadout.skills.equip({ names: ['notes'] })
    expect(member.installed('notes')).toContain('One.')
  })

  it('lets a machine install nothing after the expiry, also without a connection', async () => {
    const membership = join(member.home, '.local/state/loadout/team/membership.json')
    const before = readFileSync(membership, 'utf8')
    const later = atTime(member, inDays(91))
    await expect(later.skills.equip({ names: ['notes'] })).rejects.toMatchObject({
      message: expect.stringMatching(/notes cannot be installed: the team’s catalog expired on/),
    })
    writeFileSync(membership, before.replace(world.team.url, 'http://127.0.0.1:9'))
    await expect(later.skills.equip({ names: ['notes'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
    await member.loadout.skills.unequip({ names: ['notes'] })
    const report = await member.loadout.skills.equip({ names: ['notes'] })
    expect(report.findings.map(({ code }) => code)).toEqual(['UNREACHABLE'])
    writeFileSync(membership, before)
  })

  it('ends that with a signature, which also renews the expiry', async () => {
    await world.change(`UPDATE catalog_snapshot SET text = replace(text, '"only":["skill"]', '"only":[]'), digest = ''`)
    expect(await saidBy(member.loadout.skills.sync({}))).toContain('has no valid signature')
    await expect(member.loadout.skills.equip({ names: ['private'] })).rejects.toMatchObject({ code: 'CATALOG_HELD' })
    const { value } = await world.author.loadout.team.signCatalog({ only: ['none'], days: 7, restore: true })
    expect(Date.parse(value.expires) - Date.now()).toBeLessThan(8 * 86_400_000)
    expect(await codesOf(member.loadout.skills.equip({ names: ['private'] }))).toEqual([])
  })
})

it('a catalog takes over what was approved one by one, as older programs did, and no forged approval', async () => {
  const world = await startCatalog()
  try {
    const { author } = world
    const [{ id: team }] = (await ask(world.team.databaseUrl, 'SELECT id FROM team')) as [{ id: string }]
    const day = (number: number) => `2026-10-0${number}T00:00:00.000Z`
    const told = async (name: string, version: string, state: string, at: string, forged = false) => {
      const [row] = await ask(
        world.team.databaseUrl,
        `SELECT commit_id AS commit, digest FROM catalog_version WHERE name = $1 AND version = $2`,
        [name, version],
      )
      const about = { kind: 'skill', name, version, state, ...row, groups: ['*'] }
      const text = `${JSON.stringify({ format: 'loadout-catalog-1', team, ...about, by: 'admin@example.com', at })}\n`
      const { signature } = signedWith(keyOf(author), forged ? `${text} ` : text)
      await world.change(
        `UPDATE catalog_version SET state = 'approved', statement = $1, signature = $2 WHERE name = $3 AND version = $4`,
        [text, signature, name, version],
      )
    }
    for (const [version, text] of [
      ['1', 'One.'],
      ['2', 'Two.'],
      ['3', 'Evil.'],
    ] as const) {
      world.writeSkill('notes', text)
      world.publishLibrary()
      await author.loadout.team.publish({ name: 'notes', version })
    }
    await told('notes', '2', 'approved', '2099-01-01T00:00:00.000Z')
    await told('notes', '1', 'approved', day(1))
    await told('notes', '3', 'approved', day(3), true)
    const { value } = await author.loadout.team.signCatalog({})
    expect([value.number, value.others]).toEqual([
      3,
      ['notes 1 approved by admin@example.com', 'notes 2 approved by admin@example.com'],
    ])
    const member = await world.joinAs()
    await member.loadout.skills.equip({ names: ['notes'] })
    expect(member.installed('notes')).toContain('Two.')
    expect(git(member.library, 'show', 'HEAD:skills/notes/SKILL.md')).toContain('Evil.')
  } finally {
    await world.team.stop()
  }
})
