import { expect, it } from 'vitest'
import { ConversationTally, viewConversation } from './conversation.ts'
import { CostMeter } from './cost.ts'
import { event } from './event.fixture.ts'

const at = (minute: number) => `2026-11-17T09:${String(minute).padStart(2, '0')}:00.000Z`

it('the log lists conversations by agent and session, the newest first', () => {
  const tally = new ConversationTally()
  tally.add(event('a', { timestamp: at(1), via: 'claude', session: 's', stage: 'planned' }))
  tally.add(event('a', { timestamp: at(2), via: 'claude', session: 's', stage: 'delivered', tokensEst: 7 }))
  tally.add(event('a', { timestamp: at(5), via: 'codex', session: 's', stage: 'used', tokensEst: 3 }))
  tally.add(event('a', { timestamp: at(9), via: 'cli' }))
  expect(tally.conversations()).toEqual([
    { via: 'codex', session: 's', first: at(5), last: at(5), planned: 0, delivered: 0, used: 1, tokens: 3 },
    { via: 'claude', session: 's', first: at(1), last: at(2), planned: 1, delivered: 1, used: 0, tokens: 7 },
  ])
})

it('the log tells what happened in one, turn by turn, and what was planned and never given', () => {
  const of = (taskHash: string, minute: number) => ({ taskHash, timestamp: at(minute) })
  const events = [
    event('a', { ...of('one', 1), stage: 'planned', task: 'mend it' }),
    event('b', { ...of('one', 1), stage: 'planned' }),
    event('a', { ...of('one', 1), stage: 'delivered', tokensEst: 7, listed: { 'skill:s': 3 } }),
    event('b', { ...of('two', 2), stage: 'planned' }),
    event('a', { ...of('three', 3), stage: 'planned', kind: 'pack' }),
    event('', of('three', 3)),
  ]
  const meter = new CostMeter(undefined)
  const view = viewConversation(
    events.map((each) => ({ event: each, costs: meter.read(each) })),
    2,
  )
  expect(view.turns.map(({ steps }) => steps.map(({ stage, entry }) => `${stage} ${entry}`))).toEqual([
    ['planned b'],
    ['planned a'],
  ])
  expect(view.more).toBe(1)
  expect(view.cost).toEqual({ listing: 3, opened: 0, delivered: 7 })
  expect(view.leftOut).toEqual([
    { kind: 'payload', entry: 'b', times: 2 },
    { kind: 'pack', entry: 'a', times: 1 },
  ])
})
