import { appendFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptPack } from './hostile-packs.ts'
import { type Answer, makeFixtureWorld, makeResolvingWorld, quailPack, told } from './resolving.ts'

const TASK = 'How much do quail eggs weigh?'
const FACT = 'Quail eggs weigh nine grams.'

const textOf = ({ json }: Answer): string => json.wrappers.map(({ text }: { text: string }) => text).join('')
const warningsOf = ({ json }: Answer) => told(json.compile_warnings)

/** Resolves a user's pack with these fields. */
const askUser = (fields: Record<string, string>, words: string[] = [], files = {}) =>
  makeResolvingWorld({ user: { quails: quailPack(fields, files) } }).resolve([TASK, ...words])

describe('the answer of packs resolve', () => {
  it('has the keys of the standard, and a reason for every file', () => {
    const { code, json } = askUser({})
    expect(code).toBe(0)
    expect(json).toMatchObject({
      selected_files: ['compiled/facts.md', 'compiled/boundaries.md'],
      source_anchors: ['sources/log.md#L3'],
      compile_warnings: [],
      missing: [],
    })
    expect(json).not.toHaveProperty('recommendation')
    const reasons = json.packs[0].reasons.map(({ path }: { path: string }) => path)
    expect(reasons).toEqual(expect.arrayContaining(json.selected_files))
  })

  it('case 104: names a missing fact, and what to do about it', () => {
    const { resolve } = makeFixtureWorld('kestrel-field-radio')
    const { json } = resolve(['What is the list price of the K4?', '--pack', 'kestrel-field-radio'])
    expect(json.missing).toContain('The K4 list price.')
    expect(json.recommendation).toBe('ask_user_or_mark_unknown')
    expect(json.compile_warnings).toContainEqual(expect.objectContaining({ code: 'claim.doubtful' }))
  })

  it('case 105: has a list of what is missing that is empty', () => {
    expect(askUser({}).json.missing).toEqual([])
  })

  it('case 154: is valid when every pack is refused, with the reasons', () => {
    const world = makeResolvingWorld({
      workspace: { quails: quailPack() },
      user: { 'quail-notes': quailPack({ name: 'quail-notes', status: 'disputed' }) },
    })
    const { code, json } = world.resolve([TASK, '--pack', 'quails', '--pack', 'quail-notes'])
    expect(code).toBe(3)
    expect(json).toMatchObject({ selected_files: [], wrappers: [], missing: [], token_estimate: 0 })
    expect(json.refused).toMatchObject([
      { name: 'quails', reason: 'approval-needed', needs_answer: true },
      { name: 'quail-notes', reason: 'confirmation-needed', needs_answer: true },
    ])
  })
})

