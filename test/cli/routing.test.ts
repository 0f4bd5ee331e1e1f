import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, makeFolder, makeProject, type RunOptions } from './run.ts'
import { runWarm } from './warm.ts'

const payload = (id: string, keywords: string, body: string, extra = '') =>
  `---\nid: ${id}\nkeywords: [${keywords}]\n${extra}---\n\n${body}\n`

const FILES = {
  '.claude/loadout/rules.md': payload('rules', '', 'Always be careful.', 'priority: core\n'),
  '.claude/loadout/release.md': payload('release', 'release, tag', '# Release\n\nTag first. Then publish.'),
  '.claude/rules/docs.md': payload('docs', 'docs', 'Docs are built last.', 'triggers:\n  plan: false\n'),
  '.claude/loadout/secret.md': payload('secret', 'release', 'Only when asked.', 'priority: manual\n'),
}

/** A project with a built index, and a home of its own. */
function built(files: Record<string, string> = FILES): Required<Pick<RunOptions, 'cwd' | 'home'>> {
  const place = { cwd: makeProject(files), home: makeFolder() }
  expect(runWarm(['index', 'build'], place)).toMatchObject({ code: 0, stderr: '' })
  return place
}

function json(args: string[], place: RunOptions) {
  const run = runWarm([...args, '--json'], place)
  return { ...run, value: JSON.parse(run.stdout) }
}

describe('a payload with a priority that is not one', () => {
  const cwd = makeProject({
    '.claude/rules/a.md': '---\nid: alpha\nkeywords: [deploy]\npriority: Core\n---\nDeploy it.\n',
  })
  const lines = [
    'index build',
    'index check',
    'validate',
    'plan deploy --load',
    'lookup alpha --load',
    'context deploy',
  ]
  it.each(lines)('is named, with the nearest one, by whatever reads the file: %s', (line) => {
    const { code, stdout, stderr } = runWarm(line.split(' '), { cwd })
    expect([code, stdout + stderr]).toEqual([
      0,
      expect.stringContaining('.claude/rules/a.md: the priority "Core" is treated as domain: did you mean "core"?'),
    ])
  })
})

describe('index build', () => {
  it('writes the same bytes until a payload changes', () => {
    const place = built()
    const path = join(place.cwd, '.claude/loadout/index.json')
    const first = readFileSync(path, 'utf8')
    expect(runWarm(['index', 'build'], place).stdout).toContain('unchanged')
    expect(readFileSync(path, 'utf8')).toBe(first)
    writeFileSync(join(place.cwd, '.claude/rules/docs.md'), payload('docs', 'docs, site', 'New.'))
    expect(runWarm(['index', 'build', '--dry-run'], place).stdout).toContain('written')
    expect(readFileSync(path, 'utf8')).toBe(first)
    expect(runWarm(['index', 'build'], place).stdout).toContain('written')
    expect(JSON.parse(readFileSync(path, 'utf8')).generated > JSON.parse(first).generated).toBe(true)
  })

  it('builds from a subfolder at the root of the repository', () => {
    const cwd = makeProject({ ...FILES, '.git/HEAD': '', 'src/deep/x.ts': '' })
    expect(runWarm(['index', 'build'], { cwd: join(cwd, 'src/deep') }).code).toBe(0)
    const plan = json(['plan', 'release'], { cwd: join(cwd, 'src') })
    expect(plan.value.onDemand.map((match: { entry: { id: string } }) => match.entry.id)).toEqual(['release'])
  })

  it('builds the nearest project, also inside another one', () => {
    const inner = { 'packages/a/loadout.json': '{}', 'packages/a/.claude/loadout/a.md': payload('a', 'zebra', 'A.') }
    const cwd = makeProject({ ...FILES, '.git/HEAD': '', ...inner })
    const place = { cwd: join(cwd, 'packages/a') }
    expect(json(['index', 'build'], place).value.path).toBe(join(place.cwd, '.claude/loadout/index.json'))
    expect(json(['index', 'check'], place).value.entries).toBe(1)
  })

  it('follows the globs of loadout.json', () => {
    const files = { 'knowledge/a.md': payload('a', 'word', 'A.'), 'other/b.md': payload('b', 'word', 'B.') }
    const cwd = makeProject({ ...files, 'loadout.json': '{"payloads": ["knowledge/*.md"]}' })
    expect(json(['index', 'build'], { cwd }).value.entries.map(({ id }: { id: string }) => id)).toEqual(['a'])
  })

  it('builds the global index of a user', () => {
    const home = makeProject({ '.ai-loadout/mine.md': payload('mine', 'word', 'Mine.') })
    expect(runWarm(['index', 'build', '--layer', 'global'], { home }).code).toBe(0)
    expect(json(['lookup', 'mine'], { home }).value).toMatchObject({ layer: 'global', entry: { path: 'mine.md' } })
  })

  it('writes nothing when an id is used twice', () => {
    const cwd = makeProject({ ...FILES, '.claude/rules/twin.md': payload('release', 'x', 'Twin.') })
    const run = runWarm(['index', 'build'], { cwd })
    expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('not written') })
    expect(run.stderr).toContain('the id "release" is used by')
    expect(() => readFileSync(join(cwd, '.claude/loadout/index.json'))).toThrow()
  })

  it('notes what was measured', () => {
    const place = built()
    runWarm(['plan', 'release', '--load'], place)
    const once = json(['index', 'build'], place).value.budget.avg_task_load_observed
    const written = JSON.parse(readFileSync(join(place.cwd, '.claude/loadout/index.json'), 'utf8'))
    expect(written.budget.avg_task_load_observed).toBeNull()
    expect(json(['resolve'], place).value.budget.avg_task_load_observed).toBe(once)
    expect(once).toBeGreaterThan(0)
    runWarm(['plan', 'release', '--load'], place)
    runWarm(['lookup', 'secret', '--load'], place)
    // The same task again is another task, and a look-up is none.
    expect(json(['index', 'build'], place).value.budget.avg_task_load_observed).toBe(once)
    expect(json(['budget'], place).value).toMatchObject({ tasks: 2, observedPerTask: once })
  })
})

