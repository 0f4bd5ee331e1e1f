import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { Line, Size } from './frame/line.ts'
import { BINDINGS, type KeyPlace } from './keys.ts'
import {
  CHECKS,
  importsOf,
  inventoryOf,
  MERGES,
  modelOf,
  PREVIEW,
  previewOf,
  SETTINGS,
  SKILLS,
  skillOf,
  syncOf,
  UPDATES,
} from './model.fixture.ts'
import { GROUPINGS, initialModel, type Model, type Overlay, SCREENS, type ScreenId } from './model.ts'
import { SIGNS } from './signs.ts'
import { view } from './view.ts'

const SIZES: [columns: number, rows: number][] = [
  [1, 1],
  [20, 5],
  [40, 10],
  [80, 24],
  [120, 40],
  [200, 60],
]

const HOSTILE_TEXT = '界'.repeat(500)

const OVERLAYS: Overlay[] = [
  { kind: 'palette', query: '', at: 0 },
  { kind: 'palette', query: 'zzz', at: 0 },
  { kind: 'agents', at: 0 },
  { kind: 'facets', at: 0 },
  { kind: 'confirm', question: 'Sure?', text: HOSTILE_TEXT, effect: { kind: 'quit' } },
  { kind: 'ask', question: 'Name of the profile', text: 'work', asking: { for: 'profile' } },
]

const HOSTILE = [
  '技能技能技能技能技能技能',
  '👨‍👩‍👧‍👦👩🏽‍🚀🇩🇪1️⃣☀️',
  `e${'\u0301'.repeat(80)}a\u0308`,
  'مهارة \u202eevil\u202c שלום',
  'a\u001b[2J\u001b]0;title\u0007b\u009b31mc\u0000\r\n\td',
  'x'.repeat(3_000),
  '界'.repeat(3_000),
  '\u200b\u200d\ufeff\ufe0f',
]

function nothing(): Model {
  return initialModel({ columns: 80, rows: 24 }, { home: '/home/me', project: undefined, scope: 'user' })
}

function many(): Model {
  const skills = Array.from({ length: 2_000 }, (_, at) =>
    skillOf({ ...SKILLS[at % SKILLS.length]!, name: `skill-${at}` }),
  )
  return modelOf(
    {},
    { value: inventoryOf(skills), at: 1_234, preview: previewOf('skill-1234', '# a\n\n'.repeat(3_000)) },
  )
}

