import { describe, expect, it } from 'vitest'
import { globProblem, isGlob } from './glob.ts'

describe('a glob', () => {
  it.each([
    'docs/*.md',
    'docs/**/*.md',
    '**/*.md',
    '*',
    '*.md',
    'docs/**',
    '.cortex/artifacts/decisions/decision_*_v*.md',
    'docs/{adr,decisions}/*.md',
    'docs/{a,b{c,d}}/**',
    'a..b/*.md',
    '{1..3}/x.md',
    'notes (old)/*.md',
    '**/!(draft).md',
    './docs/*.md',
    '{'.repeat(499),
  ])('%s is fine', (glob) => {
    expect(globProblem(glob)).toBeUndefined()
  })

  it.each([
    ['', 'it is empty'],
    ['/etc/*', 'it is absolute'],
    ['~/x/*', 'it is absolute'],
    ['c:/x', 'it is absolute'],
    ['../*', 'it leaves its root'],
    ['a/../../b', 'it leaves its root'],
    ['a/../b', 'it contains ..'],
    ['{a,..}/b', 'it leaves its root'],
    ['{a,/etc}/b', 'it is absolute'],
    ['@(a|..)/b', 'it leaves its root'],
    ['a\\*b', 'it contains a backslash'],
    ['a\0b', 'it contains a NUL character'],
    ['**', 'it matches everything: name a folder or an ending'],
    ['**/*', 'it matches everything: name a folder or an ending'],
    ['./**/*', 'it matches everything: name a folder or an ending'],
    ['**/**', 'it matches everything: name a folder or an ending'],
    ['*/**', 'it matches everything: name a folder or an ending'],
    ['**/*.*', 'it matches everything: name a folder or an ending'],
    ['{docs,**}', 'it matches everything: name a folder or an ending'],
    ['**/!(x)', 'it matches everything: name a folder or an ending'],
    ['**/[!.]*', 'it matches everything: name a folder or an ending'],
    ['!docs/*', 'it must say what to take, not what to leave out'],
    ['{a,b}'.repeat(20), 'it has more than 64 alternatives'],
    ['a'.repeat(501), 'it is longer than 500 characters'],
  ])('%j is refused: %s', (glob, problem) => {
    expect(globProblem(glob)).toBe(problem)
  })

  it.each([
    ['README.md', false],
    ['notes (old).md', false],
    ['docs/*.md', true],
    ['docs/?.md', true],
    ['docs/[ab].md', true],
    ['{a,b}.md', true],
    ['@(a|b).md', true],
  ])('is told from a path: %s', (pattern, expected) => {
    expect(isGlob(pattern)).toBe(expected)
  })
})
