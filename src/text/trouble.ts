/** Every code a finding or an error can carry. One closed list, so that programs can rely on it. */
export const CODES = [
  // the shape of an index (the public format's own codes)
  'MISSING_VERSION',
  'MISSING_GENERATED',
  'INVALID_ENTRIES',
  'MISSING_ID',
  'BAD_ID_FORMAT',
  'DUPLICATE_ID',
  'MISSING_PATH',
  'INVALID_PRIORITY',
  'MISSING_SUMMARY',
  'LONG_SUMMARY',
  'EMPTY_KEYWORDS',
  'BAD_TOKEN_EST',
  'NEGATIVE_BUDGET',
  'BAD_BUDGET',
  'BAD_VERSION',
  'DUPLICATE_KEYWORD',
  'INVALID_INDEX',
  'MALFORMED_ENTRY',
  'BAD_FIELD',
  // layers
  'LAYER_MALFORMED',
  'LAYER_UNREADABLE',
  // payload files
  'NO_FRONTMATTER',
  'BAD_FRONTMATTER',
  'PAYLOAD_MISSING',
  'PAYLOAD_ORPHAN',
  'PAYLOAD_UNREADABLE',
  'PATH_ESCAPE',
  'DRIFT',
  'BUDGET_DRIFT',
  'NO_PAYLOADS',
  // how an index will route
  'DEAD_KEYWORD',
  'UNROUTABLE_ENTRY',
  'TOO_MANY_KEYWORDS',
  'STOP_WORD_PATTERN',
  'ALWAYS_OUTRANKED',
  'FITS_EVERYTHING',
  'NOT_COMPARED',
  // plans and their contents
  'CORE_OVER_BUDGET',
  'LEFT_OUT',
  'FENCE_NEUTRALISED',
  'FENCE_BROKEN',
  'TEXT_CLEANED',
  // usage
  'USAGE_NOT_RECORDED',
  'USAGE_JUNK_LINES',
  'USAGE_UNREADABLE',
  'USAGE_EMPTY',
  'NO_TASK_TEXTS',
  'ROUTING_CHANGED',
  // examples
  'EXAMPLE_REFUSED',
  'EXAMPLE_DUPLICATE',
  'EXAMPLE_SHARED',
  'EXAMPLES_FULL',
  'EXAMPLES_STALE',
  'EXAMPLES_JUNK_LINES',
  'EXAMPLES_UNREADABLE',
  'EXAMPLES_WITHOUT_ENTRY',
  'NOTHING_TO_TEACH',
  // the skills library and its skills
  'CONFIG_NOT_FOUND',
  'BAD_CONFIG',
  'REPO_NOT_FOUND',
  'BAD_NAME',
  'SKILL_NOT_FOUND',
  'SKILL_EXISTS',
  'SKILL_INSTALLED',
  'INVALID_SKILL',
  'DUPLICATE_SKILL',
  'NAME_DIFFERS',
  'FORMAT_LIMIT',
  'SYMLINK_IN_TREE',
  'SPECIAL_FILE',
  'IMPORT_CONFLICT',
  'MERGE_CONFLICT',
  'SOURCE_REWRITTEN',
  'NO_SOURCE',
  'COMMIT_NOT_FOUND',
  'SOURCE_REMOVED',
  'PINNED',
  'QUARANTINED',
  'NOTHING_TO_IMPORT',
  'TARGETS_ASSUMED',
  'BAD_ARCHIVE',
  // agents and what is installed for them
  'UNKNOWN_AGENT',
  'UNSUPPORTED_TARGET',
  'TARGET_DISABLED',
  'NO_PROJECT',
  'UNMANAGED_FOLDER',
  'BROKEN_MARKER',
  'EDITED_INSTALL',
  'ORPHANED_INSTALL',
  'OUTDATED_INSTALL',
  'NOT_EQUIPPED',
  'OTHER_MANAGER',
  'BACKED_UP',
  'RECOVERED',
  'LOCKED',
  'PROFILE_NOT_FOUND',
  'NOT_CONFIRMED',
  // the catalog of an organization
  'CATALOG_HELD',
  'CATALOG_RETIRED',
  'CATALOG_UNVERIFIED',
  // hooks in the settings of agents
  'HOOKS_OUTDATED',
  'HOOKS_OFF',
  // git
  'GIT_MISSING',
  'GIT_FAILED',
  'GIT_UNSAFE',
  'REMOTE_UNREACHABLE',
  'DIVERGED',
  'UPSTREAM_MISSING',
  'DETACHED_HEAD',
  'COMMITS_WAITING',
  'UNCOMMITTED',
  // packs: what is odd about one, and what a reader of its context must know
  'pack.status.draft',
  'pack.status.needs-review',
  'pack.status.stale',
  'pack.status.disputed',
  'pack.status.archived',
  'pack.status.unknown',
  'pack.name.mismatch',
  'pack.name.invalid',
  'pack.description.missing',
  'pack.field.invalid',
  'pack.field.too-long',
  'pack.frontmatter.invalid',
  'pack.type.unknown',
  'pack.profile.missing',
  'pack.profile.unknown',
  'pack.mode.unknown',
  'pack.grounding.unknown',
  'pack.trust.unknown',
  'pack.trust.unreviewed',
  'pack.trust.external',
  'pack.trust.unapproved',
  'pack.trust.changed',
  'pack.trust.denied',
  'pack.trust.by-place',
  'pack.documents.missing',
  'pack.persona.unbounded',
  'pack.map.missing',
  'pack.map.absent',
  'pack.file.unused',
  'pack.page.unreachable',
  'pack.placeholder',
  'pack.empty',
  'pack.substituted',
  'catalog.collision',
  'catalog.collision.lower-trust',
  'catalog.waiting',
  'discovery.skipped',
  'discovery.depth',
  'discovery.limit',
  'discovery.unreadable',
  'discovery.link',
  'discovery.not-a-file',
  'discovery.source',
  'claim.stale',
  'claim.disputed',
  'claim.missing',
  'claim.inferred',
  'claim.source-required',
  'source.absent',
  'source.anchor.absent',
  'source.escape',
  'file.not-regular',
  'file.too-large',
  'file.not-text',
  'file.unreadable',
  'file.repaired',
  'run.needs-review',
  'run.stale',
  'run.disputed',
  'run.failed',
  'run.review-required',
  'run.diagnostic',
  'run.input.drift',
  'run.input.gone',
  'run.invalid',
  'run.not-read',
  'map.invalid',
  'grounding.uncited',
  'index.dangling',
  'index.invalid',
  'context.omitted',
  'fence.neutralised',
  'fence.removed',
  'content.injection',
  'content.secret',
  'ontology.invalid',
  'ontology.unverified',
  'ontology.forbidden',
  'answers.invalid',
  'answers.unreviewed',
  'record.invalid',
  // packs: calls that cannot go on
  'PACK_NOT_FOUND',
  'PACK_EXISTS',
  'COMPILE_REFUSED',
  'PACK_REFUSED',
  'AUDIT_NOT_RECORDED',
  'APPROVAL_NEEDED',
  'CONFIRMATION_NEEDED',
  'BAD_APPROVALS',
  'AUDIT_NOT_FOUND',
  'BAD_AUDIT',
  'CONTEXT_CHANGED',
  // notes and adapters
  'BAD_NOTE',
  'NOTES_JUNK_LINES',
  'NOTES_UNREADABLE',
  'NOTES_UNUSED',
  'ADAPTER_NAME',
  'ADAPTER_DUPLICATES',
  'ADAPTER_STALE',
  'ADAPTER_SHAPE',
  'ADAPTER_FAILED',
  'ADAPTER_TIMEOUT',
  'ADAPTER_FLOOD',
  'ADAPTER_NOT_FOUND',
  'ADAPTER_NOT_ALLOWED',
  'ADAPTER_UNPINNABLE',
  'CONTROL_PLANE_MISSING',
  'BUDGET_CEILING',
  'BUDGET_TOO_SMALL',
  'NO_FITTING_FILE',
  // what is delivered to agents
  'BLOCK_DAMAGED',
  'BLOCK_STALE',
  'NOT_SEEN',
  // a team and its server
  'TEAM_NOT_JOINED',
  'TEAM_JOINED',
  'TEAM_TOKEN_REFUSED',
  'TEAM_TOKEN_NOT_FOUND',
  'TEAM_LAST_ADMIN',
  'TEAM_ROLE',
  'TEAM_OTHER',
  'TEAM_FORMAT',
  'TEAM_BAD_BATCH',
  'TEAM_BEHIND',
  'TEAM_CLONED',
  'TEAM_LEFT',
  'TEAM_UNKNOWN_MACHINE',
  'TEAM_GROUP_SMALL',
  'TEAM_CLOCK',
  'TEAM_DATABASE',
  'TEAM_SCHEMA',
  'BAD_TEAM_FILE',
  'UNREACHABLE',
  // files and calls
  'FILE_NOT_FOUND',
  'FILE_UNREADABLE',
  'FILE_EXISTS',
  'NOT_A_FILE',
  'NOT_A_FOLDER',
  'FILE_TOO_LARGE',
  'NOT_TEXT',
  'BAD_JSON',
  'BAD_SETTINGS',
  'UNRECOGNISED',
  'WRITE_FAILED',
  'ENTRY_NOT_FOUND',
  'AMBIGUOUS_NAME',
  'NO_INDEX',
  'NOTHING_TO_SPLIT',
  'NO_SUCH_SECTION',
  'BAD_SUITE',
  'BELOW_THRESHOLD',
  'NOT_SERVED',
  'TOKEN_NEEDED',
  'USAGE',
  'UNEXPECTED',
] as const