function hostile(): Model {
  const text = HOSTILE.join(' ')
  const skills = HOSTILE.map((name) =>
    skillOf({ name, description: text, tags: HOSTILE, problems: HOSTILE.slice(3, 6), state: 'invalid' }),
  )
  const made = modelOf(
    { project: `/home/me/${HOSTILE[4]}`, scope: 'project' },
    {
      value: inventoryOf(skills, { agents: HOSTILE }),
      filter: '',
      preview: previewOf(HOSTILE[0]!, HOSTILE.join('\n\n')),
    },
  )
  return {
    ...made,
    imports: importsOf({
      at: 1,
      candidates: HOSTILE.map((name) => {
        return { name, description: text, targets: HOSTILE, paths: HOSTILE, state: 'blocked', problem: text }
      }),
      chosen: HOSTILE.slice(0, 2),
    }),
    updates: {
      ...made.updates,
      value: {
        ...UPDATES,
        updates: HOSTILE.map((name) => ({ ...UPDATES.updates[0]!, name, source: text, diff: `+${text}` })),
      },
    },
    merges: {
      ...made.merges,
      list: HOSTILE.slice(2, 5).map((skill) => ({
        ...MERGES[0]!,
        skill,
        sides: { ours: text, theirs: text },
        files: text,
        places: HOSTILE.slice(0, 2).map((path) => ({ path, message: text, ours: text, theirs: `${text}\n${text}` })),
      })),
    },
    attention: {
      library: { ...made.attention!.library!, branch: text, remote: text, merges: HOSTILE },
      rooms: HOSTILE.map((agent) => ({ ...made.attention!.rooms[0]!, agent, label: text })),
      wasAsked: true,
    },
    doctor: {
      at: 2,
      health: { fixed: [], checks: HOSTILE.map((name) => ({ ...CHECKS[2]!, name, message: text, fix: text })) },
    },
    profiles: { at: 1, list: HOSTILE.map((name) => ({ name, profile: { [name]: HOSTILE }, place: 'library' })) },
    settings: {
      at: 1,
      view: {
        ...SETTINGS,
        library: text,
        config: text,
        agents: HOSTILE.map((id) => ({ ...SETTINGS.agents[0]!, id, label: text, userFolder: text })),
      },
    },
    sync: {
      at: 0,
      push: true,
      preview: undefined,
      findings: HOSTILE.map((message) => ({ severity: 'error', code: 'REPO_NOT_FOUND', message, hint: message })),
      result: {
        ...made.sync.result!,
        operations: HOSTILE.map((skill) => ({ ...made.sync.result!.operations[0]!, skill })),
      },
    },
    review: {
      at: 0,
      name: HOSTILE[4]!,
      value: HOSTILE.map((path) => ({ ...made.review.value![0]!, path, what: text, quote: text })),
    },
    diff: {
      at: 0,
      name: HOSTILE[4]!,
      value: {
        name: HOSTILE[4]!,
        differences: HOSTILE.map((path) => ({
          agents: HOSTILE,
          scope: 'user',
          state: 'edited',
          path,
          text: `+${text}\n-${text}`,
        })),
      },
    },
    setup: { at: 1, place: text },
    notice: { tone: 'alert', text, hint: text },
  }
}

const read = (line: Line) => line.map(({ text }) => text).join('')
const draw = (model: Model) => view(model).map(read)

/** Screens with a cursor, and whether there is a row for it. */
function hasCursor({ screen, inventory, imports, doctor, profiles, settings, overlay }: Model): boolean {
  if (overlay !== undefined) return false
  const counts: Partial<Record<ScreenId, number>> = {
    inventory: inventory.focus === 'list' && inventory.filter === '' ? inventory.value?.skills.length : 0,
    import: imports.candidates?.length,
    doctor: doctor.health?.checks.length,
    profiles: profiles.list?.length,
    settings: settings.view?.agents.length,
  }
  return (counts[screen] ?? 0) > 0
}

// Control characters, and marks that change the direction of a text.
const STEERING = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

function check(model: Model): void {
  const { columns, rows } = model.size
  const lines = view(model)
  expect(lines).toHaveLength(rows)
  const drawn = lines.map(read)
  expect(drawn.filter((line) => stringWidth(line) !== columns)).toEqual([])
  expect(drawn.filter((line) => STEERING.test(line))).toEqual([])
  if (hasCursor(model)) {
    expect(lines.filter((line) => line.some(({ style }) => style === 'chosen'))).toHaveLength(1)
  }
}

