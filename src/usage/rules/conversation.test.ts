import { expect, it } from 'vitest'
import { ConversationTally, viewConversation } from './conversation.ts'
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

it('the log tells what happened in one, and what was planned and never given', () => {
  const events = [
    event('a', { timestamp: at(1), stage: 'planned' }),
    event('b', { timestamp: at(1), stage: 'planned' }),
    event('b', { timestamp: at(2), stage: 'planned' }),
    event('a', { timestamp: at(2), stage: 'delivered' }),
    event('a', { timestamp: at(3), stage: 'planned', kind: 'pack' }),
    event('', { timestamp: at(3) }),
  ]
  const view = viewConversation(events, 2)
  expect(view.steps.map(({ stage, entry }) => `${stage} ${entry}`)).toEqual(['planned a', 'planned b'])
  expect(view.more).toBe(3)
  expect(view.leftOut).toEqual([
    { kind: 'payload', entry: 'b', times: 2 },
    { kind: 'pack', entry: 'a', times: 1 },
  ])
})
