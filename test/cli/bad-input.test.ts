import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fillFrom } from '../run-folder.ts'
import { expectCivilJson, treeOf } from './civil.ts'
import { aFolder, aLinkTo, aLinkToItself, aPipe, type Content, makeFolder, type RunOptions, runShell } from './run.ts'
import { commitAll, makeRepository, put, putAll, skill } from './skills-machine.ts'
import { runWarm } from './warm.ts'

// The contract of all commands about input that cannot be used: the command ends by itself with the exit code of its row
// and names what is wrong, once and in one JSON value; the files stay as they are, and nothing outside is read or changed.

type Files = Record<string, Content>
type Line = string | readonly string[]

/** What command lines answer: their exit code, and what their message names. */
type Row = readonly [exit: number, names: string | RegExp, ...lines: Line[]]

interface World {
  /** Besides a home with a configuration and a library, and a project; all lie below one folder. */
  files?: Files
  skills?: Record<string, string>
  /** A path that may not be read, or where `isReadOnly`, not written. */
  closed?: string
  isReadOnly?: boolean
  env?: RunOptions['env']
  isWithoutConfig?: boolean
  /** A path where something wrong stands, which is left there. */
  wrong?: string
}

const json = (value: unknown) => JSON.stringify(value)
const payload = (id: string) => `---\nid: ${id}\nkeywords: [alpha]\n---\nThe body of ${id}.\n`
const LONG = ['One', 'Two', 'Three']
  .map((name) => `# ${name}\n${`a line about ${name} and more\n`.repeat(20)}`)
  .join('')

/** An index of one payload. */
const INDEX = json({
  version: '1.0.0',
  generated: '2026-01-01T00:00:00.000Z',
  budget: {},
  entries: [
    {
      id: 'a',
      path: '.claude/loadout/a.md',
      keywords: ['alpha'],
      patterns: [],
      priority: 'domain',
      summary: 'About alpha',
      triggers: { task: true, plan: true, edit: false },
      tokens_est: 10,
      lines: 1,
    },
  ],
})

/** Commands that leave a file where they can use what was there, or write it anew, are a row of another test. */
const WRITES_ANYWAY = /^(?:index build|doctor)/

/** The folders of a new world, with what every world has. */
function makeWorld({ files = {}, skills = {}, isWithoutConfig = false }: World) {
  const root = makeFolder()
  fillFrom(`contract ${json(skills)}`, join(root, 'home/library'), (library) => {
    makeRepository(library)
    putAll(join(library, 'skills'), { ...skill('tidy', { targets: ['claude'] }), ...skills })
    commitAll(library, 'Start')
  })
  putAll(root, {
    'project/.git/HEAD': 'ref: refs/heads/main\n',
    'project/AGENTS.md': 'Be kind to alpha.\n',
    'project/LONG.md': LONG,
    ...(isWithoutConfig ? {} : { 'home/.config/loadout/config.json': json({ repo_path: '~/library' }) }),
  })
  for (const [path, content] of Object.entries(files)) {
    rmSync(join(root, path), { recursive: true, force: true })
    put(join(root, path), content)
  }
  return { root, home: join(root, 'home'), cwd: join(root, 'project') }
}

/** The files of a person and of a project, without what can be made again and what is only counted. */
const filesOf = (root: string) => treeOf(root).filter((row) => !/^home\/\.(?:cache|local)/.test(row))

function meet(world: World, [exit, names, ...lines]: Row): void {
  const { closed, isReadOnly, env } = world
  let place = makeWorld(world)
  for (const line of lines) {
    const { root, home, cwd } = place
    const before = filesOf(root)
    const kind = () => world.wrong && lstatSync(join(root, world.wrong)).mode
    const wasKind = kind()
    if (closed !== undefined) chmodSync(join(root, closed), isReadOnly ? 0o555 : 0o000)
    const words = typeof line === 'string' ? line.split(' ') : line
    const end = words.indexOf('--')
    const args = end === -1 ? [...words, '--json'] : [...words.slice(0, end), '--json', ...words.slice(end)]
    const run = runWarm(args, { cwd, home, env, isBound: closed !== undefined })
    if (closed !== undefined) chmodSync(join(root, closed), 0o755)
    const what = words.join(' ').slice(0, 60)
    expectCivilJson(run)
    const said = run.stdout + run.stderr
    expect.soft([what, run.code, said], what).toEqual([what, exit, expect.stringMatching(patternOf(names))])
    expect.soft(run.stderr.length, `${what}: a short message`).toBeLessThan(6000)
    const told = run.stderr.split('\n').filter((each) => /^(?:error|warning): /.test(each))
    expect.soft(new Set(told).size, `${what}: said once`).toBe(told.length)
    expect.soft(said, what).not.toMatch(/SECRET|secret@/)
    expect.soft(kind(), `${what}: what is wrong is left as it is`).toBe(wasKind)
    if (WRITES_ANYWAY.test(what)) place = makeWorld(world)
    else expect.soft(filesOf(root), `${what}: the files stay`).toEqual(before)
  }
}

