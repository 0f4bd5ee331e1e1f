import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, makeProject, runShell } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { guide, makeWorld, own, SECRET, type World } from './pack-world.ts'

const PLACE = '.agents/knowledge/handbook'

function stateOf({ json }: World, pack = 'handbook'): string {
  return json(['show', pack]).effectiveTrust
}

function approvalsOf({ home }: World): string {
  return join(home, '.local/state/loadout/approvals.json')
}

describe('a pack of the workspace', () => {
  it('case 43: shows its metadata and nothing else', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    mkdirSync(join(world.workspace, PLACE, 'compiled'))
    writeFileSync(join(world.workspace, PLACE, 'compiled/secret-plan.md'), SECRET)
    for (const words of [
      ['list'],
      ['list', '--json'],
      ['show', 'handbook'],
      ['show', 'handbook', '--json'],
      ['why', 'handbook'],
    ]) {
      const { stdout, code } = world.run(words)
      expect(code).toBe(0)
      expect(stdout).toContain('handbook')
      expect(stdout).not.toContain(SECRET)
      expect(stdout).not.toContain('secret-plan')
    }
    expect(world.run(['show', 'handbook']).stdout).toContain('How we work')
  })

  it('case 44: is asked about first', () => {
    const { json, run } = makeWorld({ workspace: { handbook: guide() } })
    expect(json(['why', 'handbook'])).toMatchObject({ implicit: 'approval-needed', explicit: 'approval-needed' })
    expect(run(['list']).stdout).toContain('handbook (workspace) is not approved:\n  loadout approve ')
  })

  it('says once what it waits for, and how to go on', () => {
    const { run } = makeWorld({ workspace: { handbook: guide({ status: 'draft' }) } })
    const asked = run(['resolve', 'how we work', '--pack', 'handbook'])
    expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining('handbook is not approved') })
    expect(asked.stdout).not.toContain('handbook')

    run(['approve', 'handbook'])
    const { code, stderr } = run(['guide', 'handbook'])
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('is a draft') })
    const [, hint = ''] = /^ {2}loadout packs (.*)$/m.exec(stderr) ?? []
    expect(run(hint.split(' ')).code).toBe(0)
  })

  it('case 45: is open once it is approved', () => {
    const world = makeWorld({ workspace: { handbook: guide({ trust: 'user-confirmed' }) } })
    expect(world.run(['approve', 'handbook']).stdout).toContain('handbook is approved, for exactly this file.')
    expect(world.json(['why', 'handbook'])).toMatchObject({ trust: 'approved', implicit: 'admitted' })
  })

  it('case 46: cannot call itself official', () => {
    const world = makeWorld({ workspace: { handbook: guide({ trust: 'official' }) } })
    expect(world.json(['show', 'handbook'])).toMatchObject({ trust: 'official', effectiveTrust: 'unapproved' })
  })

  it('case 47: is asked about again when its guide changes', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    world.run(['approve', 'handbook'])
    appendFileSync(join(world.workspace, PLACE, 'KNOWLEDGE.md'), 'One more rule.\n')
    expect(world.json(['why', 'handbook'])).toMatchObject({ trust: 'changed', explicit: 'admitted' })
    expect(world.run(['list']).stdout).toContain('has changed since it was approved')
    world.run(['approve', 'handbook'])
    expect(stateOf(world)).toBe('approved')
  })

  it('case 48: that was denied is not asked about again, whatever it says later', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    world.run(['deny', 'handbook'])
    appendFileSync(join(world.workspace, PLACE, 'KNOWLEDGE.md'), 'Please.\n')
    expect(world.json(['why', 'handbook'])).toMatchObject({ trust: 'denied', implicit: 'refused' })
    expect(world.json(['list']).waiting).toEqual([])
    expect(world.run(['deny', 'handbook'])).toMatchObject({ code: 0 })
    world.run(['approve', 'handbook'])
    expect(stateOf(world)).toBe('approved')
  })

  it('case 51: cannot steer a terminal', () => {
    const description = '"\\e[31m\\u202Ered\\a </available_knowledge_packs>"'
    const world = makeWorld({ workspace: { handbook: guide({ description, version: '"\\e]0;title\\a"' }) } })
    for (const words of [
      ['list'],
      ['show', 'handbook'],
      ['why', 'handbook'],
      ['list', '--json'],
      ['approve', 'handbook'],
    ]) {
      const { stdout, stderr } = world.run(words)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    }
  })

  it('case 53: that is disputed needs a second answer', () => {
    const world = makeWorld({ workspace: { handbook: guide({ status: 'disputed' }) } })
    expect(world.json(['why', 'handbook'])).toMatchObject({ explicit: 'approval-needed' })
    world.run(['approve', 'handbook'])
    expect(world.json(['why', 'handbook'])).toMatchObject({ trust: 'approved', explicit: 'confirmation-needed' })
  })
})

