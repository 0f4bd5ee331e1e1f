import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frontmatterTitle, headingsOf } from './headings.ts'

describe('the headings of a text', () => {
  it.each([
    ['a.md', '# One\n\ntext\n\n## Two ##\n', ['1 One at 0', '2 Two at 4']],
    ['a.md', 'One\n===\n\ntext\n\nTwo\n---\n', ['1 One at 0', '2 Two at 5']],
    ['a.md', '# One\n\nname: x\n-------\n', ['1 One at 0']],
    ['a.txt', 'Notes\n=====\n\ntext\n', ['1 Notes at 0']],
    ['a.rst', 'One\n---\n\ntext\n\nTwo\n~~~\n\nThree\n-----\n', ['1 One at 0', '2 Two at 5', '1 Three at 8']],
    ['a.rst', '=====\n One\n=====\n\nTwo\n===\n', ['1 One at 0', '2 Two at 4']],
    ['a.rst', 'A line of text\n---\n', []],
    ['a.rst', 'text::\n\n    Title\n    =====\n', []],
    ['a.rst', 'a paragraph\nof two lines\n------------\n', []],
    ['a.rst', '# not a heading\n', []],
    ['a.adoc', '= One\n\ntext\n\n== Two\n\n----\n== code\n----\n', ['1 One at 0', '2 Two at 4']],
    ['a.asciidoc', '=== Deep\n', ['3 Deep at 0']],
    ['a.adoc', '# not a heading\n', []],
  ])('%s %j', (path, text, expected) => {
    const found = headingsOf(path, text.split('\n'))
    expect(found.map(({ level, title, line }) => `${level} ${title} at ${line}`)).toEqual(expected)
  })

  it('lie in the text and do not overlap, whatever it is', () => {
    const line = fc.constantFrom('=====', '-----', 'Title', '# Title', '== Title', '', '  text', '----', '~~~')
    fc.assert(
      fc.property(fc.constantFrom('a.md', 'a.rst', 'a.adoc', 'a.txt'), fc.array(line), (path, lines) => {
        let end = 0
        for (const heading of headingsOf(path, lines)) {
          expect(heading.line).toBeGreaterThanOrEqual(end)
          end = heading.line + heading.height
          expect(end).toBeLessThanOrEqual(lines.length)
        }
      }),
    )
  })
})

it.each([
  ['---\ntitle: Merge a change\n---\n# Other\n', 'Merge a change'],
  ['---\r\nid: x\r\ntitle: "Paging: who"\r\n---\r\ntext\r\n', 'Paging: who'],
  ["---\ntitle: 'It'\n---\n", 'It'],
  ['---\ntitle:\nid: x\n---\n', ''],
  ['---\n  title: deeper\n---\n', ''],
  ['---\ntitle: never closed\n', ''],
  ['title: no frontmatter\n', ''],
])('the title in the frontmatter of %j is %j', (text, title) => {
  expect(frontmatterTitle(text)).toBe(title)
})
