import { chmodSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HEAD_BYTES } from '../../src/packs/disk/pack-head.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, makeFolder, makeProject } from '../cli/run.ts'
import { discoverIn, namesOf, packText, watchDiscovery } from './machine.ts'

const ROOT = '.agents/knowledge'
const pack = (name: string) => packText({ name })

describe('where packs are found', () => {
  it('case 1: a folder with a KNOWLEDGE.md is a pack of the workspace', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a') })
    const { packs, findings, quarantined } = discoverIn(ws)
    expect(packs).toEqual([
      expect.objectContaining({ scope: 'workspace', root: join(ws, ROOT, 'a'), depth: 1, warnings: [] }),
    ])
    expect(findings).toEqual([])
    expect(quarantined).toEqual([])
  })

  it('every scope has its folders, our own before the shared one, and what comes first is first', () => {
    const ws = makeProject({
      '.agents/knowledge/shared/KNOWLEDGE.md': pack('shared'),
      '.loadout/knowledge/deep/own/KNOWLEDGE.md': pack('own'),
    })
    const home = makeProject({ '.agents/knowledge/user/KNOWLEDGE.md': pack('user') })
    const program = makeProject({ 'knowledge/built-in/KNOWLEDGE.md': pack('built-in') })
    const team = makeProject({ 'KNOWLEDGE.md': packText({ name: 'team' }), 'inner/KNOWLEDGE.md': pack('inner') })
    const organization = [{ kind: 'folder' as const, folder: team }]
    const found = discoverIn(ws, { home, packageFolder: program, config: { organization } })
    expect(found.packs.map(({ manifest, scope, depth }) => [manifest.name, scope, depth])).toEqual([
      ['shared', 'workspace', 1],
      ['own', 'workspace', 2],
      ['user', 'user', 1],
      ['team', 'organization', 0],
      ['built-in', 'built-in', 1],
    ])
    expect(found.roots).toEqual([
      { scope: 'workspace', path: join(ws, '.loadout/knowledge'), exists: true },
      { scope: 'workspace', path: join(ws, '.agents/knowledge'), exists: true },
      { scope: 'user', path: join(home, '.loadout/knowledge'), exists: false },
      { scope: 'user', path: join(home, '.agents/knowledge'), exists: true },
      { scope: 'organization', path: team, exists: true },
      { scope: 'built-in', path: join(program, 'knowledge'), exists: true },
    ])
    const without = discoverIn(ws, { home, packageFolder: program, config: { organization, builtIn: false } })
    expect(namesOf(without)).toEqual(['shared', 'own', 'user', 'team'])
  })

  it('the workspace is the nearest folder upwards with packs, no further than the repository, and never the home', () => {
    const outer = makeProject({
      '.agents/knowledge/outer/KNOWLEDGE.md': pack('outer'),
      'repo/.git/HEAD': '',
      'repo/.agents/knowledge/repo/KNOWLEDGE.md': pack('repo'),
      'repo/part/.loadout/knowledge/part/KNOWLEDGE.md': pack('part'),
      'repo/part/deep/x': '',
      'repo/other/x': '',
      'bare/.git/HEAD': '',
      'plain/x': '',
    })
    const from = (folder: string, home = makeFolder()) =>
      discoverIn(undefined, { cwd: join(outer, folder), home }).packs.map(({ manifest, scope }) => [
        manifest.name,
        scope,
      ])
    expect(from('repo/part/deep')).toEqual([['part', 'workspace']])
    expect(from('repo/other')).toEqual([['repo', 'workspace']])
    expect(from('bare')).toEqual([])
    expect(from('plain')).toEqual([])
    expect(from('plain', outer)).toEqual([['outer', 'user']])
    expect(from('.', outer)).toEqual([['outer', 'user']])
  })

  it('the home folder as a workspace is still the user', () => {
    const home = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a') })
    const elsewhere = makeProject({ '.agents/knowledge': aLinkTo(join(home, ROOT)) })
    for (const ws of [home, elsewhere]) {
      const { packs } = discoverIn(ws, { home, config: { followLinks: true } })
      expect(packs.map(({ scope }) => scope)).toEqual(['user'])
    }
  })

  it('a workspace that points at a folder elsewhere is not followed', () => {
    const elsewhere = makeProject({ 'a/KNOWLEDGE.md': pack('a') })
    const ws = makeProject({ '.agents/knowledge': aLinkTo(elsewhere) })
    const found = discoverIn(ws)
    expect(found.packs).toEqual([])
    expect(found.findings).toEqual([expect.objectContaining({ code: 'discovery.skipped', severity: 'warning' })])
    expect(namesOf(discoverIn(ws, { config: { followLinks: true } }))).toEqual(['a'])
  })

  it('a workspace that is no folder is refused', () => {
    expect(() => discoverIn('/nowhere/at/all')).toThrowError(expect.objectContaining({ code: 'NOT_A_FOLDER' }))
  })

  it('case 42: one pack that two roots lead to is there once', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a') })
    const organization = [
      { kind: 'folder' as const, folder: join(ws, ROOT) },
      { kind: 'folder' as const, folder: join(ws, ROOT, 'a') },
    ]
    const { packs } = discoverIn(ws, { config: { organization } })
    expect(packs.map(({ scope }) => scope)).toEqual(['workspace'])
  })
})

