import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  importedDocument,
  installedDocument,
  libraryDocument,
  openaiPolicy,
  readDocument,
  writeDocument,
} from '../../src/machine/skill-document.ts'
import type { Fields } from '../../src/text/skill-document.ts'

// biome-ignore format: a list to scan
const AWKWARD = ['', ' ', ' padded ', 'tail ', 'a: b', 'a:', ': a', 'a #b', '# a', '#', "it's", '"quoted"', '\\', '\\n',
  'two\nlines', 'text\n---\nmore', '---', '--- ', '...', '-', '- a', '?', '? a', '|', '>', '%', '@', '`', '&a', '*a',
  '!a', '[a]', '{a: b}', 'a, b', '<<', '=', '~', 'yes', 'No', 'ON', 'off', 'y', 'N', 'true', 'False', 'null', 'NULL',
  '1', '1.0', '1e3', '0x10', '0o17', '017', '1_000', '1:30', '+1', '-1', '.5', '.inf', '.NaN', '2026-01-01', '2026-01-01T10:00:00Z',
  '\t', 'a\tb', '\r', 'a\r\nb', '\u0000', '\u0007', '\u001b[31m', '\u007f', '\u0085', '\u00a0', '\u2028', '\u2029',
  '\ufeff', '\ufffe', '\ud800', '\udc00x', '\u{1f680} emoji \u{1f469}\u200d\u{1f4bb}', '\u65e5\u672c\u8a9e: x', 'constructor',
  'a'.repeat(2000), 'word '.repeat(400), '__proto__', 'name: x\n---\n# not the body']

const text = fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.integer(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, tie('list'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  map: fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))
const fields: fc.Arbitrary<Fields> = fc.dictionary(text, value, { maxKeys: 5, noNullPrototype: true })

const PIECES = [
  '---',
  '---\n',
  '---\r\n',
  '\n',
  '\r\n',
  '\r',
  '\ufeff',
  ' ',
  '\t',
  '# Title',
  'name: x\n',
  'a',
  '```',
  '"',
]
const body = fc.oneof(fc.string({ unit: fc.constantFrom(...PIECES) }), fc.string({ unit: 'binary' }))

// As text: the order of keys counts, and keys such as `constructor` and `__proto__` are ordinary ones.
const asJson = (each: unknown) => JSON.stringify(each)

describe('round trip', () => {
  it('gives back any frontmatter and any body', () => {
    fc.assert(
      fc.property(fields, body, (written, below) => {
        const document = writeDocument(written, below)
        expect(asJson(readDocument(document))).toBe(asJson({ frontmatter: written, body: below }))
        expect(writeDocument(written, below)).toBe(document)
      }),
      { numRuns: 800 },
    )
  })

  // biome-ignore format: a list to scan
  const bodies = ['', '\n', '\n\n\n# T', '---', '---\n', '---\n---\n', '---\nname: y\n---\n\nz', '---\r\n---\r\n',
    'no end', 'a\r\nb\r\n', 'a\r\nb\nc\r', '\r', '\r\r', '\r\n', '\n\r\n', '\ufeff', '\ufeff# T',
    '\ufeff\ufeff', '\ufeff---\n---\n', ' \n', '...\n']
  it.each(bodies)('keeps the body %j', (below) => {
    for (const written of [{}, { name: 'x' }, { description: 'a\r\n---\r\nb' }]) {
      expect(readDocument(writeDocument(written, below))).toEqual({ frontmatter: written, body: below })
      expect(readDocument(libraryDocument(below)).body).toBe(below)
    }
  })

  it.each(AWKWARD)('keeps %j as text, key and item', (each) => {
    const written = { description: each, list: [each, [each]], metadata: Object.fromEntries([[each, each]]) }
    expect(asJson(readDocument(writeDocument(written, 'b')).frontmatter)).toBe(asJson(written))
  })

  it('no line of the frontmatter looks like a fence, and line ends are those of the body', () => {
    fc.assert(
      fc.property(fields, fc.constantFrom('\n', '\r\n'), (written, lineEnd) => {
        const document = writeDocument(written, `body${lineEnd}`)
        const lines = document.split(lineEnd)
        expect(lines.filter((line) => line.trim() === '---')).toHaveLength(2)
        expect(lines.some((line) => /[\r\n]/.test(line))).toBe(false)
      }),
    )
  })
})

