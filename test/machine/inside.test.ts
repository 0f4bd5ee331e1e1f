import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHead } from '../../src/agents/disk/agent-files.ts'
import { readBounded } from '../../src/answer/disk/read-candidate.ts'
import { readText } from '../../src/machine/files.ts'
import { readInside, readTextInside, writeInside } from '../../src/machine/inside.ts'
import { PackFolder } from '../../src/packs/disk/pack-folder.ts'
import { readPackHead } from '../../src/packs/disk/pack-head.ts'
import { writeNewFolder } from '../../src/packs/disk/write-pack.ts'
import { writeArchive } from '../../src/skills/disk/archive.ts'
import { hashContent, hashFile } from '../../src/skills/disk/tree.ts'
import { treeOf } from '../cli/civil.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, type Content, makeFolder, makeProject } from '../cli/run.ts'
import { machineOf } from '../packs/machine.ts'

const outside = makeProject({ 'secret.md': 'secret' })

// What stands at a.md, and what each reader makes of it.
const ROWS: [what: string, content: Content, code: string, pack: string | undefined, head: string | undefined][] = [
  ['a file', 'text', 'text', undefined, undefined],
  ['a link inside', aLinkTo('real.md'), 'real', undefined, undefined],
  ['a link out', aLinkTo(join(outside, 'secret.md')), 'PATH_ESCAPE', 'PATH_ESCAPE', undefined],
  ['a device', aLinkTo('/dev/zero'), 'PATH_ESCAPE', 'PATH_ESCAPE', 'is not a regular file'],
  ['a link to nothing', aLinkTo('absent'), 'FILE_NOT_FOUND', undefined, 'is a broken link'],
  ['a link to itself', aLinkToItself, 'FILE_UNREADABLE', 'FILE_UNREADABLE', 'is a link to itself'],
  ['a pipe', aPipe, 'NOT_A_FILE', 'NOT_A_FILE', 'is not a regular file'],
  ['a folder', aFolder, 'NOT_A_FILE', 'NOT_A_FILE', 'is a folder'],
  ['a file that is too large', 'x'.repeat(17 * 1024 * 1024), 'FILE_TOO_LARGE', 'FILE_TOO_LARGE', undefined],
]

describe('reading below a root', () => {
  it.each(ROWS)('%s', (_, content, expected, warning, problem) => {
    const root = makeProject({ 'real.md': 'real', 'a.md': content })
    const { bytes, failure } = readInside(root, 'a.md', { most: 2 * 1024 * 1024 })
    expect(failure?.code ?? String(bytes)).toBe(expected)
    expect(failure?.message ?? '', 'no folder of this machine').not.toContain(root)
    const pack = new PackFolder(machineOf({}).machine, { root })
    const text = pack.read('a.md')?.text
    expect(pack.warnings.map(({ code }) => code)).toEqual(warning === undefined ? [] : [warning])
    expect(text).toBe(failure === undefined ? expected : undefined)
    const head = readHead(join(root, 'a.md'))
    expect('problem' in head ? head.problem : undefined).toBe(problem)
  })

  it('paths that go up, roots that are links, and a beginning', () => {
    const root = makeProject({ 'a.md': '\u00e9\u00e9', '..b.md': 'b' })
    const linked = join(makeFolder(), 'linked')
    symlinkSync(root, linked)
    const limits = { most: 100 }
    expect(readInside(root, '../a.md', limits).failure?.code).toBe('PATH_ESCAPE')
    expect(readInside(`${root}/../${root.split('/').pop()}/`, 'a.md', limits)).toMatchObject({ size: 4, real: 'a.md' })
    expect(readInside(linked, 'a.md', limits)).toMatchObject({ size: 4, real: 'a.md' })
    expect(readInside(root, '..b.md', limits)).toMatchObject({ size: 1 })
    expect(readInside(root, 'a.md', { most: 3, head: 1 })).toMatchObject({ size: 4, bytes: Buffer.from([0xc3]) })
    expect(readHead(join(root, 'a.md'), 3)).toMatchObject({ text: '\u00e9', isUtf8: true })
  })

  it('a pack head that is a link out tells nothing', () => {
    const out = makeProject({ 'KNOWLEDGE.md': '---\nname: private\n---\n' })
    const root = makeProject({ 'KNOWLEDGE.md': aLinkTo(join(out, 'KNOWLEDGE.md')) })
    expect(readPackHead(join(root, 'KNOWLEDGE.md'))).toMatchObject({ problem: { code: 'PATH_ESCAPE' } })
  })
})

