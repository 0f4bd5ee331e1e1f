import { join } from 'node:path'
import { isFile } from '../machine/files.ts'
import type { Project } from '../machine/open-project.ts'
import { DEFAULT_PARTITIONS, type SettingsFile } from '../machine/rules/settings-shape.ts'
import type { Task } from '../search/task.ts'
import { type ReadTerm, readTerms, wordsAmong } from '../search/tokens.ts'
import { isGlob } from '../text/glob.ts'
import type { SanitizePolicy } from '../text/sensitive/detect.ts'
import { failWith } from '../text/trouble.ts'
import { nearest, setOwn } from '../text/values.ts'
import type { IntentReading } from './rules/bundle.ts'
import type { Rendering } from './rules/render.ts'

/** A file that describes the state of a project, or a pattern whose latest matches do. */
export interface ControlPlaneItem {
  /** A path or a glob inside the project. */
  pattern: string
  /** If missing: an error under --strict, otherwise a warning. */
  isRequired: boolean
  /** For a glob: the maximum number. */
  take: number
  /** For a glob: by the date field and the version in it, newest first, or by path. */
  order: 'path' | 'latest'
  /** Fields of a JSON file that are shown in the summary, as dotted paths. */
  summary: readonly string[]
}

/** A kind of task, with its keywords and the files it needs. */
export interface Intent {
  key: string
  /** Whole words, or several: `north star`. */
  keywords: readonly string[]
  include: readonly string[]
}

export interface AdapterSettings {
  id: string
  /** Exactly one of both. A path inside the project, or a program with its arguments. */
  file: string | undefined
  command: readonly string[] | undefined
  maxItems: number
  staleAfterSeconds: number
  timeoutMs: number
}

export interface BudgetSettings {
  maxFiles: number
  maxCharsPerFile: number
  /** For the whole rendering; in tokens instead of characters if a tokenizer is requested. */
  maxChars: number
  maxTokens: number | undefined
  /** Percentages of the whole. Shares of slices that a project does not have go to control plane and task. */
  partitions: Readonly<Record<'controlPlane' | 'task' | 'tactical' | 'adapter', number>>
  /** Which of them the project set itself. */
  isSet: { maxFiles: boolean; maxCharsPerFile: boolean }
}

/** The context settings of a project, completed by a preset. */
export interface ContextSettings {
  /** `cortex`, `generic`, or `project` when the settings name their own control plane or intents. */
  preset: string
  controlPlane: readonly ControlPlaneItem[]
  /** In the order of precedence; the last is the default and needs no keywords. */
  intents: readonly Intent[]
  /** A JSONL file inside the project; undefined without notes. */
  tactical: { path: string } | undefined
  adapters: readonly AdapterSettings[]
  budget: BudgetSettings
  /** For findings in control-plane and task text. */
  sanitize: SanitizePolicy
  /** How to search the project's own files; undefined if only patterns choose. */
  project:
    | {
        /** Globs of files that are never shown for a task. */
        exclude: readonly string[]
        /** Globs of files that rank higher. */
        boost: readonly string[]
        /** Whether past commits count. */
        history: boolean
        /** The project lists its control plane. If not, it is what agents read there, and the fitting part of the README. */
        hasOwnPlane: boolean
        /** The project has its own intents, which add files. That of the preset chooses only if no file matches. */
        hasOwnIntents: boolean
      }
    | undefined
}

/** What a caller asks for. */
export interface ContextRequest {
  task: string
  project?: string
  /** Overrides the intent detected from the task. */
  intent?: string
  maxFiles?: number
  maxCharsPerFile?: number
  maxChars?: number
  maxTokens?: number
  /** Counts tokens; four characters each by default. */
  tokenizer?: string
  /** Show the tests of the chosen files, instead of only naming them. */
  withTests?: boolean
  /** Files that the agent has open: what belongs to them comes first. Paths from the root of the project. */
  near?: readonly string[]
  /** Optional slices to leave out. */
  without?: readonly ('tactical' | 'adapter')[]
  /** The time at which expiry and freshness are evaluated. */
  now?: Date
  unrestricted?: boolean
  /** A missing control plane and a failed slice are errors. */
  strict?: boolean
  /** Where to write the bundle. A file inside the project is not a source of the bundle. */
  out?: { path: string; format: Rendering | 'json' }
  /** Paths inside the project that are not sources; overrides those of `out`. */
  excluded?: readonly string[]
  isRecorded?: boolean
  /** Maximum tokens of the reply. A larger one is not recorded: the caller asks again for less. */
  mostTaken?: number
  /** A preview: recorded as planned, without a record for replay. */
  isOnlyPlanned?: boolean
  signal?: AbortSignal
}

