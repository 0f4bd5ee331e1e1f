import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CatalogWorld, type Member, startCatalog } from './catalog-world.ts'
import { ask } from './postgres.ts'

let world: CatalogWorld
let author: Member

beforeAll(async () => {
  world = await startCatalog()
  ;({ author } = world)
})
afterAll(() => world.team.stop())

const actions = async (request = {}) => {
  const { value } = await author.loadout.team.readAudit(request)
  return value.entries.map(({ action }) => action)
}

/** As an attacker with all rights of the database does it. */
const change = (sql: string) =>
  ask(world.team.databaseUrl, `ALTER TABLE audit DISABLE TRIGGER ALL; ${sql}; ALTER TABLE audit ENABLE TRIGGER ALL`)

describe('the audit log', () => {
  it('tells who joined, left, invited, revoked, published, stopped, signed and read, in the order in which it happened', async () => {
    const start = (await actions()).length
    world.writeSkill('lint', 'Version one.')
    world.publishLibrary()
    await author.loadout.team.publish({ name: 'lint', version: '1' })
    await author.loadout.team.approve({ name: 'lint' })
    await author.loadout.team.quarantine({ name: 'lint', version: '1', isHeld: true })
    const { id } = (await author.loadout.team.invite({ role: 'member', group: 'pilot', days: 3 })).value
    await author.loadout.team.revokeToken({ id })
    const other = await world.joinAs()
    await other.loadout.team.leave({})
    await author.loadout.team.report({})
    const { value } = await author.loadout.team.readAudit({})
    expect(value.entries.slice(start).map(({ action }) => action)).toEqual([
      ...['version published', 'catalog signed', 'version quarantined', 'token made', 'token revoked'],
      ...['machine joined', 'machine left', 'report read', 'audit read'],
    ])
    expect(value.entries.find(({ action }) => action === 'token made')?.about).toEqual({
      ...{ token: id, role: 'member', group: 'pilot', days: 3 },
    })
    expect(value.checked).toBe(value.entries.length)
  })

  it('has no entry of a change that was refused, and each entry once when many change at the same time', async () => {
    const before = await actions()
    await expect(author.loadout.team.revokeToken({ id: 'ffffffffffff' })).rejects.toMatchObject({
      code: 'ENTRY_NOT_FOUND',
    })
    await Promise.all(
      Array.from({ length: 12 }, () => author.loadout.team.invite({ role: 'member', group: 'pilot', days: 1 })),
    )
    expect((await actions()).slice(before.length)).toEqual([...Array<string>(12).fill('token made'), 'audit read'])
  })

  it('cannot be changed by an ordinary statement', async () => {
    for (const sql of ['DELETE FROM audit', "UPDATE audit SET entry = ''", 'TRUNCATE audit']) {
      await expect(ask(world.team.databaseUrl, sql)).rejects.toThrow('never changed')
    }
  })

  it('shows what came after an entry that was noted, and says when its end was cut off', async () => {
    const { head } = (await author.loadout.team.readAudit({})).value
    await author.loadout.team.report({})
    expect(await actions({ after: head })).toEqual(['report read', 'audit read'])
    const { head: cut } = (await author.loadout.team.readAudit({})).value
    await change('DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)')
    await expect(author.loadout.team.readAudit({ after: cut })).rejects.toMatchObject({ code: 'TEAM_AUDIT' })
    await actions()
  })

  it.each([
    [
      'was changed',
      `UPDATE audit SET entry = replace(entry, 'lint', 'list') WHERE id = (SELECT min(id) FROM audit WHERE entry LIKE '%lint%')`,
    ],
    ['was taken out', 'DELETE FROM audit WHERE id = 2'],
    [
      'was replaced with another hash',
      "UPDATE audit SET entry = replace(entry, 'T', 'U'), hash = repeat('0', 64) WHERE id = 3",
    ],
  ])('is broken where an entry %s', async (_, sql) => {
    await ask(world.team.databaseUrl, 'CREATE TABLE kept AS SELECT * FROM audit')
    await change(sql)
    await expect(author.loadout.team.readAudit({})).rejects.toMatchObject({
      code: 'TEAM_AUDIT',
      message: expect.stringContaining('broken at entry'),
    })
    await change('DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; DROP TABLE kept')
    await actions()
  })

  it('is for administrators', async () => {
    const { loadout } = await world.joinAs()
    await expect(loadout.team.readAudit({})).rejects.toMatchObject({ code: 'TEAM_ROLE' })
  })
})

it('a token that has expired is refused at once, and the last administrator who stays cannot be revoked', async () => {
  const { token, id } = (await author.loadout.team.invite({ role: 'admin', group: 'pilot', days: 1 })).value
  const secret = token.slice(4, 36)
  const report = () => fetch(`${world.team.url}/v1/report`, { headers: { authorization: `Bearer ${secret}` } })
  expect((await report()).status).toBe(200)
  await ask(world.team.databaseUrl, `UPDATE token SET expires = now() - interval '1 second' WHERE id = '${id}'`)
  expect((await report()).status).toBe(401)
})
