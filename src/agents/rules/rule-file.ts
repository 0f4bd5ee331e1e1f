import { fits, type Problem, type Shape, type ValueOf } from '../../machine/rules/shape.ts'
import { compareText, isRecord } from '../../text/values.ts'
import { type Rules, SCOPES, SETTINGS_FORMATS, SETTINGS_KEYS, SETTINGS_STARTS, STARTS } from './reading-rules.ts'

const TEXT = { is: 'text', least: 1, most: 300 } as const
const TEXTS = { is: 'list', of: TEXT } as const
const FLAG = { is: 'flag' } as const
const SIZE = { is: 'whole number', from: 0, to: 1_000_000_000 } as const

/** A relative path without `..`. */
const INNER = {
  is: 'text',
  least: 1,
  most: 300,
  refuse: (path: string) => (path.split('/').includes('..') ? 'it leads out of its folder' : undefined),
} as const

const PLACE = {
  is: 'object',
  keys: {
    from: { is: 'choice', of: STARTS },
    path: INNER,
    scope: { is: 'choice', of: SCOPES },
    isOutermostFirst: FLAG,
    isCommands: FLAG,
    isWorkflows: FLAG,
  },
  needs: ['from', 'path', 'scope'],
} as const satisfies Shape

const HIDING = {
  is: 'object',
  keys: { file: INNER, key: TEXTS, is: { is: 'choice', of: ['true', 'false', 'set'] }, why: TEXT },
  needs: ['key', 'is', 'why'],
} as const satisfies Shape

const PLUGINS = {
  is: 'object',
  keys: {
    installed: INNER,
    folders: {
      is: 'list',
      of: { is: 'object', keys: { path: INNER, isCommands: FLAG, isWorkflows: FLAG }, needs: ['path'] },
    },
  },
  needs: ['installed', 'folders'],
} as const satisfies Shape

const READING = {
  is: 'object',
  keys: {
    places: { is: 'list', of: PLACE },
    plugins: PLUGINS,
    depth: { is: 'whole number', from: 1, to: 10 },
    skipsDotFolders: FLAG,
    followsLinkedFiles: FLAG,
    largestFile: SIZE,
    needsUtf8: FLAG,
    readsBehindMark: FLAG,
    joinsBlanks: FLAG,
    namedBy: { is: 'choice', of: ['folder', 'frontmatter'] },
    longestName: SIZE,
    longestDescription: SIZE,
    needsName: FLAG,
    guessesDescription: FLAG,
    describedAlsoBy: TEXT,
    hiding: { is: 'list', of: HIDING },
    sameName: { is: 'choice', of: ['first', 'last', 'none', 'unknown'] },
    listsDuplicates: FLAG,
    trust: TEXT,
    climbsWithoutRepository: FLAG,
    order: { is: 'list', of: { is: 'choice', of: SCOPES } },
  },
} as const satisfies Shape

const OWN_SKILL = {
  is: 'object',
  keys: { name: TEXT, columns: SIZE, characters: SIZE, isKept: FLAG },
  needs: ['name', 'columns', 'isKept'],
} as const satisfies Shape

const MODEL = {
  is: 'object',
  keys: {
    marks: { is: 'list', of: TEXT, least: 1 },
    window: { ...SIZE, from: 1 },
    perToken: { is: 'number', from: 0.1, to: 100 },
    own: { is: 'named', names: /^[^\s]{1,100}$/, allows: 'the name of a skill', of: SIZE },
  },
  needs: ['marks'],
} as const satisfies Shape

const LISTING = {
  is: 'object',
  keys: {
    overflow: { is: 'choice', of: ['drop', 'shorten', 'name', 'never'] },
    unit: { is: 'choice', of: ['columns', 'tokens', 'characters'] },
    budget: { ...SIZE, from: 1 },
    share: { is: 'number', from: 0, to: 1 },
    window: { ...SIZE, from: 1 },
    perToken: { is: 'number', from: 0.1, to: 100 },
    longWindow: { is: 'object', keys: { mark: TEXT, window: { ...SIZE, from: 1 } }, needs: ['mark', 'window'] },
    defaultModel: TEXT,
    models: { is: 'list', of: MODEL },
    perSkill: { ...SIZE, from: 1 },
    ellipsis: { is: 'text', most: 10 },
    frame: SIZE,
    shows: { is: 'choice', of: ['path', 'short path', 'scope'] },
    escapes: { is: 'text', most: 10 },
    own: { is: 'list', of: OWN_SKILL },
  },
} as const satisfies Shape

const INSTRUCTIONS = {
  is: 'object',
  keys: {
    global: {
      is: 'list',
      of: {
        is: 'object',
        keys: { from: { is: 'choice', of: ['own', 'home', 'machine'] }, names: { is: 'list', of: INNER } },
        needs: ['from', 'names'],
      },
    },
    names: { is: 'list', of: INNER },
    otherwise: { is: 'list', of: INNER },
    isOnePerFolder: FLAG,
    startsAt: { is: 'choice', of: ['repository', 'machine', 'working'] },
    mostBytes: SIZE,
  },
} as const satisfies Shape