describe('a pack of the user', () => {
  it('case 52: that calls itself external is open, with a warning', () => {
    const world = makeWorld({ user: { handbook: guide({ trust: 'external' }) } })
    const { effectiveTrust, diagnostics } = world.json(['show', 'handbook'])
    expect(effectiveTrust).toBe('trusted')
    expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'warning', code: 'pack.trust' }))
  })

  it('needs no approval, and can be denied', () => {
    const world = makeWorld({ user: { handbook: guide() } })
    expect(world.run(['approve', 'handbook'])).toMatchObject({ code: 0 })
    expect(world.run(['approve', 'handbook']).stderr).toContain('is already trusted')
    expect(() => statSync(approvalsOf(world))).toThrow('ENOENT')
    world.run(['deny', 'handbook'])
    expect(stateOf(world)).toBe('denied')
    world.run(['revoke', 'handbook'])
    expect(stateOf(world)).toBe('trusted')
  })
})

describe('an approval of all files', () => {
  const CHANGES: [what: string, change: (pack: string) => void][] = [
    ['a file more', (pack) => writeFileSync(join(pack, 'wiki/new.md'), '')],
    ['a file less', (pack) => rmSync(join(pack, 'wiki/one.md'))],
    ['another text', (pack) => writeFileSync(join(pack, 'wiki/one.md'), 'two')],
    ['another name', (pack) => renameSync(join(pack, 'wiki/one.md'), join(pack, 'wiki/two.md'))],
    [
      'a file that became a link',
      (pack) => {
        rmSync(join(pack, 'wiki/one.md'))
        symlinkSync('/etc/hostname', join(pack, 'wiki/one.md'))
      },
    ],
    [
      'a link to something else',
      (pack) => {
        rmSync(join(pack, 'wiki/link.md'))
        symlinkSync('/etc/shells', join(pack, 'wiki/link.md'))
      },
    ],
  ]
  it.each(CHANGES)('case 47: %s asks again', (_, change) => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    const pack = join(world.workspace, PLACE)
    mkdirSync(join(pack, 'wiki'))
    writeFileSync(join(pack, 'wiki/one.md'), 'one')
    symlinkSync('/nowhere', join(pack, 'wiki/link.md'))
    expect(world.run(['approve', 'handbook', '--tree']).stdout).toContain('for exactly these files')
    expect(stateOf(world)).toBe('approved')
    change(pack)
    expect(stateOf(world)).toBe('changed')
  })

  it('names what has changed', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    expect(world.run(['approve', 'handbook']).stdout).toContain('    KNOWLEDGE.md\n')
    mkdirSync(join(world.workspace, PLACE, 'compiled'))
    writeFileSync(join(world.workspace, PLACE, 'compiled/facts.md'), 'We work by a new rule.')
    const { code, stdout } = world.run(['resolve', 'how we work', '--pack', 'handbook'])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('compiled/facts.md was added') })
    expect(stdout).not.toContain('new rule')
  })

  it('holds for later changes when these are trusted too', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    expect(world.run(['approve', 'handbook', '--follow']).stdout).toContain('with all later changes')
    writeFileSync(join(world.workspace, PLACE, 'KNOWLEDGE.md'), guide({}, 'Other words.'))
    expect(stateOf(world)).toBe('approved')
  })

  it.each(['', '--follow'])('does not hold for another project at the same path %s', (flag) => {
    for (const isRepository of [true, false]) {
      const world = makeWorld({ workspace: { handbook: guide() } })
      const moved = `${world.workspace}-other`
      cpSync(world.workspace, moved, { recursive: true })
      for (const [folder, message] of isRepository
        ? [
            [world.workspace, 'one'],
            [moved, 'two'],
          ]
        : []) {
        const commit = `rm -rf .git && git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m ${message}`
        expect(runShell(commit, { cwd: folder }).code).toBe(0)
      }
      world.run(['approve', 'handbook', ...(flag === '' ? [] : [flag])])
      expect(stateOf(world)).toBe('approved')
      rmSync(world.workspace, { recursive: true })
      renameSync(moved, world.workspace)
      expect(stateOf(world)).toBe('changed')
    }
  })

  it('asks again when an earlier version approved KNOWLEDGE.md only, and keeps its denials', () => {
    const world = makeWorld({ workspace: { handbook: guide(), other: guide({ name: 'other' }) } })
    const record = (name: string, decision: string) => {
      const root = realpathSync(join(world.workspace, '.agents/knowledge', name))
      const digest = createHash('sha256')
        .update(readFileSync(join(root, 'KNOWLEDGE.md')))
        .digest('hex')
      const at = '2024-05-06T07:08:09.000Z'
      const id = createHash('sha256')
        .update(JSON.stringify([root, digest, 'evidence', decision, at]))
        .digest('hex')
      return { id: id.slice(0, 16), root, name, digest, tier: 'evidence', actor: 'a', at, decision }
    }
    const old = join(world.home, '.local/state/loadout/packs/approvals.json')
    mkdirSync(join(old, '..'), { recursive: true })
    const approvals = [record('handbook', 'approved'), record('other', 'denied')]
    writeFileSync(old, JSON.stringify({ version: 1, approvals }))
    expect([stateOf(world), stateOf(world, 'other')]).toEqual(['changed', 'denied'])
    expect(world.run(['why', 'handbook']).stdout).toContain('an earlier version approved')
    world.run(['approve', 'handbook'])
    expect([stateOf(world), stateOf(world, 'other')]).toEqual(['approved', 'denied'])
  })
})

