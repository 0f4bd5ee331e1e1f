import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/text/values.ts'
import { runWarm } from '../cli/warm.ts'
import { makeFixtureWorld, makeResolvingWorld, quailPack, type ResolvingWorld, sourceMap } from './resolving.ts'

const TASK = 'How much do quail eggs weigh?'
const CLAIM = {
  id: 'egg-weight',
  text: 'Quail eggs weigh nine grams.',
  status: 'stale',
  source: { path: 'sources/log.md', anchor: 'L3' },
  into: ['compiled/facts.md'],
}
const MAP = sourceMap(CLAIM)
const PACK = quailPack({ version: '1.2.0' }, { 'indexes/source-map.json': MAP })

const stateOf = ({ home }: ResolvingWorld, ...rest: string[]) => join(home, '.local/state/loadout', ...rest)
const linesOf = (world: ResolvingWorld) =>
  readFileSync(stateOf(world, 'usage.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Resolves a task; returns the text and the id of its record. */
function hand(world: ResolvingWorld, words: string[] = [TASK]): { id: string; text: string } {
  const { json } = world.resolve(words)
  return { id: json.audit, text: json.wrappers.map(({ text }: { text: string }) => text).join('') }
}

const again = (world: ResolvingWorld, id: string) => world.run(['rehydrate', id])

describe('the record of a resolution', () => {
  const world = makeResolvingWorld({ user: { quails: PACK } })
  const { id, text } = hand(world, [TASK, '--need', 'the colour of the feet'])
  const written = readFileSync(stateOf(world, 'audit', `${id}.json`), 'utf8')
  const { record } = JSON.parse(written)

  it('case 138: has paths, versions, digests, claims that were hit and warnings', () => {
    const [pack] = record.parts
    expect(pack).toMatchObject({ name: 'quails', version: '1.2.0', root: world.rootOf('quails'), status: 'ready' })
    expect(pack.digest).toBe(sha256(PACK['KNOWLEDGE.md']))
    expect(pack.sourceMap).toEqual({ digest: sha256(MAP), claims: ['egg-weight'] })
    expect(pack.parts).toContainEqual(
      expect.objectContaining({
        path: 'compiled/facts.md',
        lines: { from: 1, to: 3 },
        files: [{ path: 'compiled/facts.md', sha256: sha256(PACK['compiled/facts.md']), bytes: 68 }],
      }),
    )
    expect(pack.warnings).toContainEqual(expect.objectContaining({ code: 'claim.doubtful', path: 'compiled/facts.md' }))
    expect(pack.wrapper.sha256).toBe(sha256(text))
    expect(pack.missing).toEqual(['the colour of the feet'])
    expect(record.question).toMatchObject({ budget: 4000, counter: 'chars/4' })
  })

  it('case 138: has no text of the pack and no clock', () => {
    expect(written).not.toContain('nine grams')
    expect(written).not.toMatch(/20\d\d-\d\d-\d\dT/)
    expect(hand(world, [TASK, '--need', 'the colour of the feet']).id).toBe(id)
  })
})

describe('rehydrating', () => {
  it.each<[string, () => ResolvingWorld, string[]]>([
    ['views', () => makeResolvingWorld({ user: { quails: PACK } }), [TASK]],
    ['pages and excerpts', () => makeResolvingWorld({ user: { quails: PACK } }), [TASK, '--cite', '--deep']],
    ['a small budget', () => makeResolvingWorld({ user: { quails: PACK } }), [TASK, '--budget', '260']],
    [
      'missing facts',
      () => makeResolvingWorld({ user: { quails: PACK } }),
      [TASK, '--need', 'feet', '--need', 'colour'],
    ],
    [
      'a disputed pack',
      () => makeFixtureWorld('orchard-keeper'),
      ['How long do apples keep?', '--pack', 'orchard-keeper', '--confirm', 'orchard-keeper'],
    ],
    ['an archived pack', () => makeFixtureWorld('mill-archive'), ['How fast was machine 2?', '--pack', 'mill-archive']],
    [
      'records of an ontology',
      () => makeFixtureWorld('kestrel-content-map'),
      ['night search and relay range', '--pack', 'kestrel-content-map'],
    ],
    [
      'a prepared answer',
      () => makeFixtureWorld('kestrel-content-map'),
      ['Can I read the keypad at night?', '--pack', 'kestrel-content-map'],
    ],
    [
      'a source with a hostile quote',
      () => makeFixtureWorld('kestrel-field-radio'),
      ['Verify the list price of the K4', '--pack', 'kestrel-field-radio', '--cite'],
    ],
    [
      'several packs',
      () => makeFixtureWorld('kestrel-field-radio', 'kestrel-brand-voice'),
      ['Announce the K4', '--pack', 'kestrel-field-radio', '--pack', 'kestrel-brand-voice'],
    ],
  ])('case 139: gives %s once more, byte for byte', (_, make, words) => {
    const world = make()
    const { id, text } = hand(world, words)
    expect(text).toContain('<knowledge_pack ')
    expect(again(world, id)).toEqual({ code: 0, stdout: text, stderr: '' })
    expect(again(world, id.slice(0, 6)).stdout).toBe(text)
  })

  it('case 139: withholds a secret then and now', () => {
    const key = `AKIA${'QWERTYUIOPASDFGH'}`
    const facts = `# Facts\n\n- Quail eggs weigh nine grams.\n- The key of the store is ${key}.\n`
    const world = makeResolvingWorld({ user: { quails: quailPack({}, { 'compiled/facts.md': facts }) } })
    const { id, text } = hand(world)
    expect(text).toContain('content.secret')
    expect(text).toContain('nine grams')
    expect(again(world, id).stdout).toBe(text)
    expect(text).not.toContain(key)
  })

  it('case 139: gives records of an ontology once more, without a secret in them', () => {
    const key = `AKIA${'QWERTYUIOPASDFGH'}`
    const world = makeFixtureWorld('kestrel-content-map')
    const path = join(world.rootOf('kestrel-content-map'), 'ontology/constraints.json')
    writeFileSync(
      path,
      JSON.stringify([{ id: 'k', conceptIds: ['c-range'], rule: `no range above 6.2 km, see ${key}` }]),
    )
    const { id, text } = hand(world, ['night search and relay range', '--pack', 'kestrel-content-map'])
    expect(text).toContain('Keypad is readable in the dark.')
    expect(text).toMatch(/\[file [0-9a-f]{16} ontology\/constraints\.json layer=ontology\]/)
    expect(text).not.toContain(key)
    expect(again(world, id)).toMatchObject({ code: 0, stdout: text })
  })

  it('case 139: gives the same from another folder', () => {
    const world = makeResolvingWorld({ workspace: { quails: PACK } })
    world.run(['approve', 'quails'])
    const { id, text } = hand(world)
    expect(world.run(['rehydrate', id], { cwd: world.home }).stdout).toBe(text)
  })

  it.each(['compiled/facts.md', 'KNOWLEDGE.md', 'wiki/concepts/eggs.md', 'sources/log.md'])(
    'case 140: gives nothing when %s has changed, and names it',
    (path) => {
      const world = makeResolvingWorld({ user: { quails: PACK } })
      const { id } = hand(world, [TASK, '--cite', '--deep'])
      appendFileSync(join(world.rootOf('quails'), path), '\nOne more line.\n')
      const { code, stdout, stderr } = again(world, id)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(path)
      expect(stderr).not.toContain('nine grams')
      const json = JSON.parse(world.run(['rehydrate', id, '--json']).stdout)
      expect(json).toMatchObject({ wrappers: [], changed: [{ pack: 'quails', paths: [path] }] })
    },
  )

  it('case 140: gives nothing when a file is gone', () => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const { id } = hand(world)
    rmSync(join(world.rootOf('quails'), 'compiled/facts.md'))
    expect(again(world, id)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('compiled/facts.md'),
    })
  })

  it.each([
    ['a record of its ontology', 'ontology/constraints.json', '[]'],
    ['evidence', 'ontology/evidence.json', '[]'],
  ])('case 140: gives nothing when %s has changed', (_, path, text) => {
    const world = makeFixtureWorld('kestrel-content-map')
    const { id } = hand(world, ['night search and relay range', '--pack', 'kestrel-content-map'])
    writeFileSync(join(world.rootOf('kestrel-content-map'), path), text)
    expect(again(world, id)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(path) })
  })

  it.each([
    ['revoked', 'revoke'],
    ['denied', 'deny'],
  ])('case 141: refuses when the pack was %s since', (_, command) => {
    const world = makeResolvingWorld({ workspace: { quails: PACK } })
    world.run(['approve', 'quails'])
    const { id } = hand(world)
    expect(again(world, id).code).toBe(0)
    world.run([command, 'quails'])
    const { code, stdout } = again(world, id)
    expect(code).toBe(3)
    expect(stdout).toBe('')
  })

  it('case 141: refuses when the pack is gone', () => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const { id } = hand(world)
    rmSync(world.rootOf('quails'), { recursive: true })
    const { code, stdout } = again(world, id)
    expect(code).toBe(2)
    expect(stdout).toBe('')
  })

  it('case 142: does not mind changes in files that were not used', () => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const { id, text } = hand(world, [TASK, '--budget', '100000'])
    const change = (path: string) => writeFileSync(join(world.rootOf('quails'), path), '# Other\n\nAnother text.\n')
    for (const path of [
      'sources/log.md',
      'wiki/index.md',
      'indexes/source-map.json',
      'wiki/contradictions/egg-weight.md',
    ])
      change(path)
    expect(again(world, id)).toMatchObject({ code: 0, stdout: text })
  })

  it('case 142: of an approved pack names such a change, and a new question gets what was approved', () => {
    const world = makeResolvingWorld({ workspace: { quails: PACK } })
    world.run(['approve', 'quails'])
    const { id, text } = hand(world)
    writeFileSync(join(world.rootOf('quails'), 'wiki/index.md'), '# Other\n')
    expect(again(world, id)).toMatchObject({
      code: 0,
      stdout: text,
      stderr: expect.stringContaining('did not use: wiki/index.md changed'),
    })
    expect(world.run(['resolve', TASK]).stdout).toContain('wait for approval: wiki/index.md changed')
  })

  it('refuses a record that was tampered with', () => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const { id } = hand(world)
    const path = stateOf(world, 'audit', `${id}.json`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"from":1', '"from":2'))
    expect(again(world, id)).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('a session', () => {
  it('case 143: has one copy of a pack that was activated twice, and two lines in the log', () => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const words = [TASK, '--session', 's1']
    expect(hand(world, words).text).toContain('nine grams')
    const { json } = world.resolve(words)
    expect(json).toMatchObject({ wrappers: [], token_estimate: 0, packs: [{ name: 'quails', repeated: true }] })
    expect(linesOf(world)).toMatchObject([
      { entryId: 'quails', kind: 'pack', session: 's1', stage: 'delivered' },
      { entryId: 'quails', kind: 'pack', session: 's1', stage: 'planned', tokensEst: 0 },
    ])
  })

  it('case 143: has one copy when another question leads to the same text', () => {
    const world = makeResolvingWorld({ user: { quails: quailPack() } })
    expect(hand(world, [TASK, '--session', 's']).text).toContain('nine grams')
    expect(hand(world, ['What do eggs of quails weigh?', '--session', 's']).text).toBe('')
    expect(linesOf(world)).toHaveLength(2)
  })

  it('case 143: gets again what has changed, and another session hears everything', () => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const words = [TASK, '--session', 's1']
    hand(world, words)
    appendFileSync(join(world.rootOf('quails'), 'compiled/facts.md'), '- They are speckled.\n')
    expect(hand(world, words).text).toContain('speckled')
    expect(hand(world, [TASK, '--session', 's2']).text).toContain('speckled')
    expect(hand(world).text).toContain('speckled')
  })
})

