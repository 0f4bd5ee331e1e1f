import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { benchEnvironment, median, ms, printTable, ratio, type Spent, timeOnce } from './measure.ts'

const SKILLS = 1_000
const NAMES = Array.from({ length: SKILLS }, (_, at) => `skill-${String(at).padStart(4, '0')}`)
/** Longer than what a file needs until its times tell of every change. */
const SETTLING_MS = 300
const REPEATS = 5
const IMPORTED = 500

/** A library of a thousand skills on a bare remote: equipped for two agents, listed, and refreshed. */
export async function benchSkills(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  try {
    const { loadout, settle, empty } = prepare(folder)
    await settle()
    const rows: [name: string, spent: Spent][] = [
      ['inventory, first, nothing equipped', loadout('inventory')],
      ['inventory, again', repeat(() => loadout('inventory'))],
      ['equip --all, for two agents', loadout('equip', '--all')],
    ]
    await settle()
    rows.push(['inventory, first, all equipped', loadout('inventory')])
    const again = repeat(() => loadout('inventory'))
    rows.push(['inventory, again', again])
    // The second call of a command keeps its compiled code for the later ones.
    repeat(() => loadout('sync'))
    changeSkills(folder, NAMES)
    const all = loadout('sync')
    rows.push(['sync, all changed', all])
    await settle()
    loadout('inventory')
    changeSkills(folder, NAMES.slice(500, 501))
    const one = loadout('sync')
    rows.push(['sync, one changed', one])
    await settle()
    rows.push(['sync, nothing changed', repeat(() => loadout('sync'))])
    rows.push([`import of ${IMPORTED} skills of 20 KB each`, importMany(folder)])
    const node = empty()
    printTable(`A library of ${SKILLS} skills, 3 files each`, [
      ['', 'wall ms', 'processor ms', 'above bare Node'],
      ...rows.map(([name, { wall, cpu }]) => [name, ms(wall), ms(cpu), ms(cpu - node.cpu)]),
      ['sync, all changed / one changed', ratio(all.wall, one.wall), ratio(all.cpu, one.cpu), ''],
      ['inventory, again / bare Node', ratio(again.wall, node.wall), ratio(again.cpu, node.cpu), ''],
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A remote with all skills, and a machine that has cloned it. */
function prepare(folder: string) {
  const [home, bare] = [join(folder, 'home'), join(folder, 'remote.git')]
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = bench\n\temail = bench@localhost\n')
  const env = { ...benchEnvironment(home), XDG_CONFIG_HOME: '', GIT_CONFIG_NOSYSTEM: '1', LOADOUT_CONFIG: '' }
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
  execFileSync('git', ['clone', '--quiet', bare, join(folder, 'author')], { stdio: 'ignore' })
  for (const name of NAMES) writeSkill(join(folder, 'author', 'skills', name), name)
  publish(folder)
  const cli = resolve('dist/cli.js')
  const loadout = (...args: string[]) => timeOnce([process.execPath, cli, ...args], home, env)
  loadout('init', '--clone', bare, '--into', join(home, 'library'))
  const empty = () => repeat(() => timeOnce([process.execPath, '-e', '0'], home, env))
  const settle = () => new Promise((done) => setTimeout(done, SETTLING_MS))
  return { loadout, settle, empty }
}

/** All skills of a folder, looked through and committed at once, on a machine of its own. */
function importMany(folder: string): Spent {
  const [home, source] = [join(folder, 'importer'), join(folder, 'source')]
  for (let at = 0; at < IMPORTED; at++) {
    const skill = join(source, 'skills', `imported-${at}`)
    mkdirSync(skill, { recursive: true })
    const head = `---\nname: imported-${at}\ndescription: What it does, and when to use ${at}.\n---\n`
    writeFileSync(join(skill, 'SKILL.md'), head + sampleText(at, 10_000))
    writeFileSync(join(skill, 'reference.md'), sampleText(at + 1, 10_000))
  }
  mkdirSync(home)
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = bench\n\temail = bench@localhost\n')
  const env = { ...benchEnvironment(home), XDG_CONFIG_HOME: '', GIT_CONFIG_NOSYSTEM: '1', LOADOUT_CONFIG: '' }
  const loadout = (...args: string[]) => timeOnce([process.execPath, resolve('dist/cli.js'), ...args], home, env)
  loadout('init', '--new', join(home, 'library'))
  return loadout('import', source, '--all')
}

const LINES = [
  'Run `npm test` before you commit, and read what it prints.',
  'Send the report to the team, with the numbers of https://example.org/report.',
  '```sh\ncurl -s https://example.org/data.json | jq .items\n```',
  '| key | value |\n|---|---|\n| token | how long a text is |',
  'Never overwrite a file that you did not make — ask first.',
]

function sampleText(seed: number, length: number): string {
  let text = '# Guide\n\n'
  for (let at = seed; text.length < length; at++) text += `${LINES[at % LINES.length]}\n\nStep ${at}. `
  return text
}

function writeSkill(folder: string, name: string): void {
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  const json = { name, description: `What ${name} does, and when.`, tags: ['bench'], targets: ['claude', 'codex'] }
  writeFileSync(join(folder, 'skill.json'), `${JSON.stringify(json, null, 2)}\n`)
  writeFileSync(join(folder, 'SKILL.md'), `# ${name}\n\n${'Do this, then that.\n'.repeat(50)}`)
  writeFileSync(join(folder, 'scripts', 'run.sh'), '#!/bin/sh\necho done\n', { mode: 0o755 })
}

/** One commit on the remote that changes the text of some skills. */
function changeSkills(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(folder, 'author', 'skills', name, 'SKILL.md')
    writeFileSync(path, `# ${name}\n\nChanged with ${names.length - 1} others.\n`)
  }
  publish(folder)
}

function publish(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', join(folder, 'author'), ...args], { stdio: 'ignore' })
  git('add', '--all')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message', 'change')
  git('push', '--quiet', 'origin', 'HEAD:main')
}

function repeat(run: () => Spent): Spent {
  const spent = Array.from({ length: REPEATS }, run)
  return { wall: median(spent.map(({ wall }) => wall)), cpu: median(spent.map(({ cpu }) => cpu)) }
}
