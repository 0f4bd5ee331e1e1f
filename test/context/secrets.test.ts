import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, makeProject } from '../cli/run.ts'
import { runMany } from '../cli/warm.ts'
import { guide } from '../packs/pack-world.ts'
import { board, makeContextWorld, NOTES, NOW, noteLine, payload } from './context-world.ts'

/** Letters and digits that look random, and are the same on every run. Not written out anywhere. */
function drawn(
  length: number,
  seed: number,
  alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
): string {
  let state = seed * 2_654_435_761
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)]
  }).join('')
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const base64 = (text: string) => Buffer.from(text).toString('base64url')

interface Secret {
  /** As it would stand in a text. */
  text: string
  /** What must not be shown. */
  needle: string
}

const plain = (needle: string): Secret => ({ text: needle, needle })

const SECRETS: Record<string, Secret> = {
  'an access key of a cloud': plain(`AK${'IA'}${drawn(16, 1, UPPER)}`),
  'a token of a forge': plain(`gh${'p_'}${drawn(36, 2)}`),
  'another token of a forge': plain(`glp${'at-'}${drawn(20, 3)}`),
  'a token of a chat': plain(`xox${'b-'}${drawn(12, 4, '0123456789')}-${drawn(12, 5, '0123456789')}-${drawn(24, 6)}`),
  'a token of a registry': plain(`np${'m_'}${drawn(36, 7)}`),
  'a key of a model': plain(`sk-${'ant-'}api03-${drawn(80, 8)}`),
  'a key of a bank': plain(`sk_${'live_'}${drawn(24, 9)}`),
  'a signed token': plain(`${base64('{"alg":"HS256"}')}.${base64(`{"sub":"${drawn(12, 10)}"}`)}.${drawn(43, 11)}`),
  'a header': ((needle: string) => ({ text: `Authorization: Bearer ${needle}`, needle }))(drawn(40, 12)),
  'a password': ((needle: string) => ({ text: `password="${needle}"`, needle }))(drawn(18, 13)),
  'a line of an environment': ((needle: string) => ({ text: `API_KEY=${needle}`, needle }))(drawn(32, 14)),
  'a password in an address': ((needle: string) => ({ text: `postgres://app:${needle}@db.intern:5432/x`, needle }))(
    drawn(20, 15),
  ),
  'a private key': ((needle: string) => ({
    text: ['-----BEGIN RSA PRIV', 'ATE KEY-----\n', needle, '\n-----END RSA PRIV', 'ATE KEY-----'].join(''),
    needle,
  }))(drawn(64, 16)),
  'a card': plain(`4${'539 14'}88 0343 ${'6467'}`),
  'an address of a person': plain(`ottilie.brandauer${'@'}posteo-example.org`),
}

function treeText(folder: string): string {
  if (!existsSync(folder)) return ''
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isFile() ? `${path}\n${readFileSync(path, 'latin1')}` : path))
    .join('\n')
}

/** JSON and markup escape some characters; a needle contains none of them. */
function expectHidden(said: string, { needle }: Secret, where: string): void {
  expect.soft(said.includes(needle), `${where} shows it`).toBe(false)
}

/** Each secret meets every third way, and each way every third secret; all of them with LOADOUT_TEST_ALL=1. */
const everyThird = <T>(ways: readonly T[], first: number): T[] =>
  ways.filter((_, at) => process.env.LOADOUT_TEST_ALL !== undefined || at % 3 === first % 3)

