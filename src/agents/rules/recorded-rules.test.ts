import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Rules, SCOPES, SETTINGS_FORMATS, SETTINGS_KEYS, SETTINGS_STARTS, STARTS } from './reading-rules.ts'
import { compareVersions, joinRows, nearestRow, RECORDED, recordedRules } from './recorded-rules.ts'

const text = z.string().min(1).max(300)
const inner = text.refine((path) => !path.split('/').includes('..'), 'leads out of its folder')
const flag = z.boolean()
const size = z.int().min(0).max(1e9)
const some = size.min(1)
const perToken = z.number().min(0.1).max(100)

/** What the rules of a version may say, after all rows up to it are merged. */
const RULES: z.ZodType<Rules> = z.strictObject({
  reading: z.strictObject({
    places: z.array(
      z.strictObject({
        from: z.enum(STARTS),
        path: inner,
        scope: z.enum(SCOPES),
        isOutermostFirst: flag.optional(),
        isCommands: flag.optional(),
        isWorkflows: flag.optional(),
      }),
    ),
    plugins: z
      .strictObject({
        installed: inner,
        folders: z.array(z.strictObject({ path: inner, isCommands: flag.optional(), isWorkflows: flag.optional() })),
      })
      .optional(),
    depth: z.int().min(1).max(10),
    skipsDotFolders: flag,
    followsLinkedFiles: flag,
    largestFile: size.optional(),
    needsUtf8: flag,
    readsBehindMark: flag,
    joinsBlanks: flag,
    namedBy: z.enum(['folder', 'frontmatter']),
    longestName: size.optional(),
    longestDescription: size.optional(),
    needsName: flag.optional(),
    guessesDescription: flag,
    describedAlsoBy: text.optional(),
    hiding: z.array(
      z.strictObject({ file: inner.optional(), key: z.array(text), is: z.enum(['true', 'false', 'set']), why: text }),
    ),
    sameName: z.enum(['first', 'last', 'none', 'unknown']),
    listsDuplicates: flag.optional(),
    trust: text.optional(),
    climbsWithoutRepository: flag,
    order: z.array(z.enum(SCOPES)).optional(),
  }),
  listing: z
    .strictObject({
      overflow: z.enum(['drop', 'shorten', 'name', 'never']),
      unit: z.enum(['columns', 'tokens', 'characters']),
      budget: some.optional(),
      share: z.number().min(0).max(1).optional(),
      window: some.optional(),
      perToken: perToken.optional(),
      longWindow: z.strictObject({ mark: text, window: some }).optional(),
      defaultModel: text.optional(),
      models: z
        .array(
          z.strictObject({
            marks: z.array(text).min(1),
            window: some.optional(),
            perToken: perToken.optional(),
            own: z.record(z.string().regex(/^\S{1,100}$/), size).optional(),
          }),
        )
        .optional(),
      perSkill: size.optional(),
      ellipsis: z.string().max(10).optional(),
      bullet: z.string().max(10).optional(),
      frame: size.optional(),
      shows: z.enum(['path', 'short path', 'scope']).optional(),
      escapes: z.string().max(10).optional(),
      own: z.array(z.strictObject({ name: text, columns: size, characters: size.optional(), isKept: flag })),
    })
    .optional(),
  instructions: z
    .strictObject({
      global: z.array(z.strictObject({ from: z.enum(['own', 'home', 'machine']), names: z.array(inner) })),
      names: z.array(inner),
      otherwise: z.array(inner).optional(),
      isOnePerFolder: flag,
      startsAt: z.enum(['repository', 'machine', 'working']),
      mostBytes: size.optional(),
      isInnermostFirst: flag.optional(),
    })
    .optional(),
  settings: z
    .strictObject({
      files: z.array(z.strictObject({ from: z.enum(SETTINGS_STARTS), path: inner })),
      format: z.enum(SETTINGS_FORMATS),
      usageFile: inner.optional(),
      variables: z.strictObject({ budget: text.optional(), model: text.optional() }),
      keys: z.partialRecord(z.enum(SETTINGS_KEYS), text),
    })
    .optional(),
})

const FILE = z.strictObject({
  agent: text,
  program: z.strictObject({
    command: z.string().regex(/^[\w.-]+$/),
    package: inner,
    folders: z.array(inner).optional(),
  }),
  rows: z
    .array(
      z.strictObject({
        version: z.string().regex(/^\d{1,9}(\.\d{1,9}){1,3}$/),
        recorded: z.iso.date(),
        rules: RULES,
      }),
    )
    .min(1)
    .refine((rows) => rows.every(({ version }, at) => at === 0 || compareVersions(rows[at - 1]!.version, version) < 0)),
})

it.each(Object.keys(RECORDED))(
  'the rules of %s that come with Loadout are valid, the oldest version first',
  (agent) => {
    expect(FILE.parse(recordedRules(agent))).toMatchObject({ agent })
  },
)

const LISTING = { overflow: 'drop', window: 200_000, own: [] }
const row = (version: string, more: object = {}) => ({ version, recorded: '2026-01-02', ...more })
const file = (...rows: ReturnType<typeof row>[]) =>
  joinRows({ agent: 'x', program: { command: 'x', package: 'x' }, rows })

it('a row has only the differences to the one before', () => {
  const { rows } = file(row('1.0', { reading: { depth: 1 }, listing: LISTING }), row('1.1', { listing: { window: 7 } }))
  expect(rows.map(({ rules }) => rules)).toEqual([
    { reading: { depth: 1 }, listing: LISTING },
    { reading: { depth: 1 }, listing: { ...LISTING, window: 7 } },
  ])
})

it('there are no rules of an agent that was never recorded', () => {
  expect(['x', 'constructor', ''].map(recordedRules)).toEqual([undefined, undefined, undefined])
})

it.each([
  ['1.0', '1.0'],
  ['1.0.9', '1.0'],
  ['1.2', '1.2'],
  ['2.0', '1.10'],
  ['0.5', '1.0'],
  [undefined, '1.10'],
])('for the installed version %s, the rules of %s', (installed, expected) => {
  expect(nearestRow(file(row('1.0'), row('1.2'), row('1.10')), installed)?.version).toBe(expected)
})

it('versions are compared by number', () => {
  expect(['1.10', '1.9', '1.9.1', '1'].sort(compareVersions)).toEqual(['1', '1.9', '1.9.1', '1.10'])
})
