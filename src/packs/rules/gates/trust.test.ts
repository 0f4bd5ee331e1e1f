import { describe, expect, it } from 'vitest'
import { type Approval, makeApproval, type Verdict } from '../../../machine/rules/approval.ts'
import type { KnowledgePack, PackStatus, Scope, TrustLabel } from '../pack.ts'
import { isTrustedLess } from './catalog.ts'
import { APPROVED, DENIED, makePack, makeTrusted, UNAPPROVED } from './pack.fixture.ts'
import { type Admission, admit, decideTrust, packDigest, type TrustedPack, type TrustFacts } from './trust.ts'

const DIGEST = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)
const FILES = { 'KNOWLEDGE.md': DIGEST, 'wiki/a.md': OTHER }
const POLICY = { approvalFor: ['workspace'], explicitPathIsApproval: false } as const

function trustOf(pack: KnowledgePack, facts: Partial<TrustFacts> = {}) {
  const none = { approval: undefined, policy: POLICY, verdict: undefined }
  const place = { isSamePlace: () => true, readFiles: () => FILES, keptSince: () => undefined }
  return decideTrust(pack, { ...none, ...place, ...facts })
}

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
    const trust = trustOf(makePack({}, { scope }))
    expect(trust).toMatchObject({ state, isOpen: state === 'trusted' })
  })

  it('asks for more where the policy says so, never for less of a workspace', () => {
    const strict = { approvalFor: ['organization'], explicitPathIsApproval: true } as const
    const states = (['explicit', 'workspace', 'user', 'organization'] as const).map(
      (scope) => trustOf(makePack({}, { scope }), { policy: strict }).state,
    )
    expect(states).toEqual(['trusted', 'unapproved', 'trusted', 'unapproved'])
  })
})

