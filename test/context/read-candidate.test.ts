import { createHash } from 'node:crypto'
import { chmodSync, closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBounded, readControlPlane, readIntentFiles } from '../../src/answer/disk/read-candidate.ts'
import type { ControlPlaneItem } from '../../src/answer/settings.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, makeProject } from '../cli/run.ts'
import { evaluateApart } from './apart.ts'

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Text followed by a hole, which takes no space on the disk. */
function makeSparse(path: string, head: string, size: number): void {
  writeFileSync(path, head)
  const file = openSync(path, 'r+')
  ftruncateSync(file, size)
  closeSync(file)
}

describe('readBounded', () => {
  const texts: [what: string, content: string | Uint8Array, text: string][] = [
    ['plain', 'one\ntwo\n', 'one\ntwo\n'],
    ['nothing', '', ''],
    ['a byte order mark and CRLF', '\ufeffone\r\ntwo\r\n', 'one\ntwo\n'],
    ['any script', '\u4f60\u597d \u{1f600}', '\u4f60\u597d \u{1f600}'],
  ]
  it.each(texts)('reads %s', (_, content, text) => {
    const root = makeProject({ 'a.md': content })
    expect(readBounded(root, 'a.md', 10)).toEqual({ text, charsTotal: text.length, sha256: sha256(content) })
  })

  const outside = makeProject({ 'secret.md': 'secret' })
  const refused: [what: string, content: Parameters<typeof makeProject>[0][string], reason: string][] = [
    ['NUL bytes', 'a\0b', 'binary'],
    ['Latin-1', Buffer.from([0x61, 0xe9, 0x62]), 'binary'],
    ['UTF-16', Buffer.from('\ufeffabc', 'utf16le'), 'binary'],
    ['a character cut off at the end', Buffer.from([0x61, 0xe2, 0x82]), 'binary'],
    ['a pipe', aPipe, 'not_a_file'],
    ['a folder', aFolder, 'not_a_file'],
    ['a device', aLinkTo('/dev/zero'), 'outside_root'],
    ['a link out', aLinkTo(join(outside, 'secret.md')), 'outside_root'],
    ['a link to nothing', aLinkTo('absent'), 'unreadable'],
    ['a link to itself', aLinkToItself, 'unreadable'],
  ]
  it.each(refused)('refuses %s', (_, content, reason) => {
    const root = makeProject({ 'a.md': content })
    expect(readBounded(root, 'a.md', 10)).toEqual({ reason, detail: expect.stringMatching(/^it /) })
  })

  it('refuses paths that go up, and what is not there', () => {
    const root = makeProject({ 'a.md': '' })
    expect(readBounded(root, '../a.md', 10)).toMatchObject({ reason: 'outside_root' })
    expect(readBounded(root, 'b.md', 10)).toMatchObject({ reason: 'unreadable', detail: 'it does not exist' })
    expect(readBounded(root, 'a.md/b.md', 10)).toMatchObject({ reason: 'unreadable' })
    expect(readBounded(root, 'a\0.md', 10)).toMatchObject({ reason: 'unreadable' })
  })

  it('refuses a file that cannot be read', () => {
    const root = makeProject({ 'a.md': 'secret' })
    chmodSync(join(root, 'a.md'), 0)
    expect(evaluateApart(['answer/disk/read-candidate.ts'], 'readBounded(root, "a.md", 10)', root)).toEqual({
      reason: 'unreadable',
      detail: 'it cannot be read (EACCES)',
    })
  })

  it('follows a link that stays inside', () => {
    const root = makeProject({ 'real.md': 'text', 'a.md': aLinkTo('real.md') })
    expect(readBounded(root, 'a.md', 10)).toMatchObject({ text: 'text' })
  })

  it('keeps only a beginning of what is longer than can be needed, and still knows the whole', () => {
    const content = 'a line of text\n'.repeat(20_000)
    const root = makeProject({ 'a.md': content })
    const result = readBounded(root, 'a.md', 10)
    expect(result).toMatchObject({ charsTotal: content.length, sha256: sha256(content) })
    const { text } = result as { text: string }
    expect(content.startsWith(text)).toBe(true)
    expect(text.length).toBeLessThan(64 * 1024)
    expect(text.endsWith('a line of text')).toBe(true)
    expect(readBounded(root, 'a.md', content.length)).toMatchObject({ text: content })
  })

  it.each([0, 1, 2, 3])('parts no character at the end of a beginning: %d', (shift) => {
    const content = 'x'.repeat(shift) + '\u{1f600}'.repeat(500_000)
    const root = makeProject({ 'a.md': content })
    const result = readBounded(root, 'a.md', 10) as { text: string }
    expect(result).toMatchObject({ charsTotal: null, sha256: null })
    expect(content.startsWith(result.text)).toBe(true)
    expect((result.text.length - shift) % 2).toBe(0)
    expect(result.text.length).toBeGreaterThan(30_000)
  })

  it('reads as much of a large file as can be needed', () => {
    const root = makeProject({ 'a.md': 'a line of text\n'.repeat(100_000) })
    const { text } = readBounded(root, 'a.md', 200_000) as { text: string }
    expect(text.length).toBeGreaterThanOrEqual(200_000)
  })

  it('takes no more memory for 300 MB', () => {
    const root = makeProject({ 'small.md': 'text\n'.repeat(20_000) })
    makeSparse(join(root, 'large.md'), 'text\n'.repeat(20_000), 300 * 1024 * 1024)
    const measure = `(() => {
      const rss = process.memoryUsage.rss()
      const { text, sha256 } = readBounded(root, 'large.md', 2500)
      return { chars: text.length, sha256, mb: (process.memoryUsage.rss() - rss) / 1e6 }
    })()`
    const result = evaluateApart(['answer/disk/read-candidate.ts'], measure, root) as {
      chars: number
      mb: number
    }
    expect(result).toMatchObject({ sha256: null })
    expect(result.chars).toBeGreaterThan(60_000)
    expect(result.mb).toBeLessThan(10)
  })
})

