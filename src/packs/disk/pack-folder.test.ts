import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aLinkTo, aPipe, makeFolder, makeProject } from '../../../test/cli/run.ts'
import { stampOf } from '../../machine/cache.ts'
import { Machine } from '../../machine/machine.ts'
import { digestKnownTree, digestTree } from './pack-folder.ts'

/** A pack whose files are old enough for the cache to trust their times. */
function makePack() {
  const root = makeProject({
    'KNOWLEDGE.md': '# Birds\n',
    'wiki/a.md': 'A.\n',
    'wiki/b.md': 'B.\n',
    link: aLinkTo('x'),
  })
  const later = new Date(Date.now() + 60_000)
  return { root, machine: new Machine({ cwd: root, home: makeFolder(), env: {}, now: () => later }) }
}

describe('the digests of a pack that was read before', () => {
  it('come from the cache as long as a file is the same', () => {
    const { root, machine } = makePack()
    const stamp = stampOf(statSync(join(root, 'wiki/a.md')))
    const rows = [['wiki/a.md', stamp, 'not read']]
    const key = { kind: 'pack-digests', version: 2, name: [root] }
    machine.cache.write(key, Buffer.from(JSON.stringify(rows)))
    expect(digestKnownTree(machine, { root })).toEqual({ ...digestTree({ root }), 'wiki/a.md': 'not read' })
    machine.cache.write(key, Buffer.from(JSON.stringify([['wiki/a.md', 1]])))
    expect(digestKnownTree(machine, { root })).toEqual(digestTree({ root }))
  })

  const CHANGES: [what: string, change: (root: string) => void][] = [
    ['nothing', () => {}],
    ['a file that came', (root) => writeFileSync(join(root, 'wiki/c.md'), 'C.\n')],
    ['a file that went', (root) => rmSync(join(root, 'wiki/b.md'))],
    ['other bytes of the same length and time', (root) => rewrite(join(root, 'wiki/a.md'), 'Z.\n')],
    ['two files that changed places', (root) => swap(join(root, 'wiki/a.md'), join(root, 'wiki/b.md'))],
    ['a link in place of a file', (root) => replace(join(root, 'wiki/a.md'), (path) => symlinkSync('b.md', path))],
    ['a pipe in place of a file', (root) => replace(join(root, 'wiki/a.md'), aPipe)],
    ['a link that leads elsewhere', (root) => replace(join(root, 'link'), (path) => symlinkSync('y', path))],
    ['a folder in place of a file', (root) => replace(join(root, 'wiki/a.md'), (path) => mkdirSync(path))],
  ]
  it.each(CHANGES)('are those of a pack that was never read: %s', (what, change) => {
    const { root, machine } = makePack()
    const first = digestKnownTree(machine, { root })
    expect(first).toEqual(digestTree({ root }))
    change(root)
    const second = digestKnownTree(machine, { root })
    expect(second).toEqual(digestTree({ root }))
    expect(JSON.stringify(second) === JSON.stringify(first)).toBe(what === 'nothing')
  })

  it('are not kept of files that changed a moment ago', () => {
    const { root, machine } = makePack()
    const now = new Date()
    digestKnownTree(new Machine({ ...machine, now: () => now }), { root })
    rewrite(join(root, 'wiki/a.md'), 'Z.\n')
    expect(digestKnownTree(machine, { root })).toEqual(digestTree({ root }))
  })
})

it('a guide that is too large, and a folder that is too deep, are refused', () => {
  const { root } = makePack()
  writeFileSync(join(root, 'KNOWLEDGE.md'), 'x'.repeat(2 * 1024 * 1024 + 1))
  expect(() => digestTree({ root })).toThrow(/KNOWLEDGE\.md cannot be approved: it contains more than 2097152 bytes/)
  rmSync(join(root, 'KNOWLEDGE.md'))
  mkdirSync(join(root, ...Array.from({ length: 40 }, () => 'd')), { recursive: true })
  expect(() => digestTree({ root })).toThrow(/folders more than 32 deep/)
})

function rewrite(path: string, text: string): void {
  const { atime, mtime } = statSync(path)
  writeFileSync(path, text)
  utimesSync(path, atime, mtime)
}

function swap(a: string, b: string): void {
  renameSync(a, `${a}.x`)
  renameSync(b, a)
  renameSync(`${a}.x`, b)
}

function replace(path: string, make: (path: string) => void): void {
  rmSync(path)
  make(path)
}
