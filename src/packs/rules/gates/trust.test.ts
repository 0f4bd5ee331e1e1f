import { describe, expect, it } from 'vitest'
import { type Approval, makeApproval } from '../../../machine/rules/approval.ts'
import type { Verdict } from '../../../machine/rules/verdict.ts'
import type { Scope, TrustLabel } from '../pack.ts'
import { makePack, makeTrusted } from './pack.fixture.ts'
import { DEFAULT_TRUST_POLICY, isTrustedLess, obeyVerdict, packDigest, type Trust, trustOf } from './trust.ts'

const DIGEST = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const FILES = { 'KNOWLEDGE.md': DIGEST, 'wiki/a.md': OTHER }
const NOW = { isSamePlace: true, files: FILES }
const policy = DEFAULT_TRUST_POLICY

function answer(more: Partial<Omit<Approval, 'id'>> = {}): Approval {
  const at = '2024-05-06T07:08:09.000Z'
  const base = {
    kind: 'pack',
    root: '/p',
    name: 'handbook',
    digest: DIGEST,
    files: FILES,
    actor: 'x',
    at,
    decision: 'approved',
  }
  return makeApproval({ ...base, ...more } as Omit<Approval, 'id' | 'tier'>)
}

describe('trust by place', () => {
  const PLACES: [Scope, state: string][] = [
    ['explicit', 'unapproved'],
    ['workspace', 'unapproved'],
    ['user', 'trusted'],
    ['organization', 'trusted'],
    ['built-in', 'trusted'],
  ]
  it.each(PLACES)('%s is %s', (scope, state) => {
    const trust = trustOf(makePack({}, { scope }), undefined, undefined, policy)
    expect(trust).toMatchObject({ state, isOpen: state === 'trusted' })
  })

  it('asks for more where the policy says so, never for less of a workspace', () => {
    const strict = { approvalFor: ['organization'], explicitPathIsApproval: true } as const
    const states = (['explicit', 'workspace', 'user', 'organization'] as const).map(
      (scope) => trustOf(makePack({}, { scope }), undefined, undefined, strict).state,
    )
    expect(states).toEqual(['trusted', 'unapproved', 'trusted', 'unapproved'])
  })
})

describe('trust by approval', () => {
  const pack = makePack({}, { scope: 'workspace' })

  it('opens the pack', () => {
    const approval = answer()
    const trust = trustOf(pack, approval, NOW, policy)
    expect(trust).toEqual({
      state: 'approved',
      isOpen: true,
      approvalId: approval.id,
      files: FILES,
      warnings: [],
    })
  })

  const { files: _, ...earlier } = answer()
  const following = makeApproval({ ...earlier, follow: true })
  const { 'wiki/a.md': __, ...fewer } = FILES
  const CHANGES: [what: string, approval: Approval, current: Parameters<typeof trustOf>[2], says: string][] = [
    ['the same files', answer(), NOW, ''],
    ['an approval of a part', { ...answer(), tier: 'guide' }, NOW, 'a part of it only'],
    ['another text', answer(), { ...NOW, files: { ...FILES, 'wiki/a.md': DIGEST } }, 'wiki/a.md changed'],
    ['a file more', answer(), { ...NOW, files: { ...FILES, 'b.md': OTHER } }, 'b.md was added'],
    ['a file less', answer(), { ...NOW, files: fewer }, 'wiki/a.md was removed'],
    ['files that cannot be read', answer(), { ...NOW, files: undefined }, 'its files cannot be read'],
    ['nothing known of the files', answer(), undefined, 'its files are not known'],
    ['another repository', answer(), { ...NOW, isSamePlace: false }, 'another project lies at this path now'],
    ['an approval of one file', makeApproval(earlier), NOW, 'an earlier version approved KNOWLEDGE.md only'],
    ['later changes that are trusted', following, { ...NOW, files: undefined }, ''],
    ['another repository than the trusted', following, { ...NOW, isSamePlace: false }, 'another project'],
  ]
  it.each(CHANGES)('case 47: %s', (_, approval, current, says) => {
    const trust = trustOf(pack, approval, current, policy)
    const isOpen = says === ''
    expect(trust).toMatchObject({ state: isOpen ? 'approved' : 'changed', isOpen, approvalId: approval.id })
    expect(trust.warnings.map(({ code }) => code)).toEqual(isOpen ? [] : ['pack.trust.changed'])
    expect(trust.warnings.map(({ message }) => message).join()).toContain(says)
  })

  it.each(['workspace', 'user', 'built-in'] as const)(
    'case 48: a denial shuts a pack of %s, whatever it says later',
    (scope) => {
      const trust = trustOf(
        makePack({}, { scope }),
        answer({ decision: 'denied' }),
        { isSamePlace: false, files: {} },
        policy,
      )
      expect(trust).toMatchObject({ state: 'denied', isOpen: false })
      expect(trust.warnings).toMatchObject([{ severity: 'error', code: 'pack.trust.denied' }])
    },
  )
})

