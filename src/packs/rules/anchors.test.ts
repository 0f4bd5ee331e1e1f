import { describe, expect, it } from 'vitest'
import { findAnchor, findInlineAnchors, formatAnchor, parseAnchor } from './anchors.ts'

describe('anchors', () => {
  it.each([
    ['L42', { kind: 'lines', from: 42, to: 42 }],
    ['L10-L20', { kind: 'lines', from: 10, to: 20 }],
    ['L10-20', { kind: 'lines', from: 10, to: 20 }],
    ['page=4', { kind: 'page', page: 4 }],
    ['t=00:12:33', { kind: 'time', seconds: 753 }],
    ['Tiers', { kind: 'heading', slug: 'tiers' }],
    ['L', { kind: 'heading', slug: 'l' }],
  ])('%s is read', (text, anchor) => {
    expect(parseAnchor(text)).toEqual(anchor)
  })

  it.each([
    [{ path: 'sources/a.md', anchor: 'L1' }, 'sources/a.md#L1'],
    [{ path: 'sources/a.md' }, 'sources/a.md'],
  ])('%j is written as %s', (anchor, text) => {
    expect(formatAnchor(anchor)).toBe(text)
  })

  const text = '# One\na\n## Two & `three`\nb\n```\n# code\n```\n## Two & three\nc\n# Last\n'
  it.each([
    ['L1', { from: 1, to: 1 }],
    ['L9-L10', { from: 9, to: 10 }],
    ['one', { from: 1, to: 9 }],
    ['two--three', { from: 3, to: 7 }],
    ['Two--Three-1', { from: 8, to: 9 }],
    ['last', { from: 10, to: 10 }],
  ])('%s leads to lines', (anchor, lines) => {
    expect(findAnchor(text, anchor, 'sources/a.md')).toEqual({ isFound: true, lines })
  })

  it.each([['L11'], ['L0'], ['L5-L2'], ['L9-L11'], ['code'], ['two']])('%s leads nowhere', (anchor) => {
    expect(findAnchor(text, anchor, 'sources/a.md')).toEqual({ isFound: false })
  })

  it.each([['page=4'], ['t=12']])('%s is about no text', (anchor) => {
    expect(findAnchor(text, anchor, 'sources/a.md')).toEqual({ isFound: true })
  })

  it('marks of sources are found with their lines, outside code', () => {
    const marked = [
      '- Fact. [source: sources/a.md#L7]',
      '- Two. [Source: ./wiki//b.md; sources/c.pdf#page=2] and [source: ../x.md#L1]',
      'How: `[source: path#L1]`.',
      '```',
      '[source: sources/z.md]',
      '```',
      '[source:]',
    ].join('\n')
    expect(findInlineAnchors(marked)).toEqual([
      { path: 'sources/a.md', anchor: 'L7', line: 1 },
      { path: 'wiki/b.md', line: 2 },
      { path: 'sources/c.pdf', anchor: 'page=2', line: 2 },
      { path: '../x.md', anchor: 'L1', line: 2 },
    ])
  })
})
