import { describe, expect, it } from 'vitest'
import { Conversations, LEAST_OFFERS, summarizeEntries } from './entry-usage.ts'
import { event } from './event.fixture.ts'
import type { Stage, UsageEvent } from './usage-event.ts'

/** `claude/s1 planned a` is one event of a conversation; `cli planned a` belongs to none. */
function read(line: string): UsageEvent {
  const [where = '', stage = '', entryId = ''] = line.split(' ')
  const [via = '', session] = where.split('/')
  return event(entryId, { stage: stage as Stage, via, session })
}

const often = (line: string) => Array.from({ length: LEAST_OFFERS }, (_, at) => line.replace('*', String(at)))

describe('what follows from a log', () => {
  const rows: [what: string, lines: string[], offered: number, isNeverUsed: boolean, usedUnplanned: number][] = [
    [
      'offered in many conversations, never asked for',
      [...often('claude/s* planned a'), 'claude/x used b'],
      5,
      true,
      0,
    ],
    ['one conversation fewer says nothing', [...often('claude/s* planned a').slice(1), 'claude/x used b'], 4, false, 0],
    ['named many times in one conversation', [...often('claude/s planned a'), 'claude/x used b'], 1, false, 0],
    ['asked for once', [...often('claude/s* planned a'), 'claude/s1 used a'], 5, false, 0],
    [
      'asked for outside a conversation',
      [...often('claude/s* planned a'), 'claude/x used b', 'cli used a'],
      5,
      false,
      0,
    ],
    [
      'given after it was named: nothing is left to ask for',
      [...often('claude/s* planned a'), ...often('claude/s* delivered a'), 'claude/x used b'],
      0,
      false,
      0,
    ],
    [
      'given before it was named',
      [...often('claude/s* delivered a'), ...often('claude/s* planned a'), 'claude/x used b'],
      0,
      false,
      0,
    ],
    ['where no use was ever seen', [...often('codex/s* planned a'), 'claude/x used b'], 0, false, 0],
    ['planned by a person', [...often('cli planned a'), 'cli used b'], 0, false, 0],
    ['used, though the plan named another', ['mcp/s planned b', 'mcp/s used a', 'mcp/s used a'], 0, false, 1],
    [
      'used in two such conversations',
      ['mcp/s planned b', 'mcp/s used a', 'mcp/t delivered b', 'mcp/t used a'],
      0,
      false,
      2,
    ],
    ['used, though the plan found nothing', ['mcp/s planned', 'mcp/s used a'], 0, false, 1],
    ['used as planned', ['mcp/s planned a', 'mcp/s used a'], 1, false, 0],
    ['used after it was given', ['mcp/s delivered a', 'mcp/s used a'], 0, false, 0],
    ['used where nothing was planned', ['mcp/s used a'], 0, false, 1],
    ['used by a person', ['cli planned b', 'cli used a'], 0, false, 0],
  ]
  it.each(rows)('%s', (_, lines, offered, isNeverUsed, usedUnplanned) => {
    const found = summarizeEntries(lines.map(read)).find(({ entryId }) => entryId === 'a')
    expect(found).toMatchObject({ offered, isNeverUsed, usedUnplanned })
  })
})

it('the usage of entries counts each stage of each kind; a plan is no load', () => {
  const later = '2026-02-02T00:00:00.000Z'
  const rows = summarizeEntries([
    event('a', { stage: 'planned', timestamp: later }),
    event('a', { stage: 'planned', kind: 'pack' }),
    event('a', { trigger: 'docs' }),
    event('a', { stage: 'used', mode: 'manual', tokensEst: 5 }),
    event('b', { stage: 'unheard-of' as Stage }),
    event('', { stage: 'planned', task: 'nothing fits' }),
  ])
  expect(rows).toMatchObject([
    {
      entryId: 'a',
      kind: 'payload',
      planned: 1,
      delivered: 1,
      used: 1,
      loadCount: 2,
      totalTokens: 105,
      lastSeen: later,
    },
    { entryId: 'b', kind: 'payload', planned: 0, delivered: 1, used: 0 },
    { entryId: 'a', kind: 'pack', planned: 1, loadCount: 0, totalTokens: 0, lastLoaded: '', triggers: [] },
  ])
  expect(rows[0]).toMatchObject({ lastLoaded: event('a').timestamp, triggers: ['docs', 'ci'] })
})

it('forgets the conversation that was silent longest', () => {
  const conversations = new Conversations(2)
  const add = (line: string) => conversations.add(read(line))
  for (const line of ['mcp/1 planned a', 'mcp/2 planned a', 'mcp/1 planned c', 'mcp/3 planned a']) add(line)
  add('mcp/3 used a')
  expect(conversations.about('payload a').usedUnplanned).toBe(0)
  add('mcp/2 used a')
  expect(conversations.about('payload a').usedUnplanned).toBe(1)
})