describe('sources of the organization', () => {
  it('a folder that is not there, a repository that was not fetched, a package that is not installed: a finding each', () => {
    const found = discoverIn(makeFolder(), {
      config: {
        organization: [
          { kind: 'folder', folder: '/nowhere/packs' },
          { kind: 'git', url: 'https://name:word@host/packs.git', branch: undefined },
          { kind: 'package', name: '@team/packs' },
        ],
      },
    })
    expect(found.findings.map(({ code, subject, hint }) => [code, subject, hint])).toEqual([
      ['discovery.skipped', '/nowhere/packs', 'create it, or correct the path'],
      ['discovery.skipped', expect.not.stringContaining('word'), 'loadout packs fetch'],
      ['discovery.skipped', '@team/packs', 'npm install --global @team/packs'],
    ])
  })

  it('an installed package is looked at, not run; one that came with the project is a part of the project', () => {
    const files = {
      'package.json': '{"main": "run.js"}',
      'run.js': 'throw new Error("it was run")',
      'knowledge/a/KNOWLEDGE.md': pack('a'),
      'other/b/KNOWLEDGE.md': pack('b'),
    }
    const below = (folder: string) => Object.fromEntries(Object.entries(files).map(([k, v]) => [`${folder}/${k}`, v]))
    const config = { organization: [{ kind: 'package' as const, name: '@team/packs' }] }
    const scopesOf = (ws: string, packageFolder: string) =>
      discoverIn(ws, { packageFolder, config }).packs.map(({ manifest, scope }) => [manifest.name, scope])
    const program = makeProject({ ...below('lib/node_modules/@team/packs'), 'lib/node_modules/loadout/x': '' })
    const project = makeProject(below('node_modules/@team/packs'))
    expect(scopesOf(makeFolder(), join(program, 'lib/node_modules/loadout'))).toEqual([['a', 'organization']])
    expect(scopesOf(project, makeFolder())).toEqual([['a', 'workspace']])
  })
})

describe('what is a pack', () => {
  it('case 2: knowledge.md alone makes no pack', () => {
    expect(discoverIn(makeProject({ [`${ROOT}/a/knowledge.md`]: pack('a') })).packs).toEqual([])
  })

  it('case 3: names that only look like it do not count', () => {
    const ws = makeProject({ [`${ROOT}/a/Knowledge.MD`]: pack('a'), [`${ROOT}/b/KNOWLEDGE.md.bak`]: pack('b') })
    expect(discoverIn(ws).packs).toEqual([])
  })

  const others: [what: string, make: (path: string) => void][] = [
    ['a folder', aFolder],
    ['a pipe', aPipe],
    ['a link to itself', aLinkToItself],
    ['a link to nothing', aLinkTo('nothing.md')],
    ['a link out of the pack', aLinkTo('../b/other.md')],
    ['a link to a device', aLinkTo('/dev/zero')],
  ]
  it.each(others)('case 4: %s under that name is ignored, with a finding', (_, make) => {
    const ws = makeProject({
      [`${ROOT}/a/KNOWLEDGE.md`]: make,
      [`${ROOT}/b/other.md`]: pack('b'),
      [`${ROOT}/a/inner/KNOWLEDGE.md`]: pack('inner'),
    })
    const found = discoverIn(ws)
    expect(namesOf(found)).toEqual(['inner'])
    expect(found.findings).toEqual([
      expect.objectContaining({ code: 'discovery.skipped', message: expect.stringContaining('a/KNOWLEDGE.md') }),
    ])
  })

  it('a link inside the pack is as good as the file', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: aLinkTo('guide.md'), [`${ROOT}/a/guide.md`]: pack('a') })
    expect(namesOf(discoverIn(ws))).toEqual(['a'])
  })

  it('case 10: what lies inside a pack is no pack of its own', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a'), [`${ROOT}/a/sources/x/KNOWLEDGE.md`]: pack('x') })
    expect(namesOf(discoverIn(ws))).toEqual(['a'])
  })

  it('a root can be a pack itself', () => {
    const ws = makeProject({ [`${ROOT}/KNOWLEDGE.md`]: pack('knowledge'), [`${ROOT}/a/KNOWLEDGE.md`]: pack('a') })
    expect(discoverIn(ws).packs).toEqual([expect.objectContaining({ depth: 0, root: join(ws, ROOT) })])
  })
})

