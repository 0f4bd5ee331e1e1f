import { STRATEGIES } from '../../search/document.ts'
import { globProblem, isGlob } from '../../text/glob.ts'
import { pathProblem } from '../../text/paths.ts'
import { type Finding, failWith, type LoadoutError, report } from '../../text/trouble.ts'
import { getOwn, isRecord, nearest } from '../../text/values.ts'
import { fits, type Problem, type Shape, type ValueOf } from './shape.ts'

/** Percentages of the whole. Shares of slices that a project does not have go to control plane and task. */
export const DEFAULT_PARTITIONS = { controlPlane: 30, task: 50, tactical: 10, adapter: 10 }

const LONGEST_TEXT = 1000

const GLOB = { is: 'text', refuse: globProblem } as const

const PATH = {
  is: 'text',
  refuse: (text: string) => pathProblem(text) ?? (isGlob(text) ? 'it is a glob; use a single path' : undefined),
} as const

const TEXT = { is: 'text', least: 1, most: LONGEST_TEXT } as const

const whole = (from: number, to: number) => ({ is: 'whole number', from, to }) as const

const SHARE = { is: 'number', from: 0, to: 100, about: 'Percent of the whole.' } as const

const CONTROL_PLANE = {
  is: 'list',
  about: 'Files that every task starts from, in this order.',
  of: {
    is: 'either',
    wanted: 'a path, a glob or an object',
    text: GLOB,
    object: {
      is: 'object',
      keys: {
        path: { ...PATH, about: 'One file inside the project.' },
        glob: { ...GLOB, about: 'Files inside the project.' },
        required: { is: 'flag', about: 'Under --strict, its absence is an error.' },
        take: { ...whole(1, 100), about: 'For a glob: the maximum number of files.' },
        order: {
          is: 'choice',
          of: ['path', 'latest'],
          about: 'For a glob: sort by path, or latest first by the date stated in each file.',
        },
        summary: {
          is: 'list',
          of: TEXT,
          about: 'Fields of a JSON file that the summary shows, as dotted paths.',
        },
      },
      oneOf: ['path', 'glob'],
    },
  },
} as const satisfies Shape

const INTENTS = {
  is: 'named',
  about: 'Kinds of tasks, in order of precedence, with the files that each needs.',
  // Keys that look like numbers would lose their order.
  names: /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
  allows: 'letters, digits, - and _, a letter first, 64 at most',
  of: {
    is: 'object',
    keys: {
      keywords: {
        is: 'list',
        of: { ...TEXT, refuse: (text: string) => (hasWord(text) ? undefined : 'it contains no word') },
        about: 'Whole words that identify a task of this kind.',
      },
      include: { is: 'list', of: GLOB, about: 'Files that such a task needs, in this order.' },
    },
    needs: ['include'],
  },
  refuse: (name: string, intent: unknown) =>
    name === 'default' || (isRecord(intent) && Array.isArray(intent.keywords) && intent.keywords.length > 0)
      ? undefined
      : 'needs "keywords"; only "default" goes without',
} as const satisfies Shape

const ADAPTERS = {
  is: 'list',
  about: 'Other tools whose data may enter a bundle.',
  of: {
    is: 'object',
    keys: {
      id: {
        is: 'text',
        pattern: /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/,
        allows: 'letters, digits, ".", "-" and "_", 64 at most',
        about: 'Its name in the bundle.',
      },
      file: { ...PATH, about: 'A JSON file inside the project.' },
      command: {
        is: 'list',
        of: {
          is: 'text',
          most: LONGEST_TEXT,
          refuse: (word: string) => (word.includes('\0') ? 'it contains a NUL character' : undefined),
        },
        least: 1,
        refuse: ([program]: readonly unknown[]) => (program === '' ? 'it has no program' : undefined),
        about: 'A program with its arguments, run without a shell, that prints the JSON.',
      },
      maxItems: whole(1, 1000),
      staleAfterSeconds: whole(0, 315_360_000),
      timeoutMs: whole(1, 60_000),
    },
    needs: ['id'],
    oneOf: ['file', 'command'],
  },
  refuse: (adapters: readonly unknown[]) => {
    const ids = adapters.map((adapter) => (isRecord(adapter) ? adapter.id : undefined))
    const twice = ids.find((id, at) => ids.indexOf(id) !== at)
    return twice === undefined ? undefined : `has "${twice}" twice`
  },
} as const satisfies Shape

