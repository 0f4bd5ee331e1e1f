import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frontmatter, parseFrontmatter, readFrontmatter, serializeFrontmatter } from './frontmatter.ts'
import { DEFAULT_TRIGGERS, PRIORITIES } from './loadout-index.ts'

const frontmatter: fc.Arbitrary<Frontmatter> = fc
  .record({
    id: fc.string({ minLength: 1, unit: 'binary' }),
    keywords: fc.array(fc.string({ unit: 'binary' })),
    patterns: fc.array(fc.string({ unit: 'grapheme' })),
    priority: fc.constantFrom(...PRIORITIES),
    triggers: fc.record({ task: fc.boolean(), plan: fc.boolean(), edit: fc.boolean() }),
    summary: fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
    examples: fc.option(fc.array(fc.string({ unit: 'binary' })), { nil: undefined }),
    negatives: fc.option(fc.array(fc.string({ unit: 'grapheme' })), { nil: undefined }),
  })
  .map(
    (value) =>
      Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as unknown as Frontmatter,
  )

describe('round trip', () => {
  it('gives back any frontmatter and any body', () => {
    fc.assert(
      fc.property(frontmatter, fc.string({ unit: 'binary' }), (value, body) => {
        const parsed = readFrontmatter(`${serializeFrontmatter(value)}\n${body}`)
        expect(parsed.frontmatter).toEqual(value)
        expect(parsed.body).toBe(body)
        expect(parsed.problems).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  const awkward = ['a, b', '"quoted"', "it's", '[x]', 'a: b', 'line\nbreak', '# not a comment', 'a # b', '---', '- item',
    'true', 'false', ' padded ', '', '\\', '\t', '\u0000', '\ud800', '>', '|', '{a: b}', '__proto__', '*', '&a', '%', '@'] // biome-ignore format: a list to scan
  it.each(awkward)('keeps %j', (text) => {
    const value: Frontmatter = {
      id: text || 'id',
      keywords: [text, 'plain', text],
      patterns: [text],
      priority: 'domain',
      triggers: DEFAULT_TRIGGERS,
      summary: text,
    }
    expect(parseFrontmatter(serializeFrontmatter(value)).frontmatter).toEqual(value)
  })

  it('writes plain texts without quotes', () => {
    const value: Frontmatter = {
      id: 'github-actions',
      keywords: ['ci', 'node.js', 'two words'],
      patterns: ['ci_pipeline'],
      priority: 'domain',
      triggers: DEFAULT_TRIGGERS,
    }
    expect(serializeFrontmatter(value)).toBe(
      [
        '---',
        'id: github-actions',
        'keywords: [ci, node.js, two words]',
        'patterns: [ci_pipeline]',
        'priority: domain',
        'triggers:',
        '  task: true',
        '  plan: true',
        '  edit: false',
        '---',
      ].join('\n'),
    )
  })
})

describe('reading', () => {
  const base = { id: 'x', keywords: [], patterns: [], priority: 'domain', triggers: DEFAULT_TRIGGERS }
  const rows: [name: string, text: string, expected: Partial<Frontmatter> | null, body?: string][] = [
    ['plain', '---\nid: x\nkeywords: [a, b]\n---\nbody', { ...base, keywords: ['a', 'b'] } as Frontmatter, 'body'],
    ['a byte order mark', '\ufeff---\nid: x\n---\nbody', base as Frontmatter, 'body'],
    [
      'CRLF',
      '---\r\nid: x\r\nkeywords: [a]\r\n---\r\nbody\r\n',
      { ...base, keywords: ['a'] } as Frontmatter,
      'body\r\n',
    ],
    [
      'a block list',
      '---\nid: x\nkeywords:\n  - a\n  - "b, c"\n\n  - d # why\n---\n',
      { keywords: ['a', 'b, c', 'd'] },
    ],
    [
      'a list without indent',
      '---\nid: x\nkeywords:\n- a\n- b\npriority: core\n---\n',
      { keywords: ['a', 'b'], priority: 'core' },
    ],
    ['a list over lines', '---\nid: x\nkeywords: [a, # first\n  b,\n  "c]"]\n---\n', { keywords: ['a', 'b', 'c]'] }],
    ['comments', '---\n# about\nid: x # the id\npriority: core # always\n---\n', { id: 'x', priority: 'core' }],
    ['single quotes', "---\nid: 'it''s'\nkeywords: ['a, b']\n---\n", { id: "it's", keywords: ['a, b'] }],
    ['a colon in a value', '---\nid: x\nsummary: one: two\n---\n', { summary: 'one: two' }],
    ['a wrong priority', '---\nid: x\npriority: urgent\n---\n', { priority: 'domain' }],
    ['one trigger', '---\nid: x\ntriggers:\n  edit: true\n---\n', { triggers: { task: true, plan: true, edit: true } }],
    ['a trigger of the wrong kind', '---\nid: x\ntriggers:\n  task: maybe\n---\n', { triggers: DEFAULT_TRIGGERS }],
    ['prototype keys', '---\n__proto__: y\nconstructor: z\nid: x\n---\n', { id: 'x' }],
    ['keywords that are a text', '---\nid: x\nkeywords: a\n---\n', { keywords: [] }],
    [
      'a folded text',
      '---\nid: x\nsummary: >\n  one\n  two\npriority: core\n---\n',
      { summary: 'one two', priority: 'core' },
    ],
    ['a literal text', '---\nsummary: |-\n  one\n\n  two\nid: x\n---\n', { summary: 'one\n\ntwo' }],
    [
      'fields inside a folded text',
      '---\nid: x\ndescription: >\n  text\n  id: y\n  priority: core\n---\n',
      base as Frontmatter,
    ],
    ['fields below a text', '---\nid: x\ndescription: text\n  id: y\n  priority: core\n---\n', base as Frontmatter],
    ['an indented block', '---\n  id: x\n  triggers:\n    edit: true\n  priority: core\n---\n', { priority: 'core' }],
    ['no id', '---\nkeywords: [a]\n---\nbody', null],
    ['an id that is a boolean', '---\nid: true\n---\nbody', null],
    ['no closing line', '---\nid: x\nbody', null],
    ['no opening line', 'id: x\n---\n', null],
    ['nothing', '', null],
    ['a rule only', '---', null],
  ]
  it.each(rows)('%s', (_, text, expected, body) => {
    const parsed = parseFrontmatter(text)
    if (expected === null) expect(parsed).toEqual({ frontmatter: null, body: text })
    else expect(parsed.frontmatter).toMatchObject(expected)
    if (body !== undefined) expect(parsed.body).toBe(body)
  })

  it('says what could not be read as meant', () => {
    const text = '---\nid: x\nnonsense\nkeywords: a\npriority: Manual\nsummary: text\n  id: y\ntriggers: all\n---\n'
    expect(readFrontmatter(text).problems).toEqual([
      '"nonsense" is not a "key: value" line',
      '"id: y" is ignored: an indented line belongs to the one above it',
      'keywords must be a list such as [one, two]',
      'the priority "Manual" is treated as domain: did you mean "manual"?',
      'triggers must be followed by indented lines such as "task: true"',
    ])
  })

  it('ends a bare item at a comment, and reports what follows a list', () => {
    const text = '---\nid: x\nkeywords: [deploy # y, z\n  , ship]\npatterns: [a1] b1\n---\n'
    expect(readFrontmatter(text)).toMatchObject({
      frontmatter: { keywords: ['deploy', 'ship'], patterns: ['a1'] },
      problems: ['"b1" after the list of patterns is ignored'],
    })
  })

  it('knows a list that its own line closes below one that is not closed', () => {
    const closed = '---\nid: x\npatterns: [a\n" keywords: [b]"\nsummary: s\n---\n'
    expect(readFrontmatter(closed).problems).toEqual([
      'the list of patterns is not closed with ]',
      `""" after the list of " keywords is ignored`,
      'patterns must be a list such as [one, two]',
    ])
  })

  it('reads an item behind any number of blanks', () => {
    const text = `---\nid: x\nkeywords:\n  -${' '.repeat(500)}a\u2028b\n---\n`
    expect(readFrontmatter(text).frontmatter?.keywords).toEqual(['a\u2028b'])
  })

  it('never throws and never loses text', () => {
    const piece = fc.constantFrom(
      '---\n',
      'id: x\n',
      'keywords: [',
      ']',
      '"',
      "'",
      '- ',
      '  ',
      ':',
      '#',
      'a',
      '\n',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('')
        const { frontmatter: found, body } = parseFrontmatter(text)
        expect(found === null ? body === text : text.endsWith(body)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
