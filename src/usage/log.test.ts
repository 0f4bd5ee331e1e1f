import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { visitUsage } from './log.ts'
import { event } from './rules/event.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'loadout-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the newest part of a log', () => {
  const path = join(folder, 'usage.jsonl')
  // Longer than a chunk, with letters of several bytes that a cut may fall into.
  const lines = Array.from({ length: 1_000 }, (_, at) => JSON.stringify(event(`eintrag-ä-${at}`)))
  writeFileSync(path, `${lines.join('\n')}\n`)
  const lastOf = (bytes?: number) => {
    const ids: string[] = []
    const { junkLines } = visitUsage(path, ({ entryId }) => ids.push(entryId), bytes)
    return { ids, junkLines }
  }
  const size = (text: string) => Buffer.byteLength(text)

  it('is the whole log where it is shorter', () => {
    expect(lastOf(Number.MAX_SAFE_INTEGER)).toEqual(lastOf())
    expect(lastOf().ids).toHaveLength(1_000)
  })

  it.each([1, 2, 999])('begins with a whole line: %i lines from the end', (count) => {
    const bytes = size(`${lines.slice(-count).join('\n')}\n`)
    for (const more of [1, 7, 20]) {
      expect(lastOf(bytes + more)).toEqual({ ids: lastOf().ids.slice(-count), junkLines: 0 })
    }
  })
})