const BUDGET = {
  is: 'object',
  keys: {
    maxFiles: whole(0, 10_000),
    maxCharsPerFile: whole(0, 10_000_000),
    maxChars: {
      ...whole(0, 10_000_000),
      about: 'Maximum characters of the whole bundle. Default: files × characters.',
    },
    maxTokens: { ...whole(0, 2_500_000), about: 'Maximum tokens of the whole bundle, instead of characters.' },
    partitions: {
      is: 'object',
      keys: { controlPlane: SHARE, task: SHARE, tactical: SHARE, adapter: SHARE },
      refuse: (given: Readonly<Record<string, unknown>>) => {
        const shares = Object.entries({ ...DEFAULT_PARTITIONS, ...given })
        const sum = shares.reduce((total, [, percent]) => total + Number(percent), 0)
        const parts = shares.map(([name, percent]) => `${name} ${percent}`).join(', ')
        return sum > 100 ? `must sum to at most 100, but is ${sum}, defaults included: ${parts}` : undefined
      },
    },
  },
  notBoth: ['maxChars', 'maxTokens'],
} as const satisfies Shape

/** Why a text cannot be a source that every clone of a project can restore from; undefined if it can. */
export function addressProblem(key: string): string | undefined {
  if (key.length > LONGEST_TEXT) return 'it is too long'
  if (key.startsWith('-')) return 'it looks like an option'
  if (/[\0-\x20\x7f]/.test(key)) return 'it contains a blank or a control character'
  if (/^\.\/*$/.test(key)) return 'it is the project itself'
  if (key.startsWith('./')) return pathProblem(key)
  if (/^(?:[/~.]|[a-z]:[\\/])/i.test(key)) return 'it leads out of the project'
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/@]*:[^/@]*@/i.test(key)) return 'it contains a password'
  if (!/^[\w.-]+\/[\w.-]+|^(?:github|gitlab|bitbucket):|^(?:https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:/.test(key)) {
    return 'it is neither owner/repo nor a git address nor ./folder'
  }
  const ref = key.split('#')[1]
  return ref !== undefined && !/^\w[\w./+-]*$/.test(ref) ? 'its version is not a branch, tag or commit' : undefined
}

/** Sources, and the names of what is wanted of each. */
const wanted = (about: string) =>
  ({
    is: 'named',
    about,
    names: /^/,
    allows: 'owner/repo, owner/repo#tag, a git address, or ./folder',
    of: { is: 'list', of: TEXT },
    refuse: (key: string) => {
      const problem = addressProblem(key)
      return problem === undefined ? undefined : `is refused: ${problem}`
    },
  }) as const

/** The whole of `loadout.json`. A new setting is a row here. */
export const SETTINGS = {
  is: 'object',
  keys: {
    $schema: { is: 'text' },
    skills: wanted('Skills that the agents of this project get: sources, and names or *.'),
    packs: wanted('Knowledge packs of this project: sources, and names or *.'),
    rules: wanted('Rules of this project: sources, and names, paths or *.'),
    agents: { is: 'list', of: TEXT, about: 'The agents that get the skills. Default: those that are enabled.' },
    profile: {
      ...TEXT,
      about: 'A profile whose skills are installed: in a library its own, in a project that of a source of `skills`.',
    },
    payloads: { is: 'list', of: GLOB, about: 'Payload files that the index is built from.' },
    routing: { is: 'object', keys: { strategy: { is: 'choice', of: STRATEGIES } } },
    preset: {
      is: 'choice',
      of: ['cortex', 'generic'],
      about: 'Default settings for a kind of project. Default: detected from its files.',
    },
    controlPlane: CONTROL_PLANE,
    intents: INTENTS,
    tactical: {
      is: 'object',
      keys: { path: { ...PATH, about: 'A JSONL file of short-lived notes.' } },
      needs: ['path'],
    },
    adapters: ADAPTERS,
    budget: BUDGET,
    project: {
      is: 'object',
      about: 'How the files of the project are searched for a task.',
      keys: {
        exclude: { is: 'list', of: GLOB, about: 'Files that no task ever shows.' },
        boost: { is: 'list', of: GLOB, about: 'Files that rank higher.' },
        history: { is: 'flag', about: 'Whether past commits influence the ranking. Default: true.' },
      },
    },
    team: {
      is: 'object',
      about: 'What Loadout may report about this project to the team that a user joined.',
      keys: {
        project: {
          is: 'text',
          pattern: /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u,
          allows: 'letters, digits, " ", ".", "-" and "_", 64 at most',
          about: 'The name in reports. Without it, reports never mention the project.',
        },
      },
    },
    sanitize: {
      is: 'choice',
      of: ['warn', 'mask', 'drop'],
      about: 'How to handle secrets in control plane and task files.',
    },
  },
} as const satisfies Shape

export type SettingsFile = ValueOf<typeof SETTINGS>
export type SettingsPart = keyof typeof SETTINGS.keys

/**
 * The valid parts of `loadout.json`, and every mistake in it. A part is a top-level key with everything below it. Never
 * throws.
 */
export function checkSettings(json: unknown): { file: SettingsFile; problems: Problem[] } {
  const problems: Problem[] = []
  if (fits(SETTINGS, json, problems)) return { file: json, problems }
  const bad = new Set(problems.map(({ part }) => part))
  const isGood = (key: string) => Object.hasOwn(SETTINGS.keys, key) && !bad.has(key)
  const good = Object.fromEntries(Object.entries(isRecord(json) ? json : {}).filter(([key]) => isGood(key)))
  return { file: fits(SETTINGS, good, []) ? good : {}, problems }
}

/** Whether a task can contain the keyword. */
function hasWord(text: string): boolean {
  // The Unicode classes take a millisecond to build, which most keywords do not need.
  return /[a-z0-9]/i.test(text) || /[\p{L}\p{N}\p{M}]/u.test(text.normalize('NFKC'))
}

/** Keys and their subkeys. `*` stands for names that the user chooses. */
type Keys = { readonly [key: string]: Keys | 'value' }

/** Every key of `config.json`. A new one is a row here; its reader is beside the code that it configures. */
const KEYS: Keys = {
  $schema: 'value',
  repo_path: 'value',
  repo_actions: { import_auto_commit: 'value', delete_auto_commit: 'value', sync_push: 'value' },
  targets: { '*': { enabled: 'value', path: 'value' } },
  profiles: 'value',
  usage: { keep_tasks: 'value', read_transcripts: 'value' },
  prices: { currency: 'value', agents: 'value', models: 'value', shipped: 'value', as_of: 'value' },
  audit: { keep_days: 'value' },
  packs: {
    maxDepth: 'value',
    maxDirectories: 'value',
    followLinks: 'value',
    builtIn: 'value',
    approvalFor: 'value',
    explicitPathIsApproval: 'value',
    checker: 'value',
  },
  organization: { packs: 'value' },
}

/** Unknown keys of the file, each with the key that was probably meant. The rest of the file still counts. */
export function unknownKeys(json: unknown, path: string): Finding[] {
  return collect(json, KEYS, '').map(({ place, meant }) => {
    return report('BAD_SETTINGS/key', { path, place, meant }, { subject: place })
  })
}

interface Unknown {
  place: string
  meant: string | undefined
}

function collect(json: unknown, keys: Keys, prefix: string): Unknown[] {
  if (!isRecord(json)) return []
  return Object.entries(json).flatMap(([key, value]): Unknown[] => {
    const known = getOwn(keys, key) ?? getOwn(keys, '*')
    if (known === undefined) {
      const close = nearest(key, Object.keys(keys))
      return [{ place: `${prefix}${key}`, meant: close === undefined ? undefined : `${prefix}${close}` }]
    }
    return known === 'value' ? [] : collect(value, known, `${prefix}${key}.`)
  })
}

export function asRecord(value: unknown, path: string, what: string): Record<string, unknown> {
  if (isRecord(value)) return value
  throw badConfig(path, `${what} must be a JSON object`)
}

export function asSwitch(value: unknown, otherwise: boolean, path: string, what: string): boolean {
  if (value === undefined) return otherwise
  if (typeof value === 'boolean') return value
  throw badConfig(path, `${what} must be true or false`)
}

export function badConfig(path: string, problem: string): LoadoutError {
  return failWith('BAD_SETTINGS/config-value', { path, problem })
}
