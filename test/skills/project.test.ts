import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CLI } from '../cli/run.ts'
import { commitAll, git, makeMachine, makeRepository, putAll, type TestMachine } from '../cli/skills-machine.ts'
import { readTree } from './world.ts'

const text = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\n# ${name}\n\nOne.\n\nTwo.\n\nThree.\n`

interface Team extends TestMachine {
  source: string
  site: string
  /** Runs the program in a folder of this machine. */
  in(folder: string, ...words: string[]): ReturnType<TestMachine['run']>
}

/** A machine with a source of skills and a project that has added two of them: one needs the other, one can act. */
function makeTeam(): Team {
  const machine = makeMachine({ config: false })
  mkdirSync(machine.path('.claude'))
  machine.write('.gitconfig', '[user]\n\tname = Tester\n\temail = tester@localhost\n')
  const source = makeRepository(machine.path('source'))
  putAll(source, {
    'skills/alpha/SKILL.md': text('alpha', 'requires: [beta]\n'),
    'skills/beta/SKILL.md': text('beta'),
    'skills/gamma/SKILL.md': text('gamma'),
    'skills/gamma/run.sh': 'echo 1\n',
  })
  commitAll(source, 'Start')
  const site = makeRepository(machine.path('site'))
  const team = {
    ...machine,
    source,
    site,
    in: (folder: string, ...words: string[]) => machine.runWith({ cwd: machine.path(folder) }, ...words),
  }
  expect(team.in('site', 'add', `file://${source}`, 'alpha', '--project', '.')).toMatchObject({ code: 0, stderr: '' })
  return team
}

const lockOf = (team: Team, folder = 'site') => JSON.parse(team.read(`${folder}/loadout.lock`))
const copy = (name: string) => `.claude/skills/${name}/SKILL.md`

/** A clone on a machine of its own: nothing is in its cache. */
function cloneOf(team: Team, name: string, isWarm = false): string {
  commitAll(team.site, 'Equip')
  rmSync(team.path(name), { recursive: true, force: true })
  git(team.home, 'clone', '--quiet', team.site, team.path(name))
  rmSync(team.path(name, '.claude'), { recursive: true, force: true })
  if (!isWarm) rmSync(team.path('.cache/loadout'), { recursive: true, force: true })
  return name
}

