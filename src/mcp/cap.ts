/** The first of a list, and a sentence about the rest. */
export function cap<T>(items: readonly T[], most: number, what: string): { shown: T[]; cut: string[] } {
  const more = items.length - most
  return { shown: items.slice(0, most), cut: more > 0 ? [`${more} more ${what} not listed`] : [] }
}