describe('index check', () => {
  it('is quiet when all is well, and names drift', () => {
    const place = built()
    expect(runWarm(['index', 'check'], place)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('in order'),
    })
    writeFileSync(join(place.cwd, '.claude/loadout/release.md'), payload('release', 'release', 'Other text.'))
    writeFileSync(join(place.cwd, '.claude/loadout/new.md'), payload('new', 'c', 'New.'))
    const run = json(['index', 'check'], place)
    expect(run.code).toBe(1)
    const told = run.value.findings.map(({ code, message }: { code: string; message: string }) => [code, message])
    expect(told).toEqual([
      ...['keywords', 'summary', 'tokens_est', 'lines'].map((field) => [
        'DRIFT',
        expect.stringContaining(`${field} of release`),
      ]),
      ['DRIFT', '.claude/loadout/new.md (new) is not in the index'],
    ])
  })
})

describe('validate', () => {
  const codesOf = ({ value }: ReturnType<typeof json>) => value.findings.map(({ code }: { code: string }) => code)

  it('sees a payload that changed after the build, and a budget that contradicts its entries', () => {
    const place = built()
    expect(json(['validate'], place)).toMatchObject({ code: 0, value: { valid: true, issues: [] } })
    const path = join(place.cwd, '.claude/loadout/index.json')
    const index = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, JSON.stringify({ ...index, budget: { ...index.budget, always_loaded_est: 1 } }))
    writeFileSync(join(place.cwd, '.claude/loadout/release.md'), payload('release', 'release, tag', 'Other.'))
    for (const args of [['validate'], ['validate', path]]) {
      const run = json(args, place)
      expect(run.code).toBe(1)
      expect(new Set(codesOf(run))).toEqual(new Set(['DRIFT']))
    }
  })

  it('compares an index that lies elsewhere with the payloads that it names, and fails when there are none', () => {
    const place = built()
    const index = readFileSync(join(place.cwd, '.claude/loadout/index.json'), 'utf8')
    writeFileSync(join(place.cwd, 'other.json'), index)
    expect(json(['validate', 'other.json'], place)).toMatchObject({ code: 0, value: { issues: [] } })
    rmSync(join(place.cwd, '.claude/rules/docs.md'))
    expect(codesOf(json(['validate', 'other.json'], place))).toEqual(['PAYLOAD_MISSING'])
    const alone = { cwd: makeProject({ 'index.json': index }) }
    const run = json(['validate', 'index.json'], alone)
    expect([run.code, ...codesOf(run)]).toEqual([1, 'PAYLOAD_MISSING'])
  })
})

