/** About four characters to a token: good enough to plan with, not to bill with. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4)
}