const SETTINGS = {
  is: 'object',
  keys: {
    files: {
      is: 'list',
      of: {
        is: 'object',
        keys: { from: { is: 'choice', of: SETTINGS_STARTS }, path: INNER },
        needs: ['from', 'path'],
      },
    },
    format: { is: 'choice', of: SETTINGS_FORMATS },
    usageFile: INNER,
    variables: { is: 'object', keys: { budget: TEXT, model: TEXT } },
    keys: {
      is: 'object',
      keys: Object.fromEntries(SETTINGS_KEYS.map((key) => [key, TEXT])) as Record<
        (typeof SETTINGS_KEYS)[number],
        typeof TEXT
      >,
    },
  },
} as const satisfies Shape

const VERSION = { is: 'text', pattern: /^\d{1,9}(\.\d{1,9}){1,3}$/, allows: 'a version, such as 2.1.326' } as const
const DAY = { is: 'text', pattern: /^\d{4}-\d\d-\d\d$/, allows: 'a day, such as 2026-11-17' } as const

const ROW = {
  is: 'object',
  keys: {
    version: VERSION,
    recorded: DAY,
    reading: READING,
    listing: LISTING,
    instructions: INSTRUCTIONS,
    settings: SETTINGS,
  },
  needs: ['version', 'recorded'],
} as const satisfies Shape

/** The program of an agent: its command, its npm package, and other folders in the home that may have the package. */
const PROGRAM = {
  is: 'object',
  keys: {
    command: { ...TEXT, pattern: /^[\w.-]+$/, allows: 'the name of a command' },
    package: INNER,
    folders: { is: 'list', of: INNER },
  },
  needs: ['command', 'package'],
} as const satisfies Shape

/** The keys that a set of rules needs, after all rows up to it are merged. */
const WHOLE = {
  is: 'object',
  keys: {
    reading: {
      ...READING,
      needs: [
        'places',
        'depth',
        'skipsDotFolders',
        'followsLinkedFiles',
        'needsUtf8',
        'readsBehindMark',
        'joinsBlanks',
        'namedBy',
        'guessesDescription',
        'hiding',
        'sameName',
        'climbsWithoutRepository',
      ],
    },
    listing: { ...LISTING, needs: ['overflow', 'unit', 'own'] },
    instructions: { ...INSTRUCTIONS, needs: ['global', 'names', 'isOnePerFolder', 'startsAt'] },
    settings: { ...SETTINGS, needs: ['files', 'format', 'variables', 'keys'] },
  },
  needs: ['reading'],
} as const satisfies Shape

const FILE = {
  is: 'object',
  keys: {
    agent: TEXT,
    program: PROGRAM,
    rows: {
      is: 'list',
      of: ROW,
      least: 1,
      refuse: (rows: readonly unknown[]) => {
        const versions = rows.map((row) => (isRecord(row) ? String(row.version) : ''))
        const at = versions.findIndex(
          (version, each) => each > 0 && compareVersions(versions[each - 1] ?? '', version) >= 0,
        )
        return at < 0
          ? undefined
          : `must go from the oldest version to the newest, but ${versions[at]} is not newer than ${versions[at - 1]}`
      },
    },
  },
  needs: ['agent', 'program', 'rows'],
} as const satisfies Shape

export type Program = ValueOf<typeof PROGRAM>

/** The program of an agent on this machine. */
export interface InstalledProgram {
  path: string
  /** Absent if it is unknown. */
  version?: string
  /** Why the version is unknown. */
  problem?: string
}

/** The recorded version, and the day of the recording. */
export interface RecordedFrom {
  version: string
  day: string
}

/** The rules of one agent: a row for each recorded version, the oldest first. */
export interface RuleFile {
  agent: string
  program: Program
  rows: readonly RuleRow[]
}

export interface RuleRow {
  version: string
  /** The day of the recording. */
  recorded: string
  rules: Rules
}

/** Parses the rules of an agent, or returns all problems. Each row has only the differences to the one before. */
export function readRuleFile(json: unknown): { file: RuleFile } | { problems: Problem[] } {
  const problems: Problem[] = []
  if (!fits(FILE, json, problems)) return { problems }
  let whole: object = {}
  const rows: RuleRow[] = []
  for (const { version, recorded, ...sections } of json.rows) {
    whole = joined(whole, sections)
    const inside: Problem[] = []
    if (fits(WHOLE, whole, inside)) rows.push({ version, recorded, rules: whole })
    else problems.push(...inside.map(({ says, ...rest }) => ({ ...rest, says: `the row of ${version}: ${says}` })))
  }
  return problems.length > 0 ? { problems } : { file: { agent: json.agent, program: json.program, rows } }
}

/** Merges sections key by key; the later value wins. */
function joined(before: object, after: object): object {
  const sections = new Map<string, unknown>(Object.entries(before))
  for (const [name, section] of Object.entries(after)) {
    const old = sections.get(name)
    sections.set(name, isRecord(old) && isRecord(section) ? { ...old, ...section } : section)
  }
  return Object.fromEntries(sections)
}

/** The row for an installed version: the newest one up to it, else the oldest. For an unknown version: the newest. */
export function nearestRow({ rows }: RuleFile, installed: string | undefined): RuleRow | undefined {
  if (installed === undefined) return rows.at(-1)
  return rows.findLast(({ version }) => compareVersions(version, installed) <= 0) ?? rows[0]
}

/** The day of the newest recording. */
export function newestDay({ rows }: RuleFile): string {
  return (
    rows
      .map(({ recorded }) => recorded)
      .sort(compareText)
      .at(-1) ?? ''
  )
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