describe('index migrate', () => {
  const long = (word: string) => `${`${word} deserves a longer explanation in this place. `.repeat(8)}\n\n`
  const text = `# Project\n\nHello.\n\n## Never\n\n${long('caution')}## Database\n\n${long('postgres')}## Deploy\n\n${long('kubernetes')}`

  it('shows first, then writes, keeps the original, and routes', () => {
    const place = { cwd: makeProject({ 'CLAUDE.md': text }), home: makeFolder() }
    const shown = runWarm(['index', 'migrate', 'CLAUDE.md'], place)
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was written') })
    expect(readFileSync(join(place.cwd, 'CLAUDE.md'), 'utf8')).toBe(text)
    expect(runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], place).code).toBe(0)
    expect(readFileSync(join(place.cwd, 'CLAUDE.md.before-loadout'), 'utf8')).toBe(text)
    expect(readFileSync(join(place.cwd, 'CLAUDE.md'), 'utf8')).toContain('## Never')
    const plan = json(['plan', 'deploy to kubernetes'], place)
    expect(plan.value.onDemand[0].entry.id).toBe('deploy')
    expect(runWarm(['index', 'check'], place).code).toBe(0)
    expect(runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no section worth moving'),
    })
  })

  it('run again after a kill before the index was written, builds only the index', () => {
    const place = { cwd: makeProject({ 'CLAUDE.md': text }), home: makeFolder() }
    runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], place)
    const index = join(place.cwd, '.claude/loadout/index.json')
    const whole = readdirSync(place.cwd)
    rmSync(index)
    expect(runWarm(['index', 'migrate', 'CLAUDE.md', '--write'], place)).toMatchObject({ code: 0, stderr: '' })
    expect(existsSync(index)).toBe(true)
    expect(readdirSync(place.cwd)).toEqual(whole)
  })
})