describe('the manifest of a project', () => {
  it('brings what a skill needs, restores byte for byte in a clone, also offline, and is quiet when nothing is to do', () => {
    const team = makeTeam()
    expect(Object.keys(lockOf(team).skills)).toEqual(['alpha', 'beta'])
    expect(JSON.parse(team.read('site/loadout.json')).skills).toEqual({ [`file://${team.source}`]: ['alpha'] })
    const clone = cloneOf(team, 'clone')
    expect(team.in(clone, 'install', '--frozen')).toMatchObject({ code: 0, stderr: '' })
    expect(git(team.path(clone), 'status', '--short')).toBe('')
    renameSync(team.source, `${team.source}.gone`)
    const offline = cloneOf(team, 'offline', true)
    expect(team.in(offline, 'install', '--frozen').stdout).toContain('all at hand')
    expect(git(team.path(offline), 'status', '--short')).toBe('')
    expect(team.in(offline, 'install').stdout).toBe('2 skills as loadout.lock pins them.\n')
    const cold = cloneOf(team, 'cold')
    const refused = team.in(cold, 'install')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is gone')])
    expect(existsSync(team.path(cold, '.claude'))).toBe(false)
  })

  it('asks once on each machine about what can act, counts the lock as the answer only when told, and refuses more', () => {
    const team = makeTeam()
    const added = team.in('site', 'add', `file://${team.source}`, 'gamma', '--project', '.')
    expect([added.code, added.stderr]).toEqual([3, expect.stringContaining('loadout approve skill:gamma --project .')])
    expect(existsSync(join(team.site, copy('gamma')))).toBe(false)
    const clone = cloneOf(team, 'clone')
    const beyond = team.in(clone, 'install', '--frozen', '--trust-lock')
    expect([beyond.code, beyond.stderr]).toEqual([2, expect.stringContaining('can do more than loadout.lock says')])
    expect(existsSync(team.path(clone, '.claude'))).toBe(false)
    expect(team.in('site', 'deny', 'skill:gamma', '--project', '.').code).toBe(0)
    expect(team.in('site', 'approve', '--waiting', '--project', '.').stdout).not.toContain('gamma')
    expect(team.in('site', 'revoke', 'skill:gamma', '--project', '.').code).toBe(0)
    expect(team.in('site', 'approve', '--waiting', '--project', '.').stdout).toContain('gamma')
    expect(team.in('site', 'install').code).toBe(0)
    expect(lockOf(team).skills.gamma.approved.by).toBe('Tester <tester@localhost>')
    const again = cloneOf(team, 'clone')
    rmSync(team.path('.local/state/loadout'), { recursive: true, force: true })
    expect(team.in(again, 'install', '--frozen').code).toBe(3)
    expect(existsSync(team.path(again, '.claude'))).toBe(false)
    expect(team.in(again, 'install', '--frozen', '--trust-lock')).toMatchObject({ code: 0, stderr: '' })
    expect(team.in('site', 'show', 'gamma', '--project', '.').stdout).toMatch(
      /allowed +by Tester <tester@localhost> on .* in loadout\.lock: runs run\.sh/,
    )
  })

  it('takes an answer over to other projects for the same skill of the same publisher, and for no other publisher', () => {
    const team = makeTeam()
    team.in('site', 'add', `file://${team.source}`, 'gamma', '--project', '.')
    expect(team.in('site', 'approve', 'skill:gamma', '--project', '.').code).toBe(0)
    makeRepository(team.path('second'))
    const same = team.in('second', 'add', `file://${team.source}`, 'gamma', '--project', '.')
    expect(same).toMatchObject({ code: 0, stderr: '' })
    const stranger = makeRepository(team.path('stranger'))
    putAll(stranger, { 'skills/gamma/SKILL.md': text('gamma'), 'skills/gamma/run.sh': 'echo 1\n' })
    commitAll(stranger, 'Copy')
    makeRepository(team.path('third'))
    const other = team.in('third', 'add', `file://${stranger}`, 'gamma', '--project', '.')
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('run.sh is a program')])
    expect(existsSync(team.path('third', copy('gamma')))).toBe(false)
  })

  it('refuses a source with other files under the locked commit, and a lock with another address', () => {
    const team = makeTeam()
    const lock = lockOf(team)
    const write = (change: (lock: ReturnType<typeof lockOf>) => void) => {
      const next = structuredClone(lock)
      change(next)
      writeFileSync(join(team.site, 'loadout.lock'), JSON.stringify(next))
      return cloneOf(team, 'clone')
    }
    const rows: [change: (lock: ReturnType<typeof lockOf>) => void, code: number, said: string][] = [
      [
        (next) => {
          next.skills.beta.digest = '0'.repeat(64)
        },
        2,
        'beta of file://',
      ],
      [
        (next) => {
          next.skills.beta.copies.claude = '0'.repeat(64)
        },
        2,
        'installs other files from the same source',
      ],
      [
        (next) => {
          next.skills.beta.url = 'https://elsewhere.invalid/x'
        },
        1,
        'loadout.lock has beta from https://elsewhere.invalid/x',
      ],
      [
        (next) => {
          delete next.skills.beta
        },
        1,
        'alpha needs beta',
      ],
      [
        (next) => {
          next.skills.beta.from = 'own/other'
        },
        1,
        'which loadout.json does not ask for',
      ],
      [
        (next) => {
          next.skills.beta.commit = '1'.repeat(40)
          next.skills.beta.digest = '2'.repeat(64)
        },
        2,
        'no longer has beta at commit 111111111111',
      ],
    ]
    for (const [change, code, said] of rows) {
      const run = team.in(write(change), 'install', '--frozen', '--trust-lock')
      expect([run.code, run.stderr + run.stdout], said).toEqual([code, expect.stringContaining(said)])
      expect(existsSync(team.path('clone/.claude')), said).toBe(false)
    }
  })

  it('restores the same files from a history that was rewritten, and says so', () => {
    const team = makeTeam()
    git(team.source, 'checkout', '--quiet', '--orphan', 'new')
    git(team.source, 'commit', '--quiet', '--all', '--message', 'Anew')
    git(team.source, 'branch', '--force', '--move', 'new', 'main')
    git(team.source, 'reflog', 'expire', '--expire=now', '--all')
    git(team.source, 'gc', '--quiet', '--prune=now')
    const run = team.in(cloneOf(team, 'clone'), 'install', '--frozen')
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('whose files are the same')])
    expect(git(team.path('clone'), 'status', '--short')).toBe('')
  })

  it('moves the lock with the difference shown, merges an edit of a copy, and takes out what nothing needs', () => {
    const team = makeTeam()
    const place = join(team.site, copy('beta'))
    writeFileSync(place, `${readFileSync(place, 'utf8')}\nMine.\n`)
    putAll(team.source, { 'skills/beta/SKILL.md': text('beta').replace('# beta', '# Beta, new') })
    commitAll(team.source, 'New')
    const dry = team.in('site', 'update', '--project', '.', '--dry-run')
    expect(dry.stdout).toContain('+# Beta, new')
    expect(dry.stdout).toMatch(/updated {2}beta {2}[0-9a-f]{7}\.\.[0-9a-f]{7}/)
    const before = lockOf(team)
    expect(team.in('site', 'update', '--project', '.').code).toBe(0)
    const after = lockOf(team)
    expect(after.skills.beta.commit).not.toBe(before.skills.beta.commit)
    expect(after.skills.alpha).toEqual(before.skills.alpha)
    expect(readFileSync(place, 'utf8')).toMatch(/# Beta, new[\s\S]*Mine\./)
    const needed = team.in('site', 'remove', 'beta', '--project', '.')
    expect([needed.code, needed.stderr]).toEqual([2, expect.stringContaining('beta is needed by alpha')])
    expect(team.in('site', 'remove', 'alpha', '--project', '.').code).toBe(0)
    expect(lockOf(team)).toEqual({ version: 1, skills: {} })
    expect(existsSync(join(team.site, copy('alpha')))).toBe(false)
  })

  it('says where manifest, lock and folders disagree, a forged marker included', () => {
    const team = makeTeam()
    expect(team.in('site', 'check')).toMatchObject({ code: 0 })
    const [alpha, beta] = [join(team.site, copy('alpha')), join(team.site, copy('beta'))]
    writeFileSync(alpha, 'Edited.\n')
    rmSync(join(team.site, '.claude/skills/beta'), { recursive: true })
    const { stdout, code } = team.in('site', 'check')
    expect([code, existsSync(beta)]).toEqual([1, false])
    expect(stdout).toContain('.claude/skills/alpha was changed by hand')
    expect(stdout).toContain('.claude/skills/beta is missing')
    team.in('site', 'install', '--replace')
    expect(team.in('site', 'check').code).toBe(0)
    const lock = lockOf(team)
    lock.skills.alpha.copies.claude = '0'.repeat(64)
    writeFileSync(join(team.site, 'loadout.lock'), JSON.stringify(lock))
    expect(team.in('site', 'check').stdout).toContain('although its marker says otherwise')
    writeFileSync(join(team.site, 'loadout.json'), '{ "skills": { "../out": ["x"], "-o": [] } }')
    const bad = team.in('site', 'install')
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringContaining('"skills.../out" is refused: it leads out of the project'),
    ])
  })

  it('verifies a signature against the signers that this machine knows', () => {
    const team = makeTeam()
    mkdirSync(team.path('.ssh'))
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', team.path('.ssh/id_ed25519')]).status
    expect(made).toBe(0)
    team.write('signers', `ann@example.org ${team.read('.ssh/id_ed25519.pub')}`)
    const missing = team.in('site', 'install', '--signers', '../signers')
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('the signature of loadout.lock is missing'),
    ])
    expect(team.in('site', 'install', '--sign').code).toBe(0)
    expect(team.in('site', 'install', '--signers', '../signers').stderr).toContain(
      'loadout.lock is signed by ann@example.org',
    )
    writeFileSync(join(team.site, 'loadout.lock'), `${team.read('site/loadout.lock')} `)
    expect(team.in('site', 'install', '--signers', '../signers').stderr).toContain('does not fit it')
    team.write('signers', '')
    expect(team.in('site', 'install', '--signers', '../signers').stderr).toContain('is not from a signer in')
  })

  it('takes over the files of other managers, and writes them, with every loss named', () => {
    const team = makeTeam()
    const other = makeRepository(team.path('other'))
    const url = `file://${team.source}`
    const row = (folder: string, more = {}) => {
      return { source: 'x', sourceUrl: url, sourceType: 'git', skillPath: `${folder}/SKILL.md`, ...more }
    }
    const lock = {
      version: 1,
      skills: {
        beta: row('skills/old/beta', { computedHash: 'f' }),
        gone: row('skills/gone'),
        private: { ...row('a'), sourceUrl: `file://${team.path('private')}` },
      },
    }
    putAll(other, {
      'apm.yml': `name: p\nversion: 1.0.0\ntargets: [claude, mystery]\ndependencies:\n  apm:\n    - git: ${url}\n      path: skills\n    - own/x/prompts/a.prompt.md\n  mcp:\n    - name: docs\n`,
      'skills-lock.json': JSON.stringify(lock),
      '.claude-plugin/marketplace.json': JSON.stringify({
        plugins: [{ name: 'sea', source: { source: 'url', url, sha: git(team.source, 'rev-parse', 'HEAD').trim() } }],
      }),
    })
    const rows: [file: string, words: string[], losses: string[]][] = [
      ['apm.yml', ['skills'], ['the target mystery', 'mcp (1 entries)', 'single files of another kind']],
      [
        'skills-lock.json',
        ['beta'],
        [
          'is in skills/beta now',
          'no skill skills/gone any more',
          'private: a left out: ',
          'earlier versions, without saying which commit, of beta',
        ],
      ],
      ['.claude-plugin/marketplace.json', ['*'], ['commands, agents, hooks and MCP servers']],
    ]
    for (const [file, words, losses] of rows) {
      for (const name of ['loadout.json', 'loadout.lock']) rmSync(join(other, name), { force: true })
      const run = team.in('other', 'add', file, '--project', '.')
      expect([run.code, Object.values(JSON.parse(team.read('other/loadout.json')).skills)], run.stderr).toEqual([
        file === 'skills-lock.json' ? 0 : 3,
        [words],
      ])
      for (const lost of losses) expect(run.stderr).toContain(lost)
      expect(team.in('other', 'install', '--frozen').code).toBe(file === 'skills-lock.json' ? 0 : 3)
      if (file !== 'marketplace.json') expect(team.in('other', 'publish', 'manifest', 'apm.yml').code).toBe(2)
      const asked = team.read('other/loadout.json')
      const again = makeRepository(team.path(`again-${file.replace(/\W/g, '')}`))
      const written = file.replace('.claude-plugin/', '')
      const out = join(again, written)
      expect(team.in('other', 'publish', 'manifest', written, '--out', out)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('cannot say: the digest of each skill'),
      })
      const back = team.runWith({ cwd: again }, 'add', written, '--project', '.')
      const pins = (text: string) => {
        const { skills } = JSON.parse(text)
        return Object.entries<Record<string, string>>(skills).map(([name, { digest }]) => `${name} ${digest}`)
      }
      expect(pins(readFileSync(join(again, 'loadout.lock'), 'utf8')), back.stderr).toEqual(
        pins(team.read('other/loadout.lock')),
      )
      if (file === 'apm.yml')
        expect(JSON.parse(readFileSync(join(again, 'loadout.json'), 'utf8'))).toEqual(JSON.parse(asked))
      // The hash that npx skills wrote is that of the files: nothing is newer than they are.
      if (file === 'skills-lock.json') expect(back.stderr).not.toContain('earlier versions')
    }
  })

  it('follows the version that is named last, in one project only, and never names itself as a source', () => {
    const team = makeTeam()
    const url = `file://${team.source}`
    git(team.source, 'tag', 'v1')
    putAll(team.source, { 'skills/beta/SKILL.md': text('beta').replace('# beta', '# Beta, new') })
    commitAll(team.source, 'New')
    git(team.source, 'tag', 'v2')
    for (const name of ['one', 'two']) {
      makeRepository(team.path(name))
      expect(team.in(name, 'add', `${url}#v1`, 'beta', '--project', '.').code).toBe(0)
    }
    expect(team.in('two', 'add', `${url}#v2`, 'beta', '--project', '.').stdout).toContain('updated  beta')
    expect(JSON.parse(team.read('two/loadout.json')).skills).toEqual({ [`${url}#v2`]: ['beta'] })
    expect([team.read('one', copy('beta')), team.read('two', copy('beta'))]).toEqual([
      expect.stringContaining('# beta'),
      expect.stringContaining('# Beta, new'),
    ])
    expect(team.in('one', 'install', '--frozen').code).toBe(0)
    git(team.path('one'), 'remote', 'add', 'origin', url)
    team.write('one/loadout.json', JSON.stringify({ skills: { [url]: ['*'] } }))
    const itself = team.in('one', 'install')
    expect([itself.code, itself.stderr]).toEqual([2, expect.stringContaining('it is the project itself')])
  })

  it('runs in CI as the action says: restores, checks and tests, and fails when a copy was changed', () => {
    const team = makeTeam()
    const action = parse(readFileSync(join(import.meta.dirname, '../../.github/actions/loadout/action.yml'), 'utf8'))
    const [{ run, env }] = action.runs.steps
    expect(Object.keys(env)).toEqual(['LOADOUT', 'SIGNERS', 'TESTS'])
    // A statement that is not true here: the skill is for other projects too.
    putAll(team.source, {
      'skills/gamma/AGENTS.md': 'Read `docs/gone.md`.\n',
      'skills/gamma/eval/triggers.json': JSON.stringify([{ query: 'do gamma', should_trigger: true }]),
    })
    commitAll(team.source, 'For CI')
    team.in('site', 'add', `file://${team.source}`, 'gamma', '--project', '.')
    team.in('site', 'approve', 'skill:gamma', '--project', '.')
    expect(team.in('site', 'install').code).toBe(0)
    const clone = cloneOf(team, 'clone')
    rmSync(team.path('.local/state/loadout'), { recursive: true, force: true })
    const ci = (tests: string) =>
      spawnSync('bash', ['-e', '-o', 'pipefail', '-c', run], {
        cwd: team.path(clone),
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          HOME: team.home,
          GIT_CONFIG_NOSYSTEM: '1',
          LOADOUT: `${process.execPath} ${CLI}`,
          TESTS: tests,
        },
      })
    const fine = ci('')
    expect([fine.status, fine.stdout + fine.stderr]).toEqual([0, expect.stringContaining('3 skills')])
    const tested = ci('.claude/skills/gamma')
    expect([tested.status, tested.stdout]).toEqual([0, expect.stringContaining('R@1')])
    expect(ci('.claude/skills/gone').status).toBe(2)
    writeFileSync(team.path(clone, copy('beta')), 'Changed.\n')
    expect(ci('').status).toBe(1)
  })

  it('has everything that commands asked for at the same time, and one lock for it', async () => {
    const team = makeTeam()
    const url = `file://${team.source}`
    putAll(team.source, {
      'skills/beta/SKILL.md': text('beta', 'license: MIT\n'),
      'skills/delta/SKILL.md': text('delta'),
    })
    commitAll(team.source, 'More')
    const at = (...words: string[]) =>
      new Promise<number | null>((settle) => {
        const child = spawn(process.execPath, [CLI, ...words, '--project', '.'], {
          cwd: team.site,
          env: { PATH: process.env.PATH, HOME: team.home, GIT_CONFIG_NOSYSTEM: '1' },
          stdio: 'ignore',
        })
        child.once('close', settle)
      })
    const acts = [['install'], ['add', url, 'delta'], ['update'], ['install', '--frozen'], ['remove', 'alpha']]
    const codes = await Promise.all(acts.map((words) => at(...words)))
    // A frozen install may meet a lock that is just being changed; what is wrong then is said, and nothing is half.
    expect(codes.filter((_, nth) => nth !== 3)).toEqual([0, 0, 0, 0])
    expect(team.in('site', 'install', '--frozen')).toMatchObject({ code: 0, stderr: '' })
    expect(team.in('site', 'check').code).toBe(0)
    expect(Object.keys(lockOf(team).skills)).toEqual(['delta'])
    expect(existsSync(join(team.site, copy('delta')))).toBe(true)
    expect(existsSync(join(team.site, copy('alpha')))).toBe(false)
  })

  it('leaves out the folders that a file of another project names', () => {
    const team = makeTeam()
    team.write('elsewhere/plugin.json', JSON.stringify({ name: 'sea', skills: './skills' }))
    putAll(team.site, { 'skills/own/SKILL.md': text('own') })
    const run = team.in('site', 'add', '../elsewhere/plugin.json', '--project', '.')
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('it is a folder of another project')])
  })

  it('takes the place of a copy that another manager made from the same files, and of no other', () => {
    const team = makeTeam()
    const other = makeRepository(team.path('other'))
    putAll(other, {
      '.claude/skills/beta/SKILL.md': text('beta'),
      '.claude/skills/alpha/SKILL.md': text('alpha', 'requires: [beta]\n'),
      '.claude/skills/alpha/mine.md': 'Mine.\n',
    })
    const run = team.in('other', 'add', `file://${team.source}`, 'alpha', '--project', '.')
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('alpha was not installed by loadout')])
    expect(run.stderr).toContain('loadout install --replace')
    const said = team.in('other', 'check').stdout
    expect(said).toContain('.claude/skills/alpha was not installed by loadout')
    expect(said).not.toMatch(/skills\/beta (?:was|has|is)/)
    expect(team.read('other/.claude/skills/alpha/mine.md')).toBe('Mine.\n')
    expect(team.in('other', 'install', '--replace').code).toBe(0)
    expect(team.in('other', 'check').code).toBe(0)
  })
})