describe('what is not looked into', () => {
  it('case 5: folders of version control, dependencies, build output and caches, and each is reported', () => {
    const names = ['.git', 'node_modules', 'dist', '.cache', 'vendor', 'build', '.venv', '__pycache__']
    const files = names.map((name) => [`${ROOT}/${name}/a/KNOWLEDGE.md`, pack('a')])
    const ws = makeProject(Object.fromEntries(files))
    const found = discoverIn(ws)
    expect(found.packs).toEqual([])
    expect(found.skipped).toEqual(names.map((name) => join(ws, ROOT, name)).sort())
    expect(found.skippedCount).toBe(names.length)
    expect(found.findings).toEqual([
      expect.objectContaining({
        code: 'discovery.skipped',
        severity: 'info',
        message: expect.stringMatching(/and 3 more$/),
      }),
    ])
  })

  it('case 6: an indexes folder', () => {
    expect(discoverIn(makeProject({ [`${ROOT}/x/indexes/a/KNOWLEDGE.md`]: pack('a') })).packs).toEqual([])
  })

  it('case 7: the root itself may lie in hidden and odd folders', () => {
    const outer = makeProject({ [`.hidden/node_modules/ws/${ROOT}/a/KNOWLEDGE.md`]: pack('a') })
    expect(namesOf(discoverIn(join(outer, '.hidden/node_modules/ws')))).toEqual(['a'])
  })

  it('case 8: what lies deeper than the limit, and the place is named', () => {
    const ws = makeProject({
      [`${ROOT}/1/2/3/4/KNOWLEDGE.md`]: packText({ name: '4' }),
      [`${ROOT}/1/2/3/x/5/KNOWLEDGE.md`]: packText({ name: '5' }),
    })
    const found = discoverIn(ws)
    expect(namesOf(found)).toEqual(['4'])
    expect(found.findings).toEqual([
      expect.objectContaining({ code: 'discovery.skipped', message: expect.stringContaining('1/2/3/x') }),
    ])
    expect(namesOf(discoverIn(ws, { config: { maxDepth: 5 } }))).toEqual(['4', '5'])
    expect(namesOf(discoverIn(ws, { config: { maxDepth: 0 } }))).toEqual([])
  })

  it('case 9: folders past the cap; what is near the root is kept', () => {
    const files = Array.from({ length: 30 }, (_, at) => [`${ROOT}/p${at + 10}/KNOWLEDGE.md`, pack(`p${at + 10}`)])
    const ws = makeProject({ ...Object.fromEntries(files), [`${ROOT}/a/deep/KNOWLEDGE.md`]: pack('deep') })
    const found = discoverIn(ws, { config: { maxDirectories: 12 } })
    expect(namesOf(found)).toEqual(files.slice(0, 10).map((_, at) => `p${at + 10}`))
    expect(found.findings).toEqual([expect.objectContaining({ code: 'discovery.skipped', severity: 'warning' })])
    expect(discoverIn(ws, { config: { maxDirectories: 33 } }).findings).toEqual([])
  })

  it('case 11: links that lead in a circle end, and every folder is visited once', () => {
    const ws = makeProject({
      [`${ROOT}/x/loop`]: aLinkTo('..'),
      [`${ROOT}/x/self`]: aLinkToItself,
      [`${ROOT}/x/a/KNOWLEDGE.md`]: pack('a'),
      [`${ROOT}/y/again`]: aLinkTo('../x'),
    })
    for (const followLinks of [false, true]) {
      expect(namesOf(discoverIn(ws, { config: { followLinks } }))).toEqual(['a'])
    }
    const { listed } = watchDiscovery(ws)
    expect(listed.sort()).toEqual(['', '/x', '/x/a', '/y'].map((name) => join(ws, ROOT) + name))
  })

  it('case 12: a link out of the root is not listed unless configured', () => {
    const outside = makeProject({ 'a/KNOWLEDGE.md': pack('a'), 'a/sources/x/KNOWLEDGE.md': pack('x') })
    const ws = makeProject({
      [`${ROOT}/a`]: aLinkTo(join(outside, 'a')),
      [`${ROOT}/into`]: aLinkTo(join(outside, 'a/sources')),
      [`${ROOT}/file`]: aLinkTo('/etc/hostname'),
    })
    const found = discoverIn(ws)
    expect(found.packs).toEqual([])
    expect(found.findings).toEqual([
      expect.objectContaining({ code: 'discovery.skipped', message: expect.stringMatching(/: a, into$/) }),
    ])
    const followed = discoverIn(ws, { config: { followLinks: true } })
    expect(followed.packs.map(({ root }) => root)).toEqual([join(outside, 'a')])
  })

  it('case 13: an unreadable folder is one finding, and the others are listed', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a'), [`${ROOT}/shut/b/KNOWLEDGE.md`]: pack('b') })
    const shut = join(ws, ROOT, 'shut')
    chmodSync(shut, 0)
    const { discovery } = watchDiscovery(ws, { isBound: true })
    chmodSync(shut, 0o755)
    expect(namesOf(discovery)).toEqual(['a'])
    expect(discovery.findings).toEqual([
      expect.objectContaining({
        code: 'discovery.skipped',
        subject: shut,
        message: expect.stringContaining('EACCES'),
      }),
    ])
  })

  it('an unreadable KNOWLEDGE.md is put aside', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a'), [`${ROOT}/b/KNOWLEDGE.md`]: pack('b') })
    chmodSync(join(ws, ROOT, 'b/KNOWLEDGE.md'), 0)
    const { discovery } = watchDiscovery(ws, { isBound: true })
    expect(namesOf(discovery)).toEqual(['a'])
    expect(discovery.quarantined).toEqual([
      expect.objectContaining({ path: join(ws, ROOT, 'b/KNOWLEDGE.md'), reason: expect.stringContaining('EACCES') }),
    ])
  })
})