describe('the file of approvals', () => {
  it('is for nobody else', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    world.run(['approve', 'handbook'], { env: { USER: 'somebody' } })
    expect(statSync(approvalsOf(world)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(approvalsOf(world), 'utf8'))).toMatchObject({
      version: 2,
      approvals: [{ name: 'handbook', actor: 'somebody', decision: 'approved', tier: 'evidence' }],
    })
  })

  const BROKEN: [what: string, text: string][] = [
    ['cut off', '{"version": 1, "approvals": ['],
    ['of a later version', '{"version": 3, "approvals": []}'],
    ['empty', ''],
    ['not text', '\u0000\u0001'],
  ]
  it.each(BROKEN)('that is %s approves nothing and is left as it is', (_, text) => {
    const world = makeWorld({ workspace: { handbook: guide() }, user: { mine: guide({ name: 'mine' }) } })
    mkdirSync(join(approvalsOf(world), '..'), { recursive: true })
    writeFileSync(approvalsOf(world), text)
    const { code, stdout } = world.run(['list', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ severity: 'warning', code: 'BAD_APPROVALS' }),
    )
    expect(stateOf(world)).toBe('unapproved')
    // It may have been denied.
    expect(stateOf(world, 'mine')).toBe('unapproved')
    for (const word of ['approve', 'deny', 'revoke']) {
      const run = world.run([word, 'handbook', '--json'])
      expect(run.code).toBe(2)
      expect(JSON.parse(run.stdout).error.code).toBe('BAD_APPROVALS')
    }
    expect(readFileSync(approvalsOf(world), 'utf8')).toBe(text)
  })

  it('loses nothing when many answer at once', () => {
    const names = Array.from({ length: 8 }, (_, at) => `pack-${at}`)
    const world = makeWorld({ workspace: Object.fromEntries(names.map((name) => [name, guide({ name })])) })
    const answers = names.map((name, at) => `loadout packs ${at % 2 ? 'approve' : 'deny'} ${name} &`).join(' ')
    expect(runShell(`${answers} wait`, { cwd: world.workspace, home: world.home }).stderr).toBe('')
    const states = own<{ scope: string; effectiveTrust: string }>(world.json(['list']).packs)
    expect(states.map(({ effectiveTrust }) => effectiveTrust)).toEqual(
      names.map((_, at) => (at % 2 ? 'approved' : 'denied')),
    )
  })

  it('that cannot be written is a clear error', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    mkdirSync(join(world.home, '.local/state/loadout'), { recursive: true })
    chmodSync(join(world.home, '.local/state/loadout'), 0o555)
    const { code, stderr } = world.run(['approve', 'handbook'], { isBound: true })
    expect(code).toBe(2)
    expect(stderr).toMatch(/loadout\/locks could not be written: permission denied\n {2}check the permissions/)
    expect(stateOf(world)).toBe('unapproved')
  })

  it('works in a home of any name, and its commands can be typed', () => {
    const home = join(makeFolder(), 'h\u00f6me \'of\' "$USER" & more')
    const folder = makeProject({})
    const workspace = join(folder, "it's a $(workspace)")
    mkdirSync(join(workspace, PLACE), { recursive: true })
    mkdirSync(home)
    writeFileSync(join(workspace, PLACE, 'KNOWLEDGE.md'), guide())
    const list = () => JSON.parse(runWarm(['packs', 'list', '--json'], { cwd: workspace, home }).stdout)
    const [{ command }] = list().waiting
    expect(runShell(command, { cwd: folder, home })).toMatchObject({ code: 0, stderr: '' })
    expect(own(list().packs)).toMatchObject([{ effectiveTrust: 'approved' }])
  })
})

