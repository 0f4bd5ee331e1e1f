import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { isIgnoredBy, readIgnoreFile } from './glob.ts'

const PATHS = [
  'a.log',
  'b.md',
  'build/x.md',
  'docs/a.log',
  'docs/b.md',
  'docs/build/y.md',
  'docs/deep/er/c.md',
  'docs/deep/keep.log',
  'a b.txt',
  'trail ',
  '#hash',
  '!bang',
  'star*.md',
  'f[1].md',
  'f1.md',
  'été.md',
  'x.y.z',
]

// Each row: the .gitignore of the root, and that of docs/.
const ROWS: [string, string][] = [
  ['*.log', ''],
  ['*.log\n!keep.log', ''],
  ['/a.log', ''],
  ['build', ''],
  ['build/', ''],
  ['/build/', ''],
  ['docs/build', ''],
  ['docs/*', ''],
  ['docs/**', ''],
  ['docs/**/c.md', ''],
  ['**/c.md', ''],
  ['**/deep/**', ''],
  ['docs/**/*.md\n!docs/b.md', ''],
  ['# a comment\n\n  \n\\#hash\n\\!bang', ''],
  ['a b.txt   ', ''],
  ['trail\\ ', ''],
  ['f[0-9].md', ''],
  ['f[!0-9].md', ''],
  ['f\\[1\\].md', ''],
  ['star\\*.md', ''],
  ['?.md', ''],
  ['*', ''],
  ['*\n!*.md\n!*/', ''],
  ['x.*.z', ''],
  ['*a*l*o*g', ''],
  ['*.log', '!a.log'],
  ['', '/b.md\n*.log'],
  ['', 'deep/er'],
  ['!docs/a.log', '*.log'],
  ['a.log\r\nb.md\r\n', ''],
  ['[', ''],
  ['/', ''],
  ['**', ''],
]

const root = mkdtempSync(join(tmpdir(), 'loadout-gitignore-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it('ignores what git ignores', () => {
  execFileSync('git', ['init', '-q', root])
  for (const path of PATHS) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
  for (const [top, inner] of ROWS) {
    writeFileSync(join(root, '.gitignore'), top)
    writeFileSync(join(root, 'docs/.gitignore'), inner)
    const rules = [...readIgnoreFile(top, ''), ...readIgnoreFile(inner, 'docs')]
    const mine = PATHS.filter((path) => isHidden(rules, path))
    expect(mine, JSON.stringify([top, inner])).toEqual(ignoredByGit())
  }
})

type Rules = Parameters<typeof isIgnoredBy>[0]

/** As a walk asks: from the top, each folder on the way first. */
function isHidden(all: Rules, path: string): boolean {
  const names = path.split('/')
  return names.some((_name, at) => {
    const prefix = names.slice(0, at + 1).join('/')
    const known = all.filter(({ folder }) => folder === '' || prefix.startsWith(`${folder}/`))
    return isIgnoredBy(known, prefix, at < names.length - 1)
  })
}

function ignoredByGit(): string[] {
  const git = ['-c', 'core.quotePath=false', '-c', 'core.excludesFile=/dev/null', 'ls-files', '-o', '-z']
  const run = (...more: string[]) => execFileSync('git', [...git, ...more], { cwd: root, encoding: 'utf8' }).split('\0')
  const shown = new Set(run('--exclude-standard'))
  return PATHS.filter((path) => !shown.has(path))
}
