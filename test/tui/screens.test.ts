import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ImportResult } from '../../src/loadout.ts'
import {
  importsOf,
  inventoryOf,
  MERGES,
  modelOf,
  PREVIEW,
  SETTINGS,
  SKILLS,
  syncOf,
  UPDATES,
} from '../../src/tui/model.fixture.ts'
import type { Model } from '../../src/tui/model.ts'
import { view } from '../../src/tui/view.ts'

// UPDATE_GOLDEN=1 writes the screens again; read the difference before you commit it.
const isUpdating = process.env.UPDATE_GOLDEN === '1'

const SIZES: [columns: number, rows: number][] = [
  [40, 10],
  [80, 24],
  [120, 40],
]

const FOUND: ImportResult = {
  imported: [],
  unchanged: [],
  refused: [],
  adopted: [],
  isDryRun: false,
  leftOut: [{ reason: 'copies of the same content in other folders', count: 3, examples: [] }],
  offers: [
    {
      name: 'brainstorm',
      description: 'Find ideas before writing.',
      folder: 'skills/brainstorm',
      state: 'new',
    },
    {
      name: 'debugging',
      description: 'Find the cause.',
      folder: 'plugins/dev/skills/debugging',
      plugin: 'dev',
      state: 'new',
      text: '# Debugging\n\n1. Ask what was expected.\n2. Change `one` thing.\n',
    },
    { name: 'planning', description: 'Plan first.', folder: 'skills/planning', state: 'unchanged' },
    {
      name: 'sketch',
      description: '技能 with 宽 text',
      folder: 'skills/sketch',
      state: 'taken',
      reason: 'the library has another skill of this name',
    },
  ],
}
const SOURCE = 'https://example.org/acme/skills'
const DECIDED = MERGES.map((each) => ({ ...each, conflicts: [], places: [] }))
const SIX = inventoryOf(SKILLS, { agents: ['claude', 'codex', 'copilot', 'cursor', 'gemini', 'opencode'] })
const IN_PROJECT = inventoryOf(SKILLS, {
  scope: 'project',
  project: '/home/me/shop',
  unmanaged: 3,
  unmanagedInProject: 2,
})
const DELETE = { kind: 'delete' as const, names: ['sketch'], project: undefined }
const SURE = 'The library is shared: with the next push it is gone for everybody who uses it. u undoes it.'
const LONG = {
  tone: 'alert' as const,
  text: 'Claude Code does not show the descriptions of 47 of 61 skills: its list has room for 8000 characters',
  hint: 'loadout see claude --longest shows what to shorten; loadout remove --copies --unused removes what nobody used',
}

const screens: [name: string, values: Partial<Model>, inventory?: Partial<Model['inventory']>][] = [
  ['status', {}],
  ['six-agents', {}, { value: SIX }],
  ['groups', {}, { grouping: 'state', at: 2 }],
  ['marks', {}, { marked: ['db-migrations', 'sketch'], at: 1 }],
  ['find', {}, { filter: 'rlnt state:edited', isFiltering: true }],
  ['facets', { overlay: { kind: 'facets', at: 3 } }, { filter: 'state:edited' }],
  ['open-skill', {}, { focus: 'text', isOpen: true }],
  ['project', { scope: 'project' }, { value: IN_PROJECT }],
  [
    'confirm',
    { overlay: { kind: 'confirm', question: 'Delete sketch from the library?', text: SURE, effect: DELETE } },
  ],
  ['long-notice', { notice: LONG }],
  [
    'import-source',
    { screen: 'import', imports: importsOf({ source: SOURCE, found: FOUND, chosen: ['debugging'], at: 1 }) },
  ],
  [
    'import-find',
    { screen: 'import', imports: importsOf({ source: SOURCE, found: FOUND, filter: 'bra', isFiltering: true }) },
  ],
  [
    'ask-source',
    {
      screen: 'import',
      overlay: {
        kind: 'ask',
        question: 'Import from: folder, archive, git address or owner/repo',
        text: SOURCE,
        asking: { for: 'source' },
      },
    },
  ],
  ['sync-preview', { screen: 'sync', sync: syncOf({ preview: PREVIEW }) }],
  ['sync-done', { screen: 'sync' }],
  ['update', { screen: 'update', updates: { ...modelOf().updates, chosen: ['planning'] } }],
  ['update-text', { screen: 'update', updates: { ...modelOf().updates, focus: 'text', scroll: 2 } }],
  ['update-done', { screen: 'update', updates: { ...modelOf().updates, value: { ...UPDATES, isDryRun: false } } }],
  ['merge', { screen: 'merge' }],
  ['merge-text', { screen: 'merge', merges: { ...modelOf().merges, focus: 'text' } }],
  ['merge-decided', { screen: 'merge', merges: { ...modelOf().merges, list: DECIDED } }],
  ['lists', { screen: 'lists' }],
  ['review', { screen: 'review' }],
  ['settings', { screen: 'settings', settings: { view: SETTINGS, at: 1 } }],
  [
    'settings-path',
    {
      screen: 'settings',
      overlay: {
        kind: 'ask',
        question: 'Folder of Claude Code (empty: its default)',
        text: '~/.claude/skills',
        asking: { for: 'folder', agent: 'claude' },
      },
    },
  ],
  ['profiles', { screen: 'profiles' }],
]

it.each(screens)('%s', (name, values, inventory) => {
  const drawn = SIZES.map(([columns, rows]) => {
    const lines = view(modelOf({ ...values, size: { columns, rows } }, inventory))
    const text = lines
      .map((line) =>
        line
          .map((span) => span.text)
          .join('')
          .trimEnd(),
      )
      .join('\n')
    return `${columns} × ${rows}\n${text}\n`
  })
  const path = join(import.meta.dirname, 'golden', 'screens', `${name}.txt`)
  if (isUpdating || !existsSync(path)) writeFileSync(path, drawn.join('\n'))
  expect(drawn.join('\n')).toBe(readFileSync(path, 'utf8'))
})
