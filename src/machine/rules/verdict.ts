import { LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'

/** What a catalog lists. */
export const CATALOG_KINDS = ['skill', 'pack'] as const
export type CatalogKind = (typeof CATALOG_KINDS)[number]

/** What the catalog of an organization says about a skill or a pack. Approvals and retirements were verified here. */
export interface Verdict {
  kind: CatalogKind
  name: string
  state: 'approved' | 'held' | 'retired'
  /** What the catalog calls the version. */
  version: string
  /** Of an approved version: the commit that has it, empty for a pack that is in no repository, and the hash of its folder. */
  commit?: string
  digest?: string
  /** Who signed it, and when. */
  by?: string
  at?: string
  /** Why it is held. */
  why?: string
}

/** What the catalog last said. */
export interface Verdicts {
  /** The library on this machine that the verdicts about skills are for. */
  library: string
  verdicts: readonly Verdict[]
}

export const NO_VERDICTS: Verdicts = { library: '', verdicts: [] }

/** In a sentence about what may not be used. */
export function whyNot({ state, version, by, why }: Verdict): string {
  if (state === 'retired') return `${by ?? 'the organization'} retired it in the catalog`
  return why ?? `version ${version} is not approved in the catalog`
}

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
  if (!isRecord(json) || typeof json.name !== 'string' || typeof json.version !== 'string') return false
  if (!CATALOG_KINDS.some((kind) => kind === json.kind)) return false
  if (json.state === 'approved') return typeof json.commit === 'string' && typeof json.digest === 'string'
  return json.state === 'held' || json.state === 'retired'
}
