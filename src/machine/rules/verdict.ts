import { failWith } from '../../text/trouble.ts'
import { isRecord, isTextList } from '../../text/values.ts'

/** What a catalog lists. */
export const CATALOG_KINDS = ['skill', 'pack'] as const
export type CatalogKind = (typeof CATALOG_KINDS)[number]

/** The name of the verdict about everything of a kind that has no verdict of its own. */
export const ANY_NAME = '*'

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
  /** Who signed it. */
  by?: string
  /** Why it is held. */
  why?: string
}

/** What the catalog last said. */
export interface Verdicts {
  /** The library on this machine that the verdicts about skills are for. */
  library: string
  verdicts: readonly Verdict[]
  /** When the signed catalog expires. */
  expires?: string
  /** Kinds of which only what is approved may be used, and nothing once the catalog has expired. */
  only?: readonly string[]
}

export const NO_VERDICTS: Verdicts = { library: '', verdicts: [] }

/** The verdicts at a time: of the kinds that need an approval, everything is held when the catalog has expired. */
export function verdictsAt({ verdicts, expires, only = [] }: Verdicts, now: Date): Verdict[] {
  const isExpired = expires !== undefined && Date.parse(expires) <= now.getTime()
  const unlisted = CATALOG_KINDS.filter((kind) => only.includes(kind)).map((kind): Verdict => {
    const why = 'the team uses only what its catalog lists and approves'
    return { kind, name: ANY_NAME, state: 'held', version: '', why }
  })
  return [...verdicts, ...unlisted].map((each) => {
    if (!isExpired || each.state !== 'approved' || !only.includes(each.kind)) return each
    return { ...each, state: 'held', why: `the team’s catalog expired on ${expires.slice(0, 10)}` }
  })
}

/** In a sentence about what may not be used. */
export function whyNot({ state, version, by, why }: Verdict): string {
  if (state === 'retired') return `${by ?? 'the organization'} retired it in the catalog`
  return why ?? `version ${version} is not approved in the catalog`
}

/** Throws for anything that was not written by this program. */
export function parseVerdicts(json: unknown, path: string): Verdicts {
  if (isRecord(json) && typeof json.library === 'string' && Array.isArray(json.verdicts)) {
    const { library, verdicts, expires, only } = json
    const isLimits = (only === undefined || isTextList(only)) && (expires === undefined || typeof expires === 'string')
    if (isLimits && verdicts.every(isVerdict)) return { library, verdicts, expires, only }
  }
  throw failWith('BAD_TEAM_FILE/verdicts', { path })
}

function isVerdict(json: unknown): json is Verdict {
  if (!isRecord(json) || typeof json.name !== 'string' || typeof json.version !== 'string') return false
  if (!CATALOG_KINDS.some((kind) => kind === json.kind)) return false
  if (json.state === 'approved') return typeof json.commit === 'string' && typeof json.digest === 'string'
  return json.state === 'held' || json.state === 'retired'
}
