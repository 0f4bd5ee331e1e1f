import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Walk, type WalkOptions } from './walk.ts'

const scratch = mkdtempSync(join(tmpdir(), 'loadout-walk-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
let made = 0

function makeTree(files: Record<string, string> | readonly string[]): string {
  const root = join(scratch, String(++made))
  mkdirSync(root)
  for (const [path, text] of Array.isArray(files) ? files.map((each) => [each, '']) : Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** Everything but folders that a walk sees and does not ignore. */
function filesOf(walk: Walk, from?: string): string[] {
  const found: string[] = []
  for (const { inside, entries, enter } of walk.folders(from)) {
    for (const { name, kind, isIgnored } of entries) {
      if (isIgnored) continue
      if (kind === 'folder') enter(name)
      else found.push(inside === '' ? name : `${inside}/${name}`)
    }
  }
  return found
}

const walked = (root: string, options?: WalkOptions, from?: string) => filesOf(new Walk(root, options), from)

describe('a walk', () => {
  it('goes level by level, each folder in the order of code units', () => {
    const root = makeTree(['b/x', 'B/x', 'a/deep/x', 'é', 'z', 'Z', 'a/y', '10', '9'])
    expect(walked(root)).toEqual(['10', '9', 'Z', 'z', 'é', 'B/x', 'a/y', 'b/x', 'a/deep/x'])
    expect(walked(root, {}, 'a')).toEqual(['a/y', 'a/deep/x'])
  })

  it('ignores names only by the kinds that are asked for', () => {
    const root = makeTree(['.git/x', 'node_modules/x', 'dist/x', 'indexes/x', '.hidden/x', 'src/x'])
    expect(walked(root)).toHaveLength(6)
    expect(walked(root, { ignore: ['versions', 'dependencies'] })).toEqual([
      '.hidden/x',
      'dist/x',
      'indexes/x',
      'src/x',
    ])
    const all: WalkOptions = { ignore: ['versions', 'dependencies', 'built', 'pack indexes'], ignoreHidden: true }
    expect(walked(root, all)).toEqual(['src/x'])
  })

  it('ignores what .gitignore files name, nested and above its start', () => {
    const root = makeTree({
      '.gitignore': '*.log\n/docs/private/\n',
      'a.log': '',
      'docs/.gitignore': '!keep.log\nx/*.md\n',
      'docs/keep.log': '',
      'docs/other.log': '',
      'docs/private/a.md': '',
      'docs/x/a.md': '',
      'docs/x/a.txt': '',
      'src/keep.log': '',
    })
    expect(walked(root, { useGitignore: true })).toEqual([
      '.gitignore',
      'docs/.gitignore',
      'docs/keep.log',
      'docs/x/a.txt',
    ])
    expect(walked(root, { useGitignore: true }, 'docs/x')).toEqual(['docs/x/a.txt'])
    expect(walked(root, {}, 'docs/x')).toEqual(['docs/x/a.md', 'docs/x/a.txt'])
  })

  it('follows no link and waits for no pipe, a .gitignore included', () => {
    const root = makeTree(['a/x', 'pipe/x'])
    symlinkSync('..', join(root, 'a', 'up'))
    symlinkSync('/', join(root, 'out'))
    execFileSync('mkfifo', [join(root, 'p'), join(root, 'pipe', '.gitignore')])
    expect(walked(root, { useGitignore: true })).toEqual(['out', 'p', 'a/up', 'a/x', 'pipe/.gitignore', 'pipe/x'])
  })

  it('stops at each limit and counts what it left out', () => {
    const root = makeTree(['a/1/x', 'b/1/x', 'c/1/x'])
    const run = (options: WalkOptions) => {
      const walk = new Walk(root, options)
      return [filesOf(walk), walk.leftOut.count, walk.leftOut.tooDeep.map((path) => path.slice(root.length + 1))]
    }
    expect(run({})).toEqual([['a/1/x', 'b/1/x', 'c/1/x'], 0, []])
    expect(run({ mostFolders: 5 })).toEqual([['a/1/x'], 2, []])
    expect(run({ mostDepth: 1 })).toEqual([[], 0, ['a', 'b', 'c']])
    let folders = 0
    expect(run({ isLate: () => ++folders > 2 })).toEqual([[], 3, []])
  })

  it('counts a folder that two walks share once', () => {
    const root = makeTree(['a/x', 'b/x'])
    const walk = new Walk(root, { mostFolders: 3 })
    expect([filesOf(walk), filesOf(walk, 'a'), filesOf(walk)]).toEqual([['a/x', 'b/x'], ['a/x'], ['a/x', 'b/x']])
    expect(walk.leftOut.count).toBe(0)
  })

  it('reports what cannot be listed, and names that are not UTF-8', () => {
    const root = makeTree(['\ufffd', 'file'])
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), '')
    const walk = new Walk(root)
    const names = [...walk.folders()].flatMap(({ entries }) => entries.map((each) => [each.name, each.isNameable]))
    expect(names).toContainEqual(['file', true])
    expect(names.filter(([, isNameable]) => !isNameable).length).toBeGreaterThan(0)
    for (const from of ['none', 'file']) expect([...walk.folders(from)].flatMap(({ entries }) => entries)).toEqual([])
    expect(walk.leftOut.unreadable.map(({ inside }) => inside)).toEqual(['none', 'file'])
  })
})