/** The key of the last kind, which needs no keywords. */
const DEFAULT_INTENT = 'default'

/** The kind with the most keywords in the task; among equals the first; the last one without any. */
export function chooseIntent(task: Task, intents: readonly Intent[], override?: string): IntentReading {
  const words = wordsAmong(task.terms)
  const scores: Record<string, number> = {}
  let best: Intent | undefined
  let matched: string[] = []
  for (const intent of intents) {
    const found = keywordsIn(words, intent.keywords)
    setOwn(scores, intent.key, found.length)
    const isBetter = override === undefined ? found.length > matched.length : intent.key === override
    if (isBetter) [best, matched] = [intent, found]
  }
  if (override !== undefined && best === undefined) {
    const keys = intents.map((intent) => intent.key)
    const close = nearest(override, keys)
    throw failWith('USAGE/intent', { key: override, close, keys: keys.join(', ') })
  }
  const { key } = best ?? intents.at(-1) ?? { key: DEFAULT_INTENT }
  return { key, matched, scores, isOverridden: override !== undefined }
}

/** The kind that a task was read as. */
export function intentOf({ key }: IntentReading, intents: readonly Intent[]): Intent {
  return intents.find((each) => each.key === key) ?? { key, keywords: [], include: [] }
}

/** Two spellings of one keyword count once: `test` and `testing`. */
function keywordsIn(task: readonly ReadTerm[], keywords: readonly string[]): string[] {
  const seen = new Set<string>()
  return keywords.filter((keyword) => {
    const words = wordsAmong(readTerms(keyword))
    const spelling = words.map(({ term }) => term).join(' ')
    if (words.length === 0 || seen.has(spelling)) return false
    const isThere = task.some((_, start) => words.every((word, at) => isSameWord(word, task[start + at])))
    if (isThere) seen.add(spelling)
    return isThere
  })
}

// Stems alone would match "direct" with "direction"; a keyword matches only its usual forms.
const FORMS = new Set(['', 's', 'es', 'ies', 'y', 'e', 'd', 'ed', 'ing'])

function isSameWord({ term, word: keyword }: ReadTerm, found: ReadTerm | undefined): boolean {
  if (found?.term !== term) return false
  let same = 0
  while (same < keyword.length && keyword[same] === found.word[same]) same++
  return FORMS.has(keyword.slice(same)) && FORMS.has(found.word.slice(same))
}

export const DEFAULT_BUDGET: BudgetSettings = {
  maxFiles: 12,
  maxCharsPerFile: 2500,
  maxChars: 12 * 2500,
  maxTokens: undefined,
  partitions: DEFAULT_PARTITIONS,
  isSet: { maxFiles: false, maxCharsPerFile: false },
}

/** What agents read first in a project, in this order. */
export const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.github/copilot-instructions.md'] as const

/** Files that agents read by themselves are part of the control plane, or of nothing. */
export function isInstruction(path: string): boolean {
  return INSTRUCTION_FILES.some((name) => path === name || path.endsWith(`/${name}`))
}

