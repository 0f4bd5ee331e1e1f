import { expect, it } from 'vitest'
import { withoutOrnaments } from './plain-head.ts'

it.each<[string, string, string]>([
  ['plain text stays', '# Tool\n\nDoes one thing.\n', '# Tool\n\nDoes one thing.\n'],
  [
    'a logo and badges',
    '<div align="center">\n  <img\n    src="a.svg" alt="Tool"\n  />\n</div>\n\n[![npm](https://a/b.svg)](https://a)\n\n# Tool\n\n\nFast.\n',
    '\u2026 line 9\n# Tool\n\nFast.\n',
  ],
  ['a badge in between', '# Tool\n[![CI](a)][ci] [![npm][n]](b)\n\nFast.\n', '# Tool\n\u2026 line 4\nFast.\n'],
  ['words between tags', '<p align="center">\n  A tool <br/>\n</p>\n', '\u2026 line 2\n  A tool <br/>\n'],
  ['definitions of links', 'See [a].\n\n[a]: https://a\n', 'See [a].\n'],
  ['reStructuredText', '.. image:: a.png\n   :target: https://a\n\nTool\n====\n', '\u2026 line 4\nTool\n====\n'],
  ['fences and tables', '```\nrun\n```\n| a |\n|---|\n', '```\nrun\n```\n| a |\n|---|\n'],
  ['code with generics', 'Use `Map<string>` and a < b.\n', 'Use `Map<string>` and a < b.\n'],
  ['nothing but ornaments', '<img src="a">\n', ''],
])('%s', (_, text, expected) => {
  expect(withoutOrnaments(text)).toBe(expected)
})

it('counts the lines of a part from where it starts', () => {
  expect(withoutOrnaments('## Build\n\nRun it.\n', 40)).toBe('\u2026 line 40\n## Build\n\nRun it.\n')
})
