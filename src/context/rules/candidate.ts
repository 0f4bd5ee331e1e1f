/** Where a part of a bundle comes from. An earlier class governs, and is never displaced by a later one. */
export const SOURCE_CLASSES = ['control_plane', 'task', 'tactical', 'adapter'] as const
export type SourceClass = (typeof SOURCE_CLASSES)[number]

/** Something that wants a place in the bundle. Its text was read no further than it can be needed. */
export interface Candidate {
  /** Unique in a bundle: a path inside the project, `payload:<id>`, `pack:<name>`, `note:<id>` or `<adapter>:<id>`. */
  path: string
  sourceClass: SourceClass
  /** What chose it: `control_plane`, `intent:spec`, `core`, `keywords`, `ranked`, `pack`, `tactical`, `adapter`. */
  selectedBy: string
  /** For people, in one sentence. */
  reason: string
  /** 0 to 1; 1 where nothing was weighed. */
  score: number
  /** Line ends are `\n`, no byte order mark. The beginning only, if the whole is longer than can be needed. */
  text: string
  /** Characters of the whole, as it would be shown; null when it was too large to be read to its end. */
  charsTotal: number | null
  /** Of the bytes of the whole; null when it was too large to be read to its end. */
  sha256: string | null
  /** Facts about its origin that a reader can check: the pattern, the layer, the scope, the freshness. */
  provenance: Readonly<Record<string, string | number | boolean | null>>
  /** Already fenced by its own kind: kept whole or left out, never cut. */
  isWhole: boolean
}

/** The same with another text, some of it masked or made harmless. The whole grows or shrinks by as much. */
export function withText(candidate: Candidate, text: string): Candidate {
  const { charsTotal, text: before } = candidate
  if (text === before) return candidate
  return { ...candidate, text, charsTotal: charsTotal === null ? null : charsTotal + text.length - before.length }
}

/** Something that did not make it, and why. */
export interface Omission {
  path: string
  sourceClass: SourceClass
  reason:
    | 'budget'
    | 'duplicate'
    | 'unsafe'
    | 'unreadable'
    | 'outside_root'
    | 'not_a_file'
    | 'binary'
    | 'expired'
    | 'empty'
    | 'gate'
  detail: string
}
