import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorReference } from '../../scripts/error-reference.ts'
import { COMMON_FLAGS, namedFlags } from '../../src/cli/command.ts'
import { COMMANDS, findCommand } from '../../src/cli/commands.ts'
import { commandReference } from '../../src/cli/help.ts'
import { CLI, makeFolder, makeProject, runLoadout, runShell } from './run.ts'
import { runWarm } from './warm.ts'

describe('try', () => {
  it('shows a bundle with its reasons, and touches nothing', () => {
    const place = { cwd: makeFolder(), home: makeFolder() }
    const temporary = makeFolder()
    const { code, stdout, stderr } = runLoadout(['try'], { ...place, env: { TMPDIR: temporary } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/))
    const files = rows.filter(([rank = '']) => /^\d+$/.test(rank)).map(([, path]) => path)
    expect(files).toEqual([
      'AGENTS.md',
      'status/release.json',
      'rule house-rules',
      'tools/publish-docs.js',
      'rule docs-publishing',
      'pack package-registry',
      'docs/release-steps.md',
      'rule release-pipeline',
      'pack docs-hosting',
      'docs/release-rollback.md',
      'note',
      'ticket T-311',
      'ticket T-298',
    ])
    expect(stdout).toMatch(/with Loadout +13 parts, [\d,]+ tokens/)
    expect(stdout).toMatch(/^Left out: 1 pack that needs your approval, 1 expired note, /m)
    expect(stdout.split('\n').length).toBeLessThan(32)
    // The compiled code of the program, which any command may store, is elsewhere in tests.
    expect([place.cwd, place.home, temporary].flatMap((folder) => readdirSync(folder))).toEqual([])
  })

  it('explains in full how the bundle was decided', () => {
    const { stdout } = runWarm(['try', '--explain'])
    expect(stdout).toMatch(/^ {2}pack:release-incidents +gate +/m)
    expect(stdout).toMatch(/^ {2}note:\w+ +unsafe +/m)
    expect(stdout).toContain('status blocked')
    expect(stdout).toContain('the pack docs-hosting is stale')
    expect(stdout).toContain('\n            loadout approve release-incidents\n')
  })

  it('shows nothing of a pack that is not approved, nor of a note with a password', () => {
    const { stdout } = runWarm(['try', '--whole'])
    expect(stdout).toContain('<loadout_file path="AGENTS.md"')
    expect(stdout).toContain('403: it has expired')
    expect(stdout).not.toContain('Four of the last five failures')
    expect(stdout).not.toContain('blue-heron')
  })

  it('takes a task of one’s own and can leave the workspace, which answers the same again', () => {
    const env = { TMPDIR: makeFolder() }
    const { stdout } = runLoadout(['try', 'write a database migration', '--keep'], { env })
    const { stdout: whole } = runLoadout(['try', 'write a database migration', '--whole'], { env })
    const [, folder = ''] = /The sample project is in (\S+);/.exec(stdout) ?? []
    const [, again = ''] = /^ {2}(HOME=.*)$/m.exec(stdout) ?? []
    expect(stdout).toContain('rule db-migrations')
    expect(runWarm(['index', 'check'], { cwd: folder })).toMatchObject({ code: 0 })
    const bundle = runShell(`${again}`, { cwd: folder })
    expect(bundle).toMatchObject({ code: 0, stderr: '' })
    expect(whole).toContain(`${bundle.stdout.split('\n').slice(0, 4).join('\n')}\n`)
  })
})

