import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cut } from './cut.ts'

describe('the headings of a text', () => {
  it.each([
    ['a.md', '# One\n\ntext\n\n## Two ##\n', ['1 One at 1', '2 Two at 5']],
    ['a.md', 'One\n===\n\ntext\n\nTwo\n---\n', ['1 One at 1', '2 Two at 6']],
    ['a.md', 'One\n===\nTwo\n===\n', ['1 One at 1', '1 Two at 3']],
    ['a.md', '# One\n\nname: x\n-------\n', ['1 One at 1']],
    ['a.md', 'intro\n## A\n## B\n', ['2 A at 2', '2 B at 3']],
    ['a.mdc', '## A\n```sh\n# not one\n```\n## B\n', ['2 A at 1', '2 B at 5']],
    ['a.mdx', '## A\n````\n```\n# no\n````\n## B\n', ['2 A at 1', '2 B at 6']],
    ['a.markdown', '## A\n~~~\n## no\n~~~\n## B\n', ['2 A at 1', '2 B at 5']],
    ['a.md', '## A\n<!--\n## no\n-->\n## B\n', ['2 A at 1', '2 B at 5']],
    ['a.md', '---\n# no\n---\n## A\n', ['2 A at 4']],
    ['a.md', '## A ##\r\na\r\n## B\r\n', ['2 A at 1', '2 B at 3']],
    ['a.md', `# ${'x'.repeat(5000)}\n`, [`1 ${'x'.repeat(5000)} at 1`]],
    ['a.txt', 'Notes\n=====\n\ntext\n', ['1 Notes at 1']],
    ['a.txt', '# Notes\n\n## More\n', ['1 Notes at 1', '2 More at 3']],
    ['requirements.txt', '# For tests\npytest\n\n# For search\npagefind\n', []],
    ['a.rst', 'One\n---\n\ntext\n\nTwo\n~~~\n\nThree\n-----\n', ['1 One at 1', '2 Two at 6', '1 Three at 9']],
    ['a.rst', '=====\n One\n=====\n\nTwo\n===\n', ['1 One at 1', '2 Two at 5']],
    ['a.rst', 'A line of text\n---\n', []],
    ['a.rst', 'text::\n\n    Title\n    =====\n', []],
    ['a.rst', 'a paragraph\nof two lines\n------------\n', []],
    ['a.rst', '# not a heading\n', []],
    ['a.adoc', '= One\n\ntext\n\n== Two\n\n----\n== code\n----\n', ['1 One at 1', '2 Two at 5']],
    ['a.asciidoc', '=== Deep\n', ['3 Deep at 1']],
    ['a.adoc', '# not a heading\n', []],
    ['a.py', '# not a heading\n', []],
  ])('%s %j', (path, text, expected) => {
    const found = cut(path, text).filter(({ level }) => level > 0)
    expect(found.map(({ level, title, from }) => `${level} ${title} at ${from}`)).toEqual(expected)
  })
})

it.each<[string, string, string[]]>([
  [
    'a.ts',
    'export const a = 1\nexport async function go() {\n  const local = 1\n}\nclass B {\n  run(x: number): void {\n',
    ['a', 'go', 'B', 'run'],
  ],
  ['a.py', 'class A(B):\n    def one(self):\n        return 1\n\nasync def two():\n', ['A', 'one', 'two']],
  [
    'a.py',
    'class A[T]:\n    """Any\n    class will do, and an\n    object that can be called.\n    """\ntype Pair = tuple\n',
    ['A', 'Pair'],
  ],
  ['a.go', 'func (c *Command) Run() error {\ntype Options struct {\n', ['Run', 'Options']],
  ['a.rs', 'pub(crate) fn a() {}\nmacro_rules! bat_warning {\nimpl<T> Foo for T {\n', ['a', 'bat_warning', 'Foo']],
  [
    'a.c',
    '#define MOST 3\nstatic void *find(const char *name)\n{\n  return look(name);\n}\nint count(void);\nbool List::add(int one,\n',
    ['MOST', 'find', 'add'],
  ],
  ['a.rb', 'module Foo::Bar\n  def self.open(path)\n    def close\n', ['Bar', 'open', 'close']],
  ['a.lua', 'local function one()\nfunction M.two(x)\n', ['one', 'two']],
  ['A.java', '  public static A of(int b) throws IOException {\n', ['of']],
  ['a.ts', 'if (x) {\n  while (y) {\n', []],
])('what code defines: %s %j', (path, text, expected) => {
  expect(cut(path, text).flatMap(({ symbols }) => symbols.map(({ name }) => name))).toEqual(expected)
})

