/** How a task finds its entries: by the share of their keywords that it names, or by everything they say. */
export const STRATEGIES = ['keywords', 'ranked'] as const

export type Strategy = (typeof STRATEGIES)[number]