describe('help', () => {
  it('lists every command and explains each', () => {
    const overview = runWarm(['help', '--all']).stdout
    const names = COMMANDS.map(({ name }) => name)
    expect(runWarm(['--help', '--all']).stdout).toBe(overview)
    for (const name of names) {
      expect(overview).toContain(`  ${name} `)
      const help = runWarm(['help', ...name.split(' ')])
      expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining(`usage: loadout ${name}`) })
      expect(runWarm([...name.split(' '), '--help']).stdout).toBe(help.stdout)
    }
  })

  it('the help and the tour fit a screen of eighty columns', () => {
    const wide = [runWarm(['help']), runWarm(['try'])].map(({ stdout }) =>
      stdout.split('\n').filter((line) => line.length > 80),
    )
    expect(wide).toEqual([[], []])
  })

  it('docs/commands.md is what the command table says', () => {
    expect(readFileSync('docs/commands.md', 'utf8')).toBe(commandReference())
  })

  it('docs/errors.md explains every code, with commands that exist', () => {
    const page = errorReference()
    expect(readFileSync('docs/errors.md', 'utf8')).toBe(page)
    const named = [...page.matchAll(/`loadout ([a-z -]+?)(?: [<"-][^`]*)?`/g)].map(([, words = '']) => words)
    const known = ['help', ...COMMANDS.flatMap(({ name, aliases = {} }) => [name, ...Object.keys(aliases)])]
    expect(named.filter((words) => !known.some((name) => words === name || words.startsWith(`${name} `)))).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })
})

describe('completion', () => {
  const complete = (line: string) => {
    const words = line.split(' ')
    const script = `${runWarm(['completion', 'bash']).stdout}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _loadout; printf '%s\\n' "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: makeFolder() }).stdout.trim().split('\n')
  }
  const rows: [line: string, expected: string[]][] = [
    ['loadout pla', ['plan']],
    ['loadout rules ', ['build', 'check', 'migrate', 'resolve']],
    ['loadout rules build --dr', ['--dry-run']],
    ['loadout plan --phase ', ['task', 'plan', 'edit']],
    ['loadout plan --bud', ['--budget']],
    ['loadout completion f', ['fish']],
  ]
  it.each(rows)('bash: %j', (line, expected) => {
    expect(complete(line)).toEqual(expected)
  })

  // zsh is not everywhere; where it is, the script itself is run, with stand-ins that print what they are offered.
  const hasZsh = spawnSync('zsh', ['--version']).status === 0
  it.skipIf(!hasZsh).each([
    ['loadout rules ', 'build:'],
    ['loadout plan --phase ', 'task plan edit'],
    ['loadout plan --bu', '--budget:'],
    ['loadout completion ', 'bash zsh fish'],
    ['loadout ', 'plan:'],
  ])('zsh: %j', (line, expected) => {
    const words = line.split(' ')
    const script = `_describe() { print -- \${(P)2} }; _files() { print files }; compadd() { shift; print -- $@ }
      words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}
      complete_now() { ${runWarm(['completion', 'zsh']).stdout} }; complete_now`
    expect(spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8' }).stdout).toContain(expected)
  })

  it('zsh and fish scripts name every command and flag', () => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = runWarm(['completion', shell])
      for (const word of ['plan', 'migrate', 'budget', 'dry-run', 'phase']) expect(stdout).toContain(word)
    }
    expect(runWarm(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    })
  })
})

