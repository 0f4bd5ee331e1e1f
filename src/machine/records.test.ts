import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LoadoutError } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { Machine } from './machine.ts'
import type { RecordFile } from './records.ts'

const homes: string[] = []
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

function aMachine(): Machine {
  const home = mkdtempSync(join(tmpdir(), 'loadout-test-'))
  homes.push(home)
  return new Machine({ cwd: home, home, env: {}, now: () => new Date(0) })
}

const COUNTER: RecordFile<number> = {
  place: 'deep/er/counter.json',
  empty: 0,
  parse(json, path) {
    if (isRecord(json) && typeof json.count === 'number') return json.count
    throw new LoadoutError('BAD_APPROVALS', `${path} has no count`)
  },
  format: (count) => JSON.stringify({ count }),
  broken: (problem) => new LoadoutError('BAD_APPROVALS', problem, { hint: 'repair it' }),
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** What other users may do must not depend on how a shell happens to be set up. */
async function withUmask<T>(umask: number, run: () => T | Promise<T>): Promise<T> {
  const before = process.umask(umask)
  try {
    return await run()
  } finally {
    process.umask(before)
  }
}

describe('a record', () => {
  it('is what holds while there is no file, and then what was written', async () => {
    const machine = aMachine()
    expect(machine.records.read(COUNTER)).toBe(0)
    expect(await machine.records.change(COUNTER, 'count', (count) => count + 1)).toBe(1)
    expect(machine.records.read(COUNTER)).toBe(1)
  })

  it('loses no change when many are made at once', async () => {
    const machine = aMachine()
    const add = () => machine.records.change(COUNTER, 'count', (count) => count + 1)
    await Promise.all(Array.from({ length: 20 }, add))
    expect(machine.records.read(COUNTER)).toBe(20)
  })

  const BROKEN: [what: string, text: string][] = [
    ['cut off', '{"count": '],
    ['of another shape', '{"sum": 3}'],
    ['empty', ''],
    ['not text', '\u0000'],
  ]
  it.each(BROKEN)('that is %s is reported, left as it is, and leaves no traces', async (_, text) => {
    const machine = aMachine()
    const path = machine.records.path(COUNTER.place)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
    expect(() => machine.records.read(COUNTER)).toThrow(expect.objectContaining({ code: 'BAD_APPROVALS' }))
    await expect(machine.records.change(COUNTER, 'count', () => 7)).rejects.toMatchObject({ code: 'BAD_APPROVALS' })
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(existsSync(machine.records.path('locks'))).toBe(false)
  })

  it('that could not be read again is not written', async () => {
    const machine = aMachine()
    await machine.records.change(COUNTER, 'count', () => 1)
    await expect(machine.records.change(COUNTER, 'count', () => Number.NaN)).rejects.toThrow('has no count')
    expect(machine.records.read(COUNTER)).toBe(1)
  })
})

describe('other users', () => {
  it.each([0o000, 0o022])('cannot enter the folders or read the files under umask %i', async (umask) => {
    const machine = aMachine()
    await withUmask(umask, async () => {
      await machine.records.change(COUNTER, 'count', () => 1)
    })
    for (const folder of ['', 'deep', 'deep/er']) expect(modeOf(machine.records.path(folder))).toBe('700')
    expect(modeOf(machine.records.path(COUNTER.place))).toBe('600')
  })

  it('lose the rights that an earlier version gave them', () => {
    const machine = aMachine()
    const path = machine.records.path('deep/er/counter.json')
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, '{}')
    for (const each of ['', 'deep', 'deep/er']) chmodSync(machine.records.path(each), 0o777)
    chmodSync(path, 0o666)
    machine.records.write('deep/er/counter.json', '{"count": 1}')
    for (const folder of ['', 'deep', 'deep/er']) expect(modeOf(machine.records.path(folder))).toBe('700')
    expect(modeOf(path)).toBe('600')
  })

  it('are not asked about a folder above ours, and a read-only folder stays read-only', () => {
    const machine = aMachine()
    const state = machine.records.path('')
    mkdirSync(state, { recursive: true })
    chmodSync(join(state, '..'), 0o755)
    chmodSync(state, 0o555)
    machine.records.privateFolder('')
    expect(modeOf(state)).toBe('500')
    expect(modeOf(join(state, '..'))).toBe('755')
    chmodSync(state, 0o700)
  })
})
