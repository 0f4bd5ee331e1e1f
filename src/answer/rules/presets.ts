import { DEFAULT_PARTITIONS } from '../../machine/rules/settings-shape.ts'
import type { Task } from '../../search/task.ts'
import { type ReadTerm, readTerms, wordsAmong } from '../../search/tokens.ts'
import { failWith, type LoadoutError } from '../../text/trouble.ts'
import { nearest, setOwn } from '../../text/values.ts'
import type { IntentReading } from './bundle.ts'
import type { BudgetSettings, ContextSettings, ControlPlaneItem, Intent } from './context-settings.ts'

/** The key of the last kind, which needs no keywords. */
export const DEFAULT_INTENT = 'default'

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
  if (override !== undefined && best === undefined) throw unknownIntent(override, intents)
  const { key } = best ?? intents.at(-1) ?? { key: DEFAULT_INTENT }
  return { key, matched, scores, isOverridden: override !== undefined }
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

function unknownIntent(key: string, intents: readonly Intent[]): LoadoutError {
  const keys = intents.map((intent) => intent.key)
  const close = nearest(key, keys)
  return failWith('USAGE/intent', { key, close, keys: keys.join(', ') })
}

const MAX_FILES = 12
const MAX_CHARS_PER_FILE = 2500

export const DEFAULT_BUDGET: BudgetSettings = {
  maxFiles: MAX_FILES,
  maxCharsPerFile: MAX_CHARS_PER_FILE,
  maxChars: MAX_FILES * MAX_CHARS_PER_FILE,
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

export const PRESETS: readonly ContextSettings[] = [CORTEX, GENERIC]

/** The preset that fits what a project has. */
export function choosePreset(exists: (path: string) => boolean): ContextSettings {
  return exists(CORTEX_MARK) ? CORTEX : GENERIC
}

function file(pattern: string, summary: readonly string[] = []): ControlPlaneItem {
  return { pattern, isRequired: false, take: 1, order: 'path', summary }
}

function intent(key: string, keywords: readonly string[], include: readonly string[]): Intent {
  return { key, keywords, include }
}