describe('the same bytes', () => {
  it('under any locale, time zone and terminal width', () => {
    const places = [
      ['C', 'UTC'],
      ['de_DE.UTF-8', 'Asia/Tokyo'],
      ['tr_TR.UTF-8', 'America/New_York'],
    ]
    const outputs = places.map(
      ([LANG, TZ]) => runLoadout(['try'], { env: { LANG, LC_ALL: LANG, TZ, COLUMNS: '40' } }).stdout,
    )
    const stable = outputs.map((text) => text.replaceAll(/loadout-sample-\w+/g, 'X'))
    expect(new Set(stable).size).toBe(1)
  })

  it('runs as CommonJS under both names', () => {
    const [byName, byFile] = [resolve('dist/cli.js'), CLI].map(
      (path) => spawnSync(process.execPath, [path, '--version'], { encoding: 'utf8' }).stdout,
    )
    expect(byName).toBe(byFile)
    expect(byName).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('the usage log', () => {
  const library = resolve('dist/index.js')
  const event = {
    timestamp: '2026-01-01T00:00:00.000Z',
    taskHash: 't',
    entryId: 'e',
    trigger: 'x',
    mode: 'lazy',
    tokensEst: 1,
  }

  it('loses nothing when six processes append a thousand events each', async () => {
    const log = join(makeFolder(), 'new', 'folder', 'usage.jsonl')
    const source = `import { recordUsage } from ${JSON.stringify(library)}
      for (let n = 0; n < 1000; n++) recordUsage({ ...${JSON.stringify(event)}, taskHash: process.pid + '-' + n }, ${JSON.stringify(log)})`
    const children = Array.from({ length: 6 }, () => spawn(process.execPath, ['--input-type=module', '-e', source]))
    await Promise.all(children.map((child) => once(child, 'exit')))
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
    expect(lines).toHaveLength(6000)
    expect(new Set(lines.map((line) => JSON.parse(line).taskHash)).size).toBe(6000)
  })

  it('a torn last line costs itself and nothing else', async () => {
    const { recordUsage, readUsage } = await import(library)
    const log = join(makeFolder(), 'usage.jsonl')
    writeFileSync(log, `${JSON.stringify(event)}\nnot json\n\n${JSON.stringify(event).slice(0, 30)}`)
    recordUsage({ ...event, entryId: 'after' }, log)
    expect(readUsage(log).map(({ entryId }: { entryId: string }) => entryId)).toEqual(['e', 'after'])
    const run = runWarm(['usage', log])
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('2 lines') })
  })

  it('survives a line longer than any event', () => {
    const cwd = makeProject({ 'usage.jsonl': `{"junk":"${'x'.repeat(5_000_000)}"}\n${JSON.stringify(event)}\n` })
    expect(runWarm(['usage', 'usage.jsonl'], { cwd }).stdout).toContain('1 entry · 1 load')
  })
})

describe('README.md', () => {
  const readme = readFileSync('README.md', 'utf8')
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    language,
    text: text ?? '',
  }))

  it('opens with one line that runs it, then one that tests it', () => {
    const [first, second] = blocks.filter(({ language }) => language === 'sh')
    expect([first?.text, second?.text]).toEqual(['npm ci && npm run try\n', 'npm ci && npm test\n'])
    expect(readme.split('\n').length).toBeLessThan(200)
  })

  it('names only commands and flags that exist, and runs each of them', () => {
    const named = [...readme.matchAll(/`(loadout [^`]+)`/g)].map(([, call = '']) => call)
    const scripts = readdirSync('test/docs/readme').map((name) => readFileSync(`test/docs/readme/${name}`, 'utf8'))
    const shown = [...readme.matchAll(/^\$ .*$/gm)].map(([line]) => line)
    const run = [...shown, ...scripts].flatMap((text) => text.match(/loadout [^;&|<\n]+/g) ?? [])
    expect(named.length).toBeGreaterThan(10)
    const runs = run.map((call) => commandOf(call).name)
    for (const call of [...named, ...run]) {
      const command = commandOf(call)
      for (const [, flag = ''] of call.matchAll(/ --([a-z0-9-]+)/g)) {
        const flags = namedFlags({ ...command.flags, ...COMMON_FLAGS })
        expect(
          flags.flatMap(([name, { also = [] }]) => [name, ...also]),
          call,
        ).toContain(flag)
      }
      expect(runs, call).toContain(command.name)
    }
  })

  function commandOf(call: string) {
    const words = `${call.replace('loadout ', '')} `
    if (words.startsWith('help ')) return { name: 'help', flags: {} }
    return findCommand(words.split(' ')).command
  }
})

it('the program is installable: the packed files run on their own', () => {
  const folder = makeFolder()
  const packed = spawnSync('npm', ['pack', '--pack-destination', folder, '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  })
  const [{ filename, files }] = JSON.parse(packed.stdout)
  expect(files.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining(['dist/cli.cjs', 'dist/index.js', 'dist/program.cjs', 'README.md', 'LICENSE']),
  )
  spawnSync('tar', ['-xzf', join(folder, filename), '-C', folder])
  expect(existsSync(join(folder, 'package/dist/cli.cjs'))).toBe(true)
  const run = spawnSync(process.execPath, [join(folder, 'package/dist/cli.cjs'), 'try'], {
    encoding: 'utf8',
    cwd: folder,
  })
  expect(run).toMatchObject({ status: 0, stdout: expect.stringContaining('rule release-pipeline') })
})