const PACK =
  '---\nname: tides\ndescription: When the tide is high.\ntype: domain-reference\nstatus: ready\n---\n\n# Tides\n'
const rule = (text: string) => `---\nid: knots\nkeywords: [knot, rope]\npriority: domain\n---\n${text}\n`
const RULE = '.claude/loadout/shared/knots.md'
const PACK_AT = '.loadout/knowledge/tides'

/** A team whose source has a pack and a rule too, which the project asks for. */
function makeTexts(): Team {
  const team = makeTeam()
  putAll(team.source, {
    'packs/tides/KNOWLEDGE.md': PACK,
    'packs/tides/documents/north.md': '# North\n\nHigh tide at noon.\n',
    'rules/knots.md': rule('Tie a bowline.'),
    'rules/readme.md': 'Not a rule.\n',
  })
  commitAll(team.source, 'Texts')
  expect(team.in('site', 'update', '--project', '.').code).toBe(0)
  const added = team.in('site', 'add', `file://${team.source}`, 'pack:tides', 'rule:knots', '--project', '.')
  expect([added.code, added.stderr]).toEqual([
    3,
    expect.stringContaining('loadout approve pack:tides rule:knots --project .'),
  ])
  return team
}

const filesOf = (team: Team, folder: string) =>
  ['.claude', '.loadout'].map((part) => readTree(team.path(folder, part), (path) => path === 'loadout/index.json'))

