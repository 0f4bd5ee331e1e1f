import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fields, firstHeading, firstParagraph, importedFields, installedFields, slug } from './skill-document.ts'

describe('firstHeading and firstParagraph', () => {
  const bodies: [body: string, heading: string | undefined, paragraph: string | undefined][] = [
    ['', undefined, undefined],
    ['\ufeff# Title\r\n\r\nFirst line\r\nsecond line.\r\n\r\nOther.\r\n', 'Title', 'First line second line.'],
    ['### Deep ###\ntext', 'Deep', 'text'],
    ['#\n## Second', 'Second', undefined],
    ['Title\n=====\n\nText', 'Title', 'Text'],
    ['Text\n\n---\n\nMore', undefined, 'Text'],
    ['---\nText after a rule', undefined, 'Text after a rule'],
    ['#hashtag', undefined, '#hashtag'],
    ['```md\n# Code\n```\n# Real\n\n~~~\ntext\n```\n~~~~\nProse', 'Real', 'Prose'],
    ['```\n# never closed', undefined, undefined],
    ['<!-- # Hidden\n\ntext -->\n# Shown <!-- not this -->\n\n<!-- a --> Text', 'Shown', 'Text'],
    ['<!-- never closed', undefined, '<!-- never closed'],
    ['- item\n  more\ngoes on\n\n  still\n\nProse', undefined, 'Prose'],
    ['Prose\n- item\n1. item', undefined, 'Prose'],
    ['| a | b |\n|---|---|\n\nProse', undefined, 'Prose'],
    ['    code\n\nProse', undefined, 'Prose'],
    ['> Quoted\n> text', undefined, 'Quoted text'],
    ['[![build](b.svg)](ci)\n\nProse', undefined, 'Prose'],
    ['<p align="center">\n\nProse', undefined, 'Prose'],
    ['# **Bold** `code` [link](u) _it_ \\*', 'Bold code link it *', undefined],
    ['Keep snake_case_name, 2 * 3 * 4 and <https://a.b>', undefined, 'Keep snake_case_name, 2 * 3 * 4 and https://a.b'],
  ]
  it.each(bodies)('%j', (body, heading, paragraph) => {
    expect([firstHeading(body), firstParagraph(body)]).toEqual([heading, paragraph])
  })
})

describe('slug', () => {
  const slugs: [text: string, name: string][] = [
    ['PDF Processing', 'pdf-processing'],
    ['code_review.v2', 'code-review-v2'],
    ['  --A & B--  ', 'a-b'],
    ['myCoolSkill', 'mycoolskill'],
    ["Don't Panic", 'dont-panic'],
    ['Caf\u00e9 \u00dcber Stra\u00dfe', 'cafe-uber-strasse'],
    ['\u00c6r\u00f8sk\u00f8bing \u0141\u00f3d\u017a \u0130zmir', 'aeroskobing-lodz-izmir'],
    ['\uff26\uff55\uff4c\uff4c \ufb01t', 'full-fit'],
    ['\u65e5\u672c\u8a9e', ''],
    ['\u{1f680} Ship it', 'ship-it'],
    ['', ''],
    ['../../etc', 'etc'],
    ['a'.repeat(70), 'a'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ]
  it.each(slugs)('%j', (text, name) => {
    expect(slug(text)).toBe(name)
  })

  it('is a skill name, or empty, and its own slug', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const name = slug(text)
        if (name !== '') expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
        expect(name.length).toBeLessThanOrEqual(64)
        expect(slug(name)).toBe(name)
      }),
    )
  })
})

describe('installedFields', () => {
  const skill = { name: 'x', description: 'd' }
  const rows: [what: string, agent: Fields, own: Fields, fields: Fields][] = [
    ['nothing else', {}, {}, {}],
    ['name and description of others are ignored', { name: 'y' }, { name: 'z', description: 'e' }, {}],
    ['sorted by code units', { b: 1, B: 2, a: 3 }, { license: 'MIT' }, { B: 2, a: 3, b: 1, license: 'MIT' }],
    [
      'other keys become text in metadata',
      {},
      { version: 2, tags: ['a', { b: 1 }], on: true, none: null, word: 'w' },
      { metadata: { version: '2', tags: '["a",{"b":1}]', on: 'true', none: '', word: 'w' } },
    ],
    ['metadata wins over moved keys', {}, { v: 1, metadata: { v: 'own' } }, { metadata: { v: 'own' } }],
    ['metadata that is no map moves too', {}, { v: 1, metadata: ['m'] }, { metadata: { v: '1', metadata: '["m"]' } }],
    ['metadata that is no map stays alone', {}, { metadata: 'm' }, { metadata: 'm' }],
    ['the agent wins', { license: 'B' }, { license: 'A' }, { license: 'B' }],
    ['the agent adds', { metadata: { b: 'B' } }, { metadata: { a: 'A', b: 'b' } }, { metadata: { a: 'A', b: 'B' } }],
    ['the agent replaces', { metadata: 'all' }, { metadata: { a: 'A' } }, { metadata: 'all' }],
  ]
  it.each(rows)('%s', (_, agent, own, fields) => {
    const expected = { ...skill, ...fields }
    expect(installedFields(skill, agent, own)).toEqual(expected)
    expect(Object.keys(installedFields(skill, agent, own))).toEqual(Object.keys(expected))
  })

  it('takes __proto__ for a key', () => {
    const own = JSON.parse('{ "__proto__": { "polluted": true } }')
    const { metadata } = installedFields(skill, own, own)
    expect(Object.entries(Object(metadata))).toEqual([['__proto__', '{"polluted":true}']])
    expect(Object.keys(installedFields(skill, own, {}))).toEqual(['name', 'description', '__proto__'])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('importedFields', () => {
  const rows: [fields: Fields, imported: Fields][] = [
    [{}, { metadata: {} }],
    [
      { name: ' x ', description: 'd\n', license: 'MIT' },
      { name: 'x', description: 'd', metadata: { license: 'MIT' } },
    ],
    [{ name: null, description: '' }, { metadata: {} }],
    [
      { name: 7, description: 7 },
      { description: '7', metadata: {}, problem: expect.stringContaining('name') },
    ],
    [{ name: ['a'] }, { metadata: {}, problem: expect.stringContaining('name') }],
    [{ description: ['Does this.', 'And that.'] }, { description: 'Does this. And that.', metadata: {} }],
    [{ description: { a: 1 } }, { metadata: {}, problem: expect.stringContaining('description') }],
    [{ metadata: { a: 1 }, hooks: [1] }, { metadata: { metadata: { a: 1 }, hooks: [1] } }],
  ]
  it.each(rows)('%j', (fields, imported) => {
    expect(importedFields(fields)).toEqual(imported)
  })
})
