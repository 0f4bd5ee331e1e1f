import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileTable } from './dispatch-table.ts'
import { entryOf } from './entry.fixture.ts'
import { matchTable } from './match.ts'
import { openTable, readHead, saveTable } from './saved-table.ts'

const word = fc.constantFrom('ci', 'release', 'docs', 'run', 'dry run', 'node.js', '部署', 'été', 'X', '')
const entry = fc
  .record({
    id: fc.string({ minLength: 1, unit: 'binary' }),
    keywords: fc.array(word, { maxLength: 4 }),
    patterns: fc.array(word, { maxLength: 2 }),
    priority: fc.constantFrom('core' as const, 'domain' as const, 'manual' as const),
    tokens_est: fc.nat(100),
  })
  .map(entryOf)

function reopen(bytes: Uint8Array) {
  const read = (from: number, length: number) => bytes.subarray(from, from + length)
  const head = readHead(read)
  return head && { meta: head.meta, table: openTable(head, read) }
}

it('answers like the table that was saved', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), fc.array(word), (entries, words) => {
      const table = compileTable(entries)
      const task = `${words.join(' ')} 如何部署`
      const stored = reopen(Buffer.concat(saveTable(table, { note: 1 })))
      expect(stored?.meta).toEqual({ note: 1 })
      expect(matchTable(task, stored!.table)).toEqual(matchTable(task, table))
    }),
    { numRuns: 300 },
  )
})

it('refuses bytes that are not a table, or end early', () => {
  const bytes = Buffer.concat(saveTable(compileTable([entryOf(), entryOf({ id: 'b' })]), {}))
  expect(reopen(Buffer.from('something else entirely, long enough'))).toBeUndefined()
  expect(reopen(Buffer.alloc(0))).toBeUndefined()
  for (let length = 0; length < bytes.length; length++) {
    const outcome = () => {
      const stored = reopen(bytes.subarray(0, length))
      return stored === undefined ? undefined : matchTable('keyword', stored.table)
    }
    let result: unknown = 'thrown'
    try {
      result = outcome()
    } catch {}
    expect(result === undefined || result === 'thrown' || JSON.stringify(result).includes('"entry"')).toBe(true)
  }
})
