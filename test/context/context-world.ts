import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { encodeRecord, makeRecord } from '../../src/answer/rules/advice/note-records.ts'
import { makeFolder, type Run, type RunOptions } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { guide } from '../packs/pack-world.ts'

export const NOW = '2026-03-01T12:00:00.000Z'
export const NOTES = '.loadout/notes.jsonl'

export function noteLine(text: string, tags: readonly string[] = []): string {
  const content = { text, class: 'note', tags }
  const capturedAt = new Date('2026-02-28T09:00:00Z')
  return encodeRecord(makeRecord({ content, capturedAt, expiresAt: new Date('2026-03-20T09:00:00Z'), source: 'test' }))
}

export function payload(id: string, fields: Record<string, string> = {}, body = `The body of ${id}.`): string {
  const lines = Object.entries({ id, keywords: `[${id}]`, ...fields }).map(([key, value]) => `${key}: ${value}\n`)
  return `---\n${lines.join('')}---\n${body}\n`
}

export function board(items: readonly object[], fields: object = {}): string {
  return JSON.stringify({ adapter_id: 'board', fetched_at: '2026-03-01T11:00:00Z', items, ...fields })
}

/** A project that has something in every slice. */
export const FULL_PROJECT: Readonly<Record<string, string>> = {
  '.git/HEAD': '',
  'AGENTS.md': '# Agents\r\n\r\nRun the tests first.\r\n',
  'README.md': '\ufeff# A river gauge\n\nIt measures water.\n',
  'docs/gauge.md': '# Gauge\n\nA sonar above the water.\n',
  'docs/\u00e4rger.md': '# \u00c4rger\n',
  'docs/I.md': '# Capital I\n',
  'docs/z/deep.md': '# Deep\n',
  'rules/flood.md': payload('flood', { keywords: '[flood, gauge]' }),
  'rules/house.md': payload('house', { priority: 'core' }),
  [NOTES]: `${noteLine('The gauge at the bridge is being repaired.', ['gauge'])}\n${noteLine('Lunch is at noon.')}\n`,
  'board.json': board([
    { id: 'T-1', state: 'open', priority: 1, title: 'Gauge reads zero', summary: 'Since Monday', tags: ['gauge'] },
    { id: 'T-2', state: 'done', priority: 2, title: 'Paint the fence', summary: '', tags: [] },
  ]),
  '.agents/knowledge/water/KNOWLEDGE.md': guide(
    { name: 'water', description: 'How the flood gauge measures water' },
    'A gauge measures the height of water.',
  ),
  '.agents/knowledge/closed/KNOWLEDGE.md': guide(
    { name: 'closed', description: 'How the flood gauge is read' },
    'nobody approved these words',
  ),
  'loadout.json': JSON.stringify({
    payloads: ['rules/*.md'],
    tactical: { path: NOTES },
    adapters: [{ id: 'board', file: 'board.json' }],
  }),
}

export const TASK = 'why does the flood gauge read zero?'

export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

export interface ContextWorld {
  project: string
  home: string
  run(words: readonly string[], options?: RunOptions): Run
  context(words: readonly string[], options?: RunOptions): Run
}

/** A project with a built index and one approved pack, in a separate home. */
export function makeContextWorld(
  files: Readonly<Record<string, string | Uint8Array>> = FULL_PROJECT,
  { project = makeFolder(), home = makeFolder() } = {},
): ContextWorld {
  writeFiles(project, files)
  const run: ContextWorld['run'] = (words, options) => runWarm(words, { cwd: project, home, ...options })
  const mustRun = (words: readonly string[]) => {
    const { code, stderr } = run(words)
    if (code !== 0) throw new Error(stderr)
  }
  if (Object.keys(files).some((path) => path.startsWith('rules/'))) mustRun(['index', 'build'])
  if ('.agents/knowledge/water/KNOWLEDGE.md' in files) mustRun(['packs', 'approve', 'water'])
  return { project, home, run, context: (words, options) => run(['context', TASK, '--now', NOW, ...words], options) }
}
