import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { Line } from './frame/line.ts'
import { renderMarkdown } from './markdown.ts'

const draw = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''))

describe('markdown', () => {
  const rows: [what: string, markdown: string, columns: number, drawn: string[]][] = [
    ['nothing', '', 20, []],
    ['a heading', '# Release *notes*', 20, ['Release notes', '']],
    ['a heading that wraps', '## one two three', 8, ['one two', 'three', '']],
    ['a paragraph', 'one `two` **three** [four](x) ![five](y)', 40, ['one two three four five', '']],
    ['a line break', 'one  \ntwo', 20, ['one two', '']],
    ['a list', '- one\n- two', 20, ['• one', '• two', '']],
    ['a loose list', '- one\n\n- two', 20, ['• one', '• two', '']],
    ['a list of things to do', '- [ ] one\n- [x] two', 20, ['☐ one', '☑ two', '']],
    ['numbers', '9. nine\n10. ten', 20, ['9. nine', '10. ten', '']],
    ['an item that wraps', '- one two three', 9, ['• one two', '  three', '']],
    ['nested lists', '- a\n  - b\n    1. c', 20, ['• a', '  • b', '    1. c', '']],
    ['an empty item', '-\n- b', 20, ['• ', '• b', '']],
    ['code in an item', '- a\n  ```\n  b\n  ```', 20, ['• a', '    b', '']],
    ['code', '```sh\nnpm ci\n\n\tnpm test\n```', 20, ['  npm ci', '  ', '      npm test', '']],
    ['code that is too wide', '    0123456789', 8, ['  01234…', '']],
    ['a quote', '> one two three', 9, ['│ one two', '│ three', '']],
    ['a list in a quote', '> a\n>\n> - b', 20, ['│ a', '│ ', '│ • b', '']],
    ['a table', '| a | name |\n|---|---|\n| long | `x` |', 20, ['a     name  ', 'long  x     ', '']],
    ['a table that is too wide', '| a | b |\n|---|---|\n| cccccc | d |', 6, ['a    …', 'ccccc…', '']],
    ['a rule', 'a\n\n---', 5, ['a', '', '─────', '']],
    ['HTML as it is written', '<div>\na\n</div>', 20, ['<div> a </div>', '']],
    ['no link definitions', 'a [b]\n\n[b]: http://x', 20, ['a b', '']],
    ['line ends of elsewhere', '# a\r\n\r\nb\rc', 20, ['a', '', 'b c', '']],
    ['sequences for a terminal', 'a\u001b[2Jb `\u0007` \u202e', 40, ['a\\u001b[2Jb \\u0007 \\u202e', '']],
    ['sequences in code', '```\n\u001b]0;x\u0007\n```', 40, ['  \\u001b]0;x\\u0007', '']],
    ['text without blanks', '这是一个没有空格的句子', 8, ['这是一个', '没有空格', '的句子', '']],
  ]
  it.each(rows)('%s', (_, markdown, columns, drawn) => {
    expect(draw(renderMarkdown(markdown, columns))).toEqual(drawn)
  })

  it('styles headings, code and the head of a table', () => {
    const styles = (markdown: string) => renderMarkdown(markdown, 20)[0]?.[0]?.style
    expect([styles('# a'), styles('```\na\n```'), styles('|a|\n|-|\n|b|'), styles('a')]).toEqual([
      'strong',
      'faint',
      'strong',
      undefined,
    ])
  })

  it('is not worked out again for the next frame', () => {
    expect(renderMarkdown('# a', 20)).toBe(renderMarkdown('# a', 20))
    expect(renderMarkdown('# a', 20)).not.toBe(renderMarkdown('# a', 21))
  })

  it('is never wider than asked', () => {
    const pieces = fc.oneof(
      fc.constantFrom('# ', '- ', '1. ', '> ', '```', '|', '|-|', '\n', '\n\n', '    ', '\t', '**', '[', '](x)', '---'),
      fc.string({ unit: 'grapheme' }).map((text) => `${text} `),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.nat(40), (parts, columns) => {
        for (const line of draw(renderMarkdown(parts.join(''), columns))) {
          expect(stringWidth(line)).toBeLessThanOrEqual(columns)
          expect(line).not.toMatch(/\p{Cc}/u)
        }
      }),
    )
  })
})