describe('the screen is exactly as large as the terminal', () => {
  const contents: [what: string, make: () => Model][] = [
    ['nothing', nothing],
    ['a library', modelOf],
    ['2,000 skills', many],
    ['hostile texts', hostile],
  ]
  describe.each(contents)('with %s', (_, make) => {
    // Hostile texts overflow what is narrow; models below go up to 130 × 45.
    it.each(make === hostile ? SIZES.slice(0, 4) : SIZES)('at %i × %i', (columns, rows) => {
      const made = { ...make(), size: { columns, rows } }
      for (const screen of SCREENS) check({ ...made, screen })
      for (const overlay of OVERLAYS) check({ ...made, overlay })
      check({
        ...made,
        notice: undefined,
        work: { label: 'sync', done: 1, total: 9, what: HOSTILE.join(' '), ticks: 7 },
      })
      check({ ...made, inventory: { ...made.inventory, focus: 'text', scroll: 99_999 } })
      for (const filter of ['', 'e', ...HOSTILE.slice(3, 6)]) {
        check({ ...made, inventory: { ...made.inventory, isFiltering: true, filter, at: 0 } })
      }
    })
  })

  // The width of a character that Unicode does not define yet is unknown.
  const assigned = (noise: string) => noise.replace(/\p{Cn}/gu, '')
  const size = fc.record({ columns: fc.integer({ min: 1, max: 130 }), rows: fc.integer({ min: 1, max: 45 }) })
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }).map(assigned),
    fc.constantFrom(...HOSTILE),
  )
  const state = fc.constantFrom(...SKILLS.map((skill) => skill.state))
  const skill = fc
    .record({ name: text, description: text, tags: fc.array(text), state, problems: fc.array(text) })
    .map(skillOf)
  const overlay = fc.oneof(
    fc.constant(undefined),
    fc.record({ kind: fc.constant('palette' as const), query: text, at: fc.nat(30) }),
    fc.record({ kind: fc.constant('agents' as const), at: fc.nat(10) }),
    fc.record({ kind: fc.constant('facets' as const), at: fc.nat(10) }),
    fc.record({
      kind: fc.constant('ask' as const),
      question: text,
      text,
      asking: fc.constant({ for: 'profile' as const }),
    }),
    fc.record({
      kind: fc.constant('confirm' as const),
      question: text,
      text,
      effect: fc.constant({ kind: 'quit' as const }),
    }),
  )
  const model = fc
    .record({
      size,
      overlay,
      screen: fc.constantFrom(...SCREENS),
      scope: fc.constantFrom('user' as const, 'project' as const),
      project: fc.option(text, { nil: undefined }),
      notice: fc.option(fc.record({ tone: fc.constant('alert' as const), text, hint: text }), { nil: undefined }),
      skills: fc.array(skill, { maxLength: 30 }),
      agents: fc.array(text, { maxLength: 15 }),
      filter: fc.oneof(fc.constant(''), text),
      isFiltering: fc.boolean(),
      focus: fc.constantFrom('list' as const, 'text' as const),
      isOpen: fc.boolean(),
      grouping: fc.constantFrom(...GROUPINGS),
      at: fc.nat(40),
      scroll: fc.nat(100),
      markdown: text,
    })
    .map(({ skills, agents, filter, isFiltering, focus, isOpen, grouping, at, scroll, markdown, ...values }) => {
      const preview = previewOf(skills[at]?.name ?? '', markdown)
      const value = inventoryOf(skills, { agents, scope: values.scope })
      return modelOf(values, {
        value,
        filter,
        isFiltering,
        focus,
        isOpen,
        grouping,
        at,
        scroll,
        preview,
        marked: [skills[0]?.name ?? ''],
      })
    })

  it('whatever the model', () => {
    fc.assert(fc.property(model, check))
  })
})

describe('the cursor', () => {
  it.each(SIZES.slice(1))('is seen on every row of a list at %i × %i', (columns, rows) => {
    const made = { ...many(), size: { columns, rows } }
    for (const at of [0, 1, 2, 3, 10, 999, 1_997, 1_998, 1_999]) {
      const lines = draw({ ...made, inventory: { ...made.inventory, at } })
      expect(lines.filter((line) => line.includes('▸')).map((line) => /▸ (\S+)/.exec(line)?.[1])).toEqual([
        expect.stringMatching(columns > 20 ? `^skill-${at}$` : /^skill/),
      ])
    }
  })

  it.each<[overlay: Overlay, sign: string]>([
    [{ kind: 'palette', query: '', at: 12 }, '▸'],
    [{ kind: 'agents', at: 2 }, '▸ gemini'],
    [{ kind: 'ask', question: 'Name', text: `${'x'.repeat(300)}end`, asking: { for: 'profile' } }, 'end▏'],
    [{ kind: 'palette', query: `${'x'.repeat(300)}end`, at: 0 }, 'end▏'],
  ])('is seen in the box: %j', (overlay, sign) => {
    for (const [columns, rows] of SIZES.slice(2)) {
      expect(draw({ ...modelOf({ overlay }), size: { columns, rows } }).join('\n')).toContain(sign)
    }
  })

  it('is seen where a long text is typed', () => {
    const long = `${'x'.repeat(300)}end`
    for (const [columns, rows] of SIZES.slice(1)) {
      const size: Size = { columns, rows }
      expect(draw({ ...modelOf({ size }, { isFiltering: true, filter: long }) }).join('\n')).toContain('d▏')
      if (rows > 5)
        expect(draw(modelOf({ size, screen: 'setup', setup: { at: 1, place: long } })).join('\n')).toContain('end▏')
    }
  })
})

