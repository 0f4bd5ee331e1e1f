import type { InstructionRules, Listing, ReadingRules, SettingsRules } from './reading-rules.ts'

// Read from Codex 0.166.0: from the lists it sent, and the warnings it gave.

export const CODEX_READING: ReadingRules = {
  places: [
    { from: 'project', path: '.codex/skills', scope: 'project' },
    { from: 'own', path: 'skills', scope: 'user' },
    { from: 'home', path: '.agents/skills', scope: 'user' },
    { from: 'own', path: 'skills/.system', scope: 'agent' },
    { from: 'machine', path: '/etc/codex/skills', scope: 'machine' },
    { from: 'project', path: '.agents/skills', scope: 'project', isOutermostFirst: true },
  ],
  depth: 6,
  skipsDotFolders: true,
  followsLinkedFiles: false,
  needsUtf8: true,
  readsBehindMark: false,
  joinsBlanks: true,
  namedBy: 'frontmatter',
  longestName: 64,
  guessesDescription: false,
  hiding: [
    {
      file: 'agents/openai.yaml',
      key: ['policy', 'allow_implicit_invocation'],
      is: false,
      why: 'agents/openai.yaml forbids implicit invocation: only you can call it',
    },
  ],
  sameName: 'none',
  climbsWithoutRepository: false,
  order: ['agent', 'machine', 'project', 'user'],
}

export const CODEX_LISTING: Listing = {
  share: 0.02,
  window: 272_000,
  unit: 'tokens',
  perSkill: 1_024,
  ellipsis: '...',
  overflow: 'shorten',
  showsPath: true,
  own: [],
}

export const CODEX_INSTRUCTIONS: InstructionRules = {
  global: [{ from: 'own', names: ['AGENTS.override.md', 'AGENTS.md'] }],
  names: ['AGENTS.override.md', 'AGENTS.md'],
  isOnePerFolder: true,
  startsAt: 'repository',
  mostBytes: 32_768,
}

export const CODEX_SETTINGS: SettingsRules = {
  files: [{ from: 'own', path: 'config.toml' }],
  format: 'toml',
  variables: {},
  keys: {
    window: 'model_context_window',
    mostBytes: 'project_doc_max_bytes',
    moreNames: 'project_doc_fallback_filenames',
    switches: 'skills.config',
  },
}
