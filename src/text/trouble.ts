import { allCodes, type Code, type Facts, type FactsOf, type IssueName, type Severity, wordIssue } from './issues.ts'

export { allCodes, type Code, type FactsOf, type IssueName, type Severity }

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

/** Troubles of settings and layers: what is ignored because of one may be the cause of a later error. */
const CAUSES: ReadonlySet<Code> = new Set(['BAD_SETTINGS', 'LAYER_UNREADABLE'])

/** An error that also names an earlier finding that may be its cause, because no answer will carry it. */
export function alsoNaming(error: unknown, findings: readonly Finding[]): unknown {
  if (!(error instanceof LoadoutError)) return error
  const messages = new Set(findings.filter(({ code }) => CAUSES.has(code)).map((finding) => finding.message))
  // The cause may already be there, with a longer message.
  const causes = error.message.split('; ')
  const isNamed = (each: string) => error.message.includes(each) || causes.some((cause) => each.includes(cause))
  const [first, ...others] = [...messages].filter((each) => !isNamed(each))
  if (first === undefined) return error
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return retell(error, { message: `${error.message}; ${first}${more}` })
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

type Given<Name extends IssueName, More> =
  object extends FactsOf<Name> ? [facts?: FactsOf<Name>, more?: More] : [facts: FactsOf<Name>, more?: More]

/** The error of a row in the table of issues, to be thrown. */
export function failWith<Name extends IssueName>(
  name: Name,
  ...[facts, more]: Given<Name, { cause?: unknown }>
): LoadoutError {
  const { code, message, hint } = wordIssue(name, facts ?? {})
  return new LoadoutError(code, message, { hint, cause: more?.cause })
}

type About = Partial<Pick<Finding, 'severity' | 'subject' | 'path' | 'line' | 'count'>>

/** The finding of a row in the table of issues, with its subject and position. */
export function report<Name extends IssueName, Where extends About>(
  name: Name,
  facts: FactsOf<Name>,
  about: Where,
): Finding & Where
export function report<Name extends IssueName>(name: Name, ...facts: Given<Name, never>): Finding
export function report(name: IssueName, facts: Facts = {}, about: About = {}): Finding {
  return { ...wordIssue(name, facts), ...about }
}

/** What an error and a finding have in common. */
export type Told = Partial<Finding> & { readonly code: Code; readonly message: string }

/** What `--json` and the servers say of an error or finding. */
export function toldOf({ code, message, hint }: Told): Pick<Finding, 'code' | 'message' | 'hint'> {
  return { code, message, hint }
}

/** Trouble as an error, told by a caller that knows more: its message or hint instead of the old one. */
export function retell(trouble: Told, told: Partial<Finding> = {}): LoadoutError {
  const { message = trouble.message } = told
  const hint = 'hint' in told ? told.hint : trouble.hint
  return new LoadoutError(trouble.code, message, { hint, cause: trouble instanceof Error ? trouble : undefined })
}

/** Turns an error into a warning, for a caller that continues with the rest. Rethrows a bug. */
export function asFinding(error: unknown, about: Partial<Finding> = {}): Finding {
  if (!(error instanceof LoadoutError)) throw error
  const { code, message, hint } = error
  return { severity: 'warning', code, message, hint, ...about }
}

/** The result of a function; another value in expected trouble. Faults of the program are thrown on. */
export function unlessTrouble<T, Other>(act: () => T, otherwise: Other): T | Other {
  try {
    return act()
  } catch (error) {
    if (error instanceof LoadoutError) return otherwise
    throw error
  }
}
