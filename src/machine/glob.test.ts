import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { endsAt, enterFolder, patternProblem, readGlob, startOf } from './glob.ts'

/** Walks a path down a pattern, the way a search does. */
function isFound(pattern: string, path: string): boolean {
  const glob = readGlob(pattern)
  if (glob.parts.length === 0) return path === glob.path
  if (glob.base !== '' && !path.startsWith(`${glob.base}/`)) return false
  const names = path.slice(glob.base === '' ? 0 : glob.base.length + 1).split('/')
  let progress = startOf(glob)
  for (const name of names.slice(0, -1)) {
    const step = enterFolder(glob, progress, name)
    if (step === undefined) return false
    progress = step.progress
  }
  return endsAt(glob, progress, names.at(-1) ?? '') && glob.accepts(path)
}

describe('a pattern', () => {
  const rows: [pattern: string, found: string[], not: string[]][] = [
    ['AGENTS.md', ['AGENTS.md'], ['a/AGENTS.md']],
    ['./AGENTS.md', ['AGENTS.md'], []],
    ['specs/*.md', ['specs/a.md'], ['specs/.a.md', 'specs/a/b.md', 'a/specs/b.md', 'specs/a.mdx']],
    ['**/*.md', ['a.md', 'a/b.md', 'a/b/c.md'], ['.a/b.md', 'a/.b.md']],
    ['docs/**', ['docs/a', 'docs/a/b'], ['docs', 'docs/.a']],
    ['docs/**/api/*.md', ['docs/api/a.md', 'docs/x/y/api/a.md'], ['docs/a.md', 'docs/api/x/a.md']],
    ['**/a/**/b.md', ['a/b.md', 'x/a/y/z/b.md'], ['b.md', 'x/b.md']],
    ['.cortex/artifacts/*.md', ['.cortex/artifacts/a.md'], ['.cortex/artifacts/.a.md']],
    ['decision_*_v*.md', ['decision_a_v1.md', 'decision_a_v_v2.md'], ['decision_a.md', 'decision_v1.md']],
    ['a?.md', ['ab.md'], ['a.md', 'abc.md']],
    ['a*b*c', ['abc', 'axbxc', 'abcbc'], ['ab', 'acb']],
    ['{README,AGENTS}.md', ['README.md', 'AGENTS.md'], ['OTHER.md']],
    ['a/{b,c/d}/*.md', ['a/b/x.md', 'a/c/d/x.md'], ['a/c/x.md', 'a/d/x.md']],
    ['[ab].md', ['a.md', 'b.md'], ['c.md']],
    ['!a.md', ['!a.md'], ['b.md']],
    ['.*', ['.a'], ['a']],
  ]
  it.each(rows)('%s', (pattern, found, not) => {
    expect(found.filter((path) => !isFound(pattern, path))).toEqual([])
    expect(not.filter((path) => isFound(pattern, path))).toEqual([])
  })

  it('is not entered where it cannot match', () => {
    const glob = readGlob('docs/*/api/*.md')
    expect(enterFolder(glob, startOf(glob), 'a')?.progress).toEqual([1])
    expect(enterFolder(glob, [1], 'b')).toBeUndefined()
    const flat = readGlob('*.md')
    expect(enterFolder(flat, startOf(flat), 'docs')).toBeUndefined()
  })

  it('with many stars comes to an end', () => {
    expect(isFound(`${'*a'.repeat(100)}b`, 'a'.repeat(255))).toBe(false)
  })
})

it('patterns mean what they mean to picomatch', () => {
  const parts = fc.constantFrom('**', '*', 'a', 'b', 'a*', '*b', '*.md', 'a?', '.a', '.*', '{a,b}', '[ab]*', '*a*b*')
  const names = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'a.md', '.a', '.md', 'a.b.md', 'c')
  fc.assert(
    fc.property(
      fc.array(parts, { minLength: 1, maxLength: 4 }),
      fc.array(names, { minLength: 1, maxLength: 5 }),
      (pattern, path) => {
        const [glob, file] = [pattern.join('/'), path.join('/')]
        // A file is never a folder that ** stands in.
        fc.pre(!(pattern.at(-1) === '**' && picomatch(`${pattern.slice(0, -1).join('/') || 'x'}`)(file)))
        expect(isFound(glob, file), `${glob} for ${file}`).toBe(picomatch(glob)(file))
      },
    ),
    { numRuns: 3000 },
  )
})

describe('patternProblem', () => {
  const rows: [pattern: string, problem: RegExp | undefined][] = [
    ['specs/*.md', undefined],
    ['', /empty/],
    ['/etc/*', /absolute/],
    ['~/x', /absolute/],
    ['../*.md', /leaves/],
    ['a/../*.md', /contains/],
    ['a\\b', /backslash/],
    ['a'.repeat(501), /characters/],
    ['+(a*)*(b*)*(c*)*', /wildcards/],
  ]
  it.each(rows)('%s', (pattern, problem) => {
    if (problem === undefined) expect(patternProblem(pattern)).toBeUndefined()
    else expect(patternProblem(pattern)).toMatch(problem)
  })
})