describe('writeDocument', () => {
  it('is easy to read', () => {
    const written = {
      name: 'pdf-forms',
      description: 'Fills forms (PDF), keeps r\u00e9sum\u00e9s. Use when: a form is open',
      'allowed-tools': ['Read', 'Bash(git:*)'],
      metadata: { version: '1.0', draft: 'no', count: 3, on: true, list: [], map: {} },
    }
    expect(writeDocument(written, '# PDF\n')).toBe(
      [
        '---',
        'name: pdf-forms',
        'description: "Fills forms (PDF), keeps r\u00e9sum\u00e9s. Use when: a form is open"',
        'allowed-tools:',
        '  - Read',
        '  - Bash(git:*)',
        'metadata:',
        '  version: "1.0"',
        '  draft: "no"',
        '  count: 3',
        '  "on": true',
        '  list: []',
        '  map: {}',
        '---',
        '',
        '# PDF',
        '',
      ].join('\n'),
    )
  })

  it('refuses what would not be read back', () => {
    const tooLong = { x: 'a'.repeat(70_000) }
    expect(() => writeDocument(tooLong, '')).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }))
  })

  const python = spawnSync('python3', ['-c', 'import yaml'], { stdio: 'ignore' }).status === 0
  it.skipIf(!python)('says the same to a YAML 1.1 reader', () => {
    // Its floats need a dot, so exponents are left out.
    const isShort = (each: unknown): boolean =>
      !/\de[+-]?\d/.test(JSON.stringify(each).replace(/"(?:\\.|[^"\\])*"/g, ''))
    const samples = fc.sample(fields, { numRuns: 400, seed: 1 }).filter(isShort)
    samples.push(...AWKWARD.map((each) => ({ a: each, list: [each], map: { [each]: each } })))
    const script =
      'import json, sys, yaml; read = lambda text: yaml.safe_load(text.split("\\n---\\n", 1)[0][4:]) or {};' +
      'print(json.dumps([read(text) for text in json.load(sys.stdin)]))'
    const documents = samples.map((each) => writeDocument(each, ''))
    const { stdout, stderr } = spawnSync('python3', ['-c', script], {
      input: JSON.stringify(documents.map((each) => each.replace(/^---\n---/, '---\n\n---'))),
      encoding: 'utf8',
      maxBuffer: 1e9,
    })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(samples)
  })
})

