import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectCivil, treeOf } from './civil.ts'
import { aFolder, aPipe, makeFolder, makeProject } from './run.ts'
import { runMany } from './warm.ts'

// Each row is a place where a file of a project, pack, skill, payload, configuration or state is expected, and the
// commands that read or write it. Each command meets something else there: it must end with a clear message, change
// nothing outside, and leave what it met as it is.

const PACK = '---\nname: birds\ndescription: Birds and eggs.\ntype: domain-reference\nstatus: ready\n---\n\n# Birds\n'
const SKILL = '---\nname: tidy\ndescription: Tidies up.\n---\n\n# Tidy\n'
const LONG = `# Rules\n\n${'## Part\n\nOne sentence about deploying things, and another.\n\n'.repeat(40)}`

const HOME = {
  '.config/loadout/config.json': JSON.stringify({ repo_path: '~/library' }),
  '.claude/settings.json': '{}\n',
  'library/skills/tidy/skill.json': JSON.stringify({ name: 'tidy', description: 'Tidies.', targets: ['claude'] }),
  'library/skills/tidy/SKILL.md': SKILL,
}
const PROJECT = {
  'loadout.json': JSON.stringify({
    tactical: { path: 'notes.jsonl' },
    adapters: [{ id: 'weather', command: ['node', 'tools/weather.js'] }],
  }),
  '.claude/loadout/a.md': '---\nid: a\nsummary: A thing\nkeywords: [alpha]\n---\n\nalpha\n',
  '.claude/settings.json': '{}\n',
  '.agents/knowledge/birds/KNOWLEDGE.md': PACK,
  '.agents/knowledge/birds/compiled/facts.md': 'Eggs weigh nine grams.\n',
  'AGENTS.md': 'Be kind to alpha.\n',
  'LONG.md': LONG,
  'notes.jsonl': '',
  'tools/weather.js': 'console.log("{}")\n',
}

/** What a command must do: its exit code, what it says, and the one thing that it can go on with. */
type Says = readonly [code: number, says: RegExp, command: string, fine?: keyof typeof THINGS]

const SETTINGS = /loadout\.json/
const CONFIG = /config\.json/
const LAYER = /project layer is not used/
const ROWS: [place: string, ...expected: Says[]][] = [
  [
    'project/loadout.json',
    ...['plan alpha', 'context alpha', 'note list', 'adapters list', 'index check', 'index build'].map(
      (command): Says => [2, SETTINGS, command],
    ),
    [2, SETTINGS, 'note add remember'],
    [2, SETTINGS, 'approve adapter:weather'],
    [2, SETTINGS, 'validate'],
    [2, SETTINGS, 'validate loadout.json'],
  ],
  [
    'project/.claude/loadout/index.json',
    [1, LAYER, 'plan alpha'],
    [1, LAYER, 'search alpha'],
    [1, LAYER, 'validate'],
    [2, LAYER, 'lookup a'],
    [2, /index\.json/, 'index check'],
    [2, LAYER, 'agents-md --write'],
    [2, /index\.json/, 'index build', 'a link to nothing'],
  ],
  [
    'project/.claude/loadout/a.md',
    [1, /a was not loaded/, 'plan alpha --load'],
    [1, /a was not loaded/, 'lookup a --load'],
    [1, /"a"|\ba\b/, 'index check'],
    [1, /a\.md|no payload/, 'index build'],
  ],
  ['project/AGENTS.md', [2, /AGENTS\.md/, 'agents-md --write'], [2, /AGENTS\.md/, 'index migrate AGENTS.md']],
  [
    'project/.claude/settings.json',
    [1, /settings\.json/, 'hooks status --project .'],
    [2, /settings\.json/, 'hooks install claude --project .'],
    [2, /settings\.json/, 'hooks remove claude --project .'],
  ],
  [
    'project/notes.jsonl',
    [2, /notes\.jsonl/, 'note prune', 'a link to nothing'],
    [2, /notes\.jsonl/, 'note add remember'],
  ],
  [
    'project/.agents/knowledge/birds/KNOWLEDGE.md',
    [2, /birds/, 'packs show birds'],
    [2, /birds/, 'approve pack:birds'],
  ],
  ['project/tools/weather.js', [2, /weather/, 'approve adapter:weather']],
  ['project/out.md', [2, /out\.md/, 'context alpha --out out.md', 'a link to nothing']],
  [
    'home/.config/loadout/config.json',
    ...['inventory', 'equip tidy', 'sync', 'packs list', 'context alpha', 'config', 'agents disable codex'].map(
      (command): Says => [2, CONFIG, command],
    ),
    [1, CONFIG, 'doctor'],
  ],
  [
    'home/.local/state/loadout/approvals.json',
    [2, /approvals\.json/, 'approve pack:birds'],
    [2, /approvals\.json/, 'revoke pack:birds'],
    [0, /until it is repaired, nothing is approved/, 'packs list'],
  ],
  // A user may keep the log elsewhere, behind a link.
  ['home/.local/state/loadout/usage.jsonl', [2, /usage\.jsonl/, 'usage', 'a link out']],
  ['home/.local/state/loadout/locks', [2, /locks/, 'approve pack:birds'], [2, /loadout/, 'note add remember']],
  [
    'home/library/skills/tidy/skill.json',
    [2, /tidy/, 'equip tidy'],
    [2, /tidy/, 'share tidy'],
    [1, /tidy/, 'validate'],
    [1, /tidy/, 'doctor'],
  ],
  ['home/library/skills/tidy/SKILL.md', [2, /SKILL\.md/, 'equip tidy'], [2, /SKILL\.md/, 'share tidy']],
  ['home/.claude/settings.json', [2, /settings\.json/, 'hooks install claude'], [1, /settings\.json/, 'hooks status']],
  ['home/.claude/skills', [2, /skills/, 'equip tidy']],
]