describe('trust by approval', () => {
  const pack = makePack({}, { scope: 'workspace' })

  it('opens the pack', () => {
    const approval = answer()
    const trust = trustOf(pack, { approval })
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
  const CHANGES: [what: string, approval: Approval, now: Partial<TrustFacts>, says: string][] = [
    ['the same files', answer(), {}, ''],
    ['an approval of a part', { ...answer(), tier: 'guide' }, {}, 'a part of it only'],
    ['another text', answer(), { readFiles: () => ({ ...FILES, 'wiki/a.md': DIGEST }) }, 'wiki/a.md changed'],
    ['a file more', answer(), { readFiles: () => ({ ...FILES, 'b.md': OTHER }) }, 'b.md was added'],
    ['a file less', answer(), { readFiles: () => fewer }, 'wiki/a.md was removed'],
    ['files that cannot be read', answer(), { readFiles: () => undefined }, 'its files cannot be read'],
    ['another repository', answer(), { isSamePlace: () => false }, 'another project lies at this path now'],
    ['an approval of one file', makeApproval(earlier), {}, 'an earlier version approved KNOWLEDGE.md only'],
    ['later changes that are trusted', following, { readFiles: () => undefined }, ''],
    ['another repository than the trusted', following, { isSamePlace: () => false }, 'another project'],
  ]
  it.each(CHANGES)('case 47: %s', (_, approval, now, says) => {
    const trust = trustOf(pack, { approval, ...now })
    const isOpen = says === ''
    expect(trust).toMatchObject({ state: isOpen ? 'approved' : 'changed', isOpen, approvalId: approval.id })
    expect(trust.warnings.map(({ code }) => code)).toEqual(isOpen ? [] : ['pack.trust'])
    expect(trust.warnings.map(({ message }) => message).join()).toContain(says)
  })

  it('gives a changed pack as it was approved while its approved files are kept, and still asks', () => {
    const changed = { approval: answer(), readFiles: () => fewer, keptSince: () => '/kept' }
    expect(trustOf(pack, changed)).toMatchObject({ state: 'changed', isOpen: true, isUndecided: true, kept: '/kept' })
    expect(trustOf(pack, { ...changed, isSamePlace: () => false })).toMatchObject({ isOpen: false })
    const signed = { kind: 'pack', name: 'handbook', version: '1', by: 'them', why: '' } as const
    const verdicts = [packDigest(FILES), packDigest(fewer)].map(
      (digest): Verdict => ({ ...signed, state: 'approved', digest }),
    )
    expect(verdicts.map((verdict) => trustOf(pack, { ...changed, verdict }).isOpen)).toEqual([true, false])
  })

  it.each(['workspace', 'user', 'built-in'] as const)(
    'case 48: a denial shuts a pack of %s, whatever it says later',
    (scope) => {
      const trust = trustOf(makePack({}, { scope }), { approval: answer({ decision: 'denied' }) })
      expect(trust).toMatchObject({ state: 'denied', isOpen: false })
      expect(trust.warnings).toMatchObject([{ severity: 'error', code: 'pack.trust' }])
    },
  )
})

describe('trust by label', () => {
  it('case 46: a workspace pack cannot call itself official', () => {
    const trust = trustOf(makePack({ trust: 'official' }, { scope: 'workspace' }))
    expect(trust).toMatchObject({ state: 'unapproved', isOpen: false })
    expect(trust.warnings).toMatchObject([{ severity: 'error', code: 'pack.trust' }])
  })

  const LABELS: [TrustLabel, codes: string[]][] = [
    ['external', ['pack.trust']],
    ['unreviewed', ['pack.trust']],
    ['user-confirmed', []],
    ['official', []],
  ]
  it.each(LABELS)('case 52: a user pack that says %s', (label, codes) => {
    const trust = trustOf(makePack({ trust: label }))
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
  const [open, unapproved] = (['user', 'workspace'] as const).map((scope) => makePack({}, { scope })) as [
    KnowledgePack,
    KnowledgePack,
  ]
  const denial = answer({ decision: 'denied' })
  const says = (state: Verdict['state'], digest = packDigest(FILES)): Verdict => ({
    ...{ kind: 'pack', name: 'handbook', version: '1', by: 'admin', commit: '', digest },
    state,
  })
  const ROWS: [what: string, KnowledgePack, Partial<TrustFacts>, state: string, code?: string][] = [
    ['does not list it', open, {}, 'trusted'],
    ['approved these files', open, { verdict: says('approved') }, 'trusted'],
    ['approved other files', open, { verdict: says('approved', DIGEST) }, 'held', 'CATALOG_HELD'],
    ['holds it', open, { verdict: says('held') }, 'held', 'CATALOG_HELD'],
    ['retired it', open, { verdict: says('retired') }, 'held', 'CATALOG_HELD'],
    ['approved it, and nobody here did', unapproved, { verdict: says('approved') }, 'unapproved', 'pack.trust'],
    ['retired what nobody here approved', unapproved, { verdict: says('retired') }, 'held', 'CATALOG_HELD'],
    ['approved what a person denied', open, { verdict: says('approved'), approval: denial }, 'denied', 'pack.trust'],
  ]
  it.each(ROWS)('%s', (_, pack, facts, state, code) => {
    const judged = trustOf(pack, facts)
    expect([judged.state, judged.isOpen]).toEqual([state, state === 'trusted'])
    if (code !== undefined) expect(judged.warnings.map((each) => each.code)).toEqual([code])
  })

  it('pins the files that it approved, and holds back what cannot be read', () => {
    expect(trustOf(open, { verdict: says('approved') }).files).toEqual(FILES)
    expect(trustOf(open, { verdict: says('approved'), readFiles: () => undefined }).state).toBe('held')
  })

  it('knows a pack by every file, in any order', () => {
    const [a, b] = Object.entries(FILES)
    expect(packDigest(Object.fromEntries([b!, a!]))).toBe(packDigest(FILES))
    expect(packDigest({ ...FILES, 'wiki/b.md': DIGEST })).not.toBe(packDigest(FILES))
  })
})

const asked = { isExplicit: false, isConfirmed: false }
const shut = {
  ...UNAPPROVED,
  warnings: [{ severity: 'error', code: 'pack.trust', path: 'KNOWLEDGE.md', message: '' }],
} as const
const external = { severity: 'warning', code: 'pack.trust', path: 'KNOWLEDGE.md', message: '' } as const

const GATES: [what: string, TrustedPack, Partial<typeof asked>, Admission['verdict'], codes: string[]][] = [
  ['case 44: not approved', makeTrusted({}, { trust: shut }), { isExplicit: true }, 'approval-needed', ['pack.trust']],
  ['case 45: approved', makeTrusted({}, { trust: APPROVED }), {}, 'admitted', []],
  ['case 48: denied', makeTrusted({}, { trust: DENIED }), {}, 'refused', []],
  [
    'case 52: external',
    makeTrusted({}, { trust: { ...APPROVED, warnings: [external] } }),
    {},
    'admitted',
    ['pack.trust'],
  ],
  [
    'case 53: approved, yet disputed',
    makeTrusted({ status: 'disputed' }, { trust: APPROVED }),
    { isExplicit: true },
    'confirmation-needed',
    ['pack.status'],
  ],
  [
    'case 53: confirmed, yet not approved',
    makeTrusted({ status: 'disputed' }, { trust: shut }),
    { isConfirmed: true },
    'approval-needed',
    ['pack.trust'],
  ],
  [
    'case 59: approved and confirmed',
    makeTrusted({ status: 'disputed' }, { trust: APPROVED }),
    { isConfirmed: true },
    'admitted',
    ['pack.status'],
  ],
  ['case 55: a draft', makeTrusted({ status: 'draft' }), {}, 'confirmation-needed', ['pack.status']],
  ['case 60: archived', makeTrusted({ status: 'archived' }), {}, 'refused', ['pack.status']],
  [
    'case 61: archived and named',
    makeTrusted({ status: 'archived' }),
    { isExplicit: true },
    'admitted',
    ['pack.status'],
  ],
  [
    'case 28: of unknown status',
    makeTrusted({ status: undefined }),
    { isExplicit: true, isConfirmed: true },
    'refused',
    ['pack.status'],
  ],
  ['case 29: of unknown type', makeTrusted({ type: 'nonsense' }), {}, 'refused', []],
  ['case 29: of unknown type, and named', makeTrusted({ type: 'nonsense' }), { isExplicit: true }, 'admitted', []],
  ['case 29: of a type of its own', makeTrusted({ type: 'custom:acme' }), {}, 'admitted', []],
]

describe('the gate', () => {
  it.each(GATES)('%s', (_, pack, more, verdict, codes) => {
    const admission = admit(pack, { ...asked, ...more })
    expect(admission.verdict).toBe(verdict)
    expect(admission.warnings.map(({ code }) => code)).toEqual(codes)
  })

  it('keep what a status asks for', () => {
    expect(admit(makeTrusted({ status: 'disputed' }), { ...asked, isConfirmed: true }).isDisputed).toBe(true)
    expect(admit(makeTrusted({ status: 'needs-review' }), asked).showsGaps).toBe(true)
  })
})

describe('a refusal', () => {
  const ERRORS: [TrustedPack, verdict: string, allowedBy: string, code: string, message: string][] = [
    [makeTrusted({}, { trust: shut }), 'approval-needed', 'user', 'APPROVAL_NEEDED', 'handbook is not approved'],
    [
      makeTrusted({}, { trust: { ...shut, state: 'changed' } }),
      'approval-needed',
      'user',
      'APPROVAL_NEEDED',
      'has changed since',
    ],
    [makeTrusted({}, { trust: DENIED }), 'refused', 'user', 'pack.trust', 'was denied'],
    [makeTrusted({ status: 'draft' }), 'confirmation-needed', 'user', 'CONFIRMATION_NEEDED', 'is a draft'],
    [makeTrusted({ status: undefined }), 'refused', 'author', 'pack.status', 'has an unknown status'],
  ]
  it.each(ERRORS)('of %o is $1, and $2 can change it', (pack, verdict, allowedBy, code, message) => {
    const admission = admit(pack, asked)
    expect(admission).toMatchObject({ verdict, allowedBy })
    const error = admission.error?.()
    expect(error?.code).toBe(code)
    expect(error?.message).toContain(message)
    expect(error?.hint).toBeTruthy()
  })
})

const implicit = { isExplicit: false, isConfirmed: false }
const explicit = { isExplicit: true, isConfirmed: false }
const confirmed = { isExplicit: false, isConfirmed: true }

describe('the status of an open pack', () => {
  it.each<[number, PackStatus | undefined, typeof asked, Admission['verdict'], effects: string[]]>([
    [54, 'ready', implicit, 'admitted', []],
    [55, 'draft', explicit, 'confirmation-needed', []],
    [55, 'draft', confirmed, 'admitted', []],
    [56, 'needs-review', implicit, 'admitted', ['showsGaps']],
    [58, 'stale', implicit, 'admitted', []],
    [59, 'disputed', explicit, 'confirmation-needed', ['isDisputed']],
    [59, 'disputed', confirmed, 'admitted', ['isDisputed']],
    [60, 'archived', confirmed, 'refused', []],
    [61, 'archived', explicit, 'admitted', []],
    [28, undefined, { isExplicit: true, isConfirmed: true }, 'refused', []],
  ])('case %i: %s, asked %o: %s', (_, status, request, verdict, effects) => {
    const admission = admit(makeTrusted({ status }), request)
    expect(admission.verdict).toBe(verdict)
    expect(admission.warnings.map(({ code }) => code)).toEqual(status === 'ready' ? [] : ['pack.status'])
    expect((['isDisputed', 'showsGaps'] as const).filter((effect) => admission[effect])).toEqual(effects)
  })
})