describe('trust', () => {
  it('case 44: a workspace pack that is not approved gives nothing and is asked about', () => {
    const world = makeResolvingWorld({ workspace: { quails: quailPack() } })
    for (const words of [[TASK], [TASK, '--pack', 'quails'], [TASK, '--pack', world.rootOf('quails')]]) {
      const answer = world.resolve(words)
      expect(answer.code).toBe(3)
      expect(answer.json).toMatchObject({ selected_files: [], wrappers: [], refused: [{ reason: 'approval-needed' }] })
      expect(JSON.stringify(answer.json)).not.toContain('nine grams')
    }
    expect(world.run(['guide', 'quails'])).toMatchObject({ code: 3, stdout: '' })
  })

  it('case 45: an approved one gives its guide and its text', () => {
    const world = makeResolvingWorld({ workspace: { quails: quailPack() } })
    world.run(['approve', 'quails'])
    expect(world.run(['guide', 'quails']).stdout).toContain('Call every bird by its name.')
    expect(textOf(world.resolve([TASK]))).toContain(FACT)
  })

  it('case 44: one that changed since is given as it was approved, and asked about again', () => {
    const world = makeResolvingWorld({ workspace: { quails: quailPack() } })
    world.run(['approve', 'quails'])
    appendFileSync(join(world.rootOf('quails'), 'KNOWLEDGE.md'), 'One more rule.\n')
    const answer = world.resolve([TASK])
    expect(textOf(answer)).toContain(FACT)
    expect(textOf(answer)).toContain('KNOWLEDGE.md changed')
    expect(textOf(answer)).not.toContain('One more rule')
    expect(world.run(['list']).stdout).toContain('has changed since it was approved')
  })

  it('case 48: one that was denied is not asked about again and not loaded', () => {
    const world = makeResolvingWorld({ workspace: { quails: quailPack() } })
    world.run(['deny', 'quails'])
    const { code, json } = world.resolve([TASK])
    expect(code).toBe(0)
    expect(json).toMatchObject({ wrappers: [], refused: [{ reason: 'denied', needs_answer: false }] })
  })

  it('case 48: those that were denied keep no other pack out', () => {
    const names = ['quail-a', 'quail-b', 'quail-c']
    const bait = (name: string) => quailPack({ name, description: `${TASK} Quail eggs, quail, eggs weigh.` })
    const workspace = Object.fromEntries(names.map((name) => [name, bait(name)]))
    const world = makeResolvingWorld({ workspace, user: { quails: quailPack() } })
    for (const name of names) world.run(['deny', name])
    const answer = world.resolve([TASK])
    expect(textOf(answer)).toContain(FACT)
    expect(answer.json.refused.map(({ name }: { name: string }) => name)).toEqual(names)
  })

  it('case 49: no process is started, whatever a pack asks for', () => {
    const { project, root } = scriptPack()
    const world = makeResolvingWorld({})
    const words = (...rest: string[]) => [...rest, '--project', project]
    for (const run of [
      words('list'),
      words('approve', 'hostile'),
      words('guide', 'hostile'),
      words('resolve', 'questions about quails', '--cite', '--deep'),
    ]) {
      const watched = world.watch(run, root)
      expect(watched).toMatchObject({ code: 0, started: [], written: [] })
    }
    expect(existsSync(join(root, 'scripts/was-run'))).toBe(false)
    expect(world.run(words('resolve', 'questions about quails')).stdout).toContain('<knowledge_pack ')
  })

  it('case 50: the skill that produced a pack is not looked for', () => {
    const metadata = '\n  producedBy:\n    kind: agent-skill\n    name: egg-builder\n    version: 1.0.0'
    const world = makeResolvingWorld({ user: { quails: quailPack({ metadata }) } })
    const skill = join(world.home, '.claude/skills/egg-builder')
    mkdirSync(skill, { recursive: true })
    appendFileSync(join(skill, 'SKILL.md'), '---\nname: egg-builder\ndescription: Builds.\n---\nxyzzy\n')
    const watched = world.watch(['resolve', TASK, '--deep'], skill)
    expect(watched).toMatchObject({ code: 0, opened: [], listed: [], started: [] })
    expect(watched.stdout).toContain(FACT)
    expect(watched.stdout).not.toContain('xyzzy')
  })

  it('case 52: a user pack that calls itself external loads with a warning', () => {
    const answer = askUser({ trust: 'external' })
    expect(textOf(answer)).toContain(FACT)
    expect(warningsOf(answer)).toEqual(['warning pack.trust KNOWLEDGE.md'])
    expect(textOf(answer)).toContain('pack.trust')
  })

  it('case 53: approval is no answer to a dispute, nor the other way round', () => {
    const world = makeResolvingWorld({ workspace: { quails: quailPack({ status: 'disputed' }) } })
    const reasons = (words: string[]) => {
      const { code, json } = world.resolve([TASK, ...words])
      return [code, ...json.refused.map(({ reason }: { reason: string }) => reason)]
    }
    expect(reasons([])).toEqual([3, 'approval-needed'])
    expect(reasons(['--confirm', 'quails'])).toEqual([3, 'approval-needed'])
    world.run(['approve', 'quails'])
    expect(reasons([])).toEqual([3, 'confirmation-needed'])
    expect(reasons(['--confirm', 'quails'])).toEqual([0])
  })
})