describe('old records', () => {
  it.each<[what: string, flags: string[], config: object, removed: number]>([
    ['stay for 90 days', [], {}, 0],
    ['go at the age that was typed', ['--older-than', '0'], {}, 1],
    ['go at the age in the settings', [], { audit: { keep_days: 0 } }, 1],
    ['stay when one only looks', ['--older-than', '0', '--dry-run'], {}, 0],
  ])('%s', (_, flags, config, removed) => {
    const world = makeResolvingWorld({ user: { quails: PACK } })
    const { id } = hand(world)
    mkdirSync(join(world.home, '.config/loadout'), { recursive: true })
    writeFileSync(join(world.home, '.config/loadout/config.json'), JSON.stringify(config))
    const { code } = runWarm(['audit', 'prune', ...flags], { cwd: world.workspace, home: world.home })
    expect(code).toBe(0)
    expect(again(world, id).code).toBe(removed === 0 ? 0 : 2)
  })
})

it('case 145: a pack that is read-only is not written to', () => {
  const world = makeResolvingWorld({ user: { quails: PACK } })
  const root = world.rootOf('quails')
  expect(world.watch(['resolve', TASK, '--cite', '--deep', '--session', 's'], root)).toMatchObject({
    code: 0,
    written: [],
  })
  chmodSync(join(root, 'compiled'), 0o555)
  chmodSync(root, 0o555)
  chmodSync(world.home, 0o777)
  const bound = makeResolvingWorld({})
  chmodSync(bound.home, 0o777)
  const { code, stderr } = bound.run(['resolve', TASK, '--pack', root], { isBound: true })
  expect(code).toBe(3)
  expect(stderr).not.toContain('could not be recorded')
  const run = world.run(['resolve', TASK], { isBound: true, env: { XDG_STATE_HOME: join(bound.home, 'state') } })
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('nine grams') })
  expect(run.stderr).not.toContain('could not be recorded')
})

it('case 146: clocks and languages change no byte', () => {
  const world = makeResolvingWorld({ user: { quails: PACK } })
  const places = [
    { TZ: 'UTC', LANG: 'C' },
    { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
    { TZ: 'America/Anchorage', LANG: 'zh_CN.UTF-8', LC_ALL: 'zh_CN.UTF-8' },
  ]
  const answers = places.map((env) => world.run(['resolve', TASK, '--json', '--cite'], { env }).stdout)
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain('<knowledge_pack')
})

it('packs that state the same with different numbers are both given', () => {
  const stating = (name: string, grams: number) =>
    quailPack({ name }, { 'compiled/facts.md': `# Facts\n\n- Quail eggs weigh ${grams} grams.\n` })
  const world = makeResolvingWorld({ user: { quails: stating('quails', 9), birds: stating('birds', 11) } })
  const { json } = world.resolve([TASK])
  expect(json.wrappers.map(({ text }: { text: string }) => /weigh (\d+)/.exec(text)?.[1]).sort()).toEqual(['11', '9'])
})
