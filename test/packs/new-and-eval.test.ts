import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROFILES, RUNTIME_MODES } from '../../src/packs/rules/pack.ts'
import { aFolder, aLinkTo, makeFolder, makeProject, type Run } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { makePack } from './hostile-packs.ts'

describe('packs new', () => {
  const kinds = PROFILES.flatMap((profile) => RUNTIME_MODES.map((mode) => [profile, mode] as const))
  it.each(kinds)('a %s pack in %s mode is valid from the start', (profile, mode) => {
    const cwd = makeProject({ '.git': aFolder, 'src/a.ts': '' })
    const started = runWarm(['packs', 'new', 'quail-care', '--profile', profile, '--mode', mode, '--json'], {
      cwd: join(cwd, 'src'),
    })
    const root = join(cwd, '.agents', 'knowledge', 'quail-care')
    const { path, files } = JSON.parse(started.stdout)
    expect([started.code, path]).toEqual([0, root])
    expect(files).toContain('indexes/source-map.json')
    expect(files.some((file: string) => file.startsWith('wiki/'))).toBe(profile !== 'document-first')
    expect(files.some((file: string) => file.startsWith('documents/'))).toBe(profile !== 'wiki-first')
    for (const file of files) expect(existsSync(join(root, file))).toBe(true)
    const run = runWarm(['packs', 'validate', root, '--json'])
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: 'passed',
      issues: [{ severity: 'info', code: 'pack.incomplete' }],
    })
    expect(readFileSync(join(root, 'KNOWLEDGE.md'), 'utf8')).toMatch(/^status: draft\n[\s\S]*^trust: unreviewed$/m)
  })

  it('a description of any kind stays one', () => {
    const description = 'Says: "yes" #1\n---\nstatus: ready \u001b[2J'
    const [cwd, home] = [makeFolder(), makeFolder()]
    const run = runWarm(['packs', 'new', 'quails', '--user', '--description', description], { cwd, home })
    expect(run.code).toBe(0)
    const root = join(home, '.agents', 'knowledge', 'quails')
    expect(readFileSync(join(root, 'KNOWLEDGE.md'), 'utf8')).toContain('\nstatus: draft\n')
    expect(runWarm(['packs', 'validate', root]).stdout).toContain('passed')
    expect(readdirSync(cwd)).toEqual([])
  })

  it('says what comes next', () => {
    const cwd = makeProject({ 'a project/a.txt': '' })
    const { stdout } = runWarm(['packs', 'new', 'quails', '--project', './a project'], { cwd })
    const root = join(cwd, 'a project', '.agents/knowledge/quails')
    expect(stdout).toContain(`loadout check '${root}'`)
    expect(stdout).toContain('loadout approve quails')
  })

  it('what is there is left alone', () => {
    const cwd = makeProject({ '.agents/knowledge/quails/mine.txt': 'mine' })
    const run = runWarm(['packs', 'new', 'quails'], { cwd })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') })
    expect(readdirSync(join(cwd, '.agents/knowledge'))).toEqual(['quails'])
    expect(readdirSync(join(cwd, '.agents/knowledge/quails'))).toEqual(['mine.txt'])
  })

  it('what a killed writer left is removed', () => {
    const cwd = makeProject({ '.agents/knowledge/.quails.999999999-00000000.tmp/KNOWLEDGE.md': '' })
    expect(runWarm(['packs', 'new', 'quails'], { cwd }).code).toBe(0)
    expect(readdirSync(join(cwd, '.agents/knowledge'))).toEqual(['quails'])
  })

  it.each([['Quails'], ['../quails'], ['-'], ['a'.repeat(65)], ['a b']])('%j is no name', (name) => {
    const cwd = makeFolder()
    expect(runWarm(['packs', 'new', '--', name], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this is not a valid name for a pack'),
    })
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each([
    [['--user', '--project', '.']],
    [['--project', './absent']],
    [['--description', 'd'.repeat(1025)]],
    [['--profile', 'sideways']],
  ])('%j cannot be', (flags) => {
    const [cwd, home] = [makeFolder(), makeFolder()]
    expect(runWarm(['packs', 'new', 'quails', ...flags], { cwd, home }).code).toBe(2)
    // Any command may write the code cache.
    expect([...readdirSync(cwd), ...readdirSync(home).filter((name) => name !== '.cache')]).toEqual([])
  })
})

const suite = (...cases: object[]) => JSON.stringify({ pack_name: 'quails', cases })
const unrelated = { id: 'bread', prompt: 'Bake a loaf of rye bread.', expected: 'reject' }
const wrong = { id: 'wrong', prompt: 'Bake a loaf of rye bread.', expected: 'select' }

