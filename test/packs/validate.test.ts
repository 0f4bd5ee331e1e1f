import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import {
  brokenTextPack,
  closingTagPack,
  deepJsonPack,
  escapingPack,
  guideOf,
  hugeFilePack,
  linkingPack,
  type MadePack,
  makePack,
  nullClaimsPack,
  pipeViewPack,
  SECRET_TEXT,
  scriptPack,
  terminalEscapesPack,
  yamlBombPack,
} from './hostile-packs.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const BUILT_IN = join(import.meta.dirname, '..', '..', 'knowledge', 'loadout')

interface Issue {
  severity: string
  code: string
  path: string
  line?: number
  message: string
}

function validate(path: string) {
  const run = runWarm(['packs', 'validate', path, '--json'])
  const { status, issues } = JSON.parse(run.stdout) as { status: string; issues: Issue[] }
  return { ...run, status, issues, codes: issues.map(({ severity, code }) => `${severity} ${code}`) }
}

describe('packs validate', () => {
  const rows: [title: string, fields: string, name: string, expected: string | undefined, code: number | undefined][] =
    [
      ['case 25: a name of 64 characters', '', 'a'.repeat(64), undefined, 0],
      ['case 25: a name of 65 characters', '', 'a'.repeat(65), 'error pack.name.invalid', 1],
      ['case 25: a name with a capital', 'name: Quails', 'quails', 'error pack.name.invalid', 1],
      ['case 25: a name with a blank', 'name: my quails', 'quails', 'error pack.name.invalid', 1],
      ['case 26: 1024 characters', `description: ${'d'.repeat(1024)}`, 'quails', undefined, 0],
      ['case 26: 1025 characters', `description: ${'d'.repeat(1025)}`, 'quails', 'error pack.field', 1],
      ['case 27: a name unlike its folder', 'name: herons', 'quails', 'warning pack.field', 0],
      ['case 28: an unknown status', 'status: banana', 'quails', 'error pack.status', 1],
      ['case 33: 501 characters', `compatibility: ${'c'.repeat(501)}`, 'quails', 'pack.field', undefined],
    ]
  it.each(rows)('%s', (_, fields, name, expected, code) => {
    const { codes, ...run } = validate(makePack({ 'KNOWLEDGE.md': guideOf({ name, fields }) }, name).root)
    if (expected === undefined) expect(codes).toEqual([])
    else expect(codes).toContainEqual(expect.stringContaining(expected))
    if (code !== undefined) expect(run.code).toBe(code)
  })

  it('case 147: 0 for success, 1 for findings, 2 for bad arguments; JSON on stdout, messages on stderr', () => {
    const good = runWarm(['packs', 'validate', makePack().root, '--json'])
    expect([good.code, good.stderr]).toEqual([0, ''])
    expect(JSON.parse(good.stdout)).toMatchObject({ status: 'passed', name: 'hostile', issues: [] })
    const bad = runWarm(['packs', 'validate', nullClaimsPack().root, '--json'])
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.stdout)).toMatchObject({ status: 'failed', errors: 1 })
    expect(bad.stderr).toContain('[pack.field]')
    for (const args of [[], ['a', 'b'], ['a', '--nonsense']]) {
      expect(runWarm(['packs', 'validate', ...args])).toMatchObject({ code: 2, stdout: '' })
    }
  })

  it.each([
    ['a file', 'a.txt'],
    ['a folder without KNOWLEDGE.md', 'empty'],
    ['a folder with another spelling', 'other'],
    ['nothing', 'absent'],
  ])('case 148: %s has failed', (_, name) => {
    const project = makeProject({ 'a.txt': 'a', 'empty/a.md': 'a', 'other/knowledge.md': 'a' })
    const run = runWarm(['packs', 'validate', join(project, name), '--json'])
    expect(run.code).toBe(1)
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'failed', findings: [{ code: 'PACK_NOT_FOUND' }] })
  })

  it.each([[['packs', 'validate', '--help']], [['validate', '--help']]])('case 152: %j is help', (args) => {
    expect(runWarm(args)).toMatchObject({ code: 0, stdout: expect.stringContaining('usage: loadout') })
  })

  it('a path to KNOWLEDGE.md is its pack', () => {
    expect(validate(join(makePack().root, 'KNOWLEDGE.md')).status).toBe('passed')
  })

  it.each([['KNOWLEDGE.md'], ['']])('loadout check knows a pack, too: %j', (file) => {
    const good = runWarm(['validate', join(makePack().root, file), '--json'])
    expect(JSON.parse(good.stdout)).toMatchObject({ valid: true, checked: [{ kind: 'pack' }] })
    const bad = runWarm(['validate', join(nullClaimsPack().root, file), '--json'])
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.stdout)).toMatchObject({ issues: [{ code: 'pack.field' }] })
  })
})