describe('what is read', () => {
  it('case 14: of a file of 200 MB no more than its head', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: pack('a'), [`${ROOT}/b/KNOWLEDGE.md`]: '---\nname: b\n' })
    for (const name of ['a', 'b']) truncateSync(join(ws, ROOT, name, 'KNOWLEDGE.md'), 200 * 1024 * 1024)
    const { discovery, bytes } = watchDiscovery(ws)
    expect(namesOf(discovery)).toEqual(['a'])
    expect(discovery.quarantined).toHaveLength(1)
    expect(bytes).toBeGreaterThan(HEAD_BYTES)
    expect(bytes).toBeLessThanOrEqual(2 * HEAD_BYTES)
  })

  it('case 15: no file of a pack but KNOWLEDGE.md is opened, and elsewhere a page to see whether it has a type', () => {
    const ws = makeProject({
      [`${ROOT}/a/KNOWLEDGE.md`]: packText({ metadata: '{primaryOntology: ontology/ontology.json}' }),
      [`${ROOT}/a/sources/s.md`]: 's',
      [`${ROOT}/a/ontology/ontology.json`]: '{}',
      [`${ROOT}/a/wiki/index.md`]: 'w',
      [`${ROOT}/a/scripts/run.sh`]: 'exit 1',
      [`${ROOT}/b/notes.md`]: 'n',
    })
    const { discovery, opened, listed } = watchDiscovery(ws)
    expect(namesOf(discovery)).toEqual(['a'])
    expect([...new Set(opened)].sort()).toEqual(['a/KNOWLEDGE.md', 'b/notes.md'].map((path) => join(ws, ROOT, path)))
    expect([...new Set(listed)].sort()).toEqual(['', '/a', '/b'].map((name) => join(ws, ROOT) + name))
  })

  it('case 16: an entry has no text of the body', () => {
    const ws = makeProject({ [`${ROOT}/a/KNOWLEDGE.md`]: packText({}, 'The secret of the body.\n') })
    const found = discoverIn(ws)
    expect(namesOf(found)).toEqual(['a'])
    expect(JSON.stringify(found)).not.toContain('secret')
  })

  it('case 17: the order of the entries on disk changes nothing', () => {
    const names = ['b', 'a', 'c-d', 'c', '\u{1f30d}', '\ufb01', 'Z', '10', '9']
    const make = (order: readonly string[]) => {
      const ws = makeFolder()
      for (const name of order) {
        mkdirSync(join(ws, ROOT, name, 'x'), { recursive: true })
        writeFileSync(join(ws, ROOT, name, 'x', 'KNOWLEDGE.md'), pack('x'))
        mkdirSync(join(ws, ROOT, name, 'dist'))
      }
      return ws
    }
    const [first, second] = [make(names), make([...names].reverse())]
    const home = makeFolder()
    const packageFolder = makeFolder()
    const serialised = [first, second].map((ws) =>
      JSON.stringify(discoverIn(ws, { home, packageFolder })).replaceAll(ws, ''),
    )
    expect(serialised[0]).toBe(serialised[1])
    expect(serialised[0]).toContain('c-d/x')
  })
})
