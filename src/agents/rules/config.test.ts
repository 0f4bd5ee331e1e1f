import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGENT_IDS } from './agents.ts'
import {
  type ConfigValues,
  isEnabled,
  NO_CONFIG,
  parseConfig,
  withDefaults,
  withRepoPath,
  withTarget,
} from './config.ts'

const parse = (json: unknown) => parseConfig(json, 'config.json')

describe('a configuration', () => {
  it('that is empty has the defaults', () => {
    expect(NO_CONFIG).toEqual({
      repoPath: undefined,
      targets: {},
      found: [],
      commitsImports: true,
      commitsDeletes: true,
      pushesOnSync: false,
      profiles: {},
    })
  })

  const good: [what: string, json: unknown, expected: Partial<ConfigValues>][] = [
    ['names the library', { repo_path: '~/lib' }, { repoPath: '~/lib' }],
    [
      'names a folder by a text alone',
      { targets: { claude: '/x' } },
      { targets: { claude: { isEnabled: true, path: '/x' } } },
    ],
    ['enables what it names', { targets: { amp: {} } }, { targets: { amp: { isEnabled: true } } }],
    ['disables', { targets: { claude: { enabled: false } } }, { targets: { claude: { isEnabled: false } } }],
    [
      'moves and disables',
      { targets: { codex: { path: 'c', enabled: false } } },
      { targets: { codex: { isEnabled: false, path: 'c' } } },
    ],
    ['passes over agents that only another version knows', { targets: { later: 7, __x: null } }, { targets: {} }],
    [
      'switches what is done by itself',
      { repo_actions: { import_auto_commit: false, delete_auto_commit: false, sync_push: true } },
      { commitsImports: false, commitsDeletes: false, pushesOnSync: true },
    ],
    [
      'has profiles',
      { profiles: { work: { a: ['claude'], b: [] } } },
      { profiles: { work: { a: ['claude'], b: [] } } },
    ],
    ['has other keys', { theme: 'dark', repo_actions: { other: 1 } }, NO_CONFIG],
  ]
  it.each(good)('%s', (_, json, expected) => {
    expect(parse(json)).toMatchObject(expected)
  })

  const bad: [json: unknown, problem: string][] = [
    [null, 'the file must be a JSON object'],
    [[], 'the file must be a JSON object'],
    [{ repo_path: 1 }, '"repo_path" must be a path'],
    [{ repo_path: '' }, '"repo_path" must be a path'],
    [{ repo_path: 'a\0b' }, '"repo_path" must be a path'],
    [{ repo_actions: true }, '"repo_actions" must be a JSON object'],
    [{ repo_actions: { import_auto_commit: 1 } }, '"repo_actions.import_auto_commit" must be true or false'],
    [{ repo_actions: { delete_auto_commit: 'no' } }, '"repo_actions.delete_auto_commit" must be true or false'],
    [{ repo_actions: { sync_push: null } }, '"repo_actions.sync_push" must be true or false'],
    [{ targets: [] }, '"targets" must be a JSON object'],
    [{ targets: { claude: 1 } }, '"targets.claude" must be a JSON object'],
    [{ targets: { claude: { path: 1 } } }, '"targets.claude.path" must be a path'],
    [{ targets: { claude: { enabled: 'yes' } } }, '"targets.claude.enabled" must be true or false'],
    [{ profiles: 1 }, '"profiles" must be a JSON object'],
    [{ profiles: { work: [] } }, '"profiles.work" must be a JSON object'],
    [{ profiles: { work: { a: 'claude' } } }, '"profiles.work.a" must be a list of agents'],
    [{ profiles: { work: { a: [1] } } }, '"profiles.work.a" must be a list of agents'],
  ]
  it.each(bad)('%j: %s', (json, problem) => {
    expect(() => parse(json)).toThrow(`config.json: ${problem}`)
  })

  const enabled: [id: string, json: unknown, expected: boolean][] = [
    ['claude', {}, true],
    ['amp', {}, false],
    ['amp', { targets: { amp: '/x' } }, true],
    ['claude', { targets: { claude: { enabled: false } } }, false],
    ['nobody', {}, false],
  ]
  it.each(enabled)('%s with %j is enabled: %s', (id, json, expected) => {
    expect(isEnabled(parse(json), id)).toBe(expected)
  })
})

describe('a change of the configuration', () => {
  const others = {
    theme: 'dark',
    repo_actions: { later: 1 },
    targets: { later: { a: 1 }, claude: { path: '/x', b: 2 } },
  }
  const rows: [what: string, after: unknown, expected: unknown][] = [
    ['names another library', withRepoPath({ ...others, repo_path: 'a' }, 'b'), { ...others, repo_path: 'b' }],
    [
      'switches an agent, and keeps its folder and what is not ours',
      withTarget(others, 'claude', false),
      { ...others, targets: { later: { a: 1 }, claude: { path: '/x', b: 2, enabled: false } } },
    ],
    ['makes room for a switch', withTarget({}, 'amp', true), { targets: { amp: { enabled: true } } }],
    [
      'keeps a folder that is a text alone',
      withTarget({ targets: { amp: '/x' } }, 'amp', false),
      { targets: { amp: { path: '/x', enabled: false } } },
    ],
    [
      'writes down what holds, and keeps what is said',
      withDefaults(
        { targets: { claude: { enabled: false }, amp: '/x' }, repo_actions: { delete_auto_commit: false } },
        [
          { id: 'claude', enabled: true, path: '/c' },
          { id: 'codex', enabled: true, path: '/d' },
          { id: 'amp', enabled: true, path: '/a' },
        ],
      ),
      {
        targets: { claude: { enabled: false, path: '/c' }, codex: { enabled: true, path: '/d' }, amp: '/x' },
        repo_actions: { import_auto_commit: true, delete_auto_commit: false },
      },
    ],
  ]
  it.each(rows)('%s', (_, after, expected) => {
    expect(after).toEqual(expected)
  })

  it('is read back, whatever else is in the file', () => {
    const ours = ['repo_path', 'targets', 'repo_actions', 'profiles']
    const strange = fc.dictionary(
      fc.string().filter((key) => !ours.includes(key) && key !== '__proto__'),
      fc.jsonValue(),
    )
    const path = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'))
    const agent = fc.constantFrom(...AGENT_IDS)
    fc.assert(
      fc.property(strange, path, agent, fc.boolean(), (json, repo, id, isOn) => {
        const before = structuredClone(json)
        const after = withDefaults(withTarget(withRepoPath(json, repo), id, isOn), [{ id, enabled: !isOn, path: repo }])
        const config = parse(JSON.parse(JSON.stringify(after)))
        expect(config).toMatchObject({ repoPath: repo, targets: { [id]: { isEnabled: isOn } } })
        expect(after).toMatchObject(json)
        expect(json).toEqual(before)
      }),
    )
  })
})
