import type { Finding } from './trouble.ts'

/** A text that passed its gates, before it is cut and fenced. */
export interface Readable {
  name: string
  /** Where it comes from: a layer of payloads, the scope of a pack, the library. */
  layer: string
  path: string
  body: string
  wrap(body: string): { text: string; findings: Finding[] }
}