it('a definition starts with the comment above it, and shares it with a definition that looks like a comment', () => {
  const text = 'x = 1\n// one\nfunction a() {}\n\n#define B 1\n#define C 2\nint c;\n#define D 3\n'
  expect(cut('a.c', text, 11).map(({ from, to, symbols }) => [from, to, ...symbols])).toEqual([
    [11, 11],
    [12, 14, { name: 'a', line: 13 }],
    [15, 17, { name: 'B', line: 15 }, { name: 'C', line: 16 }],
    [18, 18, { name: 'D', line: 18 }],
  ])
})

it.each([
  ['option.go', '\treturn func(p *Program) {'],
  ['option.go', '\tif isASCII(x) {'],
  ['a.kt', '  when (code) {'],
  ['a.cs', '    using (var stream = Open()) {'],
  ['a.java', '    synchronized (lock) {'],
])('in %s, "%s" starts a block and not a definition', (path, line) => {
  expect(cut(path, `${line}\n`).flatMap(({ symbols }) => symbols)).toEqual([])
})

it.each([
  ['a.java', '  public void run(String name) {', 'run'],
  ['a.ts', '  async open(path: string): Promise<void> {', 'open'],
  ['a.go', 'func (p *Program) Send(msg Msg) {', 'Send'],
])('in %s, "%s" defines %s', (path, line, name) => {
  expect(cut(path, `${line}\n`).flatMap(({ symbols }) => symbols)).toEqual([{ name, line: 1 }])
})

it('a section ends with the sections below it', () => {
  const text = 'text\n# A\n## B\n#### C\n## D\n# E\n'
  expect(cut('a.md', text).map(({ title, end }) => `${title} ${end}`)).toEqual([
    ' 1',
    'A 5',
    'B 4',
    'C 4',
    'D 5',
    'E 6',
  ])
})

describe('sections', () => {
  const line = fc.constantFrom(
    ...['=====', '-----', 'Title', '# Title', '## b #', '== Title', '', '  text', '----', '---', '~~~', '```', '<!--'],
    ...['-->', '#', ' ', 'def a():', '@a', '#define A', '  run() {', '\ufeff---'],
  )
  const end = fc.constantFrom('\n', '\n', '\r\n', '\r', '')
  const text = fc.array(fc.tuple(line, end)).map((lines) => lines.flat().join(''))
  const path = fc.constantFrom('a.md', 'a.rst', 'a.adoc', 'a.txt', 'a.py', 'a.h', 'Makefile')

  it('cover the text in order and without overlap; joined, they give it back', () => {
    fc.assert(
      fc.property(path, text, fc.integer({ min: 0, max: 9 }), (name, whole, firstLine) => {
        const sections = cut(name, whole, firstLine)
        expect(sections.map((section) => section.text).join('')).toBe(whole)
        let next = firstLine
        for (const { from, to, end: last, text: own, height, level, symbols } of sections) {
          expect(from).toBe(next)
          expect(own.split('\n').length - (own.endsWith('\n') ? 1 : 0)).toBe(to - from + 1)
          expect(height > 0).toBe(level > 0)
          expect(from + height - 1).toBeLessThanOrEqual(to)
          expect(last).toBeGreaterThanOrEqual(to)
          for (const symbol of symbols) expect(symbol.line >= from && symbol.line <= to).toBe(true)
          next = to + 1
        }
        expect(Math.max(0, ...sections.map((section) => section.end))).toBe(sections.length === 0 ? 0 : next - 1)
      }),
      { numRuns: 1000 },
    )
  })
})
