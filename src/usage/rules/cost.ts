import { AGENTS } from '../../agents/rules/agents.ts'
import { badConfig } from '../../machine/rules/settings-shape.ts'
import { type Cost, type Money, noCost } from '../../text/cost.ts'
import { asFinding, type Finding } from '../../text/trouble.ts'
import { getOwn, isRecord, nearest } from '../../text/values.ts'
import { shippedPrice } from './shipped-prices.ts'
import { type EntryKind, sharesOf, type UsageEvent } from './usage-event.ts'

/** `prices` of `config.json`: what one million input tokens cost, by agent and by model. */
export interface Prices {
  currency: string
  agents: Readonly<Record<string, number>>
  models: Readonly<Record<string, number>>
  /** Loadout's own prices count for models without one here; they are in US dollars. */
  isShipped?: boolean
}

const CHANNELS = [...AGENTS.map(({ id }) => id), 'cli', 'mcp']

/** Leaves out wrong prices, each with a finding. Undefined: nothing has a cost in money. */
export function parsePrices(json: unknown, path: string): { prices: Prices | undefined; findings: Finding[] } {
  const findings: Finding[] = []
  const wrong = (problem: string) =>
    void findings.push({ ...asFinding(badConfig(path, problem)), severity: 'error', hint: 'correct it, or remove it' })
  const read = (key: 'agents' | 'models', isKnown: (name: string) => boolean): Record<string, number> => {
    const found = isRecord(json) ? json[key] : undefined
    if (found !== undefined && !isRecord(found)) wrong(`"prices.${key}" must be a JSON object`)
    const rows = Object.entries(isRecord(found) ? found : {}).filter(([name, price]) => {
      const isPrice = typeof price === 'number' && Number.isFinite(price) && price >= 0
      const close = nearest(name, CHANNELS)
      if (!isPrice) wrong(`"prices.${key}.${name}" must be a number from 0: the price of one million input tokens`)
      else if (!isKnown(name))
        wrong(`"prices.${key}.${name}": unknown agent${close === undefined ? '' : `; did you mean "${close}"?`}`)
      return isPrice && isKnown(name)
    })
    return Object.fromEntries(rows) as Record<string, number>
  }
  const shipped: Prices = { currency: 'USD', agents: {}, models: {}, isShipped: true }
  if (json === undefined) return { prices: shipped, findings }
  if (!isRecord(json)) wrong('"prices" must be a JSON object')
  const agents = read('agents', (name) => CHANNELS.includes(name))
  const models = read('models', () => true)
  const currency = isRecord(json) ? json.currency : undefined
  const isShipped = isRecord(json) && json.shipped !== false && (currency === undefined || currency === 'USD')
  if (Object.keys({ ...agents, ...models }).length === 0) return { prices: isShipped ? shipped : undefined, findings }
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency))
    return { prices: { currency, agents, models, isShipped }, findings }
  wrong('"prices.currency" must be three capital letters, such as "USD"')
  return { prices: undefined, findings }
}

/** By the user's price of the model, with or without its window in brackets; else of the agent; else by that of Loadout. */
export function moneyFor(tokens: number, prices: Prices | undefined, agent: string, model = ''): Money | undefined {
  if (prices === undefined) return undefined
  const { currency, agents, models, isShipped } = prices
  const own = getOwn(models, model) ?? getOwn(models, model.replace(/\[.*\]$/, '')) ?? getOwn(agents, agent)
  const price = own ?? (isShipped ? shippedPrice(model) : undefined)
  return price === undefined ? undefined : { amount: (tokens * price) / 1e6, currency, tokens }
}

export interface EntryCost {
  kind: EntryKind
  id: string
  cost: Cost
}

/** Says what each event of a log cost. Needs all of them in order: some agents name their model only at a start. */
export class CostMeter {
  private readonly prices: Prices | undefined
  private readonly models = new Map<string, string>()

  constructor(prices: Prices | undefined) {
    this.prices = prices
  }

  read(event: UsageEvent): EntryCost[] {
    const model = this.prices && this.modelOf(event)
    return sharesOf(event).map(({ kind, id, part, tokens }) => {
      const cost: Cost = noCost()
      cost[part] = tokens
      const money = moneyFor(tokens, this.prices, event.via ?? '', model)
      if (money !== undefined) cost.money = money
      return { kind, id, cost }
    })
  }

  private modelOf({ via, session, model }: UsageEvent): string | undefined {
    const key = `${via} ${session}`
    if (session === undefined || typeof model !== 'string') return this.models.get(key)
    this.models.delete(key)
    this.models.set(key, model)
    if (this.models.size > 4096) this.models.delete(this.models.keys().next().value ?? '')
    return model
  }
}
