import { callsIssues } from './issues/calls.ts'
import { knowledgeIssues } from './issues/knowledge.ts'
import { packsIssues } from './issues/packs.ts'
import { pageIssues } from './issues/page.ts'
import { skillsIssues } from './issues/skills.ts'
import { teamIssues } from './issues/team.ts'

export type Severity = 'error' | 'warning' | 'info'

/**
 * Everything that can go wrong, by subject: the source of messages, hints and docs/errors.md. A name is a code; where a
 * code has several sentences, `CODE/word` is one of them, and the row of the code alone is its line on the page. A row
 * is a sentence and, after an arrow, the remedy; trouble that is not an error begins with its severity. `{path}` stands for
 * a fact of the call; a part in [brackets] is left out when its fact is missing. A function, because a program that meets
 * no trouble, such as a hook, need not make the table.
 */
export const allIssues = () => ({
  ...knowledgeIssues(),
  ...skillsIssues(),
  ...packsIssues(),
  ...teamIssues(),
  ...callsIssues(),
  ...pageIssues(),
})

/** Earlier codes, by the code that says the same now. */
export const earlierCodes = (): Readonly<Partial<Record<Code, string>>> => ({
  ADAPTER_FAILED: 'ADAPTER_NAME ADAPTER_DUPLICATES ADAPTER_STALE ADAPTER_SHAPE ADAPTER_TIMEOUT ADAPTER_FLOOD',
  ADAPTER_NOT_ALLOWED: 'ADAPTER_UNPINNABLE',
  BAD_SETTINGS: 'BAD_CONFIG',
  BUDGET_TOO_SMALL: 'BUDGET_CEILING CORE_OVER_BUDGET',
  CATALOG_HELD: 'CATALOG_RETIRED',
  CONTEXT_CHANGED: 'BAD_AUDIT ROUTING_CHANGED',
  DRIFT: 'PAYLOAD_ORPHAN NOT_COMPARED BUDGET_DRIFT BLOCK_STALE BLOCK_DAMAGED',
  ENTRY_NOT_FOUND: 'PROFILE_NOT_FOUND COMMIT_NOT_FOUND AUDIT_NOT_FOUND ADAPTER_NOT_FOUND TEAM_TOKEN_NOT_FOUND',
  EXAMPLE_REFUSED: 'EXAMPLE_DUPLICATE EXAMPLE_SHARED EXAMPLES_FULL EXAMPLES_STALE EXAMPLES_WITHOUT_ENTRY',
  FILE_EXISTS: 'SKILL_EXISTS PACK_EXISTS',
  FILE_NOT_FOUND: 'CONTROL_PLANE_MISSING',
  FILE_TOO_LARGE: 'file.too-large',
  FILE_UNREADABLE:
    'USAGE_JUNK_LINES EXAMPLES_JUNK_LINES NOTES_JUNK_LINES EXAMPLES_UNREADABLE NOTES_UNREADABLE USAGE_UNREADABLE file.unreadable BAD_TEAM_FILE PAYLOAD_UNREADABLE',
  HOOKS_OFF: 'HOOKS_OUTDATED',
  INVALID_INDEX: 'MALFORMED_ENTRY BAD_FIELD BAD_VERSION',
  INVALID_SKILL: 'DUPLICATE_SKILL FORMAT_LIMIT',
  LAYER_UNREADABLE: 'LAYER_MALFORMED',
  LEFT_OUT: 'PINNED NOTES_UNUSED context.omitted',
  MERGE_CONFLICT: 'IMPORT_CONFLICT',
  NOTHING_TO_DO:
    'NO_SUCH_SECTION NOTHING_TO_TEACH NOTHING_TO_SPLIT NOTHING_TO_IMPORT USAGE_EMPTY NO_TASK_TEXTS NO_FITTING_FILE',
  NOT_A_FILE: 'SYMLINK_IN_TREE SPECIAL_FILE file.not-regular',
  NOT_RECORDED: 'USAGE_NOT_RECORDED AUDIT_NOT_RECORDED',
  NOT_SERVED: 'TOKEN_NEEDED',
  NOT_TEXT: 'file.not-text',
  NO_SOURCE: 'SOURCE_REWRITTEN SOURCE_REMOVED',
  OUTDATED_INSTALL: 'ORPHANED_INSTALL',
  PACK_REFUSED: 'COMPILE_REFUSED',
  PATH_ESCAPE: 'source.escape',
  TEAM_CLONED: 'TEAM_LEFT',
  TEAM_DATABASE: 'TEAM_SCHEMA',
  TEAM_FORMAT: 'TEAM_BAD_BATCH',
  TEAM_OTHER: 'TEAM_JOINED',
  TEAM_ROLE: 'TEAM_LAST_ADMIN',
  TEXT_CHANGED: 'FENCE_NEUTRALISED TEXT_CLEANED fence.neutralised fence.removed file.repaired',
  UNCOMMITTED: 'COMMITS_WAITING',
  UNEXPECTED: 'FENCE_BROKEN',
  UNMANAGED_FOLDER: 'BROKEN_MARKER OTHER_MANAGER',
  UNREACHABLE: 'REMOTE_UNREACHABLE',
  UNSUPPORTED_TARGET: 'TARGET_DISABLED',
  UPSTREAM_MISSING: 'DETACHED_HEAD',
  USAGE: 'UNRECOGNISED BAD_NOTE',
  WEAK_KEYWORDS:
    'DEAD_KEYWORD UNROUTABLE_ENTRY TOO_MANY_KEYWORDS STOP_WORD_PATTERN ALWAYS_OUTRANKED FITS_EVERYTHING DUPLICATE_KEYWORD',
  'catalog.collision': 'catalog.collision.lower-trust catalog.waiting',
  'claim.doubtful':
    'claim.stale claim.missing claim.inferred claim.source-required grounding.uncited ontology.unverified answers.unreviewed',
  'discovery.skipped':
    'discovery.depth discovery.limit discovery.unreadable discovery.link discovery.not-a-file discovery.source pack.unread pack.file.unused pack.page.unreachable',
  'pack.field':
    'pack.name.mismatch pack.description.missing pack.field.invalid pack.field.too-long pack.frontmatter.invalid pack.type.unknown pack.profile.missing pack.profile.unknown pack.mode.unknown pack.grounding.unknown pack.trust.unknown record.invalid map.invalid run.invalid ontology.invalid answers.invalid index.invalid',
  'pack.incomplete':
    'pack.documents.missing pack.persona.unbounded pack.map.missing pack.map.absent pack.placeholder pack.empty',
  'pack.run':
    'run.needs-review run.stale run.disputed run.failed run.review-required run.diagnostic run.input.drift run.input.gone run.not-read',
  'pack.status':
    'pack.status.draft pack.status.needs-review pack.status.stale pack.status.disputed pack.status.archived pack.status.unknown',
  'pack.trust':
    'pack.trust.unreviewed pack.trust.external pack.trust.unapproved pack.trust.changed pack.trust.denied pack.trust.by-place',
  'source.absent': 'source.anchor.absent index.dangling',
})