describe('trust by label', () => {
  it('case 46: a workspace pack cannot call itself official', () => {
    const trust = trustOf(makePack({ trust: 'official' }, { scope: 'workspace' }), undefined, undefined, policy)
    expect(trust).toMatchObject({ state: 'unapproved', isOpen: false })
    expect(trust.warnings).toMatchObject([{ severity: 'error', code: 'pack.trust.unapproved' }])
  })

  const LABELS: [TrustLabel, codes: string[]][] = [
    ['external', ['pack.trust.external']],
    ['unreviewed', ['pack.trust.unreviewed']],
    ['user-confirmed', []],
    ['official', []],
  ]
  it.each(LABELS)('case 52: a user pack that says %s', (label, codes) => {
    const trust = trustOf(makePack({ trust: label }), undefined, undefined, policy)
    expect(trust.isOpen).toBe(true)
    expect(trust.warnings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
      codes.map((code) => `warning ${code}`),
    )
  })

  it('lowers effective trust and never raises it', () => {
    const [external, unreviewed, confirmed, official] = LABELS.map(([trust]) => makeTrusted({ trust }))
    if (!external || !unreviewed || !confirmed || !official) throw new Error('four labels')
    expect(isTrustedLess(external, unreviewed)).toBe(true)
    expect(isTrustedLess(unreviewed, confirmed)).toBe(true)
    expect(isTrustedLess(confirmed, official)).toBe(false)
    expect(isTrustedLess(official, confirmed)).toBe(false)
  })
})

describe('the catalog of a team', () => {
  const trusted = makeTrusted({}, {}).trust
  const open = { ...trusted, state: 'trusted', isOpen: true } as const
  const unapproved = trustOf(makePack({}, { scope: 'workspace' }), undefined, undefined, policy)
  const denied = trustOf(makePack({}, { scope: 'user' }), answer({ decision: 'denied' }), undefined, policy)
  const says = (state: Verdict['state'], digest = packDigest(FILES)): Verdict => ({
    ...{ kind: 'pack', name: 'handbook', version: '1', by: 'admin', commit: '', digest },
    state,
  })
  const ROWS: [what: string, Trust, Verdict | undefined, state: string, code?: string][] = [
    ['does not list it', open, undefined, 'trusted'],
    ['approved these files', open, says('approved'), 'trusted'],
    ['approved other files', open, says('approved', DIGEST), 'held', 'CATALOG_HELD'],
    ['holds it', open, says('held'), 'held', 'CATALOG_HELD'],
    ['retired it', open, says('retired'), 'held', 'CATALOG_RETIRED'],
    ['approved it, and nobody here did', unapproved, says('approved'), 'unapproved', 'pack.trust.unapproved'],
    ['retired what nobody here approved', unapproved, says('retired'), 'held', 'CATALOG_RETIRED'],
    ['approved what a person denied', denied, says('approved'), 'denied', 'pack.trust.denied'],
  ]
  it.each(ROWS)('%s', (_, trust, verdict, state, code) => {
    const judged = obeyVerdict(trust, verdict, () => FILES)
    expect([judged.state, judged.isOpen]).toEqual([state, state === 'trusted'])
    if (code !== undefined) expect(judged.warnings.map((each) => each.code)).toEqual([code])
  })

  it('pins the files that it approved, and holds back what cannot be read', () => {
    expect(obeyVerdict(open, says('approved'), () => FILES).files).toEqual(FILES)
    expect(obeyVerdict(open, says('approved'), () => undefined).state).toBe('held')
  })

  it('knows a pack by every file, in any order', () => {
    const [a, b] = Object.entries(FILES)
    expect(packDigest(Object.fromEntries([b!, a!]))).toBe(packDigest(FILES))
    expect(packDigest({ ...FILES, 'wiki/b.md': DIGEST })).not.toBe(packDigest(FILES))
  })
})
