import type { Finding } from './trouble.ts'

/** A text that passed its checks, before truncation and fencing. */
export interface CheckedText {
  /** Its source: a payload layer, the scope of a pack, the library. */
  layer: string
  path: string
  body: string
  /** About the text, however much of it is shown. */
  findings?: Finding[]
  wrap(body: string): { text: string; findings: Finding[] }
}
