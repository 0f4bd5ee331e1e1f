import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { asForeign, takeOverManifest, WRITTEN_FILES } from './foreign-manifests.ts'
import { type LockedSkill, NO_LOCK } from './lock.ts'
import { ALL, addressOf, chooseWanted } from './manifest.ts'

type File = Parameters<typeof takeOverManifest>[0]
type Row = [what: string, file: File, value: unknown, wanted: Record<string, string[]>, losses: RegExp[]]

const skillsLock = (row: object) => ({ version: 1, skills: { tides: row } })
const needs = (...apm: unknown[]) => ({ dependencies: { apm } })
const plugin = (row: object, more = {}) => ({ plugins: [{ name: 'sea', ...row }], ...more })
const LEADS_OUT = /left out: it leads (?:out of the project|out|up)|left out: it leaves its root/
const ONLY_SKILLS = /^commands, agents, hooks/

// The forms that public repositories have.
const FORMS: Row[] = [
  [
    'a path',
    'skills-lock.json',
    skillsLock({ source: 'o/r', sourceType: 'github', skillPath: 'a\\tides\\SKILL.md' }),
    { 'o/r': ['a/tides'] },
    [],
  ],
  [
    'no path, and a version',
    'skills-lock.json',
    skillsLock({ source: 'o/r', ref: 'v1', sourceType: 'github' }),
    { 'o/r#v1': ['tides'] },
    [],
  ],
  [
    'the only skill',
    'skills-lock.json',
    skillsLock({ source: 'o/r', sourceType: 'github', skillPath: 'SKILL.md' }),
    { 'o/r': ['tides'] },
    [],
  ],
  [
    'another registry',
    'skills-lock.json',
    skillsLock({ source: 'o/r', sourceType: 'autoskills-registry' }),
    { 'o/r': ['tides'] },
    [],
  ],
  [
    'GitLab',
    'skills-lock.json',
    skillsLock({ source: 'g/s/r', sourceType: 'gitlab' }),
    { 'https://gitlab.com/g/s/r': ['tides'] },
    [],
  ],
  [
    'git',
    'skills-lock.json',
    skillsLock({ source: 'r', sourceUrl: 'git@h:r.git', sourceType: 'git' }),
    { 'git@h:r.git': ['tides'] },
    [],
  ],
  [
    'a web page',
    'skills-lock.json',
    skillsLock({ source: 'h.example', sourceType: 'well-known' }),
    {},
    [/tides: git cannot fetch/],
  ],
  [
    'a package',
    'skills-lock.json',
    skillsLock({ source: 'pkg', sourceType: 'node_modules' }),
    {},
    [/of the kind node_modules/],
  ],
  [
    'a folder',
    'skills-lock.json',
    skillsLock({ source: 'own/tides', sourceType: 'local' }),
    { './own/tides': ['tides'] },
    [],
  ],
  [
    'a folder that is an address',
    'skills-lock.json',
    skillsLock({ source: 'https://h/r', sourceType: 'local' }),
    { 'https://h/r': ['tides'] },
    [],
  ],
  [
    'a folder outside',
    'skills-lock.json',
    skillsLock({ source: '/home/x', sourceType: 'local' }),
    {},
    [/\/home\/x left out: it leads out/],
  ],
  ['a folder of Windows', 'skills-lock.json', skillsLock({ source: 'C:\\x', sourceType: 'local' }), {}, [LEADS_OUT]],
  [
    'a field of its own',
    'skills-lock.json',
    skillsLock({ source: 'o/r', subagents: ['a'] }),
    { 'o/r': ['tides'] },
    [/tides: subagents/],
  ],
  ['another form', 'skills-lock.json', [], {}, [/another form/]],
  ['no skills', 'skills-lock.json', { skills: 3 }, {}, []],
  ['a plugin', 'apm.yml', needs('o/r/plugins/sea#v5'), { 'o/r#v5': ['plugins/sea'] }, []],
  ['some skills', 'apm.yml', needs({ git: 'o/r', ref: 'v1', skills: ['a', 'b'] }), { 'o/r#v1': ['a', 'b'] }, []],
  [
    'another host',
    'apm.yml',
    needs('gitlab.example.com/g/r', { git: 'git@h:r.git', path: 'a' }),
    { 'https://gitlab.example.com/g/r': [ALL], 'git@h:r.git': ['a'] },
    [],
  ],
  [
    'a folder of the project',
    'apm.yml',
    needs('./packages/a', '../b', '/c'),
    { './packages/a': [ALL] },
    [/^\.\.\/b, \/c left out/],
  ],
  [
    'a single file',
    'apm.yml',
    needs('o/r/agents/x.agent.md#abc', 'o/r/y.prompt.md'),
    {},
    [/single files .*: o\/r\/agents\/x/],
  ],
  ['a marketplace', 'apm.yml', needs({ name: 'x', marketplace: 'm' }), {}, [/without a git address: x/]],
  [
    'what is not a skill',
    'apm.yml',
    { name: 'p', includes: 'auto', scripts: {}, dependencies: { mcp: ['x'], lsp: [] } },
    {},
    [/^only its skills are taken, not mcp \(1 entries\), name$/],
  ],
  [
    'a commit',
    'apm.lock.yaml',
    {
      dependencies: [
        { repo_url: 'o/r', host: 'github.com', resolved_commit: 'abc', skill_subset: ['a'], deployed_files: ['x'] },
      ],
    },
    { 'o/r#abc': ['a'] },
    [/hashes of 1 installed/],
  ],
  [
    'what another needs',
    'apm.lock.yaml',
    { dependencies: [{ repo_url: 'o/r', resolved_commit: 'abc', virtual_path: 'a', depth: 2 }] },
    { 'o/r#abc': ['a'] },
    [/that another package needs it/],
  ],
  [
    'a local package',
    'apm.lock.yaml',
    { dependencies: [{ repo_url: '_local/a' }], mcp_servers: ['m'] },
    {},
    [/^a: a folder of the project/, /mcp_servers/],
  ],
  ['its own skills', 'marketplace.json', plugin({ source: './' }), { './skills': [ALL] }, [ONLY_SKILLS]],
  [
    'a folder of plugins',
    'marketplace.json',
    plugin({ source: './sea' }, { metadata: { pluginRoot: './plugins' } }),
    { './plugins/sea': [ALL] },
    [ONLY_SKILLS],
  ],
  [
    'listed skills',
    'marketplace.json',
    plugin({ source: './', skills: ['./a/tides', './b/'] }),
    { './a/tides': [ALL], './b': [ALL] },
    [ONLY_SKILLS],
  ],
  [
    'GitHub',
    'marketplace.json',
    plugin({ source: { source: 'github', repo: 'o/r', ref: 'v1' } }),
    { 'o/r#v1': [ALL] },
    [ONLY_SKILLS],
  ],
  [
    'a part of a repository',
    'marketplace.json',
    plugin({
      source: { source: 'git-subdir', url: 'https://github.com/o/r.git', path: 'p', sha: 'abc' },
      skills: './a',
    }),
    { 'o/r#abc': ['p/a'] },
    [ONLY_SKILLS],
  ],
  [
    'a package of npm',
    'marketplace.json',
    plugin({ source: { source: 'npm', package: 'x' } }),
    {},
    [/plugin sea: it has no git address/, ONLY_SKILLS],
  ],
  ['a plugin of its own', 'plugin.json', { name: 'sea', skills: './a' }, { './a': [ALL] }, [ONLY_SKILLS]],
  ['a way out', 'plugin.json', { name: 'sea', skills: ['../../a'] }, {}, [ONLY_SKILLS, LEADS_OUT]],
]

