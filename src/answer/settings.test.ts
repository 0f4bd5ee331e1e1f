import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Machine } from '../machine/machine.ts'
import { projectAt } from '../machine/open-project.ts'
import { CORTEX, contextSettings, DEFAULT_BUDGET, GENERIC } from './settings.ts'

const root = mkdtempSync(join(tmpdir(), 'loadout-settings-'))
afterAll(() => rmSync(root, { recursive: true }))
let count = 0

function settingsOf(files: Record<string, string>) {
  const folder = join(root, String(++count))
  mkdirSync(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return contextSettings(projectAt(new Machine({ cwd: folder, home: root, env: {}, now: () => new Date() }), folder))
}

const withSettings = (settings: unknown, files = {}) =>
  settingsOf({ 'loadout.json': JSON.stringify(settings), ...files })

const MANIFEST = { '.cortex/manifest_v0.json': '{}' }

describe('context settings', () => {
  it('come from the preset that fits the project', () => {
    expect(settingsOf({})).toEqual(GENERIC)
    expect(settingsOf(MANIFEST)).toEqual(CORTEX)
    expect(settingsOf({ '.cortex/manifest_v0.json/x': '' })).toEqual(GENERIC)
    expect(withSettings({}, MANIFEST)).toEqual(CORTEX)
    expect(withSettings({ preset: 'generic' }, MANIFEST)).toEqual(GENERIC)
    expect(withSettings({ preset: 'cortex' })).toEqual(CORTEX)
  })

  it('name the project when it has a control plane or intents of its own', () => {
    expect(withSettings({ controlPlane: [] }).preset).toBe('project')
    expect(withSettings({ intents: {} }).preset).toBe('project')
    expect(withSettings({ budget: { maxFiles: 3 } }).preset).toBe('generic')
  })

  it('take a control plane in its order, a text for a path or a glob', () => {
    const controlPlane = [
      'STATE.md',
      'notes (old).md',
      'adr/*.md',
      { path: 'a.json', required: true, summary: ['status'] },
      { glob: 'd/*_v*.md', take: 3, order: 'latest' },
    ]
    expect(withSettings({ controlPlane }).controlPlane).toEqual([
      { pattern: 'STATE.md', isRequired: false, take: 1, order: 'path', summary: [] },
      { pattern: 'notes (old).md', isRequired: false, take: 1, order: 'path', summary: [] },
      { pattern: 'adr/*.md', isRequired: false, take: 12, order: 'path', summary: [] },
      { pattern: 'a.json', isRequired: true, take: 1, order: 'path', summary: ['status'] },
      { pattern: 'd/*_v*.md', isRequired: false, take: 3, order: 'latest', summary: [] },
    ])
  })

  it('put the default intent last, and take it from the preset when there is none', () => {
    const own = {
      default: { include: ['x.md'] },
      z: { keywords: ['z'], include: ['z/*'] },
      a: { keywords: ['a'], include: [] },
    }
    expect(withSettings({ intents: own }).intents).toEqual([
      { key: 'z', keywords: ['z'], include: ['z/*'] },
      { key: 'a', keywords: ['a'], include: [] },
      { key: 'default', keywords: [], include: ['x.md'] },
    ])
    expect(withSettings({ intents: { z: own.z } }).intents).toEqual([
      { key: 'z', keywords: ['z'], include: ['z/*'] },
      GENERIC.intents.at(-1),
    ])
  })

  it('complete notes, adapters and the policy', () => {
    const adapters = [
      { id: 'a', file: 'a.json', maxItems: 5 },
      { id: 'b', command: ['b', '--json'] },
    ]
    expect(withSettings({ tactical: { path: 'notes.jsonl' }, sanitize: 'drop', adapters })).toMatchObject({
      tactical: { path: 'notes.jsonl' },
      sanitize: 'drop',
      adapters: [
        { id: 'a', file: 'a.json', command: undefined, maxItems: 5, staleAfterSeconds: 86_400, timeoutMs: 2000 },
        {
          id: 'b',
          file: undefined,
          command: ['b', '--json'],
          maxItems: 20,
          staleAfterSeconds: 86_400,
          timeoutMs: 2000,
        },
      ],
    })
  })

  it.each([
    [{}, {}],
    [{ maxFiles: 2 }, { maxFiles: 2, maxChars: 5000 }],
    [
      { maxFiles: 2, maxCharsPerFile: 10 },
      { maxFiles: 2, maxCharsPerFile: 10, maxChars: 20 },
    ],
    [{ maxChars: 0 }, { maxChars: 0 }],
    [{ maxTokens: 100 }, { maxTokens: 100, maxChars: 400 }],
    [{ partitions: { task: 0 } }, { partitions: { controlPlane: 30, task: 0, tactical: 10, adapter: 10 } }],
  ])('complete the budget %j', (given, expected) => {
    const isSet = { maxFiles: 'maxFiles' in given, maxCharsPerFile: 'maxCharsPerFile' in given }
    expect(withSettings({ budget: given }).budget).toEqual({ ...GENERIC.budget, ...expected, isSet })
  })

  it('take from the preset what has a mistake', () => {
    const [intents, tactical] = [{ a: { include: [1] } }, { path: '../x' }]
    const broken = { preset: 'x', controlPlane: ['/etc/passwd'], intents, tactical, adapters: [{ id: 'a' }] }
    expect(withSettings(broken, MANIFEST)).toEqual(CORTEX)
    const mixed = withSettings({ ...broken, controlPlane: ['a.md'] })
    expect([mixed.controlPlane.length, mixed.intents, mixed.adapters]).toEqual([1, GENERIC.intents, []])
  })
})

describe('presets', () => {
  it('have a default intent, and it is the last', () => {
    for (const { intents } of [CORTEX, GENERIC]) {
      expect(intents.map(({ key }) => key).indexOf('default')).toBe(intents.length - 1)
      expect(intents.every(({ include }) => include.length > 0)).toBe(true)
    }
  })

  it('cortex names its control plane and its intents in the order of precedence', () => {
    expect(CORTEX.controlPlane.map(({ pattern }) => pattern)).toEqual([
      '.cortex/manifest_v0.json',
      '.cortex/reports/lifecycle_audit_v0.json',
      '.cortex/reports/audit_needed_v0.json',
      '.cortex/reports/decision_candidates_v0.json',
      '.cortex/artifacts/decisions/decision_*_v*.md',
    ])
    expect(CORTEX.controlPlane.at(-1)).toMatchObject({ take: 3, order: 'latest', isRequired: false })
    expect(CORTEX.intents.map(({ key }) => key)).toEqual(['design', 'governance', 'direction', 'spec', 'default'])
  })

  it('share a budget whose parts make the whole', () => {
    const { maxFiles, maxCharsPerFile, maxChars, partitions } = DEFAULT_BUDGET
    expect([maxFiles, maxCharsPerFile, maxChars]).toEqual([12, 2500, 30_000])
    expect(Object.values(partitions).reduce((sum, part) => sum + part, 0)).toBe(100)
  })
})
