import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { benchEnvironment, median, ms, printTable, ratio, type Spent, timeOnce } from './measure.ts'

const FOLDERS = 100_000
const PACKS = 5_000
const ROUNDS = 3
/** Longer than what a folder needs until its times tell of every change. */
const SETTLING_MS = 300

/** Thousands of packs in a tree of a hundred thousand folders: found with and without the cache, side by side with find. */
export async function benchPacksDiscovery(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  try {
    const root = join(folder, 'home', '.agents', 'knowledge')
    writeTree(root)
    const program = await bundle(folder)
    await new Promise((done) => setTimeout(done, SETTLING_MS))
    const rounds = Array.from({ length: ROUNDS }, () => runRound(folder, root, program))
    const taken = (pick: (round: Round) => Spent) => ({
      wall: median(rounds.map((round) => pick(round).wall)),
      cpu: median(rounds.map((round) => pick(round).cpu)),
    })
    const [find, first, second] = [taken((r) => r.find), taken((r) => r.first), taken((r) => r.second)]
    printTable(`${PACKS} packs in a tree of ${FOLDERS} folders`, [
      ['', 'wall ms', 'processor ms', 'wall / find', 'at most'],
      ['find -name KNOWLEDGE.md', ms(find.wall), ms(find.cpu), '', ''],
      ['discovery, first', ms(first.wall), ms(first.cpu), ratio(first.wall, find.wall), '3\u00d7'],
      ['discovery, again', ms(second.wall), ms(second.cpu), ratio(second.wall, find.wall), '1.5\u00d7'],
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Round {
  find: Spent
  first: Spent
  second: Spent
}

function runRound(folder: string, root: string, program: string): Round {
  const home = join(folder, 'home')
  const env = { ...benchEnvironment(home), XDG_CONFIG_HOME: '', LOADOUT_CONFIG: '' }
  rmSync(join(home, '.cache'), { recursive: true, force: true })
  const discover = () => timeOnce([process.execPath, program, home], folder, env)
  return { find: timeOnce(['find', root, '-name', 'KNOWLEDGE.md'], folder, env), first: discover(), second: discover() }
}

/** Three levels of ten folders each, and the rest below them, in turn. One in twenty is a pack. */
function writeTree(root: string): void {
  let folders = 0
  let packs = 0
  const make = (path: string) => {
    mkdirSync(path, { recursive: true })
    folders++
    return path
  }
  const groups: string[] = []
  for (let at = 0; at < 1000; at++) {
    const [a, b, c] = [Math.floor(at / 100), Math.floor(at / 10) % 10, at % 10]
    if (at % 100 === 0) make(join(root, `area-${a}`))
    if (at % 10 === 0) make(join(root, `area-${a}`, `team-${b}`))
    groups.push(make(join(root, `area-${a}`, `team-${b}`, `group-${c}`)))
  }
  for (let at = 0; folders < FOLDERS; at++) {
    const path = make(join(groups[at % groups.length] ?? root, `item-${at}`))
    if (at % 19 === 0 && packs++ < PACKS) writeFileSync(join(path, 'KNOWLEDGE.md'), packText(at))
    else if (at % 3 === 0) writeFileSync(join(path, 'notes.md'), 'x\n')
  }
}

function packText(at: number): string {
  return `---
name: item-${at}
description: What everybody should know about item ${at}, and whom to ask when this is not enough.
type: domain-reference
status: ready
profile: wiki-first
trust: official
version: 1.${at}
grounding: required
metadata:
  primaryDocument: documents/main.md
  producedBy:
    kind: agent-skill
    name: builder
---

# Item ${at}

${'Something about it.\n'.repeat(40)}`
}

/** The function in a program of its own, as it is in the real one. */
async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, 'discover.cjs')
  const contents = `
    import { NO_PACK_CONFIG } from './src/packs/rules/pack-config.ts'
    import { discoverPacks } from './src/packs/disk/discover.ts'
    const home = process.argv[2]
    const machine = { cwd: home, home, env: {}, now: () => new Date() }
    const config = { ...NO_PACK_CONFIG, maxDirectories: ${2 * FOLDERS} }
    const { packs } = discoverPacks(machine, { config, packageFolder: home })
    if (packs.length !== ${PACKS}) throw new Error(packs.length + ' packs')
  `
  const stdin = { contents, resolveDir: '.', loader: 'ts' as const }
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', minify: true })
  return outfile
}