describe('a file of another manager', () => {
  it.each(FORMS)('is read with %s: %s', (_, file, value, wanted, losses) => {
    const taken = takeOverManifest(file, value)
    expect(taken.wanted).toEqual(wanted)
    expect(taken.losses).toEqual(losses.map((each) => expect.stringMatching(each)))
  })

  it('starts its paths from the folder of the plugin, and never throws, whatever it holds', () => {
    expect(takeOverManifest('plugin.json', { name: 'sea' }, 'plugins/sea').wanted).toEqual({
      './plugins/sea/skills': [ALL],
    })
    const files: File[] = ['skills-lock.json', 'apm.yml', 'apm.lock.yaml', 'marketplace.json', 'plugin.json']
    const keys = ['skills', 'dependencies', 'apm', 'plugins', 'source', 'git', 'repo_url', 'sourceUrl', 'path']
    const values = fc.letrec((tie) => ({
      any: fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(tie('any')), tie('object')),
      object: fc.dictionary(fc.constantFrom(...keys), tie('any')),
    })).object
    fc.assert(
      fc.property(fc.constantFrom(...files), values, (file, value) => {
        for (const key of Object.keys(takeOverManifest(file, value).wanted)) expect(addressOf(key).key).toBe(key)
      }),
    )
  })
})

