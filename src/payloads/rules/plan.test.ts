import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOf } from './entry.fixture.ts'
import { DispatchTable } from './match.ts'
import { type SelectionRules, selectMatches } from './plan.ts'
import { judgeEntry } from './ranked.ts'

const entries = [
  entryOf({ id: 'rules', priority: 'core', keywords: [], tokens_est: 100 }),
  entryOf({ id: 'big', keywords: ['release'], tokens_est: 300, triggers: { task: true, plan: false, edit: false } }),
  entryOf({ id: 'small', keywords: ['release', 'tag'], tokens_est: 50 }),
  entryOf({ id: 'other', keywords: ['docs'], tokens_est: 70 }),
  entryOf({ id: 'secret', priority: 'manual', keywords: ['release'], tokens_est: 900 }),
]
const table = new DispatchTable(entries)
const select = (rules: SelectionRules) => {
  const { preload, onDemand, leftOut, ...rest } = selectMatches(table.match('cut a release'), rules)
  return {
    preload: preload.map(({ entry }) => entry.id),
    onDemand: onDemand.map(({ entry }) => entry.id),
    leftOut: leftOut.map(({ match, reason }) => `${match.entry.id}: ${reason}`),
    ...rest,
  }
}

describe('a selection', () => {
  const rows: [name: string, rules: SelectionRules, preload: string[], onDemand: string[], leftOut: string[]][] = [
    ['takes all that matches', {}, ['rules'], ['big', 'small'], []],
    ['honours the phase', { phase: 'plan' }, ['rules'], ['small'], ['big: phase: not for plan']],
    ['stays within the budget', { budget: 200 }, ['rules'], ['small'], ['big: budget: needs 300 tokens, 100 left']],
    ['fills the budget to the last token', { budget: 450 }, ['rules'], ['big', 'small'], []],
    [
      'keeps core whatever the budget',
      { budget: 0 },
      ['rules'],
      [],
      ['big: budget: needs 300 tokens, 0 left', 'small: budget: needs 50 tokens, 0 left'],
    ],
    ['preloads nothing when lazy, and offers core first', { lazyLoad: true }, [], ['rules', 'big', 'small'], []],
  ]
  it.each(rows)('%s', (_, rules, preload, onDemand, leftOut) => {
    expect(select(rules)).toMatchObject({ preload, onDemand, leftOut })
  })

  it('offers core first when lazy, also after a cheaper hit, and says why', () => {
    const cheaper = new DispatchTable([entryOf({ id: 'hit', keywords: ['release'], tokens_est: 1 }), entries[0]!])
    const { onDemand } = selectMatches(cheaper.match('release'), { lazyLoad: true })
    expect(onDemand.map(({ entry, mode, reason }) => `${entry.id} ${mode} ${reason}`)).toEqual([
      'rules lazy core: offered first, because lazyLoad preloads nothing',
      'hit lazy keywords [release]',
    ])
  })

  it('reports core that alone exceeds the budget', () => {
    expect(select({ budget: 99 }).findings.map(({ code }) => code)).toEqual(['BUDGET_TOO_SMALL'])
    expect(select({ budget: 100 }).findings).toEqual([])
  })

  it('never costs more than its budget, core aside', () => {
    const costs = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 })
    fc.assert(
      fc.property(costs, fc.nat(200), (list, budget) => {
        const many = new DispatchTable(
          list.map((tokens_est, at) => entryOf({ id: `e${at}`, keywords: ['go'], tokens_est })),
        )
        const { onDemand, onDemandTokens, leftOut } = selectMatches(many.match('go'), { budget })
        expect(onDemandTokens).toBeLessThanOrEqual(budget)
        expect(onDemand.length + leftOut.length).toBe(list.length)
      }),
    )
  })
})

describe('a verdict', () => {
  const many = entryOf({ keywords: ['release', ...'abcdefghijk'.split('').map((letter) => `${letter}${letter}`)] })
  const rows: [name: string, entry: (typeof entries)[number], task: string, loaded: boolean, reason: string][] = [
    ['hit', entries[2]!, 'release', true, 'keywords [release]'],
    ['core', entries[0]!, 'anything', true, 'core: always loaded'],
    ['manual', entries[4]!, 'release', false, 'manual: never loaded by a task'],
    ['miss', entries[3]!, 'release', false, 'no keyword or pattern of it is in the task'],
    ['too weak', many, 'release', false, 'score 0.08 is below 0.10: 1 of 12 keywords matched [release]'],
  ]
  it.each(rows)('%s', (_, entry, task, loaded, reason) => {
    expect(judgeEntry(entry, task)).toMatchObject({ loaded, reason })
  })

  it('names the phase that is off', () => {
    expect(judgeEntry(entries[1]!, 'release', 'plan')).toMatchObject({
      loaded: false,
      reason: 'phase: its trigger "plan" is off',
    })
  })

  it('agrees with the matcher', () => {
    for (const entry of entries.filter(({ priority }) => priority === 'domain')) {
      const { onDemand } = selectMatches(new DispatchTable([entry]).match('cut a release'), {})
      expect(judgeEntry(entry, 'cut a release').loaded).toBe(onDemand.length === 1)
    }
  })
})
