import { describe, expect, it } from 'vitest'
import type { PackManifest, Scope } from '../pack.ts'
import { buildCatalog, catalogRow, choosePack, isPackPath, newerAlternative } from './catalog.ts'
import { APPROVED, DENIED, makeTrusted, UNAPPROVED } from './pack.fixture.ts'
import type { TrustedPack } from './trust.ts'

const workspace = makeTrusted({}, { scope: 'workspace', trust: APPROVED })
const stranger = makeTrusted({}, { scope: 'workspace', trust: UNAPPROVED })
const user = makeTrusted({}, { scope: 'user' })
const organization = makeTrusted({}, { scope: 'organization' })
const builtIn = makeTrusted({}, { scope: 'built-in' })

function winnerOf(packs: readonly TrustedPack[]): Scope | undefined {
  return buildCatalog(packs).entries[0]?.pack.scope
}

describe('precedence', () => {
  it('case 35: an approved workspace pack wins, and three others are logged', () => {
    const catalog = buildCatalog([builtIn, organization, user, workspace])
    expect(catalog.entries).toHaveLength(1)
    expect(catalog.collisions).toEqual([
      {
        name: 'handbook',
        winner: { scope: 'workspace', path: '/workspace/handbook', version: undefined, trust: 'approved' },
        shadowed: (['user', 'organization', 'built-in'] as const).map((scope) => ({
          scope,
          path: `/${scope}/handbook`,
          version: undefined,
          trust: 'trusted',
          status: 'ready',
        })),
        reason: 'scope',
        lowerTrustShadowsHigher: false,
      },
    ])
    expect(catalog.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning catalog.collision'])
  })

  it('case 36: then the user, then the organization, then what is built in', () => {
    expect(winnerOf([builtIn, organization, user])).toBe('user')
    expect(winnerOf([builtIn, organization])).toBe('organization')
    expect(winnerOf([builtIn])).toBe('built-in')
  })

  it('case 37: a path gives that pack, whoever has the name', () => {
    const catalog = buildCatalog([builtIn, workspace])
    expect(choosePack(catalog, { name: 'handbook' })).toBe(workspace)
    expect(choosePack(catalog, { asked: './x', root: '/built-in/handbook' })).toBe(builtIn)
  })

  it('case 38: in one scope the shallower wins, then the path by its bytes', () => {
    const deep = makeTrusted({}, { root: '/a/b/handbook', depth: 2 })
    const later = makeTrusted({}, { root: '/b/handbook' })
    const first = makeTrusted({}, { root: '/B/handbook' })
    const catalog = buildCatalog([deep, later, first])
    expect(catalog.collisions).toMatchObject([
      {
        winner: { path: '/B/handbook' },
        shadowed: [{ path: '/b/handbook' }, { path: '/a/b/handbook' }],
        reason: 'path',
      },
    ])
    expect(buildCatalog([deep, later]).collisions[0]?.reason).toBe('depth')
  })

  it('case 39: an unreviewed pack before an official one is reported', () => {
    const low = makeTrusted({ trust: 'unreviewed' }, { scope: 'workspace', trust: APPROVED })
    const official = makeTrusted({ trust: 'official' }, { scope: 'organization' })
    const { collisions, findings } = buildCatalog([low, official])
    expect(collisions).toMatchObject([{ winner: { scope: 'workspace' }, lowerTrustShadowsHigher: true }])
    expect(findings.map(({ code }) => code)).toEqual(['catalog.collision.lower-trust'])
  })

  it('case 40: an unapproved pack does not replace a trusted one of the same name', () => {
    const { entries, waiting, collisions, findings } = buildCatalog([stranger, organization])
    expect(entries.map(({ pack }) => pack)).toEqual([organization])
    expect(waiting).toEqual([stranger])
    expect(collisions).toMatchObject([{ reason: 'approval', shadowed: [{ scope: 'workspace', trust: 'unapproved' }] }])
    expect(findings).toMatchObject([{ code: 'catalog.waiting', hint: 'loadout approve /workspace/handbook' }])
  })

  it('a denied pack does not wait for an approval', () => {
    const denied = makeTrusted({}, { scope: 'workspace', trust: DENIED })
    const { entries, waiting, findings } = buildCatalog([denied, organization])
    expect(entries.map(({ pack }) => pack)).toEqual([organization])
    expect(waiting).toEqual([])
    expect(findings).toEqual([])
  })

  it('where none is open, the name is with the one that could be approved', () => {
    const denied = makeTrusted({}, { scope: 'explicit', trust: DENIED })
    const { entries, waiting } = buildCatalog([denied, stranger])
    expect(entries.map(({ pack }) => pack)).toEqual([stranger])
    expect(waiting).toEqual([])
  })

  it('case 42: one folder, reached twice, is one pack, seen from where it is trusted', () => {
    const root = '/home/handbook'
    const asWorkspace = { ...stranger, root }
    const asUser = { ...user, root }
    const { entries, collisions, all } = buildCatalog([asWorkspace, asUser, asWorkspace])
    expect(entries.map(({ pack }) => pack)).toEqual([asUser])
    expect([collisions, all]).toEqual([[], [asUser]])
  })

  it('does not depend on the order of discovery', () => {
    const packs = [makeTrusted({ name: 'zebra' }), workspace, user, makeTrusted({ name: 'Ant' }), stranger]
    const catalog = JSON.stringify(buildCatalog(packs))
    expect(JSON.stringify(buildCatalog([...packs].reverse()))).toBe(catalog)
    expect(buildCatalog(packs).entries.map(({ pack }) => pack.manifest.name)).toEqual(['Ant', 'handbook', 'zebra'])
  })
})

describe('a choice', () => {
  const catalog = buildCatalog([user])

  it('that is nearly right gets a suggestion', () => {
    expect(() => choosePack(catalog, { name: 'hanbdook' })).toThrow(
      'there is no pack "hanbdook"; did you mean handbook?',
    )
    expect(() => choosePack(catalog, { name: 'x' })).toThrow(/"x"$/)
    expect(() => choosePack(catalog, { asked: './x', root: undefined })).toThrow(
      './x is not the folder of a known pack',
    )
  })

  it.each(['./x', '../x', '.', '~/x', '~', '/x', 'a/b', 'a/'])('%s is a path', (text) => {
    expect(isPackPath(text)).toBe(true)
  })

  it.each(['x', 'a-b', 'a~b', 'a.b'])('%s is a name', (text) => {
    expect(isPackPath(text)).toBe(false)
  })
})

describe('case 57, case 58: a newer one for a stale pack', () => {
  const stale = makeTrusted(
    { status: 'stale', version: '1.2.0', updated: '2024-01-01' },
    { scope: 'workspace', trust: APPROVED },
  )
  const other = (manifest: Partial<PackManifest>, place: Partial<TrustedPack> = {}) => makeTrusted(manifest, place)

  const ROWS: [what: string, TrustedPack, isFound: boolean][] = [
    ['a higher version', other({ version: '1.10.0' }), true],
    ['a lower version', other({ version: '1.1.0', updated: '2025-01-01' }), false],
    ['the same version of a later day', other({ version: '1.2.0', updated: '2024-01-02' }), true],
    ['no version, of a later day', other({ updated: '2024-01-02' }), true],
    ['no version, of an earlier day', other({ updated: '2023-01-02' }), false],
    ['nothing to compare', other({}), false],
    ['a prerelease of the same', other({ version: '1.2.0-rc.1' }), false],
    ['not ready', other({ version: '2.0.0', status: 'needs-review' }), false],
    ['another name', other({ version: '2.0.0', name: 'other' }), false],
    ['not open', other({ version: '2.0.0' }, { trust: UNAPPROVED }), false],
    ['less trusted by its label', other({ version: '2.0.0', trust: 'external' }), false],
  ]
  it.each(ROWS)('%s', (_, pack, isFound) => {
    expect(newerAlternative(stale, [pack])).toBe(isFound ? pack : undefined)
  })

  it('is the newest of several', () => {
    const newest = other({ version: '3.0.0' }, { scope: 'built-in' })
    expect(newerAlternative(stale, [other({ version: '2.0.0' }), newest, stale])).toBe(newest)
  })
})

describe('a row', () => {
  it('cases 16, 19, 20: has named fields, the name of the pack itself, and no body', () => {
    const producedBy = { kind: 'agent-skill', name: 'builder', version: undefined, digest: undefined, secret: 'x' }
    const row = catalogRow(makeTrusted({ mode: 'persona', producedBy, version: '1.10' }))
    expect(row).toEqual({
      name: 'handbook',
      description: 'How things are done here',
      type: 'domain-reference',
      status: 'ready',
      trust: 'user-confirmed',
      effectiveTrust: 'trusted',
      profile: 'wiki-first',
      runtime_mode: 'persona',
      version: '1.10',
      scope: 'user',
      location: '/user/handbook/KNOWLEDGE.md',
      packRoot: '/user/handbook',
      producedBy: { kind: 'agent-skill', name: 'builder' },
      diagnostics: [],
    })
  })

  it('tells all that is odd, worst first', () => {
    const odd = { severity: 'info', code: 'pack.profile.missing', path: 'KNOWLEDGE.md', message: 'no profile' } as const
    const shut = { severity: 'error', code: 'pack.trust.unapproved', path: 'KNOWLEDGE.md', message: 'shut' } as const
    const row = catalogRow(
      makeTrusted({ status: undefined }, { warnings: [odd], trust: { ...UNAPPROVED, warnings: [shut] } }),
    )
    expect(row).toMatchObject({ status: 'unknown', effectiveTrust: 'unapproved', diagnostics: [shut, odd] })
  })
})
