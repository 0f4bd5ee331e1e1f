import { expect, it } from 'vitest'
import { event } from '../usage/rules/event.fixture.ts'
import type { UsageEvent } from '../usage/rules/usage-event.ts'
import { UsedPromptReader } from './learn.ts'
import { LONGEST_PROMPT } from './rules/example.ts'

const task = (words: string, hash: string, ids: string[], changes: Partial<UsageEvent> = {}): UsageEvent[] =>
  ids.map((id, at) =>
    event(id, {
      kind: 'skill',
      stage: 'planned',
      session: 's',
      taskHash: hash,
      ...(at === 0 ? { task: words, asked: { project: '/p' } } : {}),
      ...changes,
    }),
  )
const used = (id: string, changes: Partial<UsageEvent> = {}): UsageEvent =>
  event(id, { kind: 'skill', stage: 'used', session: 's', taskHash: 'other', ...changes })

const rows: [why: string, events: UsageEvent[], found: [id: string, prompt: string][]][] = [
  ['planned, then used', [...task('cut a release', '1', ['a', 'b']), used('b')], [['b', 'cut a release']]],
  ['planned only', task('cut a release', '1', ['a']), []],
  ['used only', [used('a')], []],
  ['used in another session', [...task('cut it', '1', ['a']), used('a', { session: 't' })], []],
  ['outside of a session', [...task('cut it', '1', ['a'], { session: '' }), used('a', { session: '' })], []],
  ['used twice', [...task('cut it', '1', ['a']), used('a'), used('a')], [['a', 'cut it']]],
  ['another kind of the same name', [...task('cut it', '1', ['a']), used('a', { kind: 'pack' })], []],
  [
    'the last task that named it',
    [...task('first one', '1', ['a']), ...task('second one', '2', ['a']), ...task('third', '3', ['b']), used('a')],
    [['a', 'second one']],
  ],
  ['words that are not kept', [event('a', { kind: 'skill', stage: 'planned', session: 's' }), used('a')], []],
  ['too long for an example', [...task('x '.repeat(LONGEST_PROMPT), '1', ['a']), used('a')], []],
]

it.each(rows)('%s', (_, events, found) => {
  const reader = new UsedPromptReader()
  for (const each of events) reader.add(each)
  expect(reader.found).toEqual(found.map(([id, prompt]) => ({ kind: 'skill', id, prompt, project: '/p' })))
})
