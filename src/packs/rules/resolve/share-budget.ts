/** Divides a budget: who needs less than an equal share gets what it needs, and the others share the rest equally. */
export function shareBudget(needs: readonly number[], budget: number): number[] {
  const shares = needs.map(() => 0)
  const order = needs.map((need, at) => ({ need, at })).sort((a, b) => a.need - b.need || a.at - b.at)
  let left = budget
  for (const [done, { need, at }] of order.entries()) {
    shares[at] = Math.min(need, Math.floor(left / (order.length - done)))
    left -= shares[at]
  }
  return shares
}
