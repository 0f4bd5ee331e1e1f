/** A place in a project about a task. Contains no text. */
export interface FilePointer {
  path: string
  /** The lines of the best matching section. */
  start: number
  end: number
  /** The definition there, or the heading. */
  symbol: string | undefined
  /** 1 for the best. */
  score: number
  why: string
}

// A heading may contain an address or a key; the name of a definition does not.
const PRIVATE = /@|(?=\S{20})(?:[^\s\d]*\d){3}/

/** `src/cors.ts:40-118  corsHeaders`, each part cleaned for its reader. */
export function pointerText(
  { path, start, end, symbol }: FilePointer,
  clean: (part: string) => string = (part) => part,
): string {
  const isShown = symbol !== undefined && !PRIVATE.test(symbol)
  return `${clean(`${path}:${start}-${end}`)}${isShown ? `  ${clean(symbol.slice(0, 80))}` : ''}`
}
