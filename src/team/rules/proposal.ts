import { isRecord, sha256 } from '../../text/values.ts'
import { nameProblem } from './catalog.ts'

export const PROPOSAL_STATES = ['open', 'adopted', 'declined'] as const

/** A change of one skill as it arrives from another machine: a patch in git's format. */
export interface SentChange {
  name: string
  /** The commit of the library that it changes; empty for a new skill. */
  base: string
  /** The digest of the skill's folder afterwards. */
  result: string
  patch: string
}

/** What the server knows of a proposal. */
export interface Proposal extends Omit<SentChange, 'patch'> {
  id: string
  state: (typeof PROPOSAL_STATES)[number]
  made: string
  /** How many proposed exactly this. */
  people: number
  notes: string[]
}

/** Equal content of one skill has one id, whatever it was made from. */
export function proposalId({ name, result }: Pick<SentChange, 'name' | 'result'>): string {
  return sha256(`${name}\n${result}`).slice(0, 16)
}

/** In characters. What one person reads before saying yes; a batch may be twice as large. */
export const LONGEST_PATCH = 256 * 1024

/** A change that another program sent; a text says what is wrong with it. */
export function readChange(json: unknown): SentChange | string {
  if (!isRecord(json)) return 'it is not an object'
  const { name, base, result, patch } = json
  if (typeof name !== 'string' || nameProblem({ name, version: '1' }) !== undefined) return '"name" is not a name'
  if (typeof base !== 'string' || !/^(?:[0-9a-f]{40,64})?$/.test(base)) return '"base" is not a commit'
  if (typeof result !== 'string' || !/^[\w:-]{16,100}$/.test(result)) return '"result" is not a digest'
  if (typeof patch !== 'string' || patch === '' || patch.includes('\0')) return '"patch" is not a text'
  if (patch.length > LONGEST_PATCH) return `the patch has more than ${LONGEST_PATCH / 1024} KB`
  return { name, base, result, patch }
}
