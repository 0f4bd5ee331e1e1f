/** The day on which the prices below were looked up. */
export const SHIPPED_ON = '2026-09-29'

/** US dollars for one million input tokens, without caching and long-context rates, by the start of a model's name. */
const PRICES: readonly (readonly [dollars: number, models: string])[] = [
  [0.05, 'gpt-5-nano'],
  [0.1, 'gemini-2.5-flash-lite gpt-4.1-nano'],
  [0.15, 'gpt-4o-mini'],
  [0.2, 'gpt-5.4-nano gpt-5.6-luna'],
  [0.25, 'gpt-5-mini gpt-5.1-codex-mini gemini-3.1-flash-lite'],
  [0.3, 'gemini-2.5-flash gemini-3.5-flash-lite'],
  [0.4, 'gpt-4.1-mini'],
  [0.5, 'gemini-3-flash'],
  [0.75, 'gpt-5.4-mini'],
  [0.8, 'claude-3-5-haiku'],
  [1, 'claude-haiku-4-5'],
  [1.1, 'o4-mini'],
  [1.25, 'gpt-5 gpt-5.1 gemini-2.5-pro'],
  [1.5, 'gemini-3.5-flash gemini-3.6-flash'],
  [1.75, 'gpt-5.2 gpt-5.3-codex'],
  [2, 'claude-sonnet-5 gpt-4.1 gpt-5.6-terra gemini-3-pro gemini-3.1-pro'],
  [2.5, 'gpt-4o gpt-5.4'],
  [3, 'claude-3-5-sonnet claude-3-7-sonnet claude-sonnet-4'],
  [5, 'claude-opus-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 gpt-5.5 gpt-5.6-sol'],
  [10, 'claude-fable-5 claude-mythos-5'],
  [15, 'claude-opus-4 gpt-5-pro'],
  [21, 'gpt-5.2-pro'],
  [30, 'gpt-5.4-pro gpt-5.5-pro'],
]

/** Each model with its price. */
export function shippedPrices(): Record<string, number> {
  return Object.fromEntries(PRICES.flatMap(([dollars, models]) => models.split(' ').map((model) => [model, dollars])))
}

/** Asked for every line of every list in a log: half of the time of reading 65 MB went into looking for the same few models. */
const FOUND = new Map<string, number | undefined>()
const MOST_FOUND = 64

/** `anthropic/claude-opus-4-8[1m]` has the price of `claude-opus-4-8`, and `gpt-5.9` not that of `gpt-5`. */
export function shippedPrice(model: string): number | undefined {
  if (FOUND.has(model)) return FOUND.get(model)
  const name = model.toLowerCase().replace(/^.*\/|^(?:\w{1,20}\.)?anthropic\./, '')
  let best: { length: number; dollars: number } | undefined
  for (const [dollars, models] of PRICES) {
    for (const start of models.split(' ')) {
      const isIt = name.startsWith(start) && !/^[\w.]/.test(name.slice(start.length))
      if (isIt && start.length > (best?.length ?? 0)) best = { length: start.length, dollars }
    }
  }
  if (FOUND.size < MOST_FOUND) FOUND.set(model, best?.dollars)
  return best?.dollars
}
