import { describe, expect, it } from 'vitest'
import { makeProject, runLoadout } from './run.ts'

const INDEX = { '.claude/loadout/index.json': '{"version": "1.0.0", "generated": "", "entries": [], "budget": {}}' }
const withSettings = (settings: unknown) => makeProject({ ...INDEX, 'loadout.json': JSON.stringify(settings) })

describe('loadout validate loadout.json', () => {
  it('names every mistake with its place', () => {
    const settings = { budget: { maxFile: 1 }, controlPlane: ['ok.md', '../x'], 'sani\u001b[2Jtize': 'warn' }
    const run = runLoadout(['validate', 'loadout.json'], { cwd: withSettings(settings) })
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
    expect(runLoadout(['validate', 'loadout.json'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(runLoadout(['plan', 'move a table', '--json'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  it('refuses what is no JSON as a file that cannot be read', () => {
    const cwd = makeProject({ 'loadout.json': '{"budget":' })
    const run = runLoadout(['validate', 'loadout.json'], { cwd })
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('line 1, column 11')
  })
})