describe('status', () => {
  it('case 54: ready loads without a word', () => {
    const answer = askUser({ status: 'ready' })
    expect([answer.code, warningsOf(answer)]).toEqual([0, []])
    expect(textOf(answer)).toContain(FACT)
  })

  it('case 55: a draft loads only after a yes', () => {
    const refused = askUser({ status: 'draft' })
    expect(refused).toMatchObject({ code: 3, json: { wrappers: [], refused: [{ reason: 'confirmation-needed' }] } })
    const loaded = askUser({ status: 'draft' }, ['--confirm', 'quails'])
    expect([loaded.code, warningsOf(loaded)]).toEqual([0, ['warning pack.status KNOWLEDGE.md']])
    expect(textOf(loaded)).toContain(FACT)
  })

  it('case 56: what needs review loads with a warning, and its gaps are listed', () => {
    const answer = askUser({ status: 'needs-review' })
    expect([answer.code, warningsOf(answer)]).toEqual([0, ['warning pack.status KNOWLEDGE.md']])
    expect(answer.json.packs[0].missing).toEqual([])
    const { run } = makeResolvingWorld({ user: { quails: quailPack({ status: 'needs-review' }) } })
    expect(run(['resolve', TASK]).stdout).toContain('no known gaps')
    expect(run(['resolve', TASK, '--need', 'the colour of the feet']).stdout).toContain('the colour of the feet')
  })

  it('case 57: for a stale pack the newer one of its name is used, and the swap is recorded', () => {
    const newer = quailPack(
      { version: '2.0.0' },
      {
        'compiled/facts.md': '# Facts\n\n- Quails fly.\n',
        'wiki/concepts/eggs.md': '# Eggs\n\nThey weigh ten grams.\n',
      },
    )
    const world = makeResolvingWorld({
      workspace: { quails: quailPack({ status: 'stale', version: '1.0.0' }) },
      user: { quails: newer },
    })
    world.run(['approve', world.rootOf('quails')])
    const answer = world.resolve([TASK])
    expect(textOf(answer)).toContain('ten grams')
    expect(textOf(answer)).not.toContain('nine grams')
    expect(answer.json.substitutions).toMatchObject([
      { name: 'quails', from: { scope: 'workspace', version: '1.0.0' }, to: { scope: 'user', version: '2.0.0' } },
    ])
    expect(warningsOf(answer)).not.toContain('warning pack.status KNOWLEDGE.md')
  })

  it('case 58: a stale pack without a newer one loads with a warning', () => {
    const answer = askUser({ status: 'stale' })
    expect([answer.code, warningsOf(answer)]).toEqual([0, ['warning pack.status KNOWLEDGE.md']])
    expect(textOf(answer)).toContain(FACT)
  })

  it('case 59: a disputed pack loads after a yes, with a warning and its contradictions', () => {
    expect(askUser({ status: 'disputed' })).toMatchObject({ code: 3, json: { wrappers: [] } })
    const answer = askUser({ status: 'disputed' }, ['--confirm', 'quails'])
    expect(answer.code).toBe(0)
    expect(warningsOf(answer)).toContain('warning pack.status KNOWLEDGE.md')
    expect(answer.json.selected_files).toContain('wiki/contradictions/egg-weight.md')
  })

  it('case 60, case 61: an archived pack loads only when it is named', () => {
    const implicit = askUser({ status: 'archived' })
    expect(implicit).toMatchObject({ code: 0, json: { wrappers: [], refused: [{ reason: 'archived' }] } })
    const named = askUser({ status: 'archived' }, ['--pack', 'quails'])
    expect([named.code, warningsOf(named)]).toEqual([0, ['warning pack.status KNOWLEDGE.md']])
    expect(textOf(named)).toContain(FACT)
  })

  it.each(['draft', 'needs-review', 'stale', 'disputed', 'archived'])('case 62: the wrapper shows %s', (status) => {
    const answer = askUser({ status }, ['--pack', 'quails', '--confirm', 'quails'])
    expect(textOf(answer)).toMatch(new RegExp(`^<knowledge_pack name="quails" status="${status}"`))
  })

  it('case 28: a status that is none gives nothing', () => {
    const answer = askUser({ status: 'banana' }, ['--pack', 'quails', '--confirm', 'quails'])
    expect(answer.json).toMatchObject({ wrappers: [], refused: [{ reason: 'unknown-status' }] })
  })
})

describe('metadata', () => {
  it('case 29: a type of its own is used, an unknown one only when it is named', () => {
    expect(textOf(askUser({ type: 'custom:acme' }))).toContain(FACT)
    expect(askUser({ type: 'nonsense' }).json.selected_files).toEqual([])
    expect(textOf(askUser({ type: 'nonsense' }, ['--pack', 'quails']))).toContain(FACT)
  })

  it.each([
    ['case 30: without a profile', '', ['info pack.field KNOWLEDGE.md']],
    ['case 31: of the profile sideways', 'sideways', ['warning pack.field KNOWLEDGE.md']],
  ])('%s a pack is read as wiki-first, and that is said once', (_, profile, warnings) => {
    const pack = quailPack({ profile })
    const text = profile === '' ? pack['KNOWLEDGE.md'].replace(/^profile:.*\n/m, '') : pack['KNOWLEDGE.md']
    const answer = makeResolvingWorld({ user: { quails: { ...pack, 'KNOWLEDGE.md': text } } }).resolve([TASK])
    expect(answer.json.packs[0].profile).toBe('wiki-first')
    expect(answer.json.selected_files).toEqual(['compiled/facts.md', 'compiled/boundaries.md'])
    expect(warningsOf(answer)).toEqual(warnings)
  })

  it('case 74: a primary document outside the pack is an error, and stays closed', () => {
    const metadata = '\n  primaryDocument: ../other/secret.txt'
    const world = makeResolvingWorld({
      user: { quails: quailPack({ profile: 'document-first', metadata }), other: { 'secret.txt': 'xyzzy' } },
    })
    const watched = world.watch(['resolve', TASK, '--deep', '--json'], join(world.home, '.agents/knowledge/other'))
    expect(watched.opened).toEqual([])
    expect(watched.stdout).not.toContain('xyzzy')
    expect(told(JSON.parse(watched.stdout).compile_warnings)).toContain('error PATH_ESCAPE KNOWLEDGE.md')
  })

  it.each(['and the for', 'is it the', '...', '的'])('case 92: %j activates nothing', (task) => {
    const world = makeResolvingWorld({
      user: { quails: quailPack({ description: 'And the for of it is the quails.' }) },
    })
    expect(world.resolve([task]).json).toMatchObject({ packs: [], refused: [] })
  })
})

