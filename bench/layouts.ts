import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { benchEnvironment, printTable } from './measure.ts'

const AGENT_FOLDERS = ['.claude/skills', '.codex/skills']
/** Files of an install that Loadout writes itself. */
const OURS = ['.loadout', 'skill.json', 'agents/openai.yaml']

interface Reason {
  reason: string
  count: number
}

interface Row {
  name: string
  documents: number
  imported: number
  refused: Reason[]
  leftOut: Reason[]
  quarantined: number
  files: number
  different: string[]
  seconds: number
  megabytes: number
}

/**
 * Imports every repository of a folder whole, each on a machine of its own, equips all of it for two agents, and compares
 * every installed file with the repository's. Nothing is fetched: the folder holds clones, or folders with a clone in `repo`.
 */
export function benchLayouts(): void {
  const [folder] = process.argv.slice(process.argv.indexOf('layouts') + 1)
  if (folder === undefined) {
    console.log('\nlayouts: name a folder of clones: npm run bench layouts <folder>')
    return
  }
  const rows = clonesIn(resolve(folder)).flatMap(({ name, path }) => {
    const row = tryRepository(name, path)
    if (row !== undefined) console.log(`  ${cellsOf(row).join('  ')}`)
    return row ?? []
  })
  printTable(`${rows.length} repositories, each imported whole and equipped for two agents`, [
    ['', 'SKILL.md', 'imported', 'refused', 'left out', 'quarantined', 'files', 'different', 'cpu s', 'MB'],
    ...rows.map(cellsOf),
    cellsOf(totalOf(rows)),
  ])
  for (const { name, refused, leftOut, different } of rows) {
    for (const { reason, count } of [...refused, ...leftOut]) console.log(`  ${name}: ${count} × ${reason}`)
    for (const path of different.slice(0, 10)) console.log(`  ${name}: different: ${path}`)
  }
}

function clonesIn(folder: string): { name: string; path: string }[] {
  return readdirSync(folder).flatMap((name) => {
    const path = [join(folder, name, 'repo'), join(folder, name)].find(isRepository)
    return path === undefined ? [] : [{ name, path }]
  })
}

function isRepository(path: string): boolean {
  return existsSync(join(path, 'HEAD')) || existsSync(join(path, '.git'))
}

/** Undefined for a repository without skills, or one that could not be imported, which is told. */
function tryRepository(name: string, repository: string): Row | undefined {
  const paths = git(repository, 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0')
  const documents = paths.filter((path) => /(?:^|\/)SKILL\.md$/.test(path)).length
  if (documents === 0) return undefined
  const scratch = mkdtempSync(join(tmpdir(), 'loadout-layouts-'))
  try {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', repository, join(scratch, 'source')], {
      stdio: 'ignore',
    })
    const { run, spent } = prepare(scratch)
    const result = run('import', `file://${repository}`, '--all')
    const { cpu, megabytes } = spent()
    if (result.imported === undefined) {
      console.log(`  ${name}: ${result.error?.message ?? 'not imported'}`)
      return undefined
    }
    const told: Told[] = run('equip', '--all').findings
    const quarantined = told.flatMap(({ code, subject }) => (code === 'QUARANTINED' ? (subject ?? []) : []))
    if (quarantined.length > 0) run('approve', '--waiting')
    if (quarantined.length > 0) run('equip', '--all')
    const compared = compareAll(scratch, result.imported, repository)
    return {
      name,
      documents,
      imported: result.imported.length,
      refused: countReasons(result.refused),
      leftOut: result.leftOut,
      quarantined: quarantined.length,
      seconds: cpu / 1000,
      megabytes,
      ...compared,
    }
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

interface Told {
  code: string
  subject?: string
}

/** The program on a machine of its own, and what its last call took. */
function prepare(scratch: string) {
  const [home, usage] = [join(scratch, 'home'), join(scratch, 'usage')]
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = bench\n\temail = bench@localhost\n')
  const report = `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(usage)}, String(process.resourceUsage().maxRSS)))`
  writeFileSync(join(scratch, 'report.cjs'), report)
  const env = {
    ...benchEnvironment(home),
    XDG_CONFIG_HOME: '',
    GIT_CONFIG_NOSYSTEM: '1',
    LOADOUT_CONFIG: '',
    NODE_OPTIONS: `--require=${join(scratch, 'report.cjs')}`,
  }
  const run = (...args: string[]) => {
    const words = ['-c', '"$@"; times >&2', 'bash', process.execPath, resolve('dist/cli.js'), ...args, '--json']
    const { stdout, stderr } = spawnSync('bash', words, { cwd: home, env, encoding: 'utf8', maxBuffer: 1e9 })
    times = stderr.trim().split('\n').at(-1) ?? ''
    return JSON.parse(stdout)
  }
  let times = ''
  const spent = () => {
    const seconds = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
    )
    return {
      cpu: 1000 * seconds.reduce((sum, each) => sum + each, 0),
      megabytes: Number(readFileSync(usage, 'utf8')) / 1024,
    }
  }
  run('init', '--new', join(home, 'library'))
  return { run, spent }
}

