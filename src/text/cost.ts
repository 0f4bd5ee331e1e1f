import { grouped } from './count.ts'

/** What an agent's model has read, in estimated input tokens, and in money as far as prices are known. */
export interface Cost {
  /** Lines that name an entry in the lists that a session starts with, or at a prompt. */
  listing: number
  /** Texts that an agent asked for. */
  opened: number
  /** Texts that an agent was given: by hooks, in bundles, over MCP. */
  delivered: number
  money?: Money
}

export interface Money {
  amount: number
  currency: string
  /** How many of the tokens have a price. */
  tokens: number
}

export function noCost(): Cost {
  return { listing: 0, opened: 0, delivered: 0 }
}

export function tokensOfCost({ listing, opened, delivered }: Cost): number {
  return listing + opened + delivered
}

/** The first cost becomes the sum of both. */
export function addCost(sum: Cost, { listing, opened, delivered, money }: Cost): void {
  sum.listing += listing
  sum.opened += opened
  sum.delivered += delivered
  if (money !== undefined) sum.money = sumMoney(sum.money, money)
}

/** Exact to a billionth, so that the order of a log makes no difference. */
export function sumMoney(a: Money | undefined, { amount, currency, tokens }: Money): Money {
  const sum = (a?.amount ?? 0) + amount
  return { amount: Math.round(sum * 1e9) / 1e9, currency, tokens: (a?.tokens ?? 0) + tokens }
}

/** `12.34`, `0.0042` */
export function formatAmount(amount: number): string {
  const digits = amount >= 1 || amount === 0 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(amount)))
  const [whole = '', part = ''] = amount.toFixed(digits).split('.')
  return `${grouped(Number(whole))}.${part}`
}

/** `12.34 USD`, `0.0042 USD`; with the number of tokens that it is for if others have no price. */
export function formatMoney({ amount, currency, tokens: priced }: Money, tokens: number): string {
  const text = `${formatAmount(amount)} ${currency}`
  return priced === tokens ? text : `${text} for ${grouped(priced)} of ${grouped(tokens)} tokens`
}

/** `950 tokens (600 in lists, 300 opened, 50 delivered), 0.0029 USD` */
export function describeCost(cost: Cost): string {
  const { listing, opened, delivered, money } = cost
  const tokens = tokensOfCost(cost)
  const parts =
    listing > 0 ? ` (${grouped(listing)} in lists, ${grouped(opened)} opened, ${grouped(delivered)} delivered)` : ''
  return `${grouped(tokens)} tokens${parts}${money === undefined ? '' : `, ${formatMoney(money, tokens)}`}`
}