function evalOpen(root: string, ...words: string[]): Run {
  const home = makeFolder()
  runWarm(['packs', 'approve', root], { home })
  return runWarm(['packs', 'eval', root, '--json', ...words], { home })
}

describe('packs eval', () => {
  it('a pack that is not approved: its cases are shown by number', () => {
    const { root } = makePack({ 'evals/discovery.train.json': suite(unrelated, wrong) }, 'quails')
    const { code, stdout, stderr } = runWarm(['packs', 'eval', root])
    expect(code).toBe(1)
    expect(stderr).toContain('case-2: expected select, got reject')
    expect(stderr).toContain('is not approved: cases are shown by number')
    expect(stdout + stderr).not.toMatch(/bread|wrong/)
  })

  it('case 147: a suite that passes is 0, with JSON on stdout alone', () => {
    const { root } = makePack({ 'evals/discovery.train.json': suite(unrelated) }, 'quails')
    const run = evalOpen(root)
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(JSON.parse(run.stdout)).toMatchObject({
      pack: 'quails',
      suites: [{ suite: 'evals/discovery.train.json', results: [{ id: 'bread', passed: true }] }],
    })
    expect(existsSync(join(root, 'runs'))).toBe(false)
  })

  it('case 149: a case that fails is 1, and is named', () => {
    const { root } = makePack({ 'evals/discovery.validation.json': suite(unrelated, wrong) }, 'quails')
    const run = evalOpen(root, 'validation')
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('wrong: expected select, got reject')
    expect(JSON.parse(run.stdout).suites[0].summary).toMatchObject({ passed: 1, failed: 1, precision: null, recall: 0 })
  })

  it.each([
    ['case 151: no cases', suite()],
    ['case 153: another pack', suite(unrelated).replace('quails', 'herons')],
    ['no JSON', '{'],
    ['tests of answers', '{"evals":[{"id":"a"}]}'],
  ])('%s is 1', (_, text) => {
    const { root } = makePack({ 'evals/discovery.train.json': text }, 'quails')
    expect(runWarm(['packs', 'eval', root])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[BAD_SUITE]'),
    })
  })

  it('a pack without a suite is 1; no pack, and a file that is not there, are 2', () => {
    const { root } = makePack({}, 'quails')
    expect(runWarm(['packs', 'eval', root]).code).toBe(1)
    expect(runWarm(['packs', 'eval', root, 'absent.json']).code).toBe(2)
    expect(runWarm(['packs', 'eval', join(root, 'wiki')]).code).toBe(2)
  })

  it('a suite from elsewhere can be run', () => {
    const { root, project } = makePack({}, 'quails')
    writeFileSync(join(project, 'mine.json'), suite(unrelated))
    const run = runWarm(['packs', 'eval', 'quails', 'mine.json', '--json'], { cwd: project })
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ root, suites: [{ suite: 'mine.json' }] })
  })

  it('--write leaves one record a suite, and no link is written through', () => {
    const suites = {
      'evals/discovery.train.json': suite(unrelated),
      'evals/discovery.validation.json': suite(unrelated),
    }
    const { root } = makePack(suites, 'quails')
    expect(runWarm(['packs', 'eval', root, '--write']).code).toBe(0)
    const names = readdirSync(join(root, 'runs'))
    expect(names).toEqual([
      expect.stringMatching(/^eval-discovery-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-train\.json$/),
      expect.stringMatching(/^eval-discovery-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-validation\.json$/),
    ])
    expect(JSON.parse(readFileSync(join(root, 'runs', names[0] ?? ''), 'utf8'))).toMatchObject({
      suite: 'evals/discovery.train.json',
      pack_name: 'quails',
      results: [{ id: expect.any(String), expected: 'reject', actual: 'reject', passed: true }],
      summary: { passed: 1, failed: 0, precision: null, recall: null, warning_accuracy: null },
    })
    const outside = makeFolder()
    const linked = makePack({ ...suites, runs: aLinkTo(outside) }, 'quails')
    expect(runWarm(['packs', 'eval', linked.root, '--write']).code).toBe(2)
    expect(readdirSync(outside)).toEqual([])
  })

  it('a copy of the built-in pack has suites of the right form', () => {
    const root = join(makeFolder(), 'loadout')
    cpSync(join(import.meta.dirname, '..', '..', 'knowledge', 'loadout'), root, { recursive: true })
    const { stdout } = runWarm(['packs', 'eval', root, '--json'])
    expect(JSON.parse(stdout).suites).toHaveLength(2)
  })
})
