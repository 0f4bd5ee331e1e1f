import { asRecord, badConfig } from '../../machine/rules/settings-shape.ts'
import { fits, type Problem, type Shape, type ValueOf } from '../../machine/rules/shape.ts'
import { getOwn } from '../../text/values.ts'
import { SCOPES, type Scope } from './pack.ts'

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

const TEXT = { is: 'text', least: 1, pattern: /^[^\0]*$/, allows: 'without NUL' } as const
const FLAG = { is: 'flag' } as const

const PACKS = {
  is: 'object',
  keys: {
    maxDepth: { is: 'whole number', from: 0, to: 64 },
    maxDirectories: { is: 'whole number', from: 1, to: 10_000_000 },
    followLinks: FLAG,
    builtIn: FLAG,
    approvalFor: { is: 'list', of: { is: 'choice', of: SCOPES } },
    explicitPathIsApproval: FLAG,
    checker: TEXT,
  },
} as const satisfies Shape

const SOURCE = {
  is: 'either',
  wanted: 'a text or an object',
  text: TEXT,
  object: {
    is: 'object',
    keys: {
      folder: TEXT,
      git: TEXT,
      branch: {
        is: 'text',
        pattern: /^(?!.*(?:\.\.|\/\/|\/$|\.lock$))\w[\w./-]*$/,
        allows: 'the name of a branch',
      },
      package: {
        is: 'text',
        most: 214,
        pattern: /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i,
        allows: 'the name of a package',
      },
    },
    oneOf: ['folder', 'git', 'package'],
    refuse: ({ git, branch }) => (branch !== undefined && git === undefined ? 'has a branch, but no git' : undefined),
  },
} as const satisfies Shape

const SETTINGS = {
  is: 'object',
  keys: { packs: PACKS, organization: { is: 'object', keys: { packs: { is: 'list', of: SOURCE } } } },
} as const satisfies Shape

export const NO_PACK_CONFIG: PackConfig = parsePackConfig({}, '')

/** Reads the keys `packs` and `organization`. The reader of `config.json` reports unknown keys. */
export function parsePackConfig(json: unknown, path: string): PackConfig {
  const file = asRecord(json, path, 'the file')
  const part = (key: keyof typeof SETTINGS.keys) => {
    const all = asRecord(getOwn(file, key) ?? {}, path, `"${key}"`)
    return Object.fromEntries(
      Object.keys(SETTINGS.keys[key].keys).map((name) => [name, getOwn(all, name) ?? undefined]),
    )
  }
  const settings: unknown = { packs: part('packs'), organization: part('organization') }
  const problems: Problem[] = []
  if (!fits(SETTINGS, settings, problems)) throw badConfig(path, problems[0]!.says)
  const { packs = {}, organization = {} } = settings
  const { maxDepth = 4, maxDirectories = 2_000, followLinks = false, builtIn = true, checker } = packs
  const { approvalFor = ['workspace'], explicitPathIsApproval = false } = packs
  const sources = (organization.packs ?? []).map(sourceOf)
  return {
    organization: sources,
    maxDepth,
    maxDirectories,
    followLinks,
    builtIn,
    approvalFor,
    explicitPathIsApproval,
    checker,
  }
}

function sourceOf(source: ValueOf<typeof SOURCE>): OrganizationSource {
  if (typeof source === 'string') {
    return isGitUrl(source) ? { kind: 'git', url: source, branch: undefined } : { kind: 'folder', folder: source }
  }
  const { folder, git, branch, package: name = '' } = source
  if (folder !== undefined) return { kind: 'folder', folder }
  return git === undefined ? { kind: 'package', name } : { kind: 'git', url: git, branch }
}

/** A URL, `user@host:path`, or a path that ends like a bare repository. */
function isGitUrl(text: string): boolean {
  return /^(?:https?|ssh|git|git\+ssh|ssh\+git|file):\/\//i.test(text) || /^[\w.-]+@[\w.-]+:|\.git\/?$/.test(text)
}
