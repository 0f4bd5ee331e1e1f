import { describe, expect, it } from 'vitest'
import { addCost, describeCost, noCost } from '../../text/cost.ts'
import { CostMeter, moneyFor, type Prices, parsePrices } from './cost.ts'
import { event } from './event.fixture.ts'
import { sharesOf, type UsageEvent } from './usage-event.ts'

describe('what an event cost', () => {
  const rows: [what: string, of: Partial<UsageEvent>, shares: string[]][] = [
    ['a plan costs nothing', { stage: 'planned' }, []],
    ['a delivery costs its text', { stage: 'delivered' }, ['delivered payload:x 100']],
    ['a line of another program is a delivery', {}, ['delivered payload:x 100']],
    ['a use costs the text that was opened', { stage: 'used', kind: 'skill' }, ['opened skill:x 100']],
    [
      'a list costs the line of each entry, beside the event that carries it',
      { stage: 'delivered', listed: { 'skill:a': 20, 'pack:b:c': 3 } },
      ['listing skill:a 20', 'listing pack:b:c 3', 'delivered payload:x 100'],
    ],
    ['a list alone', { entryId: '', stage: 'planned', listed: { 'skill:a': 20 } }, ['listing skill:a 20']],
    [
      'a list that was written by hand counts only what it can mean',
      { entryId: '', listed: { 'skill:a': -1, 'skill:b': 'x', other: 4, 'skill:': 3, 'skill:c': Number.NaN } as never },
      [],
    ],
    ['a list that is not an object', { entryId: '', listed: [3] as never }, []],
  ]
  it.each(rows)('%s', (_, of, shares) => {
    const found = sharesOf(event('x', of)).map(({ part, kind, id, tokens }) => `${part} ${kind}:${id} ${tokens}`)
    expect(found).toEqual(shares)
  })
})

describe('the price of a model without one in the settings', () => {
  const shipped: Prices = { currency: 'USD', agents: { codex: 7 }, models: {}, isShipped: true }
  it.each([
    ['claude-opus-4-8-20260601', 'claude', 5],
    ['anthropic/claude-opus-4-8[1m]', 'opencode', 5],
    ['us.anthropic.claude-haiku-4-5-v1:0', 'claude', 1],
    ['claude-opus-4-20250514', 'claude', 15],
    ['claude-sonnet-5-5', 'claude', 2],
    ['gpt-5', 'opencode', 1.25],
    ['gpt-5.1-codex-mini', 'opencode', 0.25],
    ['gpt-5', 'codex', 7],
    ['gpt-5.9', 'opencode', undefined],
    ['claude', 'claude', undefined],
    ['', 'claude', undefined],
  ])('%s of %s is %s dollars', (model, agent, price) => {
    expect(moneyFor(1e6, shipped, agent, model)?.amount).toBe(price)
  })

  it.each([
    ['nothing', undefined, true],
    ['euros', { currency: 'EUR', agents: { claude: 3 } }, false],
    ['that they are not wanted', { shipped: false }, undefined],
    ['own prices in dollars', { currency: 'USD', agents: { claude: 3 } }, true],
  ])('comes from Loadout or not where the settings say %s', (_, json, isShipped) => {
    expect(parsePrices(json, 'config.json')).toMatchObject({ findings: [] })
    expect(parsePrices(json, 'config.json').prices?.isShipped).toBe(isShipped)
  })
})