describe('a file that is swapped for a link out while it is read', () => {
  it('never gives what is outside', async () => {
    const root = makeProject({ 'a.md': 'inside', 'folder/a.md': 'inside' })
    const out = makeProject({ 'a.md': 'secret' })
    const swapper = spawn(process.execPath, ['-e', SWAP, root, out])
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    const seen = new Map<string, number>()
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
    const readers: Record<string, (path: string) => unknown> = {
      prose: (path) => readTextInside(root, path),
      bytes: (path) => String(readInside(root, path, { most: 100 }).bytes),
      bundle: (path) => JSON.stringify(readBounded(root, path, 10)),
      pack: (path) => new PackFolder(machineOf({}).machine, { root }).read(path)?.text,
      skill: (path) => (hashFile(root, { ...A_FILE, path }) === hashContent('secret') ? 'secret' : 'other'),
    }
    const isMet = () => ['inside', 'undefined'].every((side) => (seen.get(`bytes ${side}`) ?? 0) > 200)
    for (const end = Date.now() + 60_000; !isMet() && Date.now() < end; ) {
      for (const [name, read] of Object.entries(readers)) {
        for (const path of ['a.md', 'folder/a.md']) count(`${name} ${attempt(() => read(path))}`)
      }
    }
    swapper.kill('SIGKILL')
    expect([...seen.keys()].filter((what) => what.includes('secret'))).toEqual([])
    expect(isMet(), 'both sides were met').toBe(true)
  })
})

// Swaps a file, and the folder of another, for links and back.
const SWAP = `
  const { renameSync, symlinkSync, writeFileSync, rmSync } = require('node:fs')
  const [root, out] = process.argv.slice(1)
  process.chdir(root)
  // Who writes makes a folder that is missing, and may do so between two steps.
  const place = (act) => {
    for (;;) try { return act() } catch {
      try { rmSync('folder', { recursive: true, force: true }) } catch {}
    }
  }
  for (let turn = 0; ; turn++) {
    symlinkSync(out + '/a.md', 'link'); renameSync('link', 'a.md')
    renameSync('folder', 'real'); place(() => symlinkSync(out, 'folder'))
    for (let spin = 0; spin < 3000; spin++);
    writeFileSync('next', 'inside'); renameSync('next', 'a.md')
    rmSync('folder'); place(() => renameSync('real', 'folder'))
    if (turn === 0) console.log('ready')
  }`

const A_FILE = { kind: 'file' as const, isExecutable: false, size: 6, stamp: [0, 0, 0, 0, 0] as const }

function attempt(act: () => unknown): string {
  try {
    return String(act())
  } catch {
    return 'refused'
  }
}

describe('writing below a root', () => {
  it('never lands outside, whatever takes the place of the folder', { timeout: 240_000 }, async () => {
    const root = makeProject({ 'a.md': 'inside', 'folder/a.md': 'inside' })
    const out = makeProject({ 'a.md': 'secret' })
    const before = treeOf(out)
    const swapper = spawn(process.execPath, ['-e', SWAP, root, out])
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    const seen = new Set<string>()
    const archive = [{ path: 'a', isExecutable: false, content: { text: 'a' } }]
    const writers: Record<string, (turn: number) => unknown> = {
      file: () => writeInside(root, 'folder/b.md', 'written'),
      archive: (turn) => writeArchive(archive, join(root, `folder/${turn}.tar.gz`), root),
      pack: (turn) => writeNewFolder(root, join(root, `folder/${turn}`), new Map([['KNOWLEDGE.md', 'x']])),
    }
    const both = Object.keys(writers).flatMap((name) => [`${name} refused`, `${name} written`])
    // A while, and on a busy machine until each was met on both sides.
    const [enough, last] = [Date.now() + 1000, Date.now() + 20_000]
    const isGoingOn = () => Date.now() < enough || (seen.size < both.length && Date.now() < last)
    for (let turn = 0; isGoingOn(); turn++) {
      for (const [name, write] of Object.entries(writers)) {
        const outcome = await Promise.resolve(turn)
          .then(write)
          .then(
            () => 'written',
            () => 'refused',
          )
        seen.add(`${name} ${outcome}`)
      }
    }
    expect(swapper.exitCode).toBe(null)
    swapper.kill('SIGKILL')
    expect([...seen].sort()).toEqual(both.sort())
    expect(treeOf(out)).toEqual(before)
  })

  it('keeps the mode, makes folders, and leaves pipes and folders alone', () => {
    const root = makeProject({ 'a.md': 'old', pipe: aPipe, folder: aFolder })
    chmodSync(join(root, 'a.md'), 0o640)
    writeInside(root, 'a.md', 'new')
    writeInside(root, 'x/y/b.md', [Buffer.from('b')])
    expect([readText(join(root, 'a.md')), statSync(join(root, 'a.md')).mode & 0o777]).toEqual(['new', 0o640])
    expect(readFileSync(join(root, 'x/y/b.md'), 'utf8')).toBe('b')
    for (const path of ['pipe', 'folder', 'a.md/b.md']) expect(() => writeInside(root, path, 'x')).toThrow()
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'sub/c.md'), 'c')
    expect(() => writeInside(join(root, 'sub'), '../a.md', 'x')).toThrow('leads out')
    expect(treeOf(root).filter((row) => row.includes('.tmp'))).toEqual([])
  })
})
