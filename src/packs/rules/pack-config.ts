import { asRecord, asSwitch, badConfig } from '../../machine/rules/settings-shape.ts'
import { getOwn, nearest } from '../../text/values.ts'
import { oneOf, quoted, SCOPES, type Scope } from './pack.ts'

/** Where an organization keeps packs. */
export type OrganizationSource =
  /** As written: the caller resolves `~` and relative paths. */
  | { kind: 'folder'; folder: string }
  | { kind: 'git'; url: string; branch: string | undefined }
  /** An installed npm package. Loadout runs none of its code. */
  | { kind: 'package'; name: string }

/** The settings for packs in `config.json`. */
export interface PackConfig {
  organization: readonly OrganizationSource[]
  /** The maximum depth of a pack below its root. */
  maxDepth: number
  /** The maximum number of folders that discovery reads below one root. */
  maxDirectories: number
  /** Whether a link may lead out of its root. */
  followLinks: boolean
  /** Whether to include the packs that come with Loadout. */
  builtIn: boolean
  /** Packs of these scopes need an approval. */
  approvalFor: readonly Scope[]
  /** Whether naming a pack by its path approves it. */
  explicitPathIsApproval: boolean
  /** The agent that checks the statements of `packs compile`. */
  checker: string | undefined
}

export const NO_PACK_CONFIG: PackConfig = parsePackConfig({}, '')

/** Reads the keys `packs` and `organization`. The reader of `config.json` reports unknown keys. */
export function parsePackConfig(json: unknown, path: string): PackConfig {
  const file = asRecord(json, path, 'the file')
  const packs = asRecord(getOwn(file, 'packs') ?? {}, path, '"packs"')
  const organization = asRecord(getOwn(file, 'organization') ?? {}, path, '"organization"')
  return {
    organization: parseSources(getOwn(organization, 'packs') ?? [], path),
    maxDepth: asCount(packs.maxDepth, 4, [0, 64], path, '"packs.maxDepth"'),
    maxDirectories: asCount(packs.maxDirectories, 2_000, [1, 10_000_000], path, '"packs.maxDirectories"'),
    followLinks: asSwitch(packs.followLinks, false, path, '"packs.followLinks"'),
    builtIn: asSwitch(packs.builtIn, true, path, '"packs.builtIn"'),
    approvalFor: parseScopes(packs.approvalFor ?? ['workspace'], path),
    explicitPathIsApproval: asSwitch(packs.explicitPathIsApproval, false, path, '"packs.explicitPathIsApproval"'),
    checker: packs.checker === undefined ? undefined : asText(packs.checker, path, '"packs.checker"'),
  }
}

function parseSources(json: unknown, path: string): OrganizationSource[] {
  if (!Array.isArray(json)) throw badConfig(path, '"organization.packs" must be a list')
  return json.map((value: unknown, at) => parseSource(value, path, `"organization.packs[${at}]"`))
}

function parseSource(value: unknown, path: string, what: string): OrganizationSource {
  if (typeof value === 'string') {
    const text = asText(value, path, what)
    return isGitUrl(text) ? { kind: 'git', url: text, branch: undefined } : { kind: 'folder', folder: text }
  }
  const source = asRecord(value, path, what)
  const kinds = ['folder', 'git', 'package'].filter((key) => Object.hasOwn(source, key))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    throw badConfig(path, `${what} must have one of "folder", "git" and "package"`)
  }
  refuseUnknown(source, kind === 'git' ? ['git', 'branch'] : [kind], path, what)
  const text = asText(source[kind], path, what)
  if (kind === 'folder') return { kind, folder: text }
  if (kind === 'package') return { kind, name: asPackageName(text, path, what) }
  return { kind: 'git', url: text, branch: asBranch(getOwn(source, 'branch'), path, what) }
}

/** A URL, `user@host:path`, or a path that ends like a bare repository. */
function isGitUrl(text: string): boolean {
  return /^(?:https?|ssh|git|git\+ssh|ssh\+git|file):\/\//i.test(text) || /^[\w.-]+@[\w.-]+:|\.git\/?$/.test(text)
}

function asPackageName(name: string, path: string, what: string): string {
  if (/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name) && name.length <= 214) return name
  throw badConfig(path, `${what}: ${quoted(name)} is not the name of a package`)
}

function asBranch(value: unknown, path: string, what: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^\w[\w./-]*$/.test(value) && !/\.\.|\/\/|\/$|\.lock$/.test(value)) return value
  throw badConfig(path, `${what}: "branch" must be the name of a branch`)
}

function parseScopes(value: unknown, path: string): Scope[] {
  const scopes = Array.isArray(value) ? value.map((word) => oneOf(SCOPES, word)) : [undefined]
  if (scopes.every((scope) => scope !== undefined)) return scopes
  throw badConfig(path, `"packs.approvalFor" must be a list of ${SCOPES.join(', ')}`)
}

function refuseUnknown(json: Record<string, unknown>, known: readonly string[], path: string, what: string): void {
  const unknown = Object.keys(json).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const meant = nearest(unknown, known)
  const near = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`
  throw badConfig(path, `${quoted(unknown)} is not known in ${what}; ${near}`)
}

function asText(value: unknown, path: string, what: string): string {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value
  throw badConfig(path, `${what} must be a text`)
}

function asCount(value: unknown, otherwise: number, range: [number, number], path: string, what: string): number {
  if (value === undefined) return otherwise
  const [least, most] = range
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw badConfig(path, `${what} must be a whole number from ${least} to ${most}`)
}
