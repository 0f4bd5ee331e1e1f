import { describe, expect, it } from 'vitest'
import { parseRepositoryName, splitRef } from './source-name.ts'

describe('the name of a source', () => {
  const rows: [named: string, expected: object | undefined][] = [
    ['owner/repo', { url: 'https://github.com/owner/repo' }],
    ['owner/repo.git', { url: 'https://github.com/owner/repo' }],
    ['owner/repo/skills/a', { url: 'https://github.com/owner/repo', folder: 'skills/a' }],
    ['owner/repo#v1.2', { url: 'https://github.com/owner/repo', ref: 'v1.2' }],
    ['gitlab:owner/repo', { url: 'https://gitlab.com/owner/repo' }],
    ['https://github.com/o/r', { url: 'https://github.com/o/r' }],
    ['https://github.com/o/r.git#main', { url: 'https://github.com/o/r.git', ref: 'main' }],
    ['https://github.com/o/r/tree/main/skills/a/', { url: 'https://github.com/o/r', refAndFolder: 'main/skills/a' }],
    ['https://github.com/o/r/blob/main/a%20b/SKILL.md', { url: 'https://github.com/o/r', refAndFolder: 'main/a b' }],
    ['https://gitlab.com/o/r/-/tree/v1/x', { url: 'https://gitlab.com/o/r', refAndFolder: 'v1/x' }],
    ['git@github.com:o/r.git', { url: 'git@github.com:o/r.git' }],
    ['file:///tmp/r/tree/dev/x', { url: 'file:///tmp/r', refAndFolder: 'dev/x' }],
    ['https://git.example.org/src/team/r.git', { url: 'https://git.example.org/src/team/r.git' }],
    ['no-such-folder', undefined],
    ['../up', undefined],
    ['./here/there', undefined],
    ['a/..', undefined],
  ]
  it.each(rows)('%s', (named, expected) => {
    expect(parseRepositoryName(named)).toEqual(expected)
  })
})

describe('a web address with a ref and a folder', () => {
  const refs = ['main', 'feature/x', 'feature', 'v1']
  it.each([
    ['main', { ref: 'main', folder: '' }],
    ['main/skills/a', { ref: 'main', folder: 'skills/a' }],
    ['feature/x/skills', { ref: 'feature/x', folder: 'skills' }],
    ['0123456789abcdef/skills', { ref: '0123456789abcdef', folder: 'skills' }],
  ])('%s', (text, expected) => {
    expect(splitRef(text, refs)).toEqual(expected)
  })

  it('is refused if the ref does not exist', () => {
    expect(() => splitRef('gone/skills', refs)).toThrow('no branch or tag')
  })
})
