import { describe, expect, it } from 'vitest'
import type { Code } from '../../text/trouble.ts'
import { readManifest } from './manifest.ts'
import type { PackManifest } from './pack.ts'

const GOOD = {
  name: 'acme',
  description: 'What Acme sells.',
  type: 'brand-product',
  status: 'ready',
  profile: 'wiki-first',
}

function read(fields: Record<string, unknown>, folder = 'acme') {
  const { manifest, warnings } = readManifest({ ...GOOD, ...fields }, folder)
  return { manifest, warnings, codes: warnings.map(({ severity, code }) => `${severity} ${code}`) }
}

type Row = [what: string, fields: Record<string, unknown>, kept: Partial<PackManifest>, codes: `${string} ${Code}`[]]

describe('readManifest', () => {
  it('keeps every field that it knows, and nothing else', () => {
    const { manifest, warnings } = read({
      runtime: { mode: 'persona', other: 'x' },
      version: '1.10',
      language: 'zh-CN',
      license: 'MIT',
      maintainers: ['a', 'b'],
      scope: 'customer',
      trust: 'official',
      updated: '2026-01-31',
      grounding: 'required',
      compatibility: 'any',
      metadata: {
        primaryDocument: './documents//a.md',
        primaryOntology: 'ontology/ontology.json',
        primaryAnswers: 'answers/answers.json',
        producedBy: { kind: 'agent-skill', name: 'builder', version: '2', digest: 'sha256:0', extra: 'x' },
        other: { secret: 'x' },
      },
      unknown: 'x',
    })
    expect(warnings).toEqual([])
    expect(manifest).toEqual({
      ...GOOD,
      mode: 'persona',
      trust: 'official',
      grounding: 'required',
      version: '1.10',
      language: 'zh-CN',
      license: 'MIT',
      maintainers: ['a', 'b'],
      ownership: 'customer',
      updated: '2026-01-31',
      compatibility: 'any',
      primaryDocument: 'documents/a.md',
      primaryOntology: 'ontology/ontology.json',
      primaryAnswers: 'answers/answers.json',
      producedBy: { kind: 'agent-skill', name: 'builder', version: '2', digest: 'sha256:0' },
      linked: undefined,
      isProposed: false,
    })
  })

  const long = (length: number) => 'x'.repeat(length)
  const wide = '\u{1f30d}'
  const rows: Row[] = [
    ['case 19: a nested name', { metadata: { producedBy: { name: 'builder' } } }, { name: 'acme' }, []],
    ['case 20: a nested mode', { runtime: { mode: 'persona' } }, { mode: 'persona' }, []],
    ['case 26: a description of 1024', { description: long(1024) }, { description: long(1024) }, []],
    ['case 26: 1024 wide characters', { description: wide.repeat(1024) }, { description: wide.repeat(1024) }, []],
    ['case 26: a description of 1025', { description: long(1025) }, { description: long(1024) }, ['error pack.field']],
    ['case 27: a name unlike the folder', { name: 'other' }, { name: 'other' }, ['warning pack.field']],
    ['case 28: status banana', { status: 'banana' }, { status: undefined }, ['error pack.status']],
    ['no status', { status: '' }, { status: undefined }, ['error pack.status']],
    ['a status that is a list', { status: ['ready'] }, { status: undefined }, ['error pack.status']],
    ['case 29: a type with a namespace', { type: 'custom:acme' }, { type: 'custom:acme' }, []],
    ['case 29: type nonsense', { type: 'nonsense' }, { type: 'nonsense' }, ['warning pack.field']],
    ['a namespace without a name', { type: 'custom:' }, { type: 'custom:' }, ['warning pack.field']],
    ['no type', { type: undefined }, { type: '' }, ['error pack.field']],
    ['case 30: no profile', { profile: undefined }, { profile: 'wiki-first' }, ['info pack.field']],
    ['case 31: profile sideways', { profile: 'sideways' }, { profile: 'wiki-first' }, ['warning pack.field']],
    ['mode loud', { runtime: { mode: 'loud' } }, { mode: 'data' }, ['warning pack.field']],
    ['a runtime that is a word', { runtime: 'persona' }, { mode: 'data' }, ['warning pack.field']],
    ['no trust', {}, { trust: 'unreviewed' }, []],
    ['trust total', { trust: 'total' }, { trust: 'unreviewed' }, ['warning pack.field']],
    ['no grounding', {}, { grounding: undefined }, []],
    ['grounding maybe', { grounding: 'maybe' }, { grounding: 'required' }, ['warning pack.field']],
    ['case 33: compatibility of 500', { compatibility: long(500) }, { compatibility: long(500) }, []],
    [
      'case 33: compatibility of 501',
      { compatibility: long(501) },
      { compatibility: long(500) },
      ['warning pack.field'],
    ],
    ['one maintainer', { maintainers: 'a team' }, { maintainers: ['a team'] }, []],
    ['odd maintainers', { maintainers: ['a', { b: 'c' }, ''] }, { maintainers: ['a'] }, ['warning pack.field']],
    [
      'too many maintainers',
      { maintainers: Array(21).fill('a') },
      { maintainers: Array(20).fill('a') },
      ['warning pack.field'],
    ],
    ['an odd date', { updated: 'yesterday' }, { updated: undefined }, ['warning pack.field']],
    ['a date and a time', { updated: '2026-01-31T10:00:00Z' }, { updated: '2026-01-31T10:00:00Z' }, []],
    ['a version that is a list', { version: ['1'] }, { version: undefined }, ['warning pack.field']],
    ['metadata that is a list', { metadata: ['x'] }, { producedBy: undefined }, ['warning pack.field']],
    ['a producer that is a word', { metadata: { producedBy: 'x' } }, { producedBy: undefined }, ['warning pack.field']],
    ...['../other/secret.md', '/etc/passwd', 'a\\b', 'c:x', 'a/../b', '~/x'].map(
      (path): Row => [
        `case 74: the path ${path}`,
        { metadata: { primaryDocument: path } },
        { primaryDocument: undefined },
        ['error PATH_ESCAPE'],
      ],
    ),
    [
      'a path that cannot be seen',
      { metadata: { primaryAnswers: 'a\u202eb' } },
      { primaryAnswers: undefined },
      ['warning pack.field'],
    ],
    ['a path to the pack itself', { metadata: { primaryAnswers: './' } }, {}, ['warning pack.field']],
    [
      'text that steers a terminal',
      { description: 'a\u001b[31mred\u001b]0;title\u0007 b\u0000\u009b1mc\u202e\nd' },
      { description: 'ared bc d' },
      [],
    ],
  ]
  it.each(rows)('%s', (_, fields, kept, codes) => {
    const result = read(fields)
    expect(result.manifest).toMatchObject(kept)
    expect(result.codes).toEqual(codes)
  })

  const names: [name: string, shown: string][] = [
    ['x'.repeat(65), 'x'.repeat(64)],
    ['Acme', 'Acme'],
    ['ac me', 'ac me'],
    ['ac\u001b[1mme', 'acme'],
    ['acme" status="ready">', 'acme" status="ready">'],
  ]
  it.each(names)('case 25: the name %j is an error', (name, shown) => {
    const { manifest, codes } = read({ name }, name)
    expect(manifest?.name).toBe(shown)
    expect(codes).toEqual(['error pack.name.invalid'])
  })

  it.each([undefined, null, '', ['a'], { a: 'b' }])(
    'without a name (%j) the folder gives it, with an error',
    (name) => {
      const { manifest, codes } = read({ name })
      expect(manifest?.name).toBe('acme')
      expect(codes).toContain('error pack.name.invalid')
    },
  )

  it.each([undefined, null, '', ' \n', ['a'], { a: 'b' }])(
    'case 21: without a description (%j) there is no manifest',
    (d) => {
      const { manifest, codes } = read({ description: d })
      expect(manifest).toBeUndefined()
      expect(codes).toContain('error pack.field')
    },
  )

  it('takes no field from the prototype', () => {
    const fields = JSON.parse('{"__proto__": {"status": "ready"}, "description": "d", "name": "acme"}')
    expect(readManifest(fields, 'acme').manifest).toMatchObject({ status: undefined, type: '' })
    const inherited = Object.create({ description: 'd' })
    expect(readManifest(inherited, 'acme').manifest).toBeUndefined()
  })

  it('quotes little of a pack in its messages, and nothing that steers a terminal', () => {
    const hostile = `\u001b[31m${'y'.repeat(5000)}`
    const keys = ['name', 'type', 'status', 'profile', 'trust', 'grounding', 'updated', 'version', 'scope', 'license']
    const { warnings } = read({
      ...Object.fromEntries(keys.map((key) => [key, hostile])),
      runtime: { mode: hostile },
      metadata: { primaryDocument: `../${hostile}`, producedBy: { name: hostile } },
    })
    expect(warnings.length).toBeGreaterThan(10)
    for (const { message } of warnings) {
      expect(message).toMatch(/^[\x20-\x7e]*$/)
      expect(message).not.toMatch(/y{81}/)
    }
  })
})