describe('packs that we keep', () => {
  it('the built-in pack has no findings', () => {
    expect(validate(BUILT_IN)).toMatchObject({ code: 0, status: 'passed', issues: [] })
  })

  it.each(readdirSync(FIXTURES))('%s has no errors', (name) => {
    const { code, codes } = validate(join(FIXTURES, name))
    expect(codes.filter((each) => each.startsWith('error'))).toEqual([])
    expect(code).toBe(0)
  })

  it('the field radio has the warnings that its records call for', () => {
    expect(validate(join(FIXTURES, 'kestrel-field-radio')).codes).toEqual([
      'warning claim.disputed',
      'warning claim.doubtful',
      'warning claim.doubtful',
      'warning claim.doubtful',
      'warning pack.run',
      'warning pack.run',
      'warning pack.run',
      'info pack.field',
      'info TEXT_CHANGED',
    ])
  })
})

describe('hostile packs', () => {
  const paths = [
    '../xyzzy-quokka.md',
    '/etc/xyzzy-quokka',
    'a\\xyzzy-quokka',
    'C:/xyzzy-quokka',
    'wiki/../../xyzzy-quokka',
  ]
  it.each(paths)('case 127: %j is refused wherever it is written, and not repeated', (path) => {
    const run = validate(escapingPack(path).root)
    expect(run.code).toBe(1)
    const escapes = run.issues.filter(({ code }) => code === 'PATH_ESCAPE')
    expect(new Set(escapes.map((issue) => issue.path))).toEqual(
      new Set([
        'KNOWLEDGE.md',
        'compiled/facts.md',
        'indexes/source-map.json',
        'ontology/ontology.json',
        'runs/compile-1.json',
      ]),
    )
    expect(escapes.filter((issue) => issue.path === 'indexes/source-map.json')).toHaveLength(2)
    expect(escapes.filter((issue) => issue.path === 'runs/compile-1.json')).toHaveLength(3)
    // Frontmatter is metadata and may be shown.
    const told = [...run.stdout.split('\n'), ...run.stderr.split('\n')].filter(
      (line) => !line.includes('metadata.primary'),
    )
    expect(told.join('\n')).not.toContain(SECRET_TEXT)
  })

  const rows: [title: string, make: () => MadePack, expected: string[]][] = [
    ['case 127: links out of the pack', linkingPack, ['error PATH_ESCAPE']],
    ['case 106: claims: [null]', nullClaimsPack, ['error pack.field']],
    ['a pipe as a view', pipeViewPack, ['error NOT_A_FILE']],
    ['JSON too deep', deepJsonPack, ['error pack.field', 'error pack.field', 'error pack.field', 'error pack.field']],
    ['a file too large', hugeFilePack, ['warning FILE_TOO_LARGE']],
    ['bytes that are no text', brokenTextPack, ['warning TEXT_CHANGED']],
    ['a script', scriptPack, ['warning discovery.skipped']],
  ]
  it.each(rows)('%s', (_, make, expected) => {
    const { root } = make()
    const run = validate(root)
    expect(run.codes).toEqual(expect.arrayContaining(expected))
    expect(run.stdout + run.stderr).not.toContain(SECRET_TEXT)
    expect(existsSync(join(root, 'scripts', 'was-run'))).toBe(false)
  })

  it('bytes that were replaced are told from an imitated fence', () => {
    const { issues } = validate(brokenTextPack().root)
    const changed = issues.filter(({ code }) => code === 'TEXT_CHANGED').map(({ message }) => message)
    expect(changed).toEqual([expect.stringContaining('it contains bytes that are not UTF-8; they were replaced')])
  })

  it('frontmatter that would grow without end is refused', () => {
    const { code, codes } = validate(yamlBombPack().root)
    expect(codes).toEqual(['error pack.field'])
    expect(code).toBe(1)
  })

  it.each([
    ['terminal escapes', terminalEscapesPack],
    ['closing tags', closingTagPack],
  ])('%s reach neither terminal nor messages', (_, make) => {
    const { root } = make()
    for (const flags of [[], ['--json']]) {
      const { stdout, stderr } = runWarm(['packs', 'validate', root, ...flags])
      for (const sign of ['\u001b', '\u202e', 'knowledge_pack']) expect(stdout + stderr).not.toContain(sign)
    }
  })
})
