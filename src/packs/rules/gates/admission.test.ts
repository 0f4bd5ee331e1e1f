import { describe, expect, it } from 'vitest'
import type { PackStatus } from '../pack.ts'
import { APPROVED, DENIED, makeTrusted, UNAPPROVED } from './pack.fixture.ts'
import type { TrustedPack } from './trust.ts'
import { type Admission, admissionError, admit, statusGate } from './trust.ts'

const asked = { isExplicit: false, isConfirmed: false }
const shut = {
  ...UNAPPROVED,
  warnings: [{ severity: 'error', code: 'pack.trust.unapproved', path: 'KNOWLEDGE.md', message: '' }],
} as const
const external = { severity: 'warning', code: 'pack.trust.external', path: 'KNOWLEDGE.md', message: '' } as const

const ROWS: [what: string, TrustedPack, Partial<typeof asked>, Admission['verdict'], codes: string[]][] = [
  [
    'case 44: not approved',
    makeTrusted({}, { trust: shut }),
    { isExplicit: true },
    'approval-needed',
    ['pack.trust.unapproved'],
  ],
  ['case 45: approved', makeTrusted({}, { trust: APPROVED }), {}, 'admitted', []],
  ['case 48: denied', makeTrusted({}, { trust: DENIED }), {}, 'refused', []],
  [
    'case 52: external',
    makeTrusted({}, { trust: { ...APPROVED, warnings: [external] } }),
    {},
    'admitted',
    ['pack.trust.external'],
  ],
  [
    'case 53: approved, yet disputed',
    makeTrusted({ status: 'disputed' }, { trust: APPROVED }),
    { isExplicit: true },
    'confirmation-needed',
    ['pack.status.disputed'],
  ],
  [
    'case 53: confirmed, yet not approved',
    makeTrusted({ status: 'disputed' }, { trust: shut }),
    { isConfirmed: true },
    'approval-needed',
    ['pack.trust.unapproved'],
  ],
  [
    'case 59: approved and confirmed',
    makeTrusted({ status: 'disputed' }, { trust: APPROVED }),
    { isConfirmed: true },
    'admitted',
    ['pack.status.disputed'],
  ],
  ['case 55: a draft', makeTrusted({ status: 'draft' }), {}, 'confirmation-needed', ['pack.status.draft']],
  ['case 60: archived', makeTrusted({ status: 'archived' }), {}, 'refused', ['pack.status.archived']],
  [
    'case 61: archived and named',
    makeTrusted({ status: 'archived' }),
    { isExplicit: true },
    'admitted',
    ['pack.status.archived'],
  ],
  [
    'case 28: of unknown status',
    makeTrusted({ status: undefined }),
    { isExplicit: true, isConfirmed: true },
    'refused',
    ['pack.status.unknown'],
  ],
  ['case 29: of unknown type', makeTrusted({ type: 'nonsense' }), {}, 'refused', []],
  ['case 29: of unknown type, and named', makeTrusted({ type: 'nonsense' }), { isExplicit: true }, 'admitted', []],
  ['case 29: of a type of its own', makeTrusted({ type: 'custom:acme' }), {}, 'admitted', []],
]

describe('both gates', () => {
  it.each(ROWS)('%s', (_, pack, more, verdict, codes) => {
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
  const ERRORS: [TrustedPack, Exclude<Admission['verdict'], 'admitted'>, code: string, message: string][] = [
    [makeTrusted({}, { trust: shut }), 'approval-needed', 'APPROVAL_NEEDED', 'the pack handbook is not approved'],
    [
      makeTrusted({}, { trust: { ...shut, state: 'changed' } }),
      'approval-needed',
      'APPROVAL_NEEDED',
      'has changed since',
    ],
    [makeTrusted({}, { trust: DENIED }), 'refused', 'pack.trust.denied', 'was denied'],
    [makeTrusted({ status: 'draft' }), 'confirmation-needed', 'CONFIRMATION_NEEDED', 'is a draft'],
    [makeTrusted({ status: undefined }), 'refused', 'pack.status.unknown', 'its status is unknown'],
  ]
  it.each(ERRORS)('$1 of %o', (pack, verdict, code, message) => {
    const error = admissionError(pack, verdict)
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
    expect(error.hint).toBeTruthy()
  })
})

const implicit = { isExplicit: false, isConfirmed: false }
const explicit = { isExplicit: true, isConfirmed: false }
const confirmed = { isExplicit: false, isConfirmed: true }
const both = { isExplicit: true, isConfirmed: true }

type Verdict = 'allow' | 'confirm' | 'refuse'
type StatusRow = [
  number: number,
  PackStatus | undefined,
  asked: typeof implicit,
  Verdict,
  codes: string[],
  effects: string[],
]

const STATUS_ROWS: StatusRow[] = [
  [54, 'ready', implicit, 'allow', [], []],
  [55, 'draft', implicit, 'confirm', ['warning pack.status.draft'], []],
  [55, 'draft', explicit, 'confirm', ['warning pack.status.draft'], []],
  [55, 'draft', confirmed, 'allow', ['warning pack.status.draft'], []],
  [56, 'needs-review', implicit, 'allow', ['warning pack.status.needs-review'], ['showsGaps']],
  [58, 'stale', implicit, 'allow', ['warning pack.status.stale'], []],
  [59, 'disputed', implicit, 'confirm', ['warning pack.status.disputed'], ['isDisputed']],
  [59, 'disputed', explicit, 'confirm', ['warning pack.status.disputed'], ['isDisputed']],
  [59, 'disputed', confirmed, 'allow', ['warning pack.status.disputed'], ['isDisputed']],
  [60, 'archived', implicit, 'refuse', ['warning pack.status.archived'], []],
  [60, 'archived', confirmed, 'refuse', ['warning pack.status.archived'], []],
  [61, 'archived', explicit, 'allow', ['warning pack.status.archived'], []],
  [28, undefined, implicit, 'refuse', ['error pack.status.unknown'], []],
  [28, undefined, both, 'refuse', ['error pack.status.unknown'], []],
]

describe('the status gate', () => {
  it.each(STATUS_ROWS)('case %i: %s, asked %o: %s', (_, status, asked, verdict, codes, effects) => {
    const gate = statusGate(status, asked)
    expect(gate.verdict).toBe(verdict)
    expect(gate.warnings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(codes)
    expect((['isDisputed', 'showsGaps'] as const).filter((effect) => gate[effect])).toEqual(effects)
  })
})