describe('packs and rules of a manifest', () => {
  it('are given to agents once a person agreed to the text, in a clone byte for byte, and in CI as the lock says', () => {
    const team = makeTexts()
    expect(existsSync(join(team.site, RULE))).toBe(false)
    expect(team.in('site', 'packs', 'list').stdout).toMatch(/tides .* unapproved/)
    expect(team.in('site', 'install', '--frozen', '--trust-lock')).toMatchObject({ code: 2 })
    expect(team.in('site', 'approve', 'pack:tides', 'rule:knots', '--project', '.').code).toBe(0)
    expect(team.in('site', 'install')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(team.site, RULE), 'utf8')).toBe(rule('Tie a bowline.'))
    expect(team.in('site', 'plan', 'tie a knot').stdout).toContain('knots')
    expect(team.in('site', 'check').code).toBe(0)
    expect(lockOf(team).packs.tides.approved.by).toBe('Tester <tester@localhost>')
    git(team.site, 'config', 'core.excludesFile', team.write('ignored', '.claude\n.loadout\n'))
    const second = cloneOf(team, 'second')
    expect(team.in(second, 'install', '--frozen')).toMatchObject({ code: 0, stderr: '' })
    expect(filesOf(team, second)).toEqual(filesOf(team, 'site'))
    rmSync(team.path('.local/state/loadout'), { recursive: true, force: true })
    const clone = cloneOf(team, 'clone')
    expect(team.in(clone, 'install', '--frozen').code).toBe(3)
    expect(existsSync(team.path(clone, PACK_AT))).toBe(false)
    expect(team.in(clone, 'install', '--frozen', '--trust-lock')).toMatchObject({ code: 0, stderr: '' })
    expect(filesOf(team, clone)).toEqual(filesOf(team, 'site'))
    expect(team.in(clone, 'packs', 'list').stdout).toMatch(/tides .* approved/)
    expect(team.in(clone, 'packs', 'resolve', 'when is high tide', '--pack', 'tides').stdout).toContain('at noon')
  })

  it('are asked about again when the text moves, keep an edit by hand, and leave when nothing names them', () => {
    const team = makeTexts()
    team.in('site', 'approve', 'pack:tides', 'rule:knots', '--project', '.')
    team.in('site', 'install')
    putAll(team.source, { 'rules/knots.md': rule('Tie a clove hitch.') })
    commitAll(team.source, 'Knot')
    const moved = team.in('site', 'update', 'rule:knots', '--project', '.')
    expect([moved.code, moved.stdout]).toEqual([3, expect.stringMatching(/updated {2}rule:knots {2}[0-9a-f]{7}\.\./)])
    expect(team.read('site', RULE)).toContain('bowline')
    expect(team.in('site', 'check').stdout).toContain(`${RULE} has another version than loadout.lock`)
    team.in('site', 'deny', 'rule:knots', '--project', '.')
    expect(team.in('site', 'install').stderr).toContain('the rule knots is denied on this machine')
    team.in('site', 'approve', 'rule:knots', '--project', '.')
    expect(team.in('site', 'install').code).toBe(0)
    expect(team.read('site', RULE)).toContain('clove hitch')
    team.write(`site/${PACK_AT}/documents/mine.md`, 'Mine.\n')
    const kept = team.in('site', 'install')
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining(`${PACK_AT} was changed by hand`)])
    team.in('site', 'install', '--replace')
    expect(existsSync(team.path('site', PACK_AT, 'documents/mine.md'))).toBe(false)
    expect(team.in('site', 'remove', 'pack:tides', 'knots', '--project', '.').code).toBe(0)
    expect([PACK_AT, RULE].filter((path) => existsSync(team.path('site', path)))).toEqual([])
    expect(team.in('site', 'check').code).toBe(0)
  })

  it('are refused when they lie outside, say not when they are needed, or are in the way of files of the project', () => {
    const team = makeTexts()
    const add = (word: string) => team.in('site', 'add', `file://${team.source}`, word, '--project', '.')
    expect(add('rule:rules/readme.md').stderr).toContain('does not say when it is needed')
    expect(add('rule:../out.md').stderr).toContain('has no rule ../out.md')
    expect(add('pack:nothing').stderr).toContain('has no pack nothing')
    team.write(`site/${RULE}`, 'Our own.\n')
    team.in('site', 'approve', 'rule:knots', '--project', '.')
    expect(team.in('site', 'install').stderr).toContain(`${RULE} was changed by hand`)
    expect(team.read('site', RULE)).toBe('Our own.\n')
  })
})