const patternOf = (names: string | RegExp) =>
  typeof names === 'string' ? new RegExp(names.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : names

describe('a command line that cannot be understood', () => {
  const rows: Row[] = [
    [2, 'did you mean plan?', 'plna x'],
    [2, 'did you mean index build?', 'index biuld'],
    [2, 'Unknown command: index x', 'index x'],
    [2, 'Unknown flag: --verbose', '--verbose status'],
    [2, 'Unknown command: nope', 'help nope'],
    [2, '<task> is missing', 'plan', ['plan', '  '], 'context', ['context', ' ']],
    [2, 'task', 'plan -', 'context -'],
    [2, '<id> is missing', 'lookup', ['explain', '']],
    [2, '<file> is missing', 'index migrate'],
    [2, '<record> is missing', 'replay'],
    [2, 'no record', 'replay ffff'],
    [2, 'did you mean --load?', 'plan x --lod'],
    [2, 'Unknown flag: --__proto__', 'plan x --__proto__'],
    [2, 'a text that begins with a dash comes last, after --', ['context', '--wrap=never is ignored by the pager']],
    [2, '--load takes no value', 'plan x --load=yes'],
    [2, '--budget needs a value', 'plan x --budget'],
    [2, 'whole number', 'plan x --budget 1e3', 'plan x --budget=-1', 'context x --chars -1', 'context x --files 1e3'],
    [2, 'did you mean edit?', 'plan x --phase edi'],
    [2, '/no/where', 'plan x --project /no/where', 'plan x --org /no/where', 'context x --project /no/where'],
    [2, 'Unexpected argument: b', 'usage a b'],
    [2, 'bash, zsh, fish', 'completion tcsh'],
    [2, /pl\\+u001b\[31man/, ['pl\u001b[31man']],
    [2, 'there is no entry', ['lookup', 'a\u001b[31m']],
    [2, 'there is no intent', 'context x --intent tesing'],
    [2, 'did you mean json?', 'context x --format jsn'],
    [2, '--without tactical', 'context x --without task'],
    [2, 'Not a time', 'context x --now yesterday', 'context x --now 2026-02-30', 'context x --now 2026-03-01T12:00'],
    [2, 'o200k_base', 'context x --tokenizer o200k'],
    [2, 'did you mean claude?', ...['equip', 'unequip', 'diff', 'adopt'].map((name) => `${name} tidy --target cluade`)],
    [2, 'did you mean cursor?', 'init --new other --targets cursr', 'new x --targets cursr', 'agents enable cursr'],
    [
      2,
      'did you mean tidy?',
      ...['equip', 'inspect', 'delete', 'diff', 'share', 'adopt', 'unequip'].map((name) => `${name} tiddy`),
    ],
    [2, 'it supports claude', 'equip tidy --target codex'],
    [2, 'agents enable cursor', 'equip tidy --target cursor'],
  ]
  it.for(rows)('exits with %i and names %s: %j', (row) => meet({}, row))
})

describe('a name that cannot be a skill is refused', () => {
  const names = [
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a\nb',
    'a'.repeat(65),
    'Alpha',
    'a\u001b[31m',
    '.',
    '.loadout-work',
    'a\u2400b',
    'a-',
    '__proto__',
  ]
  it.each(['equip', 'unequip', 'delete', 'inspect', 'new', 'adopt', 'share', 'diff'])('by %s', (command) => {
    const some = ['equip', 'unequip', 'delete'].includes(command) ? names : names.slice(0, 5)
    meet({}, [2, 'BAD_NAME', ...some.map((name): Line => [command, '--', name])])
  })
})

/** What may stand where a file is expected. `out` is a folder outside with a secret. */
const THINGS: Record<string, (path: string, out: string) => unknown> = {
  'a pipe': aPipe,
  'a folder': aFolder,
  'a link out': (path, out) => symlinkSync(join(out, 'file'), path),
  'a link to nothing': (path, out) => symlinkSync(join(out, 'absent/file'), path),
  'a link to itself': aLinkToItself,
  // Made here, never a link to the system's own: whoever runs this may be allowed to replace that.
  'a device': (path) => spawnSync('mknod', [path, 'c', '1', '5']),
  'an empty file': (path) => put(path, ''),
  'bytes that are no text': (path) => put(path, new Uint8Array([0, 1, 2, 255, 254])),
  'broken JSON': (path) => put(path, '{\n  "a": 1,\n  "b": tru\n}\n\n\n'),
  'JSON of another kind': (path) => put(path, '[]'),
  'a million brackets': (path) => put(path, '['.repeat(1_000_000) + ']'.repeat(1_000_000)),
}
/** Texts are wrong only where JSON is expected. */
const TEXTS = ['an empty file', 'bytes that are no text', 'broken JSON', 'JSON of another kind', 'a million brackets']
/** With these, every command that needs the file is asked; with any other, the first one of each row. */
const ASKED_WHOLLY = ['a pipe', 'broken JSON']

const PACK = '---\nname: birds\ndescription: Birds and eggs.\ntype: domain-reference\nstatus: ready\n---\n\n# Birds\n'
const ADAPTER = { id: 'weather', command: ['node', 'tools/weather.js'] }
const PLACES: Files = {
  'home/.claude/settings.json': '{}\n',
  'project/loadout.json': json({ tactical: { path: 'notes.jsonl' }, adapters: [ADAPTER] }),
  'project/.claude/loadout/a.md': payload('a'),
  'project/.claude/loadout/index.json': INDEX,
  'project/.claude/settings.json': '{}\n',
  'project/.agents/knowledge/birds/KNOWLEDGE.md': PACK,
  'project/notes.jsonl': '',
  'project/tools/weather.js': 'console.log("{}")\n',
}

const SETTINGS = /loadout\.json/
const CONFIG = /config\.json/
const LAYER = /project layer is not used/

/** Where a file is expected, the rows of the commands that need it, and the things that are no trouble there. */
const AT: [place: string, isJson: boolean, rows: Row[], fine?: string[]][] = [
  [
    'project/loadout.json',
    true,
    [
      [2, SETTINGS, 'plan alpha', 'context alpha', 'note list', 'adapters list', 'index check', 'index build'],
      [2, SETTINGS, 'note add remember', 'approve adapter:weather', 'validate'],
    ],
  ],
  ['project/loadout.json', false, [[2, SETTINGS, 'validate loadout.json']]],
  ['home/.config/loadout/config.json', false, [[2, CONFIG, 'context alpha']]],
  [
    'project/.claude/loadout/index.json',
    true,
    [
      [1, LAYER, 'plan alpha', 'search alpha', 'validate'],
      [2, LAYER, 'lookup a', 'agents-md --write', 'dead'],
      [2, /index\.json/, 'index check'],
    ],
  ],
  ['project/f.json', true, [[2, 'f.json', 'overlaps f.json']]],
  ['project/f.md', false, [[2, 'f.md', 'index migrate f.md --write']]],
  [
    'project/log.jsonl',
    false,
    [[2, 'log.jsonl', 'usage log.jsonl', 'dead .claude/loadout/index.json log.jsonl']],
    ['a link out'],
  ],
  [
    'project/.claude/loadout/a.md',
    false,
    [
      [1, /a was not loaded/, 'plan alpha --load'],
      [2, 'a.md', 'lookup a --load'],
      [1, /"a"|\ba\b/, 'index check'],
      [1, /a\.md|no payload/, 'index build'],
    ],
  ],
  ['project/AGENTS.md', false, [[2, 'AGENTS.md', 'agents-md --write', 'index migrate AGENTS.md']]],
  [
    'project/.claude/settings.json',
    true,
    [
      [1, 'settings.json', 'hooks status --project .'],
      [2, 'settings.json', 'hooks install claude --project .', 'hooks remove claude --project .'],
    ],
    ['an empty file'],
  ],
  ['project/notes.jsonl', false, [[2, 'notes.jsonl', 'note add remember']]],
  ['project/.agents/knowledge/birds/KNOWLEDGE.md', false, [[2, 'birds', 'packs show birds', 'approve pack:birds']]],
  ['project/tools/weather.js', false, [[2, 'weather', 'approve adapter:weather']]],
  ['project/out.md', false, [[2, 'out.md', 'context alpha --out out.md']], ['a link to nothing', 'a link to itself']],
  [
    'home/.config/loadout/config.json',
    true,
    [
      [2, CONFIG, 'inventory', 'equip tidy', 'sync', 'packs list', 'config', 'agents disable codex'],
      [2, CONFIG, 'init --new lib', 'agents enable cursor', 'profile list'],
      [1, CONFIG, 'doctor'],
    ],
  ],
  [
    'home/.local/state/loadout/approvals.json',
    true,
    [
      [2, 'approvals.json', 'approve pack:birds', 'revoke pack:birds'],
      [0, /until it is repaired, nothing is approved/, 'packs list'],
    ],
  ],
  // A user may keep the log elsewhere, behind a link.
  ['home/.local/state/loadout/usage.jsonl', false, [[2, 'usage.jsonl', 'usage']], ['a link out']],
  [
    'home/library/skills/tidy/skill.json',
    true,
    [
      [2, 'tidy', 'equip tidy', 'share tidy'],
      [1, 'tidy', 'validate', 'doctor', 'inventory'],
    ],
  ],
  ['home/.local/state/loadout/locks', false, [[2, 'loadout', 'approve pack:birds', 'note add remember']], ['a folder']],
  ['home/.claude/skills', false, [[2, 'skills', 'equip tidy']], ['a folder']],
  ['home/library/skills/tidy/SKILL.md', false, [[2, 'SKILL.md', 'equip tidy', 'share tidy']]],
  [
    'home/.claude/settings.json',
    true,
    [
      [2, 'settings.json', 'hooks install claude'],
      [1, 'settings.json', 'hooks status'],
    ],
    ['an empty file'],
  ],
]

const hasDevices = () => {
  const path = join(makeFolder(), 'zero')
  THINGS['a device']?.(path, '')
  return existsSync(path)
}

describe.each(Object.entries(THINGS))('where a file is expected, %s', (thing, make) => {
  it.for(AT.filter(([, isJson, , fine]) => !fine?.includes(thing) && (isJson || !TEXTS.includes(thing))))(
    'at %s is named by every command that needs the file',
    ([place, , rows], { skip }) => {
      const out = makeFolder()
      put(join(out, 'file'), 'SECRET\n')
      const wrong = (path: string) => void make(path, out)
      const world = { files: { ...PLACES, [place]: wrong }, wrong: place }
      if (thing === 'a device' && !hasDevices()) return skip('this user may not make a device')
      // One reader answers for all commands: whether each of them uses it, these things show.
      const isWhole = ASKED_WHOLLY.includes(thing) || process.env.LOADOUT_TEST_ALL !== undefined
      const most = isWhole ? rows.flat().length : 1
      for (const [exit, names, ...lines] of rows) {
        meet(world, [exit, names, ...lines.slice(0, most)])
      }
      expect(treeOf(out)).toEqual(['file SECRET\n'])
    },
  )
})

describe('settings with a mistake', () => {
  // A mistake disables the part that contains it. A wrong limit prevents the bundle.
  it.each<[exit: number, text: string, names: string]>([
    [1, '{"controlPlan": []}', 'did you mean \\"controlPlane\\"?'],
    [2, '{"budget": {"maxFile": 3}}', 'did you mean \\"budget.maxFiles\\"?'],
    [1, '{"adapters": [{"id": "a", "file": "a", "timeout": 3}]}', 'timeoutMs'],
    [2, '{"budget": {"maxFiles": "3"}}', 'budget.maxFiles'],
    [1, '{"intents": {"default": {"include": ["../*.md"]}}}', 'include'],
    [1, '{"controlPlane": ["**"]}', 'matches everything'],
    [1, '{"intents": {"default": {"include": ["**/*.*"]}}}', 'matches everything'],
    [1, '{"controlPlane": ["/etc/passwd"]}', 'controlPlane'],
    [1, '{"controlPlane": [{"path": "a/../../b"}]}', 'controlPlane'],
    [1, '{"tactical": {"path": "../notes.jsonl"}}', 'tactical.path'],
    [1, '{"adapters": [{"id": "a", "file": "/etc/passwd"}]}', 'adapters'],
    [2, '{"budget": {"partitions": {"task": 90}}}', '100'],
  ])('exit with %i for %s, and say what is meant', (exit, text, names) => {
    meet({ files: { 'project/loadout.json': text } }, [exit, names, 'context x'])
  })

  it.each<[text: string, names: string]>([
    ['{\n  "repo_path": "x",\n  "targets": {,}\n}\n', 'line 3, column 15'],
    ['{"repo_path": 7}', 'must be a path'],
    ['{"targets": []}', 'must be a JSON object'],
    ['{"targets": {"claude": {"enabled": "yes"}}}', 'must be true or false'],
    ['{"profiles": {"p": {"a": "claude"}}}', 'must be a list of agents'],
  ])('of a user stop every command: %s', (text, names) => {
    const files = { 'home/.config/loadout/config.json': text }
    meet({ files }, [2, names, 'inventory', 'agents enable cursor', 'equip tidy', 'sync', 'profile list'])
  })
})

describe('a library that is not there', () => {
  it.each<[what: string, thing: Content | undefined]>([
    ['absent', undefined],
    ['a file', 'a file'],
    ['a folder without a repository', aFolder],
  ])('is named, with the way in: %s', (_, thing) => {
    const config = { 'home/.config/loadout/config.json': json({ repo_path: '~/lib' }) }
    const files = thing === undefined ? config : { ...config, 'home/lib': thing }
    meet({ files }, [2, /home\/lib\b.*loadout init/s, 'sync', 'equip x'])
    meet({ files }, [1, 'home/lib', 'doctor'])
  })

  it('is asked for by every command of a new user', () => {
    const lines = ['inventory', 'equip x', 'sync', 'import', 'new x', 'suggest x', 'share x']
    meet({ isWithoutConfig: true }, [2, 'loadout add <owner/repo>', ...lines])
  })

  it('is not made from what is no library', () => {
    const files = {
      'project/plain/file': 'x',
      'project/inside': (path: string) => void makeRepository(path),
      'project/inside/deeper/x': 'x',
      'project/bare': (path: string) => void makeRepository(path, '--bare'),
    }
    const places = ['--repo nowhere', '--repo plain', '--repo plain/file', '--repo inside/deeper', '--repo bare']
    for (const place of [...places, '--new inside', '--new plain/file', '--new plain/file/below']) {
      meet({ files, isWithoutConfig: true }, [2, place.split(' ')[1] ?? '', `init ${place}`])
    }
    meet({ files, isWithoutConfig: true }, [2, '', 'init --repo inside --new x'])
  })
})

describe('a skill of the library that cannot be used', () => {
  const fields = (more: object) => json({ description: 'D', targets: ['claude'], ...more })
  it.each<[what: string, files: Files, reason: string]>([
    ['without a text', { 'skill.json': fields({}) }, 'SKILL.md is missing'],
    ['without skill.json', { 'SKILL.md': 'x' }, 'skill.json is missing'],
    ['without files', { 'only-a-folder': aFolder }, 'are missing'],
    ['with broken JSON', { 'SKILL.md': 'x', 'skill.json': '{\n  "name": tru\n}' }, 'line 2, column'],
    [
      'with wrong types',
      { 'SKILL.md': 'x', 'skill.json': fields({ description: {}, tags: 'x' }) },
      'must be a list of texts',
    ],
    ['with wrong metadata', { 'SKILL.md': 'x', 'skill.json': fields({ claude: [] }) }, 'must be an object'],
    ['for nobody', { 'SKILL.md': 'x', 'skill.json': fields({ targets: [] }) }, 'must list agents'],
    ['for an unknown agent', { 'SKILL.md': 'x', 'skill.json': fields({ targets: ['clippy'] }) }, 'clippy'],
    [
      'with a link out',
      { 'SKILL.md': 'x', 'skill.json': fields({}), 'sub/x': aLinkTo('/etc/passwd') },
      'sub/x is a symbolic link',
    ],
    ['with a loop', { 'SKILL.md': 'x', 'skill.json': fields({}), it: aLinkToItself }, 'it is a symbolic link'],
    ['with a pipe', { 'SKILL.md': 'x', 'skill.json': fields({}), it: aPipe }, 'it is a pipe'],
    ['with a marker', { 'SKILL.md': 'x', 'skill.json': fields({}), '.loadout': '{}' }, 'a marker of an installed copy'],
  ])('%s is named with its reason, and the others go on', (_, own, reason) => {
    const files = Object.fromEntries(
      Object.entries(own).map(([path, content]) => [`home/library/skills/bad/${path}`, content]),
    )
    meet({ files }, [1, reason, 'inventory', 'validate'])
    meet({ files }, [1, 'skills/bad cannot be used', 'doctor'])
    meet({ files }, [2, reason, 'equip bad'])
    const { home, cwd } = makeWorld({ files })
    expect(runWarm(['equip', 'tidy'], { home, cwd }).code).toBe(0)
  })
})

describe('a source that cannot be imported', () => {
  const line = 'import source --targets claude'
  const text = '---\nname: evil\ndescription: D\n'
  const laughs = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghi'].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghi'[at]}`).join(',')}]`),
  ].join('\n')
  it.each<[what: string, files: Files, reason: string | RegExp]>([
    ['that is not there', {}, 'does not exist'],
    ['without skills', { 'source/readme.txt': 'x' }, 'contains no skill'],
    ['that is a file', { source: 'x' }, 'neither a folder nor a .tar.gz'],
    ['that is a pipe', { source: aPipe }, 'neither a folder nor a .tar.gz'],
    [
      'with a link out',
      { 'source/SKILL.md': '# A\n\nB\n', 'source/link': aLinkTo('/etc/passwd') },
      'link is a symbolic link',
    ],
    ['that is a link out', { 'source/SKILL.md': aLinkTo('/etc/passwd') }, 'SKILL.md is a symbolic link'],
    ['with a pipe', { 'source/SKILL.md': '# A\n\nB\n', 'source/sub/pipe': aPipe }, 'sub/pipe is a pipe'],
    ['with a folder as text', { 'source/SKILL.md/x': 'x' }, 'SKILL.md'],
    ['that is not UTF-8', { 'source/SKILL.md': new Uint8Array([0xe9, 0x0a]) }, 'UTF-8'],
    ['that is empty', { 'source/SKILL.md': '' }, 'no description'],
    [
      'that was not fetched',
      { 'source/SKILL.md': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' },
      'pointer of Git LFS',
    ],
    ['with wrong types', { 'source/SKILL.md': 'x', 'source/skill.json': '{"targets":7}' }, 'targets'],
    ['with broken JSON', { 'source/SKILL.md': 'x', 'source/skill.json': '{\n"a": }' }, 'line 2'],
    ['with aliases that multiply', { 'source/SKILL.md': `${text}${laughs}\n---\n# E\n` }, /line \d/],
    ['with an alias of itself', { 'source/SKILL.md': '---\nname: evil\ndescription: &a [*a]\n---\n# E\n' }, /line \d/],
    ['with deep nesting', { 'source/SKILL.md': `${text}x: ${'['.repeat(50_000)}\n---\n# E\n` }, /line \d/],
    ['with a key twice', { 'source/SKILL.md': `${text}name: good\n---\n# E\n` }, /line \d/],
    [
      'with a colon before a list',
      { 'source/SKILL.md': '---\nname: evil\ndescription: Use when: x\ntags:\n  - a\n---\n# E\n' },
      /line \d/,
    ],
  ])('%s is refused with its reason', (_, own, reason) => {
    const files = Object.fromEntries(Object.entries(own).map(([path, content]) => [`project/${path}`, content]))
    meet({ files }, [2, reason, line])
  })

  it.each([
    'ext::sh -c "touch sprung"',
    '--upload-pack=touch sprung',
    'evil://host/x',
    'https://user:secret@localhost:1/x.git',
  ])('because its address is %s is refused, and no password is shown', (url) =>
    meet({}, [2, '', ['import', '--targets', 'claude', '--', url], ['init', '--clone', url, '--into', 'other']]),
  )

  it('because its archive is none, is cut off, or leaves its folder, is refused by name', () => {
    const { home, cwd, root } = makeWorld({})
    runWarm(['share', 'tidy'], { home, cwd })
    const whole = readFileSync(join(cwd, 'tidy.tar.gz'))
    put(join(cwd, 'x/SKILL.md'), '# X\n\nText.\n')
    runShell(
      "cd x && tar -czPf ../up.tar.gz --transform 's,^,../../,' SKILL.md && tar -czPf ../abs.tar.gz $PWD/SKILL.md",
      { cwd },
    )
    runShell('cd x && ln -s /etc etc && tar -czf ../link.tar.gz .', { cwd })
    const archives: Files = {
      'cut.tar.gz': whole.subarray(0, whole.length - 40),
      'none.tar.gz': 'not an archive',
      'empty.tgz': '',
    }
    for (const name of ['up.tar.gz', 'abs.tar.gz', 'link.tar.gz'])
      archives[name] = readFileSync(join(root, 'project', name))
    for (const [name, content] of Object.entries(archives)) {
      meet({ files: { [`project/${name}`]: content } }, [2, name, `import ${name} --targets claude`])
    }
  })
})

