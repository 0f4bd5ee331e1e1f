import { describe, expect, it } from 'vitest'
import { event } from '../usage/rules/event.fixture.ts'
import type { UsageEvent } from '../usage/rules/usage-event.ts'
import { type PastTask, PastTaskReader } from './replay-prompts.ts'

describe('the tasks of a log', () => {
  const planned = (entryId: string, changes: Partial<UsageEvent> = {}) =>
    event(entryId, { stage: 'planned', ...changes })
  const rows: [what: string, events: UsageEvent[], tasks: Partial<PastTask>[]][] = [
    ['without words', [planned('a')], []],
    [
      'what was planned, not what was delivered of it',
      [planned('a', { task: 'x' }), planned('b'), event('a')],
      [{ words: 'x', chosen: ['a', 'b'] }],
    ],
    ['delivered without a plan', [event('a', { task: 'x' })], [{ words: 'x', chosen: ['a'] }]],
    ['nothing was found', [planned('', { task: 'x' })], [{ words: 'x', chosen: [] }]],
    ['packs alone', [event('a', { task: 'x', kind: 'pack' })], []],
    [
      'one after the other',
      [planned('a', { task: 'x' }), planned('b', { task: 'y', taskHash: 't2' })],
      [{}, { words: 'y' }],
    ],
    ['words at every event', [planned('a', { task: 'x' }), planned('b', { task: 'x' })], [{ chosen: ['a', 'b'] }]],
    [
      'another task without words between',
      [planned('a', { task: 'x' }), planned('b', { taskHash: 't2' }), planned('c')],
      [{ chosen: ['a'] }],
    ],
    [
      'how it was asked, as far as it makes sense',
      [planned('a', { task: 'x', asked: { project: '/p', strategy: 'magic', phase: 'plan', budget: -1 } as never })],
      [{ asked: { project: '/p', phase: 'plan' } }],
    ],
    [
      'how it was asked, of another program',
      [planned('a', { task: 'x', asked: 'so' as never })],
      [{ asked: undefined }],
    ],
    ['words that are none', [planned('a', { task: 7 as never })], []],
  ]
  it.each(rows)('%s', (_, events, expected) => {
    const tasks: PastTask[] = []
    const reader = new PastTaskReader((task) => tasks.push(task))
    for (const each of events) reader.add(each)
    reader.end()
    expect(tasks).toMatchObject(expected)
    expect(tasks).toHaveLength(expected.length)
  })
})
