import type { InstructionRules, Listing, ReadingRules, SettingsRules } from './reading-rules.ts'

// Read from Claude Code 2.1.197: from its program, and from the lists it sent.

export const CLAUDE_READING: ReadingRules = {
  places: [
    { from: 'machine', path: '/etc/claude-code/.claude/skills', scope: 'machine' },
    { from: 'own', path: 'skills', scope: 'user' },
    { from: 'project', path: '.claude/skills', scope: 'project' },
    { from: 'own', path: 'commands', scope: 'user', isCommands: true },
    { from: 'project', path: '.claude/commands', scope: 'project', isCommands: true },
  ],
  plugins: {
    installed: 'plugins/installed_plugins.json',
    folders: [{ path: 'commands', isCommands: true }, { path: 'skills' }],
  },
  depth: 1,
  skipsDotFolders: false,
  followsLinkedFiles: true,
  largestFile: 1_000_000,
  needsUtf8: false,
  readsBehindMark: false,
  joinsBlanks: false,
  namedBy: 'folder',
  guessesDescription: true,
  describedAlsoBy: 'when_to_use',
  hiding: [
    { key: ['disable-model-invocation'], is: true, why: 'it says disable-model-invocation: only you can call it' },
    { key: ['paths'], is: 'set', why: 'it says paths: listed once a file that fits is touched' },
  ],
  sameName: 'first',
  climbsWithoutRepository: true,
  order: 'place',
}

export const CLAUDE_LISTING: Listing = {
  share: 0.01,
  window: 200_000,
  longWindow: { mark: '[1m]', window: 1_000_000 },
  unit: 'columns',
  perToken: {
    usual: 4,
    models: [
      'claude-3',
      'opus-4-0',
      'opus-4-1',
      'opus-4-5',
      'opus-4-6',
      'sonnet-4-0',
      'sonnet-4-5',
      'sonnet-4-6',
      'haiku',
    ],
    otherwise: 3,
  },
  perSkill: 1_536,
  ellipsis: '\u2026',
  overflow: 'drop',
  showsPath: false,
  own: [
    { name: 'deep-research', columns: 487, isKept: true },
    { name: 'update-config', columns: 707, isKept: true },
    { name: 'keybindings-help', columns: 248, isKept: true },
    { name: 'verify', columns: 260, isKept: true },
    { name: 'code-review', columns: 361, isKept: true },
    { name: 'simplify', columns: 188, isKept: true },
    { name: 'fewer-permission-prompts', columns: 191, isKept: true },
    { name: 'loop', columns: 314, isKept: true },
    { name: 'claude-api', columns: 1_080, isKept: true },
    { name: 'run', columns: 368, isKept: true },
    { name: 'init', columns: 67, isKept: false },
    { name: 'review', columns: 78, isKept: false },
    { name: 'security-review', columns: 90, isKept: false },
  ],
}

export const CLAUDE_INSTRUCTIONS: InstructionRules = {
  global: [
    { from: 'machine', names: ['/etc/claude-code/CLAUDE.md'] },
    { from: 'own', names: ['CLAUDE.md'] },
  ],
  names: ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md'],
  isOnePerFolder: false,
  startsAt: 'machine',
}

export const CLAUDE_SETTINGS: SettingsRules = {
  files: [
    { from: 'own', path: 'settings.json' },
    { from: 'project', path: '.claude/settings.json' },
    { from: 'project', path: '.claude/settings.local.json' },
    { from: 'machine', path: '/etc/claude-code/managed-settings.json' },
  ],
  format: 'json',
  usageFile: '.claude.json',
  variables: { budget: 'SLASH_COMMAND_TOOL_CHAR_BUDGET', model: 'ANTHROPIC_MODEL' },
  keys: {
    share: 'skillListingBudgetFraction',
    perSkill: 'skillListingMaxDescChars',
    model: 'model',
    overrides: 'skillOverrides',
    withoutOwn: 'disableBundledSkills',
    plugins: 'enabledPlugins',
  },
}
