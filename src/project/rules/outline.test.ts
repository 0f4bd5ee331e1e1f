import { expect, it } from 'vitest'
import { outlineOf } from './outline.ts'

it.each<[string, string, string[]]>([
  [
    'a.ts',
    'export const a = 1\nexport async function go() {\n  const local = 1\n}\nclass B {\n  run(x: number): void {\n',
    ['a', 'go', 'B', 'run'],
  ],
  ['a.py', 'class A(B):\n    def one(self):\n        return 1\n\nasync def two():\n', ['A', 'one', 'two']],
  ['a.go', 'func (c *Command) Run() error {\ntype Options struct {\n', ['Run', 'Options']],
  ['a.rs', 'pub(crate) fn a() {}\nmacro_rules! bat_warning {\nimpl<T> Foo for T {\n', ['a', 'bat_warning', 'Foo']],
  ['a.md', '# One\n```\n# no\n```\n## Two\n', ['One', 'Two']],
  ['a.rst', 'Title\n=====\n\nPart\n----\n', ['Title', 'Part']],
  ['a.adoc', '= One\n== Two\n', ['One', 'Two']],
  ['a.ts', 'if (x) {\n  while (y) {\n', []],
])('%s: %j', (path, text, expected) => {
  expect(outlineOf(path, text.split('\n')).map(({ name }) => name)).toEqual(expected)
})