describe('what can be read', () => {
  const at80 = (values: Partial<Model>, inventory: Partial<Model['inventory']> = {}) =>
    draw(modelOf(values, inventory)).join('\n')

  it('the inventory: list, details, keys', () => {
    const drawn = draw(modelOf())
    expect(drawn[0]).toMatch(/^ Loadout {2}user scope .* ↓1 {2}✎1 {2}!1 {2}✗1 $/)
    expect(drawn[3]).toMatch(/^│ +cla cod gem {3}││ What api-review is for\./)
    expect(drawn[4]).toMatch(/^│ ▸ api-review +● {3}○ {3}– {5}│/)
    expect(drawn[5]).toMatch(/^│ {3}db-migrations +↓ {3}○ {3}– {3}↓ │/)
    expect(drawn.join('\n')).toMatch(/claude +● current/)
    expect(drawn.join('\n')).toContain('Do it well.')
    expect(drawn.at(-1)).toMatch(/^ c claude {2}x codex .*\? help {2}q quit/)
  })

  it('signs stay when a name is too long for its row', () => {
    const skills = [skillOf({ name: 'a-name-that-is-much-too-long-for-the-list-of-the-inventory' })]
    expect(draw(modelOf({}, { value: inventoryOf(skills) }))[4]).toMatch(/^│ ▸ a-name-that-… ○ {3}○ {3}– {5}│/)
  })

  it('in a project the copies of the user are shown as well', () => {
    expect(at80({ scope: 'project' })).toMatch(/claude +○ not equipped[\s\S]*● current in user scope/)
  })

  it.each<[what: string, values: Partial<Model>, inventory: Partial<Model['inventory']>, shown: string]>([
    ['while the library is read', {}, { value: undefined }, 'reading the library…'],
    ['an old state', {}, { isStale: true }, 'reading…'],
    ['an empty library', {}, { value: inventoryOf([]) }, 'The library is empty.'],
    ['a filter that fits nothing', {}, { filter: 'zzz' }, 'no skill fits "zzz"'],
    [
      'a library that cannot be read',
      { problems: { inventory: { tone: 'alert', text: 'it is gone', hint: 'do this' } } },
      { value: undefined },
      'it is gone',
    ],
    [
      'a placement that is being changed',
      {},
      { pending: [{ skill: 'api-review', agent: 'codex', isDone: false }] },
      '●   ◌   –',
    ],
    ['an edit, and what to do', {}, { at: 2 }, '✎ edited  e diff  E adopt'],
    ['candidates', { screen: 'import' }, {}, '☐ deploy  new      claude'],
    ['a blocked candidate', { screen: 'import' }, {}, '✗ twice   blocked  claude'],
    [
      'no candidates',
      { screen: 'import', imports: importsOf({ at: 0, candidates: [], chosen: [] }) },
      {},
      'The folders of the agents hold no skill that Loadout could import.',
    ],
    [
      'looking for candidates',
      { screen: 'import', imports: importsOf({ at: 0, candidates: undefined, chosen: [] }) },
      {},
      'looking…',
    ],
    ['a sync', { screen: 'sync' }, {}, 'library: take 2 commits (fast-forward)'],
    ['a sync under way', { screen: 'sync', sync: syncOf({}) }, {}, 'asking the remote…'],
    [
      'a sync that failed',
      {
        screen: 'sync',
        sync: syncOf({}),
        problems: { sync: { tone: 'alert', text: 'no network' } },
      },
      {},
      'no network',
    ],
    [
      'nothing to sync',
      {
        screen: 'sync',
        sync: syncOf({ result: { operations: [], isDryRun: false, steps: [], head: 'x' } }),
      },
      {},
      '● everything is as the library has it',
    ],
    ['what a sync would do', { screen: 'sync', sync: syncOf({ preview: PREVIEW }) }, {}, '+new'],
    ['an update', { screen: 'update' }, {}, '☐ planning    ⚑ both changed  aaaaaaa → bbbbbbb  example.org/acme/skills'],
    ['both texts of a merge', { screen: 'merge' }, {}, '│ ours                                 ││ theirs'],
    ['a list that is too full', { screen: 'lists' }, {}, 'loadout see claude --longest shows what to shorten'],
    ['the status line', {}, {}, ' main  ↑2  ↓3  ±1  ⚑1 to decide (m)  ≠3  claude drops 47 of 61 (b)  codex 10%'],
    ['heads of the agents', {}, {}, ' cla cod gem'],
    ['marks', {}, { marked: ['sketch'] }, '  ✓ sketch'],
    ['groups', {}, { grouping: 'state' }, 'outdated 1'],
    ['no state in the words', {}, { filter: 'outdated' }, 'no skill fits "outdated"'],
    ['a state', {}, { filter: 'state:out' }, 'Skills 1/6'],
    ['letters of a name', {}, { filter: 'rlnt' }, '▸ release-notes'],
    ['the doctor', { screen: 'doctor' }, {}, 'Doctor: 1 to do'],
    [
      'what to do',
      { screen: 'doctor', doctor: { health: { checks: CHECKS, fixed: [] }, at: 2 } },
      {},
      'to do: chmod u+w',
    ],
    ['profiles', { screen: 'profiles' }, {}, 'work  1 skill  for claude'],
    ['no profiles', { screen: 'profiles', profiles: { list: [], at: 0 } }, {}, 'No profile yet.'],
    ['profiles that are read', { screen: 'profiles', profiles: { list: undefined, at: 0 } }, {}, 'reading…'],
    ['settings', { screen: 'settings' }, {}, '○ off  gemini              Gemini'],
    ['a difference', { screen: 'diff' }, {}, 'release-notes: library → installed'],
    ['a line of a sheet', { screen: 'review' }, {}, '! SKILL.md:1 runs what it is given'],
    [
      'a sheet without lines',
      { screen: 'review', review: { name: 'x', value: [], at: 0 } },
      {},
      'Nothing in it needs an answer',
    ],
    [
      'no difference',
      { screen: 'diff', diff: { name: 'x', value: { name: 'x', differences: [] }, at: 0 } },
      {},
      'No installed copy differs',
    ],
    ['the setup', { screen: 'setup' }, {}, 'folder: ~/skills▏'],
    ['work', { work: { label: 'sync', done: 3, total: 9, what: 'api', ticks: 0 } }, {}, '⠋ sync  3 of 9  api'],
    [
      'how to stop it',
      { work: { label: 'sync', done: 3, total: 9, what: 'x'.repeat(200), ticks: 0 } },
      {},
      'esc stops',
    ],
    [
      'a notice and its hint',
      { notice: { tone: 'alert', text: 'it broke', hint: 'mend it' } },
      {},
      ' it broke  mend it',
    ],
    ['the agents of a skill', { overlay: { kind: 'agents', at: 0 } }, {}, '▸ claude       ● current'],
  ])('%s', (_, values, inventory, shown) => {
    expect(at80(values, inventory)).toContain(shown)
  })

  it('a problem gives way to what could be read before', () => {
    const problems = { import: { tone: 'alert' as const, text: 'it broke' } }
    expect(at80({ screen: 'import', problems })).toContain('deploy')
    expect(
      at80({ screen: 'import', problems, imports: importsOf({ at: 0, candidates: undefined, chosen: [] }) }),
    ).toContain('it broke')
  })

  it('help has every key and every sign, and its end can be reached', () => {
    const drawn = draw(modelOf({ screen: 'help', size: { columns: 100, rows: 160 } })).join('\n')
    for (const { help } of BINDINGS) expect(drawn).toContain(help)
    for (const { sign, word } of Object.values(SIGNS)) expect(drawn).toContain(`${sign}  ${word}`)
    const end = draw(modelOf({ screen: 'help', help: { at: 9_999, from: 'inventory' } })).join('\n')
    expect(end).toContain('how full the list of skills is')
  })
})