type Issues = ReturnType<typeof allIssues>
type Rows = Combined<Issues[keyof Issues]>
type Combined<T> = (T extends T ? (each: T) => void : never) extends (all: infer All) => void ? All : never

/** A row of the table. */
export type IssueName = keyof Rows & string

/** What programs can match: `--json` prints it with every error and finding. */
export type Code = IssueName extends infer Name ? (Name extends `${infer Start}/${string}` ? Start : Name) : never

/** The names in braces, except what is JSON. */
type NamesIn<Text> = Text extends `${string}{${infer Rest}`
  ?
      | (Rest extends `${infer Name}}${string}` ? (Name extends `${string}"${string}` ? never : Name) : never)
      | NamesIn<Rest>
  : never
type OutsideBrackets<Text> = Text extends `${infer Start}[${string}]${infer Rest}`
  ? `${Start}${OutsideBrackets<Rest>}`
  : Text

/** The facts that a row mentions; one that only stands in brackets may be missing. */
export type FactsOf<Name extends IssueName> = {
  [Fact in NamesIn<OutsideBrackets<Rows[Name]>>]: string | number
} & { [Fact in NamesIn<Rows[Name]>]?: string | number | undefined }

export type Facts = Readonly<Record<string, string | number | undefined>>

let known: ReadonlyMap<string, string> | undefined

function allRows(): ReadonlyMap<string, string> {
  known ??= new Map(Object.values(allIssues()).flatMap((each) => Object.entries(each)))
  return known
}

/** Every code, in the order of the table. */
export function allCodes(): Code[] {
  return [...allRows().keys()].filter((name): name is Code => !name.includes('/'))
}

/** The three parts of a row; a part in brackets stands only where its facts are known. */
export function readRow(row: string, facts: Facts = {}) {
  const hasFact = (_: string, part: string, fact: string) => (facts[fact] === undefined ? '' : part)
  const known = row.replace(/\[([^[\]]*\{(\w+)\}[^[\]]*)\]/g, hasFact)
  const [, severity = 'error', sentence = '', remedy] = /^(?:(warning|info): )?(.*?)(?: → (.*))?$/s.exec(known) ?? []
  return { severity: severity as Severity, sentence, remedy }
}

/** A row with the facts in it. */
export function wordIssue(name: IssueName, facts: Facts) {
  return wordRow(name, allRows().get(name) ?? '', facts)
}

export function wordRow(name: IssueName, row: string, facts: Facts) {
  const { severity, sentence, remedy } = readRow(row, facts)
  const fill = (text: string | undefined) => text?.replace(/\{(\w+)\}/g, (_, fact: string) => String(facts[fact]))
  const hint = fill(remedy)
  return { severity, code: name.split('/', 1)[0] as Code, message: fill(sentence) ?? '', hint }
}

/** The code of today for one that an earlier version of the program used. */
export function codeAfter(earlier: string): Code | undefined {
  const found = Object.entries(earlierCodes()).find(([, all]) => all.split(' ').includes(earlier))
  return found?.[0] as Code | undefined
}

/** What a code means, one line for each of its sentences; an earlier code also says which one replaced it. */
export function explainCode(typed: string): string[] | undefined {
  const moved = codeAfter(typed)
  const code = moved ?? typed
  const rows = [...allRows()].filter(([name]) => name === code || name.startsWith(`${code}/`))
  if (rows.length === 0) return undefined
  const told = rows.map(([, row]) => {
    const { sentence, remedy } = readRow(row)
    return remedy === undefined ? sentence : `${sentence.replace(/\.$/, '')}: ${remedy}`
  })
  return [moved === undefined ? code : `${typed} is ${code} now`, ...told]
}