describe('a place that a bundle cannot be written to', () => {
  const settings = json({ tactical: { path: 'notes.jsonl' }, adapters: [{ id: 'board', file: 'board.json' }] })
  const files = {
    'project/docs/a.md': 'text\n',
    'project/loadout.json': settings,
    'project/notes.jsonl': '',
    'project/board.json': '{"items":[]}',
  }
  it.each(['/dev/full', '.', 'docs', 'AGENTS.md/x', 'x'.repeat(300), '', 'loadout.json', 'notes.jsonl', 'board.json'])(
    'is refused, and nothing is lost: %s',
    (out) => meet({ files }, [2, '', ['context', 'x', '--out', out]]),
  )

  it('because its folder is closed is refused', () => {
    meet({ files, closed: 'project', isReadOnly: true }, [2, 'permission denied', 'context x --out b.md'])
  })
})

describe('a file that may not be read', () => {
  const files = { 'project/.claude/loadout/a.md': payload('a'), 'project/.claude/loadout/index.json': INDEX }
  const DENIED = /permission|is not readable/
  it.each<[closed: string, exit: number, ...lines: string[]]>([
    ['project/.claude/loadout/index.json', 1, 'plan alpha', 'validate'],
    ['project/.claude/loadout/index.json', 2, 'lookup a', 'index check', 'overlaps .claude/loadout/index.json'],
    ['project/.claude/loadout', 1, 'plan alpha', 'index build'],
    ['project/.claude/loadout', 2, 'index check'],
    ['project/.claude/loadout/a.md', 1, 'plan alpha --load', 'index build'],
    ['project/.claude/loadout/a.md', 2, 'index migrate .claude/loadout/a.md'],
    ['home/library', 2, 'inventory', 'sync', 'equip tidy'],
    ['home/library', 1, 'doctor'],
  ])('%s: exit %i, and the reason', (closed, exit, ...lines) => meet({ files, closed }, [exit, DENIED, ...lines]))

  it.each<[closed: string, ...lines: string[]]>([
    ['project/.claude/loadout', 'index build', 'index migrate LONG.md --write'],
    ['home/library/skills', 'new x', 'delete tidy'],
  ])('or not written: %s', (closed, ...lines) => {
    meet({ files, closed, isReadOnly: true }, [2, 'permission denied', ...lines])
  })
})

