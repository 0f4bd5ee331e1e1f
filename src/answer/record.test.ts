import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Machine } from '../machine/machine.ts'
import { claimant } from '../machine/sessions.ts'
import { formatClaim } from '../usage/rules/session-state.ts'
import { givenPacks, notePacks } from './record.ts'

const homes: string[] = []
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

function aMachine(): Machine {
  const home = mkdtempSync(join(tmpdir(), 'loadout-test-'))
  homes.push(home)
  return new Machine({ cwd: home, home, env: {}, now: () => new Date(0) })
}

it('packs of a conversation are kept, each once, beside those of others', () => {
  const machine = aMachine()
  expect(givenPacks(machine, 'one')).toEqual([])
  notePacks(machine, 'one', ['a', 'b'])
  notePacks(machine, 'one', ['b', 'c'])
  notePacks(machine, 'two', [])
  expect([givenPacks(machine, 'one'), givenPacks(machine, 'two')]).toEqual([['a', 'b', 'c'], []])
})

it('a conversation with hooks has one file', () => {
  const machine = aMachine()
  const line = (isAnew: boolean, start: number) => formatClaim({ by: claimant(), parts: [], start, isAnew })
  machine.sessions.claimLine('claude', 'one', line(false, 1))
  notePacks(machine, 'one', ['a'])
  expect(readdirSync(machine.sessions.folder)).toEqual(['claude.one.jsonl'])
  expect(givenPacks(machine, 'one')).toEqual(['a'])
  machine.sessions.claimLine('claude', 'one', line(true, 2))
  expect(givenPacks(machine, 'one'), 'its context is empty').toEqual([])
})

it('a damaged file counts as empty', () => {
  const machine = aMachine()
  notePacks(machine, 'one', ['b'])
  writeFileSync(join(machine.sessions.folder, 'packs.one.jsonl'), 'what?\n')
  expect(givenPacks(machine, 'one')).toEqual([])
})

it.each(['', '.', '..', '../x', 'a b', 'x'.repeat(129)])('%j cannot be a session', (session) => {
  const machine = aMachine()
  expect(() => givenPacks(machine, session)).toThrow(expect.objectContaining({ code: 'USAGE' }))
  expect(() => notePacks(machine, session, ['a'])).toThrow(expect.objectContaining({ code: 'USAGE' }))
})
