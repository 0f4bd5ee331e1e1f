import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runWarm } from '../cli/warm.ts'
import { copyWorld, loadout, makeWorld, readTree, skillFiles, type World, write } from '../skills/world.ts'

const PRELOAD = join(import.meta.dirname, '../skills/kill-at.cjs')
const LOG = '.local/state/loadout/edits/log.json'
const isThorough = process.env.LOADOUT_KILL_ALL !== undefined

const run = ({ home }: World, ...args: string[]) => runWarm(args, { home, cwd: home })

function runOk(world: World, ...args: string[]): void {
  const { code, stderr } = run(world, ...args)
  expect(code, stderr).toBe(0)
}

const CONFIG = {
  repo_path: '~/library',
  // As an earlier version wrote an agent.
  targets: { codex: '~/.codex/skills' },
}

const RULES = `# Guide\n\n${['Releases', 'Payments', 'Translations']
  .map((title) => `## ${title}\n\n${`When you work on ${title.toLowerCase()}, read this first. `.repeat(40)}\n`)
  .join('\n')}`

async function prepared(): Promise<World> {
  const world = makeWorld({ alpha: skillFiles('alpha'), beta: skillFiles('beta') })
  write(world.home, {
    '.config/loadout/config.json': JSON.stringify(CONFIG),
    '.claude/settings.json': '{"model": "haiku"}',
    '.codex/config.toml': 'model = "x"\n',
    'project/.git/HEAD': 'ref: refs/heads/main\n',
    'project/docs/a.md': '# A\n\nAbout A.\n',
    'project/docs/b.md': '# B\n\nAbout B.\n',
    'project/CLAUDE.md': RULES,
    'project/.claude/rules/first.md': '---\nid: first\nkeywords: [first]\n---\n# First\n\nThe first rule.\n',
  })
  runOk(world, 'rules', 'build', '--project', 'project')
  runOk(world, 'publish', 'plugin', 'alpha', '--out', 'kit')
  runOk(world, 'packs', 'new', 'shop', '--from', 'project/docs', '--copy', '--project', 'project')
  write(world.home, { 'project/docs/a.md': '# A\n\nMore about A.\n', 'project/docs/c.md': '# C\n\nAbout C.\n' })
  rmSync(join(world.home, 'project/docs/b.md'))
  return world
}

const made = prepared()

/** What each command changes, below the home folder. */
const COMMANDS: Record<string, string[]> = {
  'publish plugin': ['publish', 'plugin', '--all', '--out', 'kit'],
  'packs new --from, again': ['packs', 'new', 'shop', '--from', 'project/docs', '--copy', '--project', 'project'],
  'rules migrate': ['rules', 'migrate', 'project/CLAUDE.md', '--write', '--project', 'project'],
  'agents-md': ['agents-md', '--write', '--project', 'project'],
  'agents enable': ['agents', 'enable', 'cursor', 'gemini'],
  connect: ['connect', 'claude', 'codex'],
}

/** Everything that a person has, and the records of changes; without what is rebuilt, and as in any home at any time. */
function stateOf({ home }: World): Record<string, string> {
  const isRebuilt = (path: string) =>
    /^(?:\.cache|tmp|library\/\.git)\b|\/loadout\/(?:usage|learned|edits\/lock)/.test(path)
  const tree = Object.entries(readTree(home, isRebuilt) ?? {})
  const plain = (text: string) => text.replaceAll(home, '~').replace(/"generated": "[^"]*"/, '')
  // A kill may leave an empty folder there, and a lock, whose owner is known to be dead.
  const isKept = ([path]: [string, string]) => !/^\.local\/.*\/$|^\.local\/$/.test(path)
  return Object.fromEntries(tree.filter(isKept).map(([path, text]) => [path, plain(text)]))
}

describe('a change of several files that is killed is whole after the next command', () => {
  it.each(Object.entries(COMMANDS))('%s', { timeout: isThorough ? 3_600_000 : 300_000 }, async (_, args) => {
    const before = stateOf(await made)
    const done = await copyWorld(await made)
    runOk(done, ...args)
    const after = stateOf(done)
    expect(after).not.toEqual(before)
    const log = join(done.home, 'calls.log')
    await loadoutOkWith(await copyWorld(await made), args, { KILL_LOG: log })
    const calls = JSON.parse(readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '').number
    const step = isThorough ? 1 : Math.ceil(calls / 4)
    const seen = new Set<boolean>()
    for (let at = 1; at <= calls; at += step) {
      const world = await copyWorld(await made)
      await loadout(world, args, { NODE_OPTIONS: `--require ${PRELOAD}`, KILL_AT: String(at), KILL_HOW: 'before' })
      // Any other change finishes it or undoes it.
      runOk(world, ...COMMANDS['agents enable']!)
      const left = withoutConfig(stateOf(world))
      const isBefore = JSON.stringify(left) === JSON.stringify(withoutConfig(before))
      seen.add(isBefore)
      if (!isBefore) expect(left, `killed at ${at} of ${calls}`).toEqual(withoutConfig(after))
      runOk(world, ...args)
      const { '.config/loadout/config.json': config = '' } = stateOf(world)
      const own = { '.config/loadout/config.json': config }
      expect(stateOf(world), `again after a kill at ${at} of ${calls}`).toEqual({ ...after, ...own })
    }
    if (args !== COMMANDS['agents enable']) expect([...seen].sort()).toEqual([false, true])
  })
})

/** Without what another command changes, and the index, which is built after a change. */
function withoutConfig(tree: Record<string, string>): object {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !/(?:config|index)\.json/.test(path)))
}

async function loadoutOkWith(world: World, args: readonly string[], env: Record<string, string>): Promise<void> {
  const { code, stderr } = await loadout(world, args, { NODE_OPTIONS: `--require ${PRELOAD}`, ...env })
  expect(code, stderr).toBe(0)
}

/** The call after which the first file of `connect` is in place. */
const first = made.then(async (world) => {
  const copy = await copyWorld(world)
  const log = join(copy.home, 'calls.log')
  await loadoutOkWith(copy, COMMANDS.connect!, { KILL_LOG: log })
  const calls = readFileSync(log, 'utf8').trim().split('\n')
  const line = calls.find((each) => each.includes('settings.json') && each.includes('renameSync')) ?? ''
  return JSON.parse(line).number + 1
})

/** A world in which `connect` was killed there. */
async function killed(): Promise<World> {
  const world = await copyWorld(await made)
  const env = { NODE_OPTIONS: `--require ${PRELOAD}`, KILL_AT: String(await first), KILL_HOW: 'before' }
  await loadout(world, COMMANDS.connect!, env)
  expect(readFileSync(join(world.home, LOG), 'utf8')).toContain('settings.json')
  return world
}

const DAMAGES: [what: string, damage: (home: string) => void, code: number, told: string][] = [
  ['a log that is cut off', (home) => writeFileSync(join(home, LOG), '{"changes": ['), 0, ''],
  ['a log of another form', (home) => writeFileSync(join(home, LOG), '[]'), 0, ''],
  ['a log whose new content is gone', (home) => removeFiles(home, '.new'), 0, ''],
  ['a log whose old content is gone', (home) => removeFiles(home, '.old'), 0, ''],
  ['a log about a folder that is gone', (home) => renameSync(join(home, '.codex'), join(home, 'codex')), 0, ''],
  [
    'a log about a file that may not be changed any more',
    (home) => chmodSync(join(home, '.codex/config.toml'), 0o444),
    0,
    '',
  ],
  ['a record that is no JSON', (home) => writeRecord(home, '{'), 2, 'should say how to undo'],
  ['a record with text to restore', (home) => writeRecord(home, '{"/x": {"before": "rm -rf"}}'), 2, 'undo'],
]

function removeFiles(home: string, end: string): void {
  const folder = join(home, LOG, '..')
  for (const name of readdirSync(folder)) if (name.endsWith(end)) rmSync(join(folder, name))
}

function writeRecord(home: string, text: string): void {
  mkdirSync(join(home, '.local/state/loadout'), { recursive: true })
  writeFileSync(join(home, '.local/state/loadout/hook-installs.json'), text)
}

it.each(DAMAGES)('after a kill, %s stops no other change, and no file is lost', async (_, damage, code, told) => {
  const world = await killed()
  damage(world.home)
  const { code: found, stderr } = run(world, 'hooks', 'remove', 'codex')
  expect([found, stderr]).toEqual([code, expect.stringContaining(told)])
  for (const args of [COMMANDS['publish plugin']!, COMMANDS['agents enable']!]) runOk(world, ...args)
  expect(JSON.parse(readFileSync(join(world.home, '.claude/settings.json'), 'utf8'))).toMatchObject({ model: 'haiku' })
})

it('two faces that change the same file at once both have their way, and old keys stay', async () => {
  const world = await copyWorld(await made)
  const config = join(world.home, '.config/loadout/config.json')
  writeFileSync(config, JSON.stringify({ ...CONFIG, theme: 'dark' }))
  const agents = ['cursor', 'gemini', 'copilot', 'opencode', 'qwen', 'windsurf']
  const runs = await Promise.all(agents.map((agent) => loadout(world, ['agents', 'enable', agent])))
  for (const { code, stderr } of runs) expect([code, stderr]).toEqual([1, expect.stringContaining('theme')])
  const now = JSON.parse(readFileSync(config, 'utf8'))
  expect(now).toMatchObject({ ...CONFIG, theme: 'dark' })
  for (const agent of agents) expect(now.targets[agent]).toEqual({ enabled: true })
})