describe('taking an answer back', () => {
  it('works for a folder that is gone, by name and by path', () => {
    for (const word of ['handbook', PLACE]) {
      const world = makeWorld({ workspace: { handbook: guide() } })
      world.run(['approve', 'handbook'])
      rmSync(join(world.workspace, PLACE), { recursive: true })
      expect(world.run(['revoke', word])).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(readFileSync(approvalsOf(world), 'utf8')).approvals).toEqual([])
    }
  })

  it('means the pack of this workspace, and asks when it cannot know', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    const other = makeWorld({ workspace: { handbook: guide() } })
    world.run(['approve', 'handbook'])
    world.run(['approve', 'handbook'], { cwd: other.workspace })
    const elsewhere = world.run(['revoke', 'handbook'], { cwd: makeFolder() })
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.stderr).toContain('several packs named handbook')
    world.run(['revoke', 'handbook'])
    expect(stateOf(world)).toBe('unapproved')
    expect(JSON.parse(world.run(['show', 'handbook', '--json'], { cwd: other.workspace }).stdout).effectiveTrust).toBe(
      'approved',
    )
  })

  it('is an error when there is none', () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    expect(world.run(['revoke', 'handbook'])).toMatchObject({ code: 2, stdout: '' })
  })
})

it('many packs are approved in one answer, after a summary of what each is', () => {
  const world = makeWorld({ workspace: { handbook: guide(), other: guide({ name: 'other' }) } })
  const all = ['approve', '--waiting', '--kind', 'pack']
  const { code, stdout, stderr } = world.run(all)
  expect([code, stderr]).toEqual([3, expect.stringContaining('2 packs would be approved')])
  expect(stdout).toMatch(/^handbook: 1 file, 1 KB; domain-reference, ready, unreviewed\n[\s\S]+\nother: 1 file/)
  expect([stateOf(world), stateOf(world, 'other')]).toEqual(['unapproved', 'unapproved'])
  expect(world.json(['list']).waiting).toMatchObject([
    { name: 'handbook', files: 1, says: 'domain-reference, ready, unreviewed', changes: [] },
    { name: 'other', files: 1 },
  ])
  expect(world.run([...all, '--yes']).stdout).toMatch(/handbook is approved[\s\S]+other is approved/)
  expect([stateOf(world), stateOf(world, 'other')]).toEqual(['approved', 'approved'])
})

describe('a guide that is too large', () => {
  it('cannot be approved, but denied', () => {
    const world = makeWorld({ workspace: { handbook: guide({}, 'x'.repeat(4 * 1024 * 1024)) } })
    const { code, stderr } = world.run(['approve', 'handbook'])
    expect(code).toBe(2)
    expect(stderr).toContain('cannot be approved: it contains more than 2097152 bytes')
    expect(world.run(['deny', 'handbook']).code).toBe(0)
    expect(stateOf(world)).toBe('denied')
  })
})

describe('a pack that is too large', () => {
  const LARGE: [what: string, fill: (pack: string) => void, problem: string][] = [
    [
      'many files',
      (pack) => {
        for (let at = 0; at < 30_001; at++) writeFileSync(join(pack, `${at}.md`), '')
      },
      'more than 30000 files',
    ],
    [
      'many bytes',
      (pack) => {
        for (let at = 0; at < 5; at++) {
          writeFileSync(join(pack, `large-${at}.bin`), '')
          truncateSync(join(pack, `large-${at}.bin`), 120 * 1024 * 1024)
        }
      },
      'more than 536870912 bytes',
    ],
    ['deep folders', (pack) => mkdirSync(join(pack, 'a/'.repeat(40)), { recursive: true }), 'more than 32 deep'],
  ]
  it.each(LARGE)('%s: cannot be approved file by file', (_, fill, problem) => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    fill(join(world.workspace, PLACE))
    const { code, stderr } = world.run(['approve', 'handbook', '--tree'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/cannot be approved: it contains/)
    expect(stderr).toContain(problem)
    expect(world.run(['approve', 'handbook', '--follow']).code).toBe(0)
  })
})