describe('money', () => {
  const prices: Prices = { currency: 'USD', agents: { claude: 3, cli: 0 }, models: { opus: 5, 'gpt[x]': 1.25 } }
  const rows: [what: string, events: Partial<UsageEvent>[], cost: string][] = [
    ['by agent', [{ via: 'claude' }], '100 tokens, 0.00030 USD'],
    ['by model rather than by agent', [{ via: 'claude', session: 's', model: 'opus' }], '100 tokens, 0.00050 USD'],
    ['of a model with its window', [{ via: 'claude', session: 's', model: 'opus[1m]' }], '100 tokens, 0.00050 USD'],
    ['of a model that is named with its window', [{ session: 's', model: 'gpt[x]' }], '100 tokens, 0.00013 USD'],
    ['by agent for another model', [{ via: 'claude', session: 's', model: 'haiku' }], '100 tokens, 0.00030 USD'],
    [
      'by the model that the start of the session named',
      [
        { via: 'claude', session: 's', model: 'opus', stage: 'planned' },
        { via: 'claude', session: 's' },
        { via: 'claude', session: 'other' },
      ],
      '200 tokens, 0.00080 USD',
    ],
    ['of nothing', [{ via: 'cli' }], '100 tokens, 0.00 USD'],
    ['not without a price', [{ via: 'codex' }], '100 tokens'],
    [
      'only of tokens with a price',
      [{ via: 'codex' }, { via: 'claude' }],
      '200 tokens, 0.00030 USD for 100 of 200 tokens',
    ],
    [
      'of large sums',
      [
        { via: 'claude', tokensEst: 1_234_567_890 },
        { via: 'claude', tokensEst: 1, listed: { 'skill:a': 9 } },
      ],
      '1,234,567,900 tokens (9 in lists, 0 opened, 1,234,567,891 delivered), 3,703.70 USD',
    ],
  ]
  it.each(rows)('%s', (_, events, cost) => {
    const meter = new CostMeter(prices)
    const sum = noCost()
    for (const each of events) for (const share of meter.read(event('x', each))) addCost(sum, share.cost)
    expect(describeCost(sum)).toBe(cost)
  })

  it('is exact for many small events, in any order', () => {
    const sum = noCost()
    const meter = new CostMeter({ currency: 'EUR', agents: { claude: 0.1 }, models: {} })
    for (let at = 0; at < 30_000; at++)
      for (const { cost } of meter.read(event('x', { via: 'claude', tokensEst: 1 }))) addCost(sum, cost)
    expect(sum.money).toEqual({ amount: 0.003, currency: 'EUR', tokens: 30_000 })
  })
})

describe('prices in config.json', () => {
  const PRICE = 'must be a number from 0: the price of one million input tokens'
  const rows: [json: unknown, isThere: boolean, problems: string[]][] = [
    [undefined, true, []],
    [{}, true, []],
    [{ currency: 'USD' }, true, []],
    [{ currency: 'USD', agents: { claude: 3, mcp: 0 }, models: { any: 2.5 } }, true, []],
    [{ agents: { claude: 3 } }, false, ['"prices.currency" must be three capital letters, such as "USD"']],
    [{ currency: '$', agents: { claude: 3 } }, false, ['"prices.currency" must be three']],
    [{ currency: 'USD', agents: { claude: -3, codex: 1 } }, true, [`"prices.agents.claude" ${PRICE}`]],
    [{ currency: 'USD', agents: { claude: '3' } }, true, [`"prices.agents.claude" ${PRICE}`]],
    [{ currency: 'USD', models: { a: null, b: 1 } }, true, [`"prices.models.a" ${PRICE}`]],
    [
      { currency: 'USD', agents: { cluade: 3, zzzzzzzz: 1, codex: 2 } },
      true,
      ['"prices.agents.cluade": unknown agent; did you mean "claude"?', '"prices.agents.zzzzzzzz": unknown agent'],
    ],
    [{ currency: 'USD', agents: [], models: 3 }, true, ['"prices.agents" must be', '"prices.models" must be']],
    [7, false, ['"prices" must be a JSON object']],
  ]
  it.each(rows)('%j', (json, isThere, problems) => {
    const { prices, findings } = parsePrices(json, '/c.json')
    expect(prices !== undefined).toBe(isThere)
    expect(findings.map(({ severity, code, message }) => [severity, code, message])).toEqual(
      problems.map((problem) => ['error', 'BAD_SETTINGS', expect.stringContaining(`/c.json: ${problem}`)]),
    )
  })
})
