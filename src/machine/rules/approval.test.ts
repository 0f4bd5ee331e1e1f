import { describe, expect, it } from 'vitest'
import { sha256 } from '../../text/values.ts'
import {
  type Approval,
  formatApprovals,
  makeApproval,
  parseApprovals,
  withApproval,
  withoutApproval,
} from './approval.ts'

const AT = '2024-05-06T07:08:09.000Z'
const DIGEST = 'a'.repeat(64)

function approval(root: string, more: Partial<Omit<Approval, 'id' | 'tier'>> = {}): Approval {
  return makeApproval({
    kind: 'pack',
    root,
    name: 'handbook',
    digest: DIGEST,
    actor: 'somebody',
    at: AT,
    decision: 'approved',
    ...more,
  })
}

describe('approvals on disk', () => {
  it('come back as they were', () => {
    const { digest: _, ...answer } = approval('/c')
    const denial = makeApproval({ ...answer, decision: 'denied' })
    const records = [
      approval('/a'),
      approval('/b', { place: 'commit x', files: { 'a.md': 'b'.repeat(64) } }),
      approval('/b', { kind: 'adapter' }),
      denial,
    ]
    expect(parseApprovals(JSON.parse(formatApprovals(records)), 'approvals.json')).toEqual(records)
  })

  it('of an earlier version are read, but cover no file', () => {
    // Written by 0.1: the approval of one KNOWLEDGE.md.
    const record = { root: '/a', name: 'x', digest: DIGEST, tier: 'guide', actor: 'a', at: AT, decision: 'approved' }
    const id = sha256(JSON.stringify(['/a', DIGEST, 'guide', 'approved', AT])).slice(0, 16)
    const json = { version: 1, approvals: [{ id, ...record }] }
    expect(parseApprovals(json, 'approvals.json')).toMatchObject([{ kind: 'pack', root: '/a', decision: 'approved' }])
    expect(parseApprovals(json, 'approvals.json')[0]?.files).toBeUndefined()
    expect(() => parseApprovals({ version: 1, approvals: [{ id, ...record, tier: 'evidence' }] }, 'x')).toThrow(
      'by hand',
    )
  })

  const good = approval('/a')
  const BAD: [what: string, json: unknown, problem: string][] = [
    ['nothing', null, 'must be an object'],
    ['a list', [], 'must be an object'],
    ['no version', { approvals: [] }, '"version" must be 2'],
    ['a later version', { version: 3, approvals: [] }, '"version" must be 2'],
    ['no list', { version: 2 }, '"approvals" must be a list'],
    ['a text in the list', { version: 2, approvals: ['x'] }, '"approvals[0]" must be an object'],
    ['a key of another kind', { version: 2, approvals: [{ ...good, all: true }] }, 'unknown key: "all"'],
    ['a tier that is none', { version: 2, approvals: [{ ...good, tier: 'root' }] }, 'must be one of guide'],
    ['a decision that is none', { version: 2, approvals: [{ ...good, decision: 'yes' }] }, 'one of approved, denied'],
    ['a digest that is none', { version: 2, approvals: [{ ...good, digest: 'aa' }] }, 'is not a SHA-256'],
    [
      'an approval without digest',
      { version: 2, approvals: [{ ...good, digest: undefined }] },
      'needs a text "digest"',
    ],
    ['an empty root', { version: 2, approvals: [{ ...good, root: '' }] }, 'needs a text "root"'],
    ['a tier that was changed', { version: 2, approvals: [{ ...good, tier: 'guide' }] }, 'edited by hand'],
    ['a folder twice', { version: 2, approvals: [good, good] }, 'a folder has two decisions'],
  ]
  it.each(BAD)('%s is an error', (_, json, problem) => {
    expect(() => parseApprovals(json, 'approvals.json')).toThrow(problem)
    expect(() => parseApprovals(json, 'approvals.json')).toThrow(/^approvals\.json cannot be trusted/)
  })
})

describe('a list of approvals', () => {
  it('has one answer per folder, by path', () => {
    const later = approval('/b', { decision: 'denied' })
    const records = [approval('/b'), approval('/a'), later].reduce(withApproval, [] as Approval[])
    expect(records.map(({ root, decision }) => `${root} ${decision}`)).toEqual(['/a approved', '/b denied'])
    expect(withoutApproval(records, later)).toEqual([approval('/a')])
  })

  it('names each answer by what it says', () => {
    const ids = [
      approval('/a'),
      approval('/b'),
      approval('/a', { digest: 'b'.repeat(64) }),
      approval('/a', { decision: 'denied' }),
      approval('/a', { kind: 'adapter' }),
      approval('/a', { place: 'commit x' }),
      approval('/a', { files: { 'a.md': DIGEST } }),
      approval('/a', { follow: true }),
      approval('/a', { at: '2024-05-06T07:08:10.000Z' }),
    ].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(approval('/a').id).toBe(ids[0])
  })
})
