import { describe, expect, it } from 'vitest'
import { readContextMap } from './guide.ts'

/** `path` or `path/`, hint and line of each entry. */
function entriesOf(body: string, firstLine = 1): [string, string, number][] {
  return readContextMap(body, firstLine).entries.map(({ path, isDirectory, hint, line }) => [
    isDirectory ? `${path}/` : path,
    hint,
    line,
  ])
}

describe('the context map', () => {
  const rows: [title: string, body: string, entries: [string, string, number][]][] = [
    ['label, then path', '## Context map\n\n- Start here: `compiled/a.md`\n', [['compiled/a.md', 'Start here:', 3]]],
    ['a sentence', '### CONTEXT MAP \n* Read `wiki/a.md` when lost.', [['wiki/a.md', 'Read when lost.', 2]]],
    ['the other title', '## Documents\n1. `documents/a.md` - the whole', [['documents/a.md', '- the whole', 2]]],
    ['the Chinese title', '## \u4e0a\u4e0b\u6587\u5730\u56fe\n- `wiki/a.md`', [['wiki/a.md', '', 2]]],
    ['a folder', '## Context map\n- Proof: `sources/`', [['sources/', 'Proof:', 2]]],
    [
      'two paths in an item, over two lines',
      '## Context map\n- Both `wiki/a.md`\n  and `./wiki//b.md#top` here',
      [
        ['wiki/a.md', 'Both and here', 2],
        ['wiki/b.md', 'Both and here', 3],
      ],
    ],
    [
      'a list below an item',
      '## Context map\n- Range:\n  - `wiki/a.md`\n  - far: `wiki/b.md`',
      [
        ['wiki/a.md', 'Range:', 3],
        ['wiki/b.md', 'far:', 4],
      ],
    ],
    [
      'up to the next heading of its level',
      '## Context map\n- `wiki/a.md`\n### More\n- `wiki/b.md`\n## Else\n- `wiki/c.md`',
      [
        ['wiki/a.md', '', 2],
        ['wiki/b.md', '', 4],
      ],
    ],
    [
      'a map inside a map is read once',
      '## Context map\n### Documents\n- `documents/a.md`',
      [['documents/a.md', '', 3]],
    ],
    ['not at the first level', '# Context map\n- `wiki/a.md`', []],
    ['not at the fifth level', '##### Context map\n- `wiki/a.md`', []],
    ['not without a list', '## Context map\n`wiki/a.md`', []],
    ['not in code', '## Context map\n```\n- `wiki/a.md`\n```\n- x\n  ~~~\n  - `wiki/b.md`\n  ~~~', []],
    ['not in a comment', '## Context map\n<!--\n- `wiki/a.md`\n-->', []],
    ['a heading in code is none', '```\n## Context map\n```\n- `wiki/a.md`', []],
    ['code that is no path of a layer', '## Context map\n- run `npm test`, see `README.md`, `runs/x.json`, `wiki`', []],
    ['behind a rule', '---\n## Context map\n- `wiki/a.md`\n---', [['wiki/a.md', '', 3]]],
  ]
  it.each(rows)('%s', (_, body, entries) => {
    expect(entriesOf(body)).toEqual(entries)
    expect(readContextMap(body, 1).warnings).toEqual([])
  })

  it('counts lines from where the body starts', () => {
    const map = readContextMap('# T\n\n## Context map\n- `wiki/a.md`\n## Next', 11)
    expect(map.entries[0]).toMatchObject({ line: 14, layer: 'wiki' })
    expect(map.sectionLines).toEqual([{ from: 13, to: 14 }])
  })

  it.each([['../a.md'], ['/etc/passwd'], ['wiki/../../a.md'], ['wiki\\a.md'], ['C:/a.md'], ['~/a.md']])(
    'case 127: %s is refused by its line',
    (path) => {
      const map = readContextMap(`## Context map\n- \`${path}\``, 10)
      expect(map.entries).toEqual([])
      expect(map.warnings).toEqual([
        {
          severity: 'error',
          code: 'source.escape',
          path: 'KNOWLEDGE.md',
          line: 11,
          message: 'line 11 of the context map names a path outside the pack',
        },
      ])
    },
  )
})
