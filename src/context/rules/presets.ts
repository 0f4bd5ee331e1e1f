import { DEFAULT_PARTITIONS } from '../../machine/rules/settings-shape.ts'
import type { BudgetSettings, ContextSettings, ControlPlaneItem, Intent } from './context-settings.ts'
import { DEFAULT_INTENT } from './intent.ts'

const MAX_FILES = 12
const MAX_CHARS_PER_FILE = 2500

export const DEFAULT_BUDGET: BudgetSettings = {
  maxFiles: MAX_FILES,
  maxCharsPerFile: MAX_CHARS_PER_FILE,
  maxChars: MAX_FILES * MAX_CHARS_PER_FILE,
  maxTokens: undefined,
  partitions: DEFAULT_PARTITIONS,
}

/** For any project: what agents are told first, then documentation by the subject of the task. */
export const GENERIC: ContextSettings = {
  preset: 'generic',
  controlPlane: ['AGENTS.md', 'CLAUDE.md', 'README.md', '.github/copilot-instructions.md'].map((path) => file(path)),
  intents: [
    intent(
      'testing',
      ['test', 'tests', 'testing', 'coverage', 'fixture', 'regression', 'flaky'],
      ['docs/**/*test*.md', 'TESTING.md', 'CONTRIBUTING.md'],
    ),
    intent(
      'release',
      ['release', 'deploy', 'deployment', 'publish', 'rollout', 'rollback', 'changelog', 'version'],
      ['docs/**/*release*.md', 'docs/**/*deploy*.md', 'RELEASING.md', 'RELEASE.md', 'CHANGELOG.md'],
    ),
    intent(
      'design',
      ['design', 'architecture', 'refactor', 'structure', 'module', 'layer', 'adr'],
      [
        'ARCHITECTURE.md',
        'DESIGN.md',
        'docs/**/*architecture*.md',
        'docs/**/*design*.md',
        'docs/{adr,adrs,decisions}/*.md',
      ],
    ),
    intent(
      'api',
      ['api', 'schema', 'endpoint', 'contract', 'interface', 'openapi', 'graphql', 'protocol'],
      ['docs/**/*api*.md', 'docs/**/*schema*.md', 'docs/**/*reference*.md', 'specs/*.md'],
    ),
    intent(
      'security',
      ['security', 'vulnerability', 'cve', 'auth', 'authentication', 'authorization', 'secret', 'permission', 'threat'],
      ['SECURITY.md', '.github/SECURITY.md', 'docs/**/*security*.md', 'docs/**/*auth*.md', 'docs/**/*threat*.md'],
    ),
    intent(DEFAULT_INTENT, [], ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/**/*.md']),
  ],
  tactical: undefined,
  adapters: [],
  budget: DEFAULT_BUDGET,
  sanitize: 'mask',
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
