import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../cli/run.ts'
import { discoverIn, namesOf, packText } from './machine.ts'

const ROOT = '.agents/knowledge'
const pack = (name: string) => packText({ name })

describe('the head of a KNOWLEDGE.md', () => {
  const only = (text: string | Uint8Array, folder = 'a') => {
    const found = discoverIn(
      makeProject({ [`${ROOT}/${folder}/KNOWLEDGE.md`]: text, [`${ROOT}/z/KNOWLEDGE.md`]: pack('z') }),
    )
    // The other pack is not affected.
    expect(namesOf(found)).toContain('z')
    return { found, pack: found.packs.find(({ root }) => root.endsWith(`/${folder}`)), aside: found.quarantined[0] }
  }

  it('case 19: a nested name is not the name', () => {
    const text = packText({ metadata: '\n  producedBy:\n    kind: agent-skill\n    name: builder' })
    expect(only(text).pack?.manifest).toMatchObject({ name: 'a', producedBy: { kind: 'agent-skill', name: 'builder' } })
  })

  it('case 20: the mode below runtime', () => {
    expect(only(packText({ runtime: '{mode: persona}' })).pack?.manifest.mode).toBe('persona')
  })

  it('case 21: without a description the pack is left out, and told', () => {
    const { pack, aside } = only('---\nname: a\nstatus: ready\n---\n')
    expect(pack).toBeUndefined()
    expect(aside?.warnings).toContainEqual(expect.objectContaining({ code: 'pack.field' }))
  })

  it('case 22: broken YAML is put aside with file and line', () => {
    const { pack, aside } = only('---\nname: a\ndescription: b\nstatus: [ready\n---\n')
    expect(pack).toBeUndefined()
    expect(aside).toMatchObject({ path: expect.stringMatching(/a\/KNOWLEDGE\.md$/), line: 5 })
    expect(aside?.warnings).toEqual([expect.objectContaining({ code: 'pack.field', severity: 'error' })])
  })

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['both', (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`],
    ['no body', (text: string) => text.slice(0, text.lastIndexOf('---') + 3)],
  ])('case 23: with %s all fields are read', (_, change) => {
    const text = packText({ version: '1.2.3', trust: 'official' })
    expect(only(change(text)).pack?.manifest).toEqual(only(text).pack?.manifest)
  })

  it('case 24: a folded description and a comment', () => {
    const { pack } = only(packText({ description: '>\n  What it is,\n  and why.', status: 'ready # since spring' }))
    expect(pack?.manifest).toMatchObject({ description: 'What it is, and why.', status: 'ready' })
  })

  it('case 27: a name unlike the folder is a warning, and the pack is listed', () => {
    const { pack } = only(packText({ name: 'other' }))
    expect(pack?.manifest.name).toBe('other')
    expect(pack?.warnings).toEqual([expect.objectContaining({ code: 'pack.field', severity: 'warning' })])
  })

  it('case 32: a version stays as it is written', () => {
    const { pack } = only(packText({ version: '1.10', updated: '2026-01-31', license: 'no', language: '~' }))
    expect(pack?.manifest).toMatchObject({ version: '1.10', updated: '2026-01-31', license: 'no', language: '~' })
  })

  const broken: [what: string, text: string | Uint8Array, reason: RegExp, line?: number][] = [
    ['case 34: the key trust twice', packText({ 'trust: official\ntrust': 'external' }), /twice/, 8],
    ['a nested key twice', packText({ metadata: '{a: 1, a: 2}' }), /twice/, 7],
    ['an empty file', '', /does not start with a frontmatter/],
    ['no frontmatter', '# Guide\n', /does not start with a frontmatter/],
    ['no end of it', `---\n${'a: b\n'.repeat(40_000)}---\n`, /in its first 64 KB/],
    ['a fence that goes on behind the limit', `---\n${'x'.repeat(65536 - 8)}\n---x\n`, /in its first 64 KB/],
    ['no fields in it', '---\n---\n', /must contain keys and values/, 2],
    ['a list', '---\n- a\n---\n', /must contain keys and values/, 2],
    ['a text', '---\nname\n---\n', /must contain keys and values/, 2],
    ['a tag', packText({ version: '!!int 5' }), /tags/, 7],
    ['a tag of another kind', packText({ metadata: '!js {a: b}' }), /tags/, 7],
    ['two documents', '---\nname: a\n...\nname: b\n---\n', /second YAML document|directive|document/i],
    [
      'not UTF-8',
      Buffer.concat([Buffer.from('---\nname: a\ndescription: '), Buffer.from([0xff]), Buffer.from('\n---\n')]),
      /not UTF-8/,
    ],
    ['UTF-16', Buffer.from(`\ufeff${pack('a')}`, 'utf16le'), /does not start/],
    ['a NUL', packText({ description: 'a\0b' }), /NUL/],
    ['deep nesting', packText({ metadata: '['.repeat(5000) }), /nested too deeply/, 7],
    ['many aliases', packText({ metadata: `[&a b${', *a'.repeat(60)}]` }), /too many aliases/, 7],
    [
      'aliases that multiply',
      packText({
        metadata: `{${Array.from({ length: 9 }, (_, at) => `k${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1},*a${at - 1},*a${at - 1},*a${at - 1}`}]`).join(', ')}}`,
      }),
      /alias/,
    ],
  ]
  it.each(broken)('%s: put aside', (_, text, reason, line) => {
    const { pack, aside } = only(text)
    expect(pack).toBeUndefined()
    expect(aside?.reason).toMatch(reason)
    expect(aside?.reason).toMatch(/^[\x20-\x7e]{1,220}$/)
    if (line !== undefined) expect(aside?.line).toBe(line)
  })

  it('bytes behind the head may be of any kind', () => {
    const bytes = Buffer.concat([Buffer.from(pack('a')), Buffer.from([0xff, 0xfe, 0])])
    expect(only(bytes).pack?.manifest.name).toBe('a')
  })

  it('a long head that ends in time is read whole', () => {
    const text = packText({ metadata: `{note: ${'x'.repeat(60_000)}}`, version: '2' })
    expect(only(text).pack?.manifest.version).toBe('2')
  })

  it('text that steers a terminal is gone from what is shown, also from a reason', () => {
    const { pack } = only(packText({ description: '"a \\e[31mred\\e[0m \\u202e word"', version: '"1\\a"' }))
    expect(pack?.manifest).toMatchObject({ description: 'a red  word', version: '1' })
    const { aside } = only(packText({ '"\\e[31mkey": a\n"\\e[31mkey"': 'b' }))
    expect(aside?.reason).toBe('its frontmatter is not YAML: the key "key" appears twice')
  })

  it('a key called __proto__ is only a key', () => {
    const { pack } = only('---\nname: a\ndescription: b\n__proto__:\n  status: ready\n---\n')
    expect(pack?.manifest.status).toBeUndefined()
  })

  it.each(['with blank', 'quote"\'s', 'line\nbreak', '-dash', '$(id)', '\u202ebidi', 'e\u0301', '\ud55c\uae00'])(
    'a folder called %j',
    (name) => {
      const { pack } = only(packText({ name: 'a' }), name)
      expect(pack?.warnings).toEqual([expect.objectContaining({ code: 'pack.field' })])
      expect(pack?.warnings[0]?.message).not.toMatch(/[\n\u202e]/)
    },
  )

  it('a folder whose name is no UTF-8 is one finding', () => {
    const ws = makeProject({ [`${ROOT}/z/KNOWLEDGE.md`]: pack('z') })
    mkdirSync(Buffer.concat([Buffer.from(join(ws, ROOT, 'x')), Buffer.from([0xff])]))
    const found = discoverIn(ws)
    expect(namesOf(found)).toEqual(['z'])
    expect(found.findings.map(({ code }) => code)).toEqual(['discovery.skipped'])
  })
})