/** Places of a folder; a file is wrong there. */
const FOLDERS = ['home/.local/state/loadout/locks', 'home/.claude/skills']

let base = ''

beforeAll(() => {
  const files = (folder: string, all: Record<string, string>) =>
    Object.entries(all).map(([path, text]) => [`${folder}/${path}`, text])
  base = makeProject(Object.fromEntries([...files('home', HOME), ...files('project', PROJECT)]))
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@localhost']
  for (const folder of ['home/library', 'project']) {
    const git = (...words: string[]) => execFileSync('git', [...identity, '-C', join(base, folder), ...words])
    git('init', '--quiet', '--template=')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'x')
  }
  runMany([['index', 'build']], { cwd: join(base, 'project'), home: join(base, 'home') })
})

/** Made where it is needed, never a link to the system's own: whoever runs this may be allowed to replace that. */
const aDevice = (path: string) => void spawnSync('mknod', [path, 'c', '1', '5'])
const hasDevices = () => {
  const path = join(makeFolder(), 'zero')
  aDevice(path)
  return existsSync(path)
}

const THINGS = {
  'a pipe': aPipe,
  'a folder': aFolder,
  'a link out': (path: string, out: string) => symlinkSync(join(out, 'file'), path),
  'a link to nothing': (path: string, out: string) => symlinkSync(join(out, 'absent/file'), path),
  'a device': aDevice,
}

/** A machine with something else at a place. */
function makeWorld(place: string, put: (path: string) => void) {
  const world = makeFolder()
  cpSync(base, world, { recursive: true })
  const path = join(world, place)
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  put(path)
  return { path, cwd: join(world, 'project'), home: join(world, 'home') }
}

function kindOf(path: string): string {
  const { mode, ino } = lstatSync(path)
  return `${mode} ${ino}`
}

describe('where a file is expected', () => {
  it.for(Object.entries(THINGS))('%s', { timeout: 100_000 }, ([thing, put], { skip }) => {
    if (thing === 'a device' && !hasDevices()) return skip('this user may not make a device')
    const out = makeProject({ file: 'SECRET\n' })
    const outside = treeOf(out)
    const calls = ROWS.flatMap(([place, ...expected]) => {
      const isFile = thing === 'a folder' && FOLDERS.includes(place)
      const world = makeWorld(place, (path) => (isFile ? writeFileSync(path, '') : put(path, out)))
      const kind = kindOf(world.path)
      const said = expected.map((row) => ({ row, place, kind, ...world, args: row[2].split(' ') }))
      return said.filter(({ row }) => row[3] !== thing)
    })
    const runs = runMany(calls, { cwd: base, home: base })
    for (const [at, { row, place, path, kind }] of calls.entries()) {
      const [code, says, command] = row
      const run = runs[at] ?? { code: null, stdout: '', stderr: 'it did not end' }
      const what = `${command}, ${place} is ${thing}`
      expectCivil(run)
      expect.soft([code, run.stdout + run.stderr], what).toEqual([run.code, expect.stringMatching(says)])
      const lines = run.stderr.split('\n').filter((line) => /^(?:error|warning): /.test(line))
      expect.soft(new Set(lines).size, `${what}: said once`).toBe(lines.length)
      expect.soft(run.stdout + run.stderr, what).not.toContain('SECRET')
      expect.soft(kindOf(path), `${what}: it is left as it is`).toBe(kind)
    }
    expect(treeOf(out)).toEqual(outside)
  })
})
