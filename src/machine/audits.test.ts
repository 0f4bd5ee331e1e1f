import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Audit, findAudit, idOf, writeAudit } from './audits.ts'
import type { Machine } from './machine.ts'
import { recordPath } from './records.ts'

const homes: string[] = []
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

function aMachine(): Machine {
  const home = mkdtempSync(join(tmpdir(), 'loadout-test-'))
  homes.push(home)
  return { cwd: home, home, env: {}, now: () => new Date(0) }
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
    const id = writeAudit(machine, audit)
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    for (const typed of [id, id.slice(0, 1), id.toUpperCase(), `${id}ffff`]) {
      expect(findAudit(machine, typed)).toEqual(audit)
    }
    const path = recordPath(machine, `${place}/${id}.json`)
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(audit.record)}\n`)
    expect([path, join(path, '..')].map((each) => (statSync(each).mode & 0o777).toString(8))).toEqual(['600', '700'])
  })

  it('is written again without harm', () => {
    const machine = aMachine()
    expect(writeAudit(machine, audit)).toBe(writeAudit(machine, audit))
    expect(findAudit(machine, idOf(audit))).toEqual(audit)
  })

  it.each(['{}', '[]', '{"format":1}', '{"format":2,"packs":[]}', '{"format":1,"packs":[]}'])(
    'is refused when it was changed to %s',
    (text) => {
      const machine = aMachine()
      const id = writeAudit(machine, audit)
      writeFileSync(recordPath(machine, `${place}/${id}.json`), text)
      expect(() => findAudit(machine, id)).toThrow(expect.objectContaining({ code: 'BAD_AUDIT' }))
    },
  )
})

it.each(['', 'f', '../x', 'zz', '.'])('no record is called %j', (typed) => {
  const machine = aMachine()
  expect(() => findAudit(machine, typed)).toThrow(expect.objectContaining({ code: 'AUDIT_NOT_FOUND' }))
  writeAudit(machine, aBundle('ab'.repeat(32)))
  expect(() => findAudit(machine, typed)).toThrow(expect.objectContaining({ code: 'AUDIT_NOT_FOUND' }))
})

it('a start that records of two kinds share lists the choices', () => {
  const machine = aMachine()
  const id = writeAudit(machine, aResolution('eggs'))
  const other = writeAudit(machine, aBundle(id.slice(0, 3) + '0'.repeat(61)))
  expect(() => findAudit(machine, id.slice(0, 3))).toThrow(
    expect.objectContaining({
      message: `"${id.slice(0, 3)}" is the start of 2 records`,
      hint: `type more of one: ${other} (bundle), ${id} (packs)`,
    }),
  )
  expect(findAudit(machine, other)).toMatchObject({ kind: 'bundle' })
})
