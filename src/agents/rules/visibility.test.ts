import { describe, expect, it } from 'vitest'
import { type AgentSettings, limitsOf, NO_SETTINGS, usageScore } from './agent-settings.ts'
import type { Listing, ReadingRules } from './reading-rules.ts'
import { nearestRow, recordedRules } from './recorded-rules.ts'
import { decideVisibility, type FoundSkill } from './visibility.ts'

const rulesOf = (agent: string, version: string): { reading: ReadingRules; listing: Listing } => {
  const file = recordedRules(agent)
  const { reading, listing } = (file && nearestRow(file, version)?.rules) ?? {}
  if (reading === undefined || listing === undefined) throw new Error(`no list of ${agent} is known`)
  return { reading, listing }
}
const CLAUDE = rulesOf('claude', '2.1.197')
const CODEX = rulesOf('codex', '0.166.0')
const HAIKU = { model: 'claude-haiku-4-5' }

const skill = (name: string, more: Partial<FoundSkill> = {}): FoundSkill => {
  const path = `/${more.place ?? 0}/${name}/SKILL.md`
  const where = { path, realPath: path, place: 0, relativePath: `${name}/SKILL.md` }
  return { name, ...where, scope: 'user', isCommand: false, description: 'When it rains.', ...more }
}

const see = (found: FoundSkill[], { reading, listing }: typeof CLAUDE, settings: Partial<AgentSettings> = {}) => {
  const whole = { ...NO_SETTINGS, ...settings }
  return decideVisibility(found, reading, whole, { listing, limits: limitsOf(listing, whole) })
}

const fates = (...args: Parameters<typeof see>) =>
  see(...args).skills.map(({ name, fate, why }) => `${name} ${fate}${why === '' ? '' : `: ${why}`}`)

describe('what Claude Code does', () => {
  it('lists two skills with the same name, and uses the first', () => {
    expect(fates([skill('a'), skill('a', { place: 1 })], CLAUDE)).toEqual([
      'a visible',
      'a shadowed: /0/a answers to its name',
    ])
  })

  it('reads one file once, even if several links lead to it', () => {
    const found = [skill('a'), skill('b', { realPath: '/0/a/SKILL.md' })]
    expect(fates(found, CLAUDE)).toEqual(['a visible', 'b shadowed: the same file as /0/a'])
  })

  it('sorts by place, then by name in the order of a locale, and lists commands last', () => {
    const found = [
      skill('b'),
      skill('A'),
      skill('.c'),
      skill('z', { place: 1 }),
      skill('a', { place: 2, isCommand: true }),
      skill('y', { place: 1 }),
    ]
    expect(see(found, CLAUDE).skills.map(({ name }) => name)).toEqual(['.c', 'A', 'b', 'y', 'z', 'a'])
  })

  it('cuts one description at 1,536 characters', () => {
    const { skills } = see(
      [skill('a', { description: 'd'.repeat(1_537) }), skill('b', { description: 'd'.repeat(1_536) })],
      CLAUDE,
    )
    expect(skills.map(({ fate, characters }) => [fate, characters.shown, characters.line])).toEqual([
      ['cut', 1_536, 1_541],
      ['visible', 1_536, 1_542],
    ])
  })

  it('keeps descriptions of used skills and of its own skills if the list is full', () => {
    const found = ['a', 'b', 'c', 'd'].map((name) => skill(name, { description: 'd'.repeat(1_500) }))
    const { skills, own, used = 0 } = see(found, CLAUDE, { ...HAIKU, usage: { d: 2, b: 1 } })
    expect(skills.map(({ fate }) => fate)).toEqual(['dropped', 'visible', 'dropped', 'visible'])
    const listed = skills.reduce((total, { characters }) => total + characters.line, 0)
    expect(own).toMatchObject({ count: 13, characters: 4_441 + 13 })
    // Two line ends of a description take no column.
    expect(listed + own.characters - 2).toBe(used)
    expect(used).toBeLessThanOrEqual(8_000)
  })

  it('does what the settings say', () => {
    const found = ['a', 'b', 'c', 'd'].map((name) => skill(name))
    const overrides = { a: 'off', b: 'user-invocable-only', c: 'name-only' }
    const off = 'hidden: it is switched off in the settings'
    expect(fates(found, CLAUDE, { overrides })).toEqual([
      'c named: the settings want only its name listed',
      'd visible',
      `a ${off}`,
      `b ${off}`,
    ])
    expect(see(found, CLAUDE, { withoutOwn: true }).own.count).toBe(0)
  })

  it('lists a skill of the user instead of its own skill with the same name', () => {
    expect(see([skill('loop')], CLAUDE).own.count).toBe(12)
    expect(see([skill('init')], CLAUDE).own.count).toBe(13)
  })
})

