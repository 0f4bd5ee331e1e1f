import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Machine } from '../machine/machine.ts'
import { findAudit, readAudit, recordPath, writeAudit } from '../machine/records.ts'
import { type AuditRecord, PACK_AUDITS } from '../packs/rules/resolve/audit-record.ts'
import { BUNDLE_AUDITS, type BundleAudit } from './rules/bundle-audit.ts'

const homes: string[] = []
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

function aMachine(): Machine {
  const home = mkdtempSync(join(tmpdir(), 'loadout-test-'))
  homes.push(home)
  return { cwd: home, home, env: {}, now: () => new Date(0) }
}

type Audit = { kind: 'bundle'; record: BundleAudit } | { kind: 'packs'; record: AuditRecord }

function write(machine: Machine, audit: Audit): string {
  return audit.kind === 'packs'
    ? writeAudit(machine, PACK_AUDITS, audit.record)
    : writeAudit(machine, BUNDLE_AUDITS, audit.record)
}

function find(machine: Machine, typed: string): Audit {
  const { kind, id } = findAudit(machine, [BUNDLE_AUDITS, PACK_AUDITS], typed)
  return kind === 'packs'
    ? { kind, record: readAudit(machine, PACK_AUDITS, id) }
    : { kind, record: readAudit(machine, BUNDLE_AUDITS, id) }
}

function aBundle(digest: string): Audit {
  const limits = { maxFiles: null, maxCharsPerFile: null, maxChars: null, maxTokens: null }
  const request = { task: 'x', intent: null, ...limits, tokenizer: null, without: [], unrestricted: false }
  const record = { format: 1 as const, root: '/p', request: { ...request, excluded: [], now: null }, digest, files: [] }
  return { kind: 'bundle', record }
}

function aResolution(task: string): Audit {
  const lists = { packs: [], refused: [], substitutions: [], collisions: [] }
  const request = { task, sha256: '', needs: [], cites: false, deep: false }
  const resolver = { tool: 'loadout' as const, version: '1', strategy: '' }
  const options = { budget: 1, threshold: 1, counter: '' }
  return { kind: 'packs', record: { format: 1, resolver, request, options, tokens: 0, ...lists } }
}

/** One contract for both kinds, and where each kind has always been kept. */
const KINDS: [kind: string, audit: Audit, place: string][] = [
  ['a bundle', aBundle('ab'.repeat(32)), 'context'],
  ['a resolution', aResolution('eggs'), 'packs/audit'],
]

describe.each(KINDS)('the record of %s', (_, audit, place) => {
  it('is found by its id and by the start of it, whatever the case', () => {
    const machine = aMachine()
    const id = write(machine, audit)
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    for (const typed of [id, id.slice(0, 1), id.toUpperCase(), `${id}ffff`]) {
      expect(find(machine, typed)).toEqual(audit)
    }
    const path = recordPath(machine, `${place}/${id}.json`)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(audit.record)}\n`)
    expect([path, join(path, '..')].map((each) => (statSync(each).mode & 0o777).toString(8))).toEqual(['600', '700'])
  })

  it('is written again without harm', () => {
    const machine = aMachine()
    const id = write(machine, audit)
    expect(write(machine, audit)).toBe(id)
    expect(find(machine, id)).toEqual(audit)
  })

  it.each(['{}', '[]', '{"format":1}', '{"format":2,"packs":[]}', '{"format":1,"packs":[]}'])(
    'is refused when it was changed to %s',
    (text) => {
      const machine = aMachine()
      const id = write(machine, audit)
      writeFileSync(recordPath(machine, `${place}/${id}.json`), text)
      expect(() => find(machine, id)).toThrow(expect.objectContaining({ code: 'BAD_AUDIT' }))
    },
  )
})

it.each(['', 'f', '../x', 'zz', '.'])('no record is called %j', (typed) => {
  const machine = aMachine()
  expect(() => find(machine, typed)).toThrow(expect.objectContaining({ code: 'AUDIT_NOT_FOUND' }))
  write(machine, aBundle('ab'.repeat(32)))
  expect(() => find(machine, typed)).toThrow(expect.objectContaining({ code: 'AUDIT_NOT_FOUND' }))
})

it('a start that records of two kinds share lists the choices', () => {
  const machine = aMachine()
  const id = write(machine, aResolution('eggs'))
  const other = write(machine, aBundle(id.slice(0, 3) + '0'.repeat(61)))
  expect(() => find(machine, id.slice(0, 3))).toThrow(
    expect.objectContaining({
      message: `"${id.slice(0, 3)}" is the start of 2 records`,
      hint: `type more of one: ${other} (bundle), ${id} (packs)`,
    }),
  )
  expect(find(machine, other)).toMatchObject({ kind: 'bundle' })
})