const item = (pattern: string, more: Partial<ControlPlaneItem> = {}): ControlPlaneItem => ({
  pattern,
  isRequired: false,
  take: 10,
  order: 'path',
  summary: [],
  ...more,
})

describe('readControlPlane', () => {
  it('gives the files in the order of the settings, and says what is missing', () => {
    const root = makeProject({
      'b.json': '{"a":1}',
      'a.md': '',
      'log/2.md': 'two',
      'log/1.md': 'one',
      'log/3.md': 'three',
    })
    const { items, findings } = readControlPlane(root, [
      item('b.json'),
      item('gone.md'),
      item('a.md'),
      item('log/*.md', { take: 2 }),
    ])
    expect(items.map(({ path, present, candidate }) => [path, present, candidate?.text])).toEqual([
      ['b.json', true, '{"a":1}'],
      ['gone.md', false, undefined],
      ['a.md', true, ''],
      ['log/1.md', true, 'one'],
      ['log/2.md', true, 'two'],
    ])
    expect(findings).toEqual([])
    expect(items[0]?.candidate).toEqual({
      path: 'b.json',
      sourceClass: 'control_plane',
      selectedBy: 'control_plane',
      reason: 'the control plane asks for b.json',
      score: 1,
      text: '{"a":1}',
      charsTotal: 7,
      sha256: sha256('{"a":1}'),
      provenance: { pattern: 'b.json' },
      isWhole: false,
    })
  })

  it('keeps the text whole, up to a megabyte', () => {
    const content = `[${'"text",'.repeat(100_000)}0]`
    const root = makeProject({ 'a.json': content })
    expect(readControlPlane(root, [item('a.json')]).items[0]?.candidate?.text).toBe(content)
  })

  it('lets nothing that cannot be read, or was taken before, have a place', () => {
    const root = makeProject({ 'log/1.md': 'a\0', 'log/2.md': 'two', 'log/3.md': 'three', 'log/4.md': 'four' })
    const { items } = readControlPlane(root, [item('log/2.md'), item('log/*.md', { take: 1 })])
    expect(items.map(({ path, present, omission }) => [path, present, omission?.reason])).toEqual([
      ['log/2.md', true, undefined],
      ['log/1.md', false, 'binary'],
      ['log/2.md', false, 'duplicate'],
      ['log/3.md', true, undefined],
    ])
  })

  it('takes the latest of a pattern', () => {
    const root = makeProject({ 'log/d_v1.md': '1', 'log/d_v2.md': '2', 'log/d_v3.md': '3', 'log/d_v0.md': '\0' })
    const { items } = readControlPlane(root, [item('log/*.md', { order: 'latest', take: 2 })])
    expect(items.map(({ path, present }) => [path, present])).toEqual([
      ['log/d_v0.md', false],
      ['log/d_v3.md', true],
      ['log/d_v2.md', true],
    ])
  })

  it('compares only so many, and says so', () => {
    const root = makeProject({ 'log/1.md': '1', 'log/2.md': '2', 'log/3.md': '3' })
    const { items, findings } = readControlPlane(root, [item('log/*.md', { order: 'latest' })], { mostRead: 2 })
    expect(items.map(({ path }) => path).sort()).toEqual(['log/2.md', 'log/3.md'])
    expect(findings).toMatchObject([{ code: 'discovery.skipped', subject: 'log/*.md' }])
  })
})

describe('readIntentFiles', () => {
  const intent = { key: 'spec', keywords: [], include: ['specs/*.md', '**/*.txt'] }

  it('gives the files of an intent, and what of them cannot be used', () => {
    const root = makeProject({
      'specs/b.md': 'b',
      'specs/a.md': 'a',
      'specs/c.md': '',
      'specs/d.md': aPipe,
      'x.txt': 'x',
    })
    const { candidates, omitted, findings } = readIntentFiles(root, intent, 2500)
    expect(
      candidates.map(({ path, selectedBy, reason, sourceClass }) => [path, selectedBy, reason, sourceClass]),
    ).toEqual([
      ['specs/a.md', 'intent:spec', 'the intent spec asks for specs/*.md', 'task'],
      ['specs/b.md', 'intent:spec', 'the intent spec asks for specs/*.md', 'task'],
      ['x.txt', 'intent:spec', 'the intent spec asks for **/*.txt', 'task'],
    ])
    expect(omitted).toEqual([
      { path: 'specs/c.md', sourceClass: 'task', reason: 'empty', detail: 'it is empty' },
      { path: 'specs/d.md', sourceClass: 'task', reason: 'not_a_file', detail: 'it is not a regular file' },
    ])
    expect(findings).toEqual([])
  })

  it('opens only so many, and names the rest', () => {
    const root = makeProject({ 'specs/a.md': 'a', 'specs/b.md': 'b', 'specs/c.md': 'c\0' })
    const { candidates, omitted } = readIntentFiles(root, intent, 2500, { mostRead: 2 })
    expect(candidates.map(({ path }) => path)).toEqual(['specs/a.md', 'specs/b.md'])
    expect(omitted).toEqual([
      { path: 'specs/c.md', sourceClass: 'task', reason: 'budget', detail: '2 files before it were read already' },
    ])
  })
})