describe('a migration that cannot be finished', () => {
  it.each<[what: string, files: Files, line: string, exit?: number]>([
    ['no glob covers its folder', {}, 'index migrate LONG.md --write --into docs/knowledge'],
    [
      'an id stands twice',
      { 'project/.claude/loadout/x.md': payload('twice'), 'project/.claude/loadout/y.md': payload('twice') },
      'index migrate LONG.md --write',
      1,
    ],
    ['its folder lies outside', {}, 'index migrate LONG.md --write --into ../outside'],
    ['its level does not exist', {}, 'index migrate LONG.md --write --level 7'],
    [
      'its folder is a link out',
      { 'project/.claude/loadout': aLinkTo('../../../home') },
      'index migrate LONG.md --write',
    ],
  ])('changes nothing: %s', (_, files, line, exit = 2) => meet({ files }, [exit, '', line]))
})

describe('a machine that lacks something', () => {
  it('without git, what needs it says so', () => {
    const files = { 'project/a/SKILL.md': '# A\n\nText.\n' }
    const lines = ['sync', 'import a --targets claude', 'delete tidy', 'equip tidy']
    meet({ files, env: { PATH: '/nowhere' } }, [2, 'install git', ...lines])
    meet({ files, env: { PATH: '/nowhere' } }, [0, 'tidy', 'inventory', 'inspect tidy'])
  })

  it('without a folder for temporary files, what needs it names the folder', () => {
    meet({ env: { TMPDIR: '/no/where' } }, [2, '/no/where', 'try', 'import file:///no/library'])
  })
})