describe('plan', () => {
  it('says what, why and what it costs', () => {
    const { stdout, code } = runWarm(['plan', 'cut', 'a', 'release'], built())
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      '  load now    rules    17 tok  project  core: always loaded',
      '  load now    release  21 tok  project  ranked (pointer, 73 %): keywords [release], name [release]',
      '  left out    docs     20 tok  project  not among the best',
      '  on request  secret   19 tok  project  manual',
      '  Loads 38 of 77 known tokens.',
    ])
  })

  it('honours phase and budget, and lists what it left out', () => {
    const place = built()
    expect(json(['plan', 'docs', '--phase', 'plan'], place).value).toMatchObject({
      onDemand: [],
      leftOut: [{ match: { entry: { id: 'docs' } }, reason: 'phase: not for plan' }],
    })
    expect(json(['plan', 'release docs', '--budget', '40'], place).value.leftOut[0].reason).toMatch(/^budget: needs/)
    expect(runWarm(['plan', 'release', '--budget', '5'], place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('core entries alone cost'),
    })
  })

  it('reads a task from standard input', () => {
    expect(runWarm(['plan', '-'], { ...built(), stdin: 'cut a release\n' }).stdout).toContain('keywords [release]')
  })

  it('prints texts fenced as data, within the budget, and records the load', () => {
    const place = built()
    const run = runWarm(['plan', 'release docs', '--load', '--budget', '150', '--strategy', 'keywords'], place)
    expect(run.stdout.match(/^<loadout_payload id="[a-z]+" layer="project" path=/gm)).toHaveLength(2)
    expect(run.stdout.length / 4).toBeLessThanOrEqual(150)
    expect(run.stdout).toContain('Docs are built last.')
    expect(run.stdout).not.toContain('keywords:')
    expect(run.stderr).toContain('release was not loaded')
    expect(json(['usage'], place).value).toMatchObject([
      { entryId: 'rules', modes: ['eager'], planned: 1, delivered: 1 },
      { entryId: 'docs', modes: ['lazy'], planned: 1, delivered: 1 },
      { entryId: 'release', modes: [], planned: 1, delivered: 0, loadCount: 0 },
    ])
    const log = readFileSync(join(place.home, '.local/state/loadout/usage.jsonl'), 'utf8').trim().split('\n')
    expect(new Set(log.map((line) => JSON.parse(line).taskHash)).size).toBe(1)
    expect(log[1]).toContain('"sourceLayer":"project"')
    expect(log.join()).not.toContain('release docs')
  })

  it('preloads nothing from an index that asks for it', () => {
    const place = built()
    const path = join(place.cwd, '.claude/loadout/index.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), lazyLoad: true }))
    expect(json(['plan', 'x'], place).value).toMatchObject({
      preload: [],
      onDemand: [{ entry: { id: 'rules' }, mode: 'lazy' }],
    })
  })

  it('merges layers, reports a broken one, and goes on', () => {
    const place = built()
    mkdirSync(join(place.home, '.ai-loadout'))
    writeFileSync(join(place.home, '.ai-loadout/index.json'), '[1, 2')
    const run = json(['plan', 'release'], place)
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('the global layer is not used') })
    expect(run.value.onDemand[0].entry.id).toBe('release')
    expect(run.stderr).toMatch(/line 1, column \d/)
  })

  it('never reads a payload outside its root', () => {
    const outside = makeProject({ 'passwords.txt': 'hunter2' })
    const index = { version: '1.0.0', generated: 'x', budget: {} }
    const entry = { keywords: ['zebra'], patterns: [], priority: 'domain', summary: 's', tokens_est: 1, lines: 1 }
    const paths = [join(outside, 'passwords.txt'), '../passwords.txt', 'link.txt', 'folder/passwords.txt', 'a\0b']
    const entries = paths.map((path, at) => ({ ...entry, id: `e${at}`, path }))
    const cwd = makeProject({ '.claude/loadout/index.json': JSON.stringify({ ...index, entries }) })
    symlinkSync(join(outside, 'passwords.txt'), join(cwd, 'link.txt'))
    symlinkSync(outside, join(cwd, 'folder'))
    const run = json(['plan', 'zebra', '--load', '--strategy', 'keywords'], { cwd })
    expect(run.code).toBe(1)
    expect(run.value.contents).toEqual([])
    expect(run.value.findings.map(({ code }: { code: string }) => code)).toEqual(paths.map(() => 'PATH_ESCAPE'))
    expect(run.stdout + run.stderr).not.toContain('hunter2')
  })

  it('answers from an index of thousands of entries, also after the index changed', () => {
    const entry = { path: 'x.md', patterns: [], priority: 'domain', summary: 's', tokens_est: 7, lines: 1 }
    const entries = Array.from({ length: 3000 }, (_, n) => ({
      ...entry,
      id: `entry-${n}`,
      keywords: [`word${n}`, 'docs'],
    }))
    const index = { version: '1.0.0', generated: 'x', budget: {}, entries }
    const place = { cwd: makeProject({ '.claude/loadout/index.json': JSON.stringify(index) }), home: makeFolder() }
    const task = ['plan', 'word7 word8 and word9', '--strategy', 'keywords']
    expect(runWarm(task, place)).toEqual(runWarm(task, place))
    expect(runWarm([...task, '--json'], place).stdout).toBe(
      runWarm([...task, '--json'], { ...place, home: makeFolder() }).stdout,
    )
    const chosen = json(task, place).value
    expect(chosen).toMatchObject({ knownEntries: 3000, unmatchedCount: 2997, manualCount: 0, conflictCount: 0 })
    expect(chosen.roots).toEqual({ project: place.cwd })
    expect(chosen).not.toHaveProperty('unmatched')
    expect(json([...task, '--all'], place).value.unmatched).toHaveLength(2997)
    expect(runWarm([...task, '--all'], place).stdout).toContain('entry-2999 ')
    const path = join(place.cwd, '.claude/loadout/index.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"word7"', '"worn7"'))
    expect(runWarm(task, place).stdout).not.toContain('entry-7 ')
    expect(runWarm(task, place)).toMatchObject({ code: 0, stdout: expect.stringContaining('entry-8 ') })
  })
})

