import { describe, expect, it } from 'vitest'
import type { PackStatus } from '../pack.ts'
import { statusGate } from './status-gate.ts'

const implicit = { isExplicit: false, isConfirmed: false }
const explicit = { isExplicit: true, isConfirmed: false }
const confirmed = { isExplicit: false, isConfirmed: true }
const both = { isExplicit: true, isConfirmed: true }

type Verdict = 'allow' | 'confirm' | 'refuse'
type Row = [number: number, PackStatus | undefined, asked: typeof implicit, Verdict, codes: string[], effects: string[]]

const ROWS: Row[] = [
  [54, 'ready', implicit, 'allow', [], []],
  [55, 'draft', implicit, 'confirm', ['warning pack.status.draft'], []],
  [55, 'draft', explicit, 'confirm', ['warning pack.status.draft'], []],
  [55, 'draft', confirmed, 'allow', ['warning pack.status.draft'], []],
  [56, 'needs-review', implicit, 'allow', ['warning pack.status.needs-review'], ['showsGaps']],
  [58, 'stale', implicit, 'allow', ['warning pack.status.stale'], []],
  [59, 'disputed', implicit, 'confirm', ['warning pack.status.disputed'], ['mustEscalate']],
  [59, 'disputed', explicit, 'confirm', ['warning pack.status.disputed'], ['mustEscalate']],
  [59, 'disputed', confirmed, 'allow', ['warning pack.status.disputed'], ['mustEscalate']],
  [60, 'archived', implicit, 'refuse', ['warning pack.status.archived'], []],
  [60, 'archived', confirmed, 'refuse', ['warning pack.status.archived'], []],
  [61, 'archived', explicit, 'allow', ['warning pack.status.archived'], []],
  [28, undefined, implicit, 'refuse', ['error pack.status.unknown'], []],
  [28, undefined, both, 'refuse', ['error pack.status.unknown'], []],
]

describe('the status gate', () => {
  it.each(ROWS)('case %i: %s, asked %o: %s', (_, status, asked, verdict, codes, effects) => {
    const gate = statusGate(status, asked)
    expect(gate.verdict).toBe(verdict)
    expect(gate.warnings.map(({ severity, code }) => `${severity} ${code}`)).toEqual(codes)
    expect((['mustEscalate', 'showsGaps'] as const).filter((effect) => gate[effect])).toEqual(effects)
  })
})