function compareAll(scratch: string, imported: { name: string; from: string[] }[], repository: string) {
  let files = 0
  const different: string[] = []
  for (const { name, from } of imported) {
    const source = join(scratch, 'source', (from[0] ?? '').slice(`file://${repository}`.length))
    for (const agent of AGENT_FOLDERS) {
      const installed = join(scratch, 'home', agent, name)
      const paths = new Set([...listFiles(source), ...listFiles(installed)])
      for (const path of paths) {
        files++
        if (!isSame(join(source, path), join(installed, path), path)) different.push(`${agent}/${name}/${path}`)
      }
    }
  }
  return { files, different }
}

function listFiles(folder: string, inside = ''): string[] {
  if (!existsSync(join(folder, inside))) return []
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`
    if (entry.isDirectory()) return entry.name === '.git' ? [] : listFiles(folder, path)
    return ['.DS_Store', 'Thumbs.db'].includes(entry.name) ? [] : [path]
  })
}

/** The frontmatter of SKILL.md is written anew; its text, and every other file, is the same to the byte. */
function isSame(source: string, installed: string, path: string): boolean {
  if (!existsSync(source)) return OURS.includes(path)
  if (!existsSync(installed)) return false
  const [a, b] = [readFileSync(source), readFileSync(installed)]
  const isSameMode = (lstatSync(source).mode & 0o111) === (lstatSync(installed).mode & 0o111)
  if (path === 'agents/openai.yaml') return isSameMode
  if (path === 'SKILL.md') return isSameMode && bodyOf(a).equals(bodyOf(b))
  return isSameMode && a.equals(b)
}

/** Without the frontmatter, and the empty lines behind it. Not with the program's own reader, which is on trial here. */
function bodyOf(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '')
  const body = text.replace(/^---[ \t]*\r?\n(?:.*?\r?\n)??---[ \t]*(?:\r?\n|$)/s, '')
  return Buffer.from(body.replace(/^(?:[ \t]*\r?\n)+/, ''), 'latin1')
}

function countReasons(refused: readonly { code: string }[]): Reason[] {
  const counts = new Map<string, number>()
  for (const { code } of refused) counts.set(code, (counts.get(code) ?? 0) + 1)
  return [...counts].map(([reason, count]) => ({ reason, count }))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function totalOf(rows: readonly Row[]): Row {
  const all = (pick: (row: Row) => number) => sum(rows.map(pick))
  return {
    name: 'all',
    documents: all(({ documents }) => documents),
    imported: all(({ imported }) => imported),
    refused: rows.flatMap(({ refused }) => refused),
    leftOut: rows.flatMap(({ leftOut }) => leftOut),
    quarantined: all(({ quarantined }) => quarantined),
    files: all(({ files }) => files),
    different: rows.flatMap(({ different }) => different),
    seconds: all(({ seconds }) => seconds),
    megabytes: Math.max(...rows.map(({ megabytes }) => megabytes)),
  }
}

function cellsOf(row: Row): string[] {
  const count = (reasons: readonly Reason[]) => `${sum(reasons.map((each) => each.count))}`
  return [
    row.name,
    `${row.documents}`,
    `${row.imported}`,
    count(row.refused),
    count(row.leftOut),
    `${row.quarantined}`,
    `${row.files}`,
    `${row.different.length}`,
    row.seconds.toFixed(1),
    row.megabytes.toFixed(0),
  ]
}

function git(repository: string, ...args: string[]): string {
  return execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 1e9 })
}