describe('a file for another manager', () => {
  const word = fc.constantFrom('alpha', 'beta', 'gamma', 'skills/delta', ALL)
  const keys = fc.constantFrom('o/r', 'o/r2#v1', 'git@h:team/x.git', 'https://gitlab.com/g/r#main', './own')
  const wanteds = fc.dictionary(keys, fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), { minKeys: 1, maxKeys: 5 })

  it('asks for the same skills when it is read again', () => {
    fc.assert(
      fc.property(wanteds, fc.constantFrom(...WRITTEN_FILES), (asked, file) => {
        // Each source has its own skills.
        const part = (key: string) => key.replace(/\W+/g, '-').replace(/^-|-$/g, '').toLowerCase()
        const base = (key: string) => addressOf(key).folder
        const wanted = Object.fromEntries(
          Object.entries(asked).map(([key, words]) => {
            const names = words.map((each) =>
              each === ALL ? ALL : each.replace(/\w+$/, (name) => `${name}-${part(key)}`),
            )
            return [
              key,
              names.includes(ALL)
                ? [ALL]
                : names.map((each) => (base(key) && each.includes('/') ? `own/${each}` : each)),
            ]
          }),
        )
        const offered = new Map(
          Object.keys(wanted).map((key) => {
            const names = ['alpha', 'beta', 'gamma', 'delta'].map((name) => `${name}-${part(key)}`)
            const folder = (name: string) => [base(key), 'skills', name].filter(Boolean).join('/')
            return [key, names.map((name) => ({ name, folder: folder(name), needs: [] }))]
          }),
        )
        const chosen = chooseWanted(wanted, offered).skills
        const skills = chosen.map(({ name, from, requires }): LockedSkill => {
          const { url, ref } = addressOf(from)
          const { folder } = offered.get(from)!.find((each) => each.name === name)!
          const commit = url === undefined ? undefined : 'a'.repeat(40)
          return {
            name,
            from,
            url,
            ref,
            commit,
            folder,
            digest: 'b'.repeat(64),
            at: '',
            requires,
            copies: {},
            allows: {},
          }
        })
        const content = { name: 'site', agents: ['claude'], wanted, lock: { ...NO_LOCK, skills } }
        const { text, losses } = asForeign(file, content, new Map())
        expect(losses).toContain('the digest of each skill')
        const taken = takeOverManifest(file, file === 'apm.yml' ? parse(text) : JSON.parse(text))
        const places = (rows: readonly { name: string; url?: string }[]) =>
          rows.map(({ name, url }) => `${name} ${url ?? '.'}`).sort()
        const found = Object.entries(taken.wanted).flatMap(([key, words]) => {
          const { url, folder } = addressOf(key)
          const all = skills.filter(
            (row) => row.url === url && (url !== undefined || `${row.folder}/`.startsWith(`${folder}/`)),
          )
          const offers = all.map(({ name, folder: place }) => ({ name, folder: place, needs: [] }))
          return chooseWanted({ [key]: words }, new Map([[key, offers]])).skills.map(({ name }) => ({ name, url }))
        })
        expect(places(found)).toEqual(places(skills))
      }),
    )
  })
})