describe('several packs', () => {
  const persona = quailPack({
    name: 'quail-voice',
    runtime: '\n  mode: persona',
    description: 'Voice for texts about quails and quail eggs.',
  })
  const world = makeResolvingWorld({
    user: {
      quails: quailPack(),
      'quail-notes': quailPack({ name: 'quail-notes' }),
      'quail-voice': persona,
    },
  })
  const named = (...names: string[]) => names.flatMap((name) => ['--pack', name])

  it('case 71, case 70: the persona comes first, and its wrapper says what it is', () => {
    const { json } = world.resolve([TASK, ...named('quails', 'quail-notes', 'quail-voice')])
    const wrappers: { pack: string; text: string }[] = json.wrappers
    expect(wrappers.map(({ pack }) => pack)).toEqual(['quail-voice', 'quails', 'quail-notes'])
    expect(wrappers.map(({ text }) => /mode="(\w+)"/.exec(text)?.[1])).toEqual(['persona', 'data', 'data'])
    expect(Object.keys(json)).not.toContain('system')
  })

  it('are named in the paths and anchors of their common answer', () => {
    const { json } = world.resolve([TASK, ...named('quails', 'quail-notes')])
    expect(json.selected_files).toEqual(
      expect.arrayContaining(['quails/compiled/facts.md', 'quail-notes/compiled/facts.md']),
    )
    expect(json.source_anchors).toEqual(['quails/sources/log.md#L3', 'quail-notes/sources/log.md#L3'])
  })

  it.each([0, 1, 50, 200, 400, 700, 1_000_000_000])('share a budget of %d', (budget) => {
    const { code, json } = world.resolve([
      TASK,
      ...named('quails', 'quail-notes', 'quail-voice'),
      '--budget',
      String(budget),
    ])
    expect(code).toBe(0)
    expect(json.token_estimate).toBeLessThanOrEqual(budget)
    const length = json.wrappers.map(({ text }: { text: string }) => Math.ceil(text.length / 4))
    expect(json.token_estimate).toBe(length.reduce((sum: number, each: number) => sum + each, 0))
    expect(json.packs).toHaveLength(3)
  })

  it('case 89: without any budget say that all was left out', () => {
    const answer = world.resolve([TASK, ...named('quails'), '--budget', '0'])
    expect(answer.json.wrappers).toEqual([])
    expect(warningsOf(answer)).toContain('warning LEFT_OUT compiled/facts.md')
  })

  it('named twice, by name and by folder, are given once', () => {
    const { json } = world.resolve([TASK, ...named('quails', world.rootOf('quails'), 'quails')])
    expect(json.wrappers).toHaveLength(1)
  })
})

it('case 86: from another working directory the same bytes', () => {
  const world = makeResolvingWorld({ workspace: { quails: quailPack() } })
  world.run(['approve', 'quails'])
  const deep = join(world.workspace, 'src/compiled')
  mkdirSync(deep, { recursive: true })
  appendFileSync(join(deep, 'facts.md'), 'xyzzy\n')
  const [here, there] = [world.workspace, deep].map(
    (cwd) => world.run(['resolve', TASK, '--json', '--cite'], { cwd }).stdout,
  )
  expect(there).toBe(here)
  expect(here).toContain(FACT)
})

it('case 130: nothing of a pack but its KNOWLEDGE.md is opened before it passes its gates', () => {
  const metadata = '\n  primaryOntology: ontology/ontology.json'
  const world = makeResolvingWorld({
    workspace: { quails: quailPack({ metadata }, { 'ontology/ontology.json': '{}' }) },
    user: { 'quail-notes': quailPack({ name: 'quail-notes', status: 'disputed' }) },
  })
  for (const root of [world.rootOf('quails'), world.rootOf('quail-notes')]) {
    const { opened, code } = world.watch(['resolve', TASK, '--pack', root], root)
    expect(code).toBe(3)
    expect(opened.filter((path) => !path.endsWith('KNOWLEDGE.md'))).toEqual([])
  }
})