export type Code = (typeof CODES)[number]

export type Severity = 'error' | 'warning' | 'info'

/** An expected problem, reported with a result. An error needs action; a warning is worth knowing. */
export interface Finding {
  severity: Severity
  code: Code
  message: string
  /** Its subject: an entry id, a path, a layer. */
  subject?: string
  /** The position: a file, and a line counted from 1. */
  path?: string
  line?: number
  /** How many times it was found. */
  count?: number
  /** What to do about it. */
  hint?: string
}

/** The result of a use case: its answer, and the findings on the way. */
export interface Report<T> {
  value: T
  findings: Finding[]
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error')
}

/** An error that also reports earlier findings, because the result that would have carried them is not returned. */
export function alsoNaming(error: unknown, findings: readonly Finding[]): unknown {
  if (!(error instanceof LoadoutError)) return error
  const messages = new Set(findings.map((finding) => finding.message))
  // The cause may already be there, with a longer message.
  const causes = error.message.split('; ')
  const isNamed = (each: string) => error.message.includes(each) || causes.some((cause) => each.includes(cause))
  const [first, ...others] = [...messages].filter((each) => !isNamed(each))
  if (first === undefined) return error
  const { code, hint, message, cause } = error
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return new LoadoutError(code, `${message}; ${first}${more}`, { hint, cause })
}

/** A broken promise: the call cannot continue. The message says what is wrong, the hint what to do. */
export class LoadoutError extends Error {
  readonly code: Code
  readonly hint: string | undefined

  constructor(code: Code, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LoadoutError'
    this.code = code
    this.hint = options.hint
  }
}

/** Turns an error into a warning, for a caller that continues with the rest. Rethrows a bug. */
export function asFinding(error: unknown): Finding {
  if (!(error instanceof LoadoutError)) throw error
  const { code, message, hint } = error
  return { severity: 'warning', code, message, hint }
}