describe.each(Object.entries(SECRETS))('%s', (name, secret) => {
  const nth = Object.keys(SECRETS).indexOf(name)
  const { text, needle } = secret
  const line = text.replaceAll('\n', ' ')
  const fileName = line.includes('/') ? 'innocent' : line.slice(0, 200)
  const world = makeContextWorld({
    '.git/HEAD': '',
    'AGENTS.md': `# Agents\n\nUse ${text}\nto sign in.\n`,
    'state.json': JSON.stringify({ status: line, password: needle, count: 3 }),
    'docs/a.md': `# Docs\n\n${text}\n`,
    'docs/b.md': `# More\n\n${'an innocent line\n'.repeat(140)}${text}\n`,
    [`docs/${fileName}.md`]: 'innocent\n',
    'rules/house.md': payload('house', { priority: 'core', summary: JSON.stringify(line) }, `Body: ${text}`),
    'rules/gauge.md': payload('gauge', { keywords: JSON.stringify(['gauge', line]) }, 'innocent'),
    [NOTES]: `${noteLine(`Sign in with ${text}`)}\n${noteLine('innocent', [line.slice(0, 64)])}\n`,
    'board.json': board([
      { id: 'T-1', title: line, summary: 'one' },
      { id: 'T-2', title: 'two', summary: `It is ${text}` },
      { id: 'T-3', title: 'three', tags: [line] },
      { id: line, title: 'four' },
      { id: 'T-5', title: 'five', state: line },
    ]),
    'loadout.json': JSON.stringify({
      payloads: ['rules/*.md'],
      controlPlane: [
        'AGENTS.md',
        { path: 'state.json', summary: ['status', 'password', 'count', line.slice(0, 900)] },
        `gone/${fileName}`,
      ],
      intents: {
        other: { keywords: [line], include: ['docs/*.md'] },
        default: { include: ['docs/*.md', `docs/${fileName}*`] },
      },
      tactical: { path: NOTES },
      adapters: [
        { id: 'board', file: 'board.json' },
        { id: 'gone', file: `gone/${fileName}.json` },
      ],
    }),
  })

  it('reaches nobody, in no format', () => {
    const task = `read the gauge with ${text}`
    expectHidden(treeText(world.home), secret, 'the index')
    const out = join(makeFolder(), 'bundle')
    const formats = [
      ['--format', 'text'],
      ['--format', 'markdown'],
      ['--format', 'xml'],
    ]
    const others = [['--format', 'json'], ['--explain'], ['--out', out]]
    const ways = [['--json', '--strict'], ...everyThird(formats, nth), ...everyThird(others, nth)]
    const calls = ways.map((words) => ['context', task, '--now', NOW, ...words])
    const runs = runMany(calls, { cwd: world.project, home: world.home })
    for (const [at, { code, stdout, stderr }] of runs.entries()) {
      const words = ways[at] ?? []
      expect.soft(code, stderr).toBe(words.includes('--strict') ? 1 : 0)
      expectHidden(stdout, secret, words.join(' '))
      expectHidden(stderr, secret, `the warnings of ${words.join(' ')}`)
      if (words[0] !== '--out') expect.soft(stdout).toContain('[masked: ')
    }
    if (existsSync(out)) expectHidden(readFileSync(out, 'latin1'), secret, '--out')
    const digest = JSON.parse(runs[0]?.stdout ?? '').digest
    const again = world.run(['replay', digest])
    expect([again.code, again.stderr]).toEqual([0, ''])
    expectHidden(again.stdout, secret, 'replay')
    expectHidden(treeText(join(world.home, '.local')), secret, 'the record')
    expectHidden(treeText(join(world.home, '.cache')), secret, 'the cache')
  })

  it('is in no error about the settings or the call', () => {
    const key = line.slice(0, 900)
    const settings = [
      { [key]: 1 },
      // Digits after a dot are part of another number.
      ...(/^\d/.test(key) ? [] : [{ budget: { [key]: 1 } }, { intents: { [key]: { include: [] } } }]),
      { adapters: [{ id: key, file: 'x' }] },
      { controlPlane: [`../${key}`] },
      { preset: key },
      { sanitize: key, routing: { strategy: key } },
    ]
    const wrong = [
      ['--intent', key],
      ['--project', `/no/${fileName}`],
      ['--tokenizer', key],
    ]
    const inSettings = settings.map((each) => ({ where: Object.keys(each)[0]?.slice(0, 5) ?? '', settings: each }))
    const tried = everyThird([...inSettings, ...wrong.map((words) => ({ where: words[0] ?? '', words }))], nth)
    const calls = tried.map((each) => {
      const words =
        'words' in each ? each.words : ['--project', makeProject({ 'loadout.json': JSON.stringify(each.settings) })]
      return ['context', 'x', '--json', ...words]
    })
    const runs = runMany(calls, { cwd: makeFolder(), home: makeFolder() })
    for (const [at, { code, stdout, stderr }] of runs.entries()) {
      const { where, ...how } = tried[at]!
      // A mistake disables the part that contains it; a wrong limit or argument prevents the bundle.
      const mayExit = where === 'adapt' ? [0, 1, 2] : 'words' in how ? [2] : [1, 2]
      expect.soft(code, where).toBeOneOf(mayExit)
      expectHidden(stdout + stderr, secret, where)
    }
  })

  it('in a pack that was approved is not shown either', () => {
    const pack = guide({ name: 'water', description: 'How the gauge measures water' }, `Sign in with\n\n${text}\n`)
    const { context } = makeContextWorld({
      '.git/HEAD': '',
      'AGENTS.md': '#\n',
      '.agents/knowledge/water/KNOWLEDGE.md': pack,
    })
    const { stdout, stderr } = context(['--format', 'text'])
    expectHidden(stdout + stderr, secret, 'the pack')
  })
})
