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
  [
    'a.c',
    '#define MOST 3\nstatic void *find(const char *name)\n{\n  return look(name);\n}\nint count(void);\nbool List::add(int one,\n',
    ['MOST', 'find', 'add'],
  ],
  ['a.rb', 'module Foo::Bar\n  def self.open(path)\n    def close\n', ['Bar', 'open', 'close']],
  ['a.lua', 'local function one()\nfunction M.two(x)\n', ['one', 'two']],
  ['A.java', '  public static A of(int b) throws IOException {\n', ['of']],
  ['a.md', '# One\n```\n# no\n```\n## Two\n', ['One', 'Two']],
  ['a.rst', 'Title\n=====\n\nPart\n----\n', ['Title', 'Part']],
  ['a.adoc', '= One\n== Two\n', ['One', 'Two']],
  ['a.ts', 'if (x) {\n  while (y) {\n', []],
])('%s: %j', (path, text, expected) => {
  expect(outlineOf(path, text.split('\n')).map(({ name }) => name)).toEqual(expected)
})