/** For any project: first the instructions for agents, then the project's own files about the task. */
export const GENERIC: ContextSettings = {
  preset: 'generic',
  controlPlane: [
    ...INSTRUCTION_FILES.map((path) => file(path)),
    { pattern: '.cursor/rules/*.{md,mdc}', isRequired: false, take: 3, order: 'path', summary: [] },
    file('README.md'),
  ],
  // The words of a task choose better than its kind. If no file matches them, these do.
  intents: [intent(DEFAULT_INTENT, [], ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/**/*.md'])],
  tactical: undefined,
  adapters: [],
  // Of what was ever found, 80 % was found in the first 4,000 tokens.
  budget: { ...DEFAULT_BUDGET, maxChars: 16_000, maxCharsPerFile: 8_000 },
  sanitize: 'mask',
  project: { exclude: [], boost: [], history: true, hasOwnPlane: false, hasOwnIntents: false },
}

const CORTEX_MARK = '.cortex/manifest_v0.json'

/** For projects that keep their state in `.cortex/`. */
export const CORTEX: ContextSettings = {
  preset: 'cortex',
  controlPlane: [
    file(CORTEX_MARK, ['version', 'status', 'phases']),
    file('.cortex/reports/lifecycle_audit_v0.json', ['status', 'run_at']),
    file('.cortex/reports/audit_needed_v0.json', ['status', 'audit_required', 'audit_recommended', 'dirty_file_count']),
    file('.cortex/reports/decision_candidates_v0.json', ['version', 'entries']),
    {
      pattern: '.cortex/artifacts/decisions/decision_*_v*.md',
      isRequired: false,
      take: 3,
      order: 'latest',
      summary: [],
    },
  ],
  intents: [
    intent(
      'design',
      ['design', 'ui', 'frontend', 'visual'],
      ['.cortex/artifacts/design_*.dsl', '.cortex/artifacts/design_*.json', 'templates/design_ontology*.json'],
    ),
    intent(
      'governance',
      ['governance', 'policy', 'rules', 'audit'],
      ['.cortex/artifacts/governance_*.md', 'policies/*.md'],
    ),
    intent(
      'direction',
      ['direction', 'strategy', 'north star', 'goal'],
      ['.cortex/artifacts/direction_*.md', 'policies/*.md'],
    ),
    intent('spec', ['spec', 'schema', 'contract'], ['specs/*.md', '.cortex/artifacts/*.md']),
    intent(DEFAULT_INTENT, [], ['.cortex/artifacts/*.md', 'specs/*.md']),
  ],
  tactical: undefined,
  adapters: [],
  budget: DEFAULT_BUDGET,
  sanitize: 'mask',
  // Its patterns are fixed: no other file and no history counts.
  project: undefined,
}

function file(pattern: string, summary: readonly string[] = []): ControlPlaneItem {
  return { pattern, isRequired: false, take: 1, order: 'path', summary }
}

function intent(key: string, keywords: readonly string[], include: readonly string[]): Intent {
  return { key, keywords, include }
}

/** The context settings of a project, completed by the preset that it names, or that fits what it has. */
export function contextSettings({ root, settings: file }: Project): ContextSettings {
  const named = [CORTEX, GENERIC].find(({ preset }) => preset === file.preset)
  const preset = named ?? (isFile(join(root, CORTEX_MARK)) ? CORTEX : GENERIC)
  const isOwn = file.controlPlane !== undefined || file.intents !== undefined
  const intents = Object.entries(file.intents ?? {}).map(([key, { keywords = [], include }]) => {
    return { key, keywords, include }
  })
  return {
    preset: isOwn ? 'project' : preset.preset,
    controlPlane:
      file.controlPlane?.map((item) => {
        const given = typeof item === 'string' ? { path: item } : item
        const { path, glob, required = false, take, order = 'path', summary = [] } = given
        const pattern = path ?? glob ?? ''
        const most = take ?? (isGlob(pattern) ? DEFAULT_BUDGET.maxFiles : 1)
        return { pattern, isRequired: required, take: most, order, summary }
      }) ?? preset.controlPlane,
    // In the order of the file; the default last, from the preset if the file has none.
    intents:
      file.intents === undefined
        ? preset.intents
        : [
            ...intents.filter(({ key }) => key !== DEFAULT_INTENT),
            ...[...intents, ...preset.intents].filter(({ key }) => key === DEFAULT_INTENT).slice(0, 1),
          ],
    tactical: file.tactical ?? preset.tactical,
    adapters:
      file.adapters?.map(({ file: path, command, ...given }) => {
        return { maxItems: 20, staleAfterSeconds: 86_400, timeoutMs: 2000, ...given, file: path, command }
      }) ?? preset.adapters,
    budget: completeBudget(file.budget ?? {}, preset.budget),
    sanitize: file.sanitize ?? preset.sanitize,
    project: preset.project && {
      exclude: file.project?.exclude ?? [],
      boost: file.project?.boost ?? [],
      history: file.project?.history ?? true,
      hasOwnPlane: file.controlPlane !== undefined,
      hasOwnIntents: file.intents !== undefined,
    },
  }
}

/** A project that sets files or characters per file, but no total, gets their product. */
function completeBudget(given: NonNullable<SettingsFile['budget']>, preset: BudgetSettings): BudgetSettings {
  const { maxFiles = preset.maxFiles, maxCharsPerFile = preset.maxCharsPerFile, maxTokens } = given
  const isSet = { maxFiles: given.maxFiles !== undefined, maxCharsPerFile: given.maxCharsPerFile !== undefined }
  const product = maxFiles * (given.maxCharsPerFile ?? DEFAULT_BUDGET.maxCharsPerFile)
  const whole = isSet.maxFiles || isSet.maxCharsPerFile ? product : preset.maxChars
  // Four characters count as a token where there is no tokenizer.
  const maxChars = given.maxChars ?? (maxTokens === undefined ? whole : maxTokens * 4)
  const partitions = { ...preset.partitions, ...given.partitions }
  return { maxFiles, maxCharsPerFile, maxChars, maxTokens, partitions, isSet }
}
