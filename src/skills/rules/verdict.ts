import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'

/** What the catalog of an organization says about a skill of the library. Approvals and retirements were verified here. */
export interface Verdict {
  skill: string
  state: 'approved' | 'held' | 'retired'
  /** What the catalog calls the version. */
  version: string
  /** Of an approved version: the commit of the library, and the hash of the skill's folder in it. */
  commit?: string
  digest?: string
  /** Who signed it, and when. */
  by?: string
  at?: string
  /** Why a skill is held. */
  why?: string
}

/** The verdicts about one library. */
export interface Verdicts {
  /** Its path on this machine. */
  library: string
  verdicts: readonly Verdict[]
}

export const NO_VERDICTS: Verdicts = { library: '', verdicts: [] }

/** Throws for anything that was not written by this program. */
export function parseVerdicts(json: unknown, path: string): Verdicts {
  if (isRecord(json) && typeof json.library === 'string' && Array.isArray(json.verdicts)) {
    const { library, verdicts } = json
    if (verdicts.every(isVerdict)) return { library, verdicts }
  }
  throw new LoadoutError('BAD_TEAM_FILE', `${path} does not hold what the catalog said`, {
    hint: 'remove the file; loadout sync asks the catalog again',
  })
}

function isVerdict(json: unknown): json is Verdict {
  if (!isRecord(json) || typeof json.skill !== 'string' || typeof json.version !== 'string') return false
  if (json.state === 'approved') return typeof json.commit === 'string' && typeof json.digest === 'string'
  return json.state === 'held' || json.state === 'retired'
}