describe('the profile of a manifest', () => {
  it('brings the skills that a source lists under its name, to the agents it lists', () => {
    const team = makeTeam()
    putAll(team.source, { 'profiles/crew.json': JSON.stringify({ alpha: ['claude', 'codex'], beta: ['codex'] }) })
    commitAll(team.source, 'Profile')
    makeRepository(team.path('other'))
    const manifest = { profile: 'crew', agents: ['claude', 'codex'], skills: { [`file://${team.source}`]: [] } }
    team.write('other/loadout.json', JSON.stringify(manifest))
    expect(team.in('other', 'install')).toMatchObject({ code: 0, stderr: '' })
    const there = (place: string) => existsSync(team.path('other', place))
    expect([copy('alpha'), copy('beta'), '.codex/skills/beta'].map(there)).toEqual([true, false, true])
    expect(team.in('other', 'remove', 'beta', '--project', '.').stderr).toContain('alpha')
    expect(team.in('other', 'remove', 'alpha', '--project', '.').stderr).toContain('belongs to the profile crew')
    team.write('other/loadout.json', JSON.stringify({ ...manifest, profile: 'none' }))
    expect(team.in('other', 'install').stderr).toContain('the profile none is in none of the sources')
  })
})

describe('a library', () => {
  it('installs what a skill needs, and keeps what another one needs', () => {
    const team = makeTeam()
    expect(team.run('add', team.source, 'alpha').stdout).toContain('Installed beta, alpha for')
    const kept = team.run('remove', 'beta', '--yes')
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining('beta is needed by alpha')])
    expect(team.run('remove', 'alpha', 'beta', '--yes').code).toBe(0)
  })

  it('comes to a new machine from one address, with its agents and its profile', () => {
    const team = makeTeam()
    team.run('add', team.source, 'alpha', '--agent', 'codex')
    team.run('profile', 'save', 'everyday')
    const [library, next] = [team.path('skills'), makeMachine({ config: false })]
    next.write('.gitconfig', team.read('.gitconfig'))
    const run = next.run('install', '--from', `file://${library}`)
    expect(run.code, run.stderr).toBe(0)
    expect(existsSync(next.path('.codex/skills/beta/SKILL.md'))).toBe(true)
    expect(existsSync(next.path('.claude/skills/beta'))).toBe(false)
    expect(next.run('install').stdout).toBe('Everything is already equipped.\n')
  })
})