describe('readDocument', () => {
  const read: [block: string, frontmatter: Fields][] = [
    ['', {}],
    ['\n \n', {}],
    ['# a comment\n', {}],
    ['name: x # c\n', { name: 'x' }],
    ['name: x\r\ndescription: |\r\n  a\r\n  b\r\n', { name: 'x', description: 'a\nb\n' }],
    ['description: >-\n  a\n  b\n', { description: 'a b' }],
    ["description: 'it''s: \"so\"'\n", { description: 'it\'s: "so"' }],
    ['tags: [a, b]\nmap: { c: [1, 2.5, true, null] }\n', { tags: ['a', 'b'], map: { c: [1, 2.5, true, null] } }],
    ['day: 2026-01-01\nat: !!timestamp 2026-01-01\nno: no\n', { day: '2026-01-01', at: '2026-01-01', no: 'no' }],
    ['v: 1.0\nh: 0x10\nbig: 12345678901234567890\n', { v: '1.0', h: '0x10', big: '12345678901234567890' }],
    ['<<: { a: 1 }\nb: 2\n', { '<<': { a: 1 }, b: 2 }],
    ['1: a\ntrue: b\n', { 1: 'a', true: 'b' }],
    ['a: &x [1]\nb: *x\n', { a: [1], b: [1] }],
    ['a: !custom b\n', { a: 'b' }],
  ]
  it.each(read)('%j is frontmatter', (block, frontmatter) => {
    expect(readDocument(`---\n${block}---\n\nbody`)).toEqual({ frontmatter, body: 'body' })
  })

  it('takes __proto__ for a key', () => {
    const { frontmatter = {} } = readDocument('---\n__proto__:\n  polluted: true\n---\n')
    expect(Object.keys(frontmatter)).toEqual(['__proto__'])
    expect('polluted' in frontmatter).toBe(false)
  })

  it('does not share the values of aliases', () => {
    const { frontmatter = {} } = readDocument('---\na: &x [1]\nb: *x\n---\n')
    expect(frontmatter.a).not.toBe(frontmatter.b)
  })

  // biome-ignore format: a list to scan
  const prose = ['---', '---\n', '---\n# Title\n', '---\nJust text\n---\nmore\n', '---\n- a\n- b\n---\n',
    '---\nnull\n---\n', '---\nSee: this: and that\n---\n', '---\n\ttab: x\n---\n', '---\n[a\n---\n',
    '----\nname: x\n---\n', 'name: x\n---\n']
  it.each(prose)('%j is all body', (document) => {
    for (const each of [document, document.replaceAll('\n', '\r\n'), `\ufeff${document}`]) {
      expect(readDocument(each)).toEqual({ frontmatter: undefined, body: each })
    }
  })

  const bomb = Array.from(
    { length: 9 },
    (_, at) => `b${at}: &b${at} [${Array(9).fill(at === 0 ? 'x' : `*b${at - 1}`)}]\n`,
  )
  const nested = Array.from(
    { length: 8 },
    (_, at) => `b${at}: &b${at} [x,${Array.from({ length: at }, (_, to) => `*b${to}`)}]\n`,
  )
  const problems: [what: string, block: string, problem: RegExp][] = [
    ['a colon in a text before a list', 'name: x\ndescription: Use when: asked\ntags:\n  - a\n', /^line 3: Nested/],
    ['an open bracket', 'name: [x\n', /^line \d: /],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', /^line 4: the key "a" appears twice$/],
    ['a key twice, inside', 'm:\n  a: 1\n  "a": 2\n', /^line 4: the key "a" appears twice$/],
    ['a bomb of aliases', bomb.join(''), /^line \d+: the YAML has too many aliases$/],
    ['aliases of aliases', nested.join(''), /^line 2: an alias/],
    ['an alias of itself', 'a: &a [*a]\n', /^line 2: an alias/],
    ['an alias of nothing', 'a: *a\n', /^line 2: an alias/],
    ['a key that is a list', 'name: x\n? [a]\n: b\n', /^line 3: /],
    ['two documents', 'name: x\n...\nb: 1\n', /^line 4: a second YAML document/],
    ['too much', `name: x\n${'a'.repeat(300_000)}: b\n`, /longer than/],
    ['deep brackets', `name: x\na: ${'['.repeat(60_000)}\n`, /^line 3: the YAML is nested too deeply$/],
    ['hidden brackets', `name: x\na: ${'["]",'.repeat(10_000)}\n`, /^line 3: the YAML is nested too deeply$/],
    ['deep lists', `name: x\na:\n  ${'- '.repeat(30_000)}\n`, /^line 4: the YAML is nested too deeply$/],
    ['deep keys', `name: |\n  x\n  y\n${'a: '.repeat(20_000)}\n`, /^line 5: the YAML is nested too deeply$/],
    [
      'deep lines',
      `name: x\n${Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')}`,
      /too deeply$/,
    ],
  ]
  it('a colon in a plain text is taken as it is meant', () => {
    expect(readDocument('---\nname: x\ndescription: Use when: asked\n---\n\nbody')).toEqual({
      frontmatter: { name: 'x', description: 'Use when: asked' },
      body: 'body',
    })
  })

  it.each(problems)('%s is a problem, and all body', (_, block, problem) => {
    const document = `---\n${block}---\n\nbody`
    expect(readDocument(document)).toEqual({
      frontmatter: undefined,
      body: document,
      problem: expect.stringMatching(problem),
    })
  })

  it('never throws, and loses no line without frontmatter', () => {
    // biome-ignore format: a list to scan
    const yaml = fc.constantFrom('a', 'name', ': ', ':', '- ', '? ', '[', ']', '{', '}', ',', '"', "'", '|', '>', '&a ',
      '*a', '!t ', '#', '\n', '\n  ', '\t', '%', '<<', '1', '\r\n')
    fc.assert(
      fc.property(fc.string({ unit: yaml, maxLength: 40 }), (block) => {
        const document = `---\n${block}\n---\nbody`
        const { frontmatter, body: below } = readDocument(document)
        expect(below).toBe(frontmatter === undefined ? document : 'body')
        if (frontmatter !== undefined) {
          expect(asJson(readDocument(writeDocument(frontmatter, below)).frontmatter)).toBe(asJson(frontmatter))
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('installedDocument and importedDocument', () => {
  const skill = { name: 'x', description: 'Two\nlines: "quoted"' }

  it('write and read a skill', () => {
    const library = '---\nname: old\nlicense: MIT\nversion: 1.0\n---\n\n# Title\n'
    const installed = installedDocument(skill, { model: 'opus', 'allowed-tools': ['Read'] }, library)
    expect(installed).toBe(
      '---\nname: x\ndescription: "Two\\nlines: \\"quoted\\""\nallowed-tools:\n  - Read\nlicense: MIT\nmetadata:\n  version: "1.0"\nmodel: opus\n---\n\n# Title\n',
    )
    expect(importedDocument(installed)).toEqual({
      ...skill,
      metadata: { 'allowed-tools': ['Read'], license: 'MIT', metadata: { version: '1.0' }, model: 'opus' },
      body: '# Title\n',
    })
  })

  it('keep a broken frontmatter as text', () => {
    const broken = '---\nname: x\ndescription: [a\n---\nbody'
    expect(importedDocument(broken)).toEqual({
      metadata: {},
      body: broken,
      problem: expect.stringMatching(/^line \d/),
    })
    expect(installedDocument(skill, {}, broken).endsWith(`---\n\n${broken}`)).toBe(true)
  })

  it('keep every character of a body, and the metadata', () => {
    fc.assert(
      fc.property(body, fields, (below, metadata) => {
        const { name: _, description: __, ...others } = metadata
        const sorted = Object.fromEntries(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)))
        const installed = installedDocument(skill, metadata, libraryDocument(below))
        const imported = importedDocument(installed)
        expect(asJson(imported)).toBe(asJson({ metadata: sorted, ...skill, body: below }))
        expect(installedDocument(skill, imported.metadata, libraryDocument(imported.body))).toBe(installed)
      }),
      { numRuns: 300 },
    )
  })

  it('a body that starts like frontmatter is stored below an empty one', () => {
    expect(libraryDocument('---\na: b\n---\n')).toBe('---\n---\n\n---\na: b\n---\n')
    expect(libraryDocument('---\nprose\n---\n')).toBe('---\nprose\n---\n')
  })
})

describe('openaiPolicy', () => {
  const policy = { allow_implicit_invocation: false }
  const line = '  allow_implicit_invocation: false'
  const rows: [before: string | undefined, after: string][] = [
    [undefined, `policy:\n${line}\n`],
    ['', `policy:\n${line}\n`],
    ['# only a comment\n', `# only a comment\n\npolicy:\n${line}\n`],
    ['interface:\n  name: "X" # why\n\n# end\n', `interface:\n  name: "X" # why\npolicy:\n${line}\n\n# end\n`],
    [
      'policy:\n  # top\n  allow_implicit_invocation: true # why\n  n: 0x10\n',
      `policy:\n  # top\n${line} # why\n  n: 0x10\n`,
    ],
    ['policy: # empty\nb: 12345678901234567890\n', `policy:\n  # empty\n${line}\nb: 12345678901234567890\n`],
    ['\ufeffa: 1\r\npolicy: {}\r\n', '\ufeffa: 1\r\npolicy: { allow_implicit_invocation: false }\r\n'],
    ['policy:\n    allow_implicit_invocation:    false\n', 'policy:\n    allow_implicit_invocation:    false\n'],
  ]
  it.each(rows)('%j', (before, after) => {
    expect(openaiPolicy(before, policy)).toBe(after)
    expect(openaiPolicy(after, policy)).toBe(after)
  })

  const refused: [existing: string | undefined, policy: unknown, message: string][] = [
    ['a: [', policy, 'agents/openai.yaml, line 1: '],
    ['a: 1\nb: 2\na: 3\n', policy, 'agents/openai.yaml, line 3: the key "a" appears twice'],
    ['- a\n', policy, 'agents/openai.yaml, line 1: '],
    ['a: 1\npolicy: 3\n', policy, 'agents/openai.yaml, line 2: '],
    ['a: *b\n', policy, 'agents/openai.yaml, line 1: an alias'],
    [`a: ${'['.repeat(60_000)}`, policy, 'agents/openai.yaml, line 1: the YAML is nested too deeply'],
    [undefined, 'no', 'policy.allow_implicit_invocation must be true or false'],
    [undefined, { allow_implicit_invocation: 'no' }, 'policy.allow_implicit_invocation must be true or false'],
  ]
  it.each(refused)('refuses %.30j with %j', (existing, given, message) => {
    expect(() => openaiPolicy(existing, given)).toThrow(
      expect.objectContaining({ code: 'INVALID_SKILL', message: expect.stringContaining(message) }),
    )
  })
})