describe('what Codex does', () => {
  it('lists its own first, then by scope, name and path', () => {
    const found = [
      skill('u', { scope: 'user' }),
      skill('p', { scope: 'project', place: 1 }),
      skill('B', { scope: 'project', place: 1 }),
      skill('s', { scope: 'agent', place: 2 }),
      skill('m', { scope: 'machine', place: 3 }),
    ]
    expect(see(found, CODEX).skills.map(({ name }) => name)).toEqual(['s', 'm', 'B', 'p', 'u'])
  })

  it('uses none of two skills with the same name', () => {
    const why = 'ambiguous: one of 2 with this name; called by name, none answers'
    expect(fates([skill('a'), skill('a', { place: 1 })], CODEX)).toEqual([`a ${why}`, `a ${why}`])
  })

  it('numbers only the folders from which something is listed', () => {
    const { skills } = see([skill('a', { place: 4 }), skill('b', { place: 11 })], CODEX)
    // `- a: When it rains. (file: r0/a/SKILL.md)` and its line end.
    expect(skills.map(({ characters, tokens }) => [characters.line, tokens])).toEqual([
      [42, 11],
      [42, 11],
    ])
  })

  it('shortens all descriptions, to the last token, before it drops a skill', () => {
    const found = Array.from({ length: 60 }, (_, at) =>
      skill(`s${String(at).padStart(2, '0')}`, { description: 'd'.repeat(700) }),
    )
    const { skills, used } = see(found, CODEX)
    expect(new Set(skills.map(({ fate }) => fate))).toEqual(new Set(['cut']))
    expect(used).toBe(5_440)
    expect(skills.reduce((total, { tokens }) => total + tokens, 0)).toBe(5_440)
  })

  it('reports that a skill with a duplicate name is also cut', () => {
    const long = { description: 'd'.repeat(1_100) }
    const why =
      'one of 2 with this name; called by name, none answers; its description has 1100 characters; 1024 are listed'
    expect(fates([skill('a', long), skill('a', { ...long, place: 1 })], CODEX)).toEqual(
      Array(2).fill(`a ambiguous: ${why}`),
    )
  })

  it('leaves out skills that are disabled by path or by name', () => {
    const found = [skill('a'), skill('b'), skill('c')]
    const off = [{ path: '/0/a/SKILL.md' }, { name: 'b' }]
    expect(see(found, CODEX, { off }).skills.map(({ fate }) => fate)).toEqual(['visible', 'hidden', 'hidden'])
  })
})

it('folders hide each other even if the limits of an agent are unknown', () => {
  const { reading } = CLAUDE
  const seen = decideVisibility(
    [skill('a'), skill('a', { place: 1 })],
    { ...reading, sameName: 'unknown' },
    NO_SETTINGS,
  )
  expect(seen.used).toBeUndefined()
  expect(seen.skills.map(({ why }) => why)).toEqual(
    Array(2).fill('one of 2 with this name; which one counts is not known'),
  )
})

it('Gemini CLI lists the last skill of a name whole, even if it is the same file', () => {
  const { reading, listing } = rulesOf('gemini', '0.61.0')
  const found = [skill('a'), skill('a', { place: 1, realPath: '/0/a/SKILL.md', description: 'd'.repeat(3_000) })]
  const { skills, used } = decideVisibility(found, reading, NO_SETTINGS, { listing, limits: undefined })
  expect(used).toBeUndefined()
  expect(skills.map(({ fate, why, characters: { shown, line } }) => [fate, why, shown, line])).toEqual([
    ['shadowed', '/1/a is read later, and replaces it', 0, 0],
    ['visible', '', 3_000, 97 + 'a'.length + 3_000 + '/1/a/SKILL.md'.length],
  ])
})

describe('limits', () => {
  const rows: [agent: typeof CLAUDE, settings: Partial<AgentSettings>, window: number | undefined, budget: number][] = [
    [CLAUDE, {}, undefined, 30_000],
    [CLAUDE, {}, 200_000, 6_000],
    [CLAUDE, { model: 'claude-haiku-4-5' }, undefined, 8_000],
    [CLAUDE, { model: 'opus' }, undefined, 6_000],
    [CLAUDE, { model: 'claude-opus-4-8[1m]' }, undefined, 30_000],
    [CLAUDE, { model: 'claude-sonnet-4-5[1m]' }, undefined, 40_000],
    [CLAUDE, { ...HAIKU, share: 0.07 }, undefined, 56_000],
    [rulesOf('claude', '2.1.326'), { model: 'opus' }, undefined, 30_000],
    [rulesOf('copilot', '1.0.102'), {}, 99, 15_000],
    [CLAUDE, { budget: 123 }, 1_000_000, 123],
    [CODEX, {}, undefined, 5_440],
    [CODEX, { window: 100_000 }, undefined, 2_000],
    [CODEX, { window: 100_000 }, 10_000, 200],
  ]
  it.each(rows)('%#: %o at %s', ({ listing }, settings, window, budget) => {
    expect(limitsOf(listing, { ...NO_SETTINGS, ...settings }, { window })?.budget).toBe(budget)
  })

  it('use counts half as much every week, down to a tenth', () => {
    const day = 86_400_000
    expect([0, 7, 14, 365].map((days) => usageScore(8, 0, days * day))).toEqual([8, 4, 2, 0.8])
  })
})
