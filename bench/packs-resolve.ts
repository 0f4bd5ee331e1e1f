import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { largePackFiles } from '../test/packs/large-pack-files.ts'
import { benchEnvironment, ms, printTable, processTimes, ratio, timeOnce } from './measure.ts'

const PAGES = 2_000
const TASK = 'what is the endurance of glacier 213 compared with its weight'
const ANOTHER = 'was everything measured twice'

/** A task for a pack with two thousand pages: what it takes above bare Node, and how many files it opens. */
export function benchPacksResolve(): void {
  const home = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  try {
    for (const [path, text] of Object.entries(largePackFiles(PAGES))) {
      const file = join(home, '.agents', 'knowledge', 'large', path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    const env = benchEnvironment(home)
    const command = (task: string) => [process.execPath, resolve('dist/cli.cjs'), 'packs', 'resolve', task, '--json']
    // The first question builds the index of sections.
    const first = timeOnce(command(TASK), home, env).cpu
    const times = processTimes(
      [
        { name: 'bare', command: [process.execPath, '-e', '0'], cwd: home },
        { name: 'pages', command: command(TASK), cwd: home },
        { name: 'views', command: command(ANOTHER), cwd: home },
      ],
      env,
    )
    const bare = times.get('bare') ?? Number.NaN
    const row = (name: string, label: string, task: string) => {
      const time = times.get(name) ?? Number.NaN
      return [
        label,
        ms(time),
        ratio(time, bare),
        ms(time - bare),
        '150',
        String(filesOpened(command(task), home, env)),
        '40',
      ]
    }
    printTable(`a task for a pack with ${PAGES} pages, processor time`, [
      ['', 'ms', '/ node -e 0', 'above it', 'at most', 'files opened', 'fewer than'],
      ['node -e 0', ms(bare), '', '', '', '', ''],
      ['the first question', ms(first), ratio(first, bare), ms(first - bare), '', '', ''],
      row('pages', 'pages needed', TASK),
      row('views', 'views are enough', ANOTHER),
    ])
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** Told by a preload that records every file that is opened. */
function filesOpened([node = '', ...args]: readonly string[], home: string, env: NodeJS.ProcessEnv): number {
  const record = join(home, 'opened.json')
  const below = realpathSync(join(home, '.agents'))
  const { status, stderr } = spawnSync(node, ['--require', resolve('test/packs/record-files.cjs'), ...args], {
    cwd: home,
    env: { ...env, RECORD_BELOW: below, RECORD_INTO: record },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(readFileSync(record, 'utf8')).opened.length
}
