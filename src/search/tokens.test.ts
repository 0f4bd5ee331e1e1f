import { expect, test } from 'vitest'
import { termsOf, visitTerms } from './tokens.ts'

function read(text: string): string {
  const terms: string[] = []
  const mark = { word: '', stop: '!', joined: '*' }
  visitTerms(text, (term, kind) => terms.push(term + mark[kind]))
  return terms.join(' ')
}

test.each([
  ['parseFrontmatter', 'pars frontmatt parsefrontmatt*'],
  ['HTTPServer', 'http server httpserver*'],
  ['OAuth', 'oauth'],
  ['URLs and APIsOfUs', 'url and! api of! us! apisofus*'],
  ['ci/cd', 'ci cd cicd*'],
  ['node.js', 'node js nodej*'],
  ['C++ and C#', 'c++ and! c#'],
  ['a+b', 'a! b'],
  ['.NET', 'net .net*'],
  ['(.toml)', 'toml .toml*'],
  ['main.toml', 'main toml maintoml*'],
  ['The end. Next', 'the! end next'],
  ["the user's don't", 'the! user don!'],
  ['the user’s', 'the! user'],
  ['snake_case-name', 'snake case name snakecasenam*'],
  ['Résumé ﬁle Ｆｕｌｌ', 'resum file full'],
  ['Привет мир', 'привет мир'],
  ['Ελληνικά', 'ελληνικα'],
  ['東京都', '東京 京都'],
  ['猫', '猫'],
  ['Node에서', 'node 에서'],
  ['𠀀𠀁𠀂', '𠀀𠀁 𠀁𠀂'],
  ['a\ud800b', 'a! b'],
  ['__proto__ constructor', 'proto constructor'],
  ['', ''],
  [' \n\t', ''],
])('%j', (text, expected) => {
  expect(read(text)).toBe(expected)
})

test('a word is cut and a text is bounded', () => {
  expect(termsOf('x'.repeat(10_000_000))).toEqual(['x'.repeat(48)])
  expect(termsOf(`${'word '.repeat(30_000)}beyond`)).toEqual(['word'])
})

test('what was read before does not change how a text is read', () => {
  const text = 'ci/cd node.js snake_case-name ParseFile .toml c++/c# a/b'
  const before = read(text)
  // More spellings than are kept.
  for (let at = 0; at < 140_000; at += 1000) {
    termsOf(Array.from({ length: 1000 }, (_, i) => `w${at + i}`).join(' '))
  }
  expect(read(text)).toBe(before)
  expect(read(`${'long '.repeat(50)}${text}`)).toBe(`${'long '.repeat(50)}${before}`)
})