describe('explain and lookup', () => {
  it('explains hits and misses', () => {
    const place = built()
    expect(runWarm(['explain', 'release', '--task', 'a release'], place).stdout).toContain(
      'release is loaded.\n  ranked first (text, confidence 93 %): keywords [release], name [release]',
    )
    expect(runWarm(['explain', 'docs', '--task', 'a release'], place).stdout).toContain('no word of the task is in it')
    expect(json(['explain', 'secret', '--task', 'a release'], place).value).toMatchObject({
      finalLayer: 'project',
      verdict: { loaded: false, reason: 'manual: never loaded by a task' },
    })
  })

  it('suggests the nearest id', () => {
    expect(runWarm(['explain', 'relaese'], built())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean release?'),
    })
  })

  it('loads a manual entry and records it', () => {
    const place = built()
    expect(runWarm(['lookup', 'secret', '--load'], place).stdout).toContain('Only when asked.')
    expect(json(['usage'], place).value).toMatchObject([{ entryId: 'secret', triggers: ['lookup'], modes: ['manual'] }])
  })
})

describe('analysis', () => {
  it('works on the layers and the machine’s log, and on files that are named', () => {
    const place = built()
    runWarm(['plan', 'release', '--load'], place)
    const index = join(place.cwd, '.claude/loadout/index.json')
    const log = join(place.home, '.local/state/loadout/usage.jsonl')
    const dead = json(['dead'], place)
    expect(dead.value.map(({ id }: { id: string }) => id)).toEqual(['docs', 'secret'])
    expect(json(['dead', index, log], { home: makeFolder() }).value).toEqual(dead.value)
    expect(json(['overlaps', index], {}).value).toEqual([{ keyword: 'release', entries: ['release', 'secret'] }])
    expect(json(['overlaps'], place).value).toEqual(json(['overlaps', index], {}).value)
    expect(json(['budget', index, log], {}).value).toMatchObject({ tasks: 1, coreEntries: 1, domainEntries: 2 })
    expect(json(['budget'], place).value).toMatchObject({ totalTokens: 77, observedPerTask: expect.any(Number) })
    expect(json(['usage', log], {}).value).toHaveLength(2)
    expect(json(['validate', index], {}).value).toMatchObject({ valid: true, errors: 0, issues: [] })
    expect(json(['validate'], place).code).toBe(0)
  })

  it('shows an override and its chain', () => {
    const place = built()
    mkdirSync(join(place.home, '.ai-loadout'))
    writeFileSync(join(place.home, '.ai-loadout/release.md'), payload('release', 'release', 'Mine.'))
    runWarm(['index', 'build', '--layer', 'global'], place)
    expect(json(['resolve'], place).value).toMatchObject({
      conflicts: [{ entryId: 'release', layers: ['global', 'project'] }],
      entries: expect.arrayContaining([expect.objectContaining({ id: 'release', source: 'project' })]),
    })
    expect(runWarm(['explain', 'release'], place).stdout).toContain('← in effect')
    expect(json(['resolve', '--global='], place).value.conflicts).toEqual([])
  })
})

it('a kill in the middle of a build leaves an index whole', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 1500 }, (_, n) => [
      `.claude/loadout/p${n}.md`,
      payload(`p${n}`, `word${n}`, 'Text. '.repeat(40)),
    ]),
  )
  const place = built(many)
  const path = join(place.cwd, '.claude/loadout/index.json')
  for (let round = 0; round < 6; round++) {
    writeFileSync(join(place.cwd, '.claude/loadout/p0.md'), payload('p0', `round${round}`, 'Changed.'))
    const child = spawn(process.execPath, [CLI, 'index', 'build'], {
      cwd: place.cwd,
      env: { HOME: place.home },
      stdio: 'ignore',
    })
    setTimeout(() => child.kill('SIGKILL'), 60 + round * 40)
    await once(child, 'exit')
    expect(JSON.parse(readFileSync(path, 'utf8')).entries).toHaveLength(1500)
  }
  writeFileSync(join(place.cwd, '.claude/loadout/p0.md'), payload('p0', 'last', 'Changed.'))
  expect(runWarm(['index', 'build'], place).code).toBe(0)
  expect(runWarm(['index', 'check'], place).code).toBe(0)
  expect(readdirSync(join(place.cwd, '.claude/loadout')).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
