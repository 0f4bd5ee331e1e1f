import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PackConfig } from '../../src/packs/rules/pack-config.ts'
import { makeFolder } from '../cli/run.ts'
import { discoverIn, packText, watchDiscovery } from './machine.ts'

/** Longer than the time in which a change might leave the times of a folder unchanged. */
const settle = () => new Promise((done) => setTimeout(done, 150))

const packageFolder = makeFolder()

/** A project with a few hundred folders; every third is a pack. */
function makeTree() {
  const ws = makeFolder()
  const root = join(ws, '.agents/knowledge')
  for (let at = 0; at < 300; at++) {
    const folder = join(root, `g${at % 10}`, `p${at}`)
    mkdirSync(folder, { recursive: true })
    if (at % 3 === 0) writePack(folder, `p${at}`)
  }
  mkdirSync(join(root, 'g1', 'dist'))
  mkdirSync(join(root, 'g2', '1', '2', '3', '4'), { recursive: true })
  symlinkSync('/', join(root, 'g3', 'out'))
  mkdirSync(join(root, 'g4', 'linked', 'wiki'), { recursive: true })
  writeFileSync(join(root, 'g4', 'linked', 'guide.md'), packText({ name: 'linked' }))
  symlinkSync('guide.md', join(root, 'g4', 'linked', 'KNOWLEDGE.md'))
  return { ws, root, home: makeFolder() }
}

function writePack(folder: string, name: string, version = '1'): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'KNOWLEDGE.md'), packText({ name, version }))
}

function discover(ws: string, home: string, config: Partial<PackConfig> = {}): string {
  return JSON.stringify(discoverIn(ws, { home, packageFolder, config })).replaceAll(home, '~')
}

function cacheFiles(home: string): string[] {
  const folder = join(home, '.cache/loadout/pack-heads')
  return readdirSync(folder).map((name) => join(folder, name))
}

describe('the cache of the heads of packs', () => {
  it('saves the reading of all that is unchanged', async () => {
    const { ws, root, home } = makeTree()
    await settle()
    const first = discover(ws, home)
    const again = watchDiscovery(ws, { home, packageFolder })
    expect(again.opened).toEqual([])
    expect(JSON.stringify(again.discovery).replaceAll(home, '~')).toBe(first)
    writePack(join(root, 'g7', 'new'), 'new')
    const changed = watchDiscovery(ws, { home, packageFolder })
    expect(changed.opened).toEqual([join(root, 'g7', 'new', 'KNOWLEDGE.md')])
  })

  it('gives what a scan without it gives, whatever has changed', async () => {
    const { ws, root, home } = makeTree()
    const at = (...names: string[]) => join(root, ...names)
    const changes: (() => void)[] = [
      () => {},
      () => writePack(at('g0', 'p0'), 'p0', '2'),
      () => mkdirSync(at('g0', 'a-new-one')),
      () => writePack(at('g0', 'a-new-one'), 'a-new-one'),
      () => renameSync(at('g5'), at('h5')),
      () => renameSync(at('g6', 'p6', 'KNOWLEDGE.md'), at('g6', 'p6', 'knowledge.md')),
      () => writePack(at('g9'), 'g9'),
      () => rmSync(at('g9', 'KNOWLEDGE.md')),
      () => rmSync(at('g8'), { recursive: true }),
      () => writeFileSync(at('g4', 'linked', 'guide.md'), '---\nname: [\n---\n'),
      () => rmSync(at('g3', 'out')),
    ]
    for (const isSettled of [true, false]) {
      for (const change of changes.splice(0, isSettled ? 6 : changes.length)) {
        change()
        if (isSettled) await settle()
        const expected = discover(ws, makeFolder())
        expect(discover(ws, home)).toBe(expected)
        expect(discover(ws, home)).toBe(expected)
      }
    }
  })

  it('is not mixed up with that of other limits', async () => {
    const { ws, home } = makeTree()
    await settle()
    const limits = [{}, { maxDepth: 1 }, { maxDepth: 5 }, { maxDirectories: 250 }, { followLinks: false }, {}]
    for (const config of limits) expect(discover(ws, home, config)).toBe(discover(ws, makeFolder(), config))
  })

  it('is not believed when it is damaged', async () => {
    const { ws, home } = makeTree()
    await settle()
    const expected = discover(ws, home)
    const [path = ''] = cacheFiles(home)
    const good = readFileSync(path)
    const damaged = [
      Buffer.alloc(0),
      good.subarray(0, 40),
      good.subarray(0, good.length - 1),
      Buffer.from('not a cache'),
      Buffer.from(good.toString('latin1').replace('p297', 'p298'), 'latin1'),
      Buffer.alloc(good.length),
    ]
    for (const bytes of damaged) {
      writeFileSync(path, bytes)
      expect(discover(ws, home)).toBe(expected)
      expect(readFileSync(path).equals(good)).toBe(true)
    }
  })

  it('is not kept for a few packs', async () => {
    const ws = makeFolder()
    const home = makeFolder()
    writePack(join(ws, '.agents/knowledge/a'), 'a')
    await settle()
    discover(ws, home)
    expect(readdirSync(home)).toEqual([])
  })

  it('that cannot be written does no harm', async () => {
    const { ws, home } = makeTree()
    writeFileSync(join(home, '.cache'), '')
    await settle()
    expect(discover(ws, home)).toBe(discover(ws, makeFolder()))
  })
})
