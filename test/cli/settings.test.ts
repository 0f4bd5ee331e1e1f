import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeProject } from './run.ts'
import { runWarm } from './warm.ts'

const INDEX = { '.claude/loadout/index.json': '{"version": "1.0.0", "generated": "", "entries": [], "budget": {}}' }
/** Compiled code of the program itself does not count. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.cache'))
const withSettings = (settings: unknown) => makeProject({ ...INDEX, 'loadout.json': JSON.stringify(settings) })

describe('loadout check loadout.json', () => {
  it('names every mistake with its place', () => {
    const settings = { budget: { maxFile: 1 }, controlPlane: ['ok.md', '../x'], 'sani\u001b[2Jtize': 'warn' }
    const run = runWarm(['validate', 'loadout.json'], { cwd: withSettings(settings) })
    expect(run.code).toBe(1)
    expect(run.stdout + run.stderr).toContain('did you mean "budget.maxFiles"?')
    expect(run.stdout + run.stderr).toContain('"controlPlane[1]" is refused: it leaves its root')
    expect(run.stdout + run.stderr).toContain('3 errors')
    expect(run.stdout + run.stderr).not.toContain('\u001b')
  })

  it('is content with a file that uses everything', () => {
    const settings = {
      $schema: './node_modules/loadout/schema/loadout.schema.json',
      payloads: ['knowledge/**/*.md'],
      routing: { strategy: 'ranked' },
      preset: 'generic',
      controlPlane: ['AGENTS.md', { path: 'state.json', required: true, summary: ['status'] }],
      intents: { data: { keywords: ['table', 'migration'], include: ['docs/data/*.md'] }, default: { include: [] } },
      tactical: { path: '.loadout/notes.jsonl' },
      adapters: [{ id: 'board', command: ['board', '--json'], maxItems: 5, staleAfterSeconds: 60, timeoutMs: 500 }],
      budget: { maxFiles: 8, maxCharsPerFile: 1000, maxTokens: 2000, partitions: { controlPlane: 40, task: 40 } },
      sanitize: 'mask',
    }
    const cwd = withSettings(settings)
    expect(runWarm(['validate', 'loadout.json'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(runWarm(['plan', 'move a table', '--json'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  it('refuses what is no JSON as a file that cannot be read', () => {
    const cwd = makeProject({ 'loadout.json': '{"budget":' })
    const run = runWarm(['validate', 'loadout.json'], { cwd })
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('line 1, column 11')
  })
})

describe('a mistake in loadout.json', () => {
  const broken = {
    adapters: [{ id: 'a', timeout: 1 }],
    intents: { a: { include: ['../x'] } },
    controlPlane: ['AGENTS.md'],
    payloadz: [],
  }

  it.each([
    ['plan', 'x'],
    ['context', 'x'],
    ['adapters', 'list'],
  ])('is named by %s, and costs only its part', (...args) => {
    const cwd = makeProject({ ...INDEX, 'AGENTS.md': '# A\n', 'loadout.json': JSON.stringify(broken) })
    const run = runWarm([...args, '--json'], { cwd })
    expect(run.code).toBe(1)
    expect(JSON.parse(run.stdout).error).toBeUndefined()
    for (const place of ['adapters[0].timeoutMs', 'intents.a.include[0]', '"payloads"?']) {
      expect(run.stderr).toContain(place)
    }
  })

  it('does not change where notes and the index go', () => {
    const cwd = makeProject({ 'loadout.json': '{"tactical": {"paht": "n.jsonl"}, "payloads": 7}', 'a.md': '# A\n' })
    const before = readdirSync(cwd, { recursive: true })
    for (const args of [
      ['note', 'add', 'x'],
      ['index', 'build'],
    ]) {
      expect(runWarm(args, { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining('loadout.json') })
    }
    expect(readdirSync(cwd, { recursive: true })).toEqual(before)
  })

  it.each([
    ['context', 'x'],
    ['plan', 'x'],
    ['note', 'add', 'x'],
    ['index', 'build'],
    ['adapters', 'list'],
  ])('beside a broken config.json is one message with both, and nothing written: %s', (...args) => {
    const cwd = makeProject({ 'loadout.json': '{', 'a.md': '# A\n' })
    const home = makeProject({ '.config/loadout/config.json': '[1' })
    const before = [cwd, home].map(filesIn)
    const run = runWarm(args, { cwd, home })
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/loadout\.json.*config\.json|config\.json.*loadout\.json/)
    expect([cwd, home].map(filesIn)).toEqual(before)
  })
})
