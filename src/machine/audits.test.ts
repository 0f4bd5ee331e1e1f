import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type AuditRecord, newestAudits, pruneAudits, readAudit, writeAudit } from './audits.ts'
import { Machine } from './machine.ts'
import { programVersion } from './package-folder.ts'

const homes: string[] = []
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

function aMachine(): Machine {
  const home = mkdtempSync(join(tmpdir(), 'loadout-test-'))
  homes.push(home)
  return new Machine({ cwd: home, home, env: {}, now: () => new Date('2026-07-01T00:00:00Z') })
}

function write(machine: Machine, audit: AuditRecord): string {
  const { id, findings } = writeAudit(machine, audit)
  expect(findings).toEqual([])
  return id ?? ''
}

const aBundle = (digest: string): AuditRecord => ({ kind: 'bundle', question: { task: 'x' }, parts: [{}], digest })
const anAnswer = (task: string): AuditRecord => ({ kind: 'packs', question: { task }, parts: [] })

describe.each([
  ['a bundle', aBundle('ab'.repeat(32))],
  ['an answer of packs', anAnswer('eggs')],
])('the record of %s', (_, audit) => {
  it('is found by its id and by the start of it, whatever the case', () => {
    const machine = aMachine()
    const id = write(machine, audit)
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    for (const typed of [id, id.slice(0, 1), id.toUpperCase(), `${id}ffff`]) {
      expect(readAudit(machine, typed)).toEqual({ id, record: { ...audit, version: programVersion() } })
    }
    const path = machine.records.path(`audit/${id}.json`)
    expect([path, join(path, '..')].map((each) => (statSync(each).mode & 0o777).toString(8))).toEqual(['600', '700'])
  })

  it('is written again without harm', () => {
    const machine = aMachine()
    const id = write(machine, audit)
    const path = machine.records.path(`audit/${id}.json`)
    const text = readFileSync(path, 'utf8')
    expect(write(machine, audit)).toBe(id)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it.each<[what: string, change: (text: string) => string]>([
    ['an object', () => '{}'],
    ['a list', () => '[]'],
    ['only its format', () => '{"format":2}'],
    ['another task', (text) => text.replace('"task":"', '"task":"more ')],
    ['another id', (text) => text.replace('"kind"', '"digest":"0123456789abcdef","kind"')],
  ])('is refused when it was changed to %s', (_, change) => {
    const machine = aMachine()
    const id = write(machine, audit)
    const path = machine.records.path(`audit/${id}.json`)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    const message = `${path} was changed after it was written`
    expect(() => readAudit(machine, id)).toThrow(expect.objectContaining({ code: 'CONTEXT_CHANGED', message }))
  })

  it.each(['audit', 'context', 'packs/audit'])(
    'that another version wrote into %s is named as such, and stays',
    (place) => {
      const machine = aMachine()
      machine.records.write(`${place}/0123456789abcdef.json`, '{"format":1,"packs":[]}')
      const path = machine.records.path(`${place}/0123456789abcdef.json`)
      expect(() => readAudit(machine, '0123')).toThrow(
        expect.objectContaining({
          code: 'CONTEXT_CHANGED',
          message: expect.stringContaining(`another version of Loadout wrote ${path}`),
        }),
      )
      expect(readFileSync(path, 'utf8')).toBe('{"format":1,"packs":[]}')
      expect(newestAudits(machine, 'bundle', 9)).toEqual([])
    },
  )
})

it.each(['', 'f', '../x', 'zz', '.'])('no record is called %j', (typed) => {
  const machine = aMachine()
  expect(() => readAudit(machine, typed)).toThrow(expect.objectContaining({ code: 'ENTRY_NOT_FOUND' }))
  write(machine, aBundle('ab'.repeat(32)))
  expect(() => readAudit(machine, typed)).toThrow(expect.objectContaining({ code: 'ENTRY_NOT_FOUND' }))
})

it('a start that records of two kinds share lists the choices', () => {
  const machine = aMachine()
  const id = write(machine, anAnswer('eggs'))
  const other = write(machine, aBundle(id.slice(0, 3) + '0'.repeat(61)))
  expect(() => readAudit(machine, id.slice(0, 3))).toThrow(
    expect.objectContaining({
      message: `"${id.slice(0, 3)}" is the start of 2 records`,
      hint: `type more of one: ${other}, ${id}`,
    }),
  )
  expect(readAudit(machine, other)).toMatchObject({ record: { kind: 'bundle' } })
})

it('a bundle that was recorded again is not hidden by the record of an earlier version', () => {
  const machine = aMachine()
  const id = write(machine, aBundle('ab'.repeat(32)))
  machine.records.write(`context/${id}.json`, '{"format":1}')
  expect(readAudit(machine, id.slice(0, 4)).id).toBe(id)
})

it('the newest records of a kind are listed, whatever others there are', () => {
  const machine = aMachine()
  const ids = ['1', '2', '3'].map((digit) => write(machine, aBundle(digit.repeat(64))))
  write(machine, anAnswer('eggs'))
  machine.records.write('audit/0123456789abcdef.json', '{')
  for (const [at, id] of ids.entries()) utimesSync(machine.records.path(`audit/${id}.json`), at, at)
  expect(newestAudits(machine, 'bundle', 2).map(({ id }) => id)).toEqual([ids[2], ids[1]])
})

it('records that were not written again for a while go, and nothing else', () => {
  const machine = aMachine()
  const old = new Date('2026-01-01T00:00:00Z')
  const names = [
    'audit/1.json',
    'audit/2.json',
    'audit/notes.txt',
    'context/3.json',
    'packs/audit/4.json',
    'other/5.json',
  ]
  for (const name of names) {
    machine.records.write(name, '{}')
    utimesSync(machine.records.path(name), old, old)
  }
  const now = machine.now()
  utimesSync(machine.records.path('audit/2.json'), now, now)
  const pruned = { removed: 3, bytes: 6, kept: 1, days: 90 }
  expect(pruneAudits(machine, { isDry: true })).toEqual({ ...pruned, isDry: true })
  expect(pruneAudits(machine, {})).toEqual({ ...pruned, isDry: false })
  expect(pruneAudits(machine, {})).toMatchObject({ removed: 0, kept: 1 })
  const left = ['audit', 'context', 'packs/audit', 'other'].flatMap((folder) =>
    readdirSync(machine.records.path(folder)),
  )
  expect(left).toEqual(['2.json', 'notes.txt', '5.json'])
})