describe('the footer names keys that work there', () => {
  const PLACES: [place: KeyPlace, values: Partial<Model>, inventory: Partial<Model['inventory']>, footer: RegExp][] = [
    ['inventory', {}, {}, /c claude .*q quit/],
    ['filter', {}, { isFiltering: true }, /^ type {2}enter keep {2}esc drop/],
    ['import', { screen: 'import' }, {}, /enter import {2}f from… .*space choose .*esc back/],
    ['doctor', { screen: 'doctor' }, {}, /f fix what is safe .*esc back/],
    ['profiles', { screen: 'profiles' }, {}, /enter apply {2}n new .*esc back/],
    ['settings', { screen: 'settings' }, {}, /space switch .*esc back/],
    ['diff', { screen: 'diff' }, {}, /E adopt .*esc back/],
    ['review', { screen: 'review' }, {}, /y allow {2}n never .*esc back/],
    ['help', { screen: 'help' }, {}, /\? help {2}esc back/],
    ['sync', { screen: 'sync', sync: syncOf({ preview: PREVIEW }) }, {}, /enter sync now .*esc back/],
    ['update', { screen: 'update' }, {}, /enter update {2}space choose .*esc back/],
    ['merge', { screen: 'merge' }, {}, /1 left {2}2 right {2}enter finish .*esc back/],
    ['facets', { overlay: { kind: 'facets', at: 0 } }, {}, /enter switch {2}esc close/],
    ['setup', { screen: 'setup' }, {}, /^ type {2}tab other way {2}enter go on {2}esc leave/],
    ['palette', { overlay: { kind: 'palette', query: '', at: 0 } }, {}, /^ type {2}enter do it {2}esc close/],
    ['agents', { overlay: { kind: 'agents', at: 0 } }, {}, /enter switch {2}esc close/],
    [
      'ask',
      { overlay: { kind: 'ask', question: '', text: '', asking: { for: 'profile' } } },
      {},
      /^ type {2}enter go on {2}esc close/,
    ],
  ]
  it.each(PLACES)('%s', (_, values, inventory, footer) => {
    expect(draw(modelOf(values, inventory)).at(-1)).toMatch(footer)
  })

  it('what is done most comes first', () => {
    expect(draw(modelOf()).at(-1)).toMatch(/^ c claude {2}x codex {2}t agent… {2}i import {2}s sync {2}\/ find {2}/)
  })

  it('help and the way out stay at 40 columns', () => {
    expect(draw({ ...modelOf(), size: { columns: 40, rows: 10 } }).at(-1)).toMatch(/\? help {2}q quit/)
  })

  it('undo only when there is something to undo', () => {
    const size = { columns: 120, rows: 24 }
    const undo = [{ label: 'x', effect: { kind: 'load profiles' as const } }]
    expect(draw(modelOf({ size })).at(-1)).not.toContain('u undo')
    expect(draw(modelOf({ size, undo })).at(-1)).toContain('u undo')
  })
})

it('an agent with the name of an object property has a column too', () => {
  const model = modelOf({ size: { columns: 12, rows: 10 } })
  const value = inventoryOf(SKILLS, { agents: ['__proto__', 'constructor'] })
  expect(draw({ ...model, inventory: { ...model.inventory, value } })).toHaveLength(10)
})
