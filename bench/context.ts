import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { benchEnvironment, median, ms, printTable, processTimes, ratio } from './measure.ts'
import { SampleText } from './sample-text.ts'

const FILES = 10_000
const PAYLOADS = 500
const PACKS = 50
const HUGE = 300 * 1024 * 1024
const TASK = 'why does the regression test of the water gauge fail'
/** Until the times of what was written tell of every change. */
const SETTLING_MS = 300

/** The context of a task in a large project, above bare Node; then once more with a file of 300 MB among the candidates. */
export async function benchContext(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  try {
    const [home, project] = [join(folder, 'home'), join(folder, 'project')]
    writeHome(home)
    writeProject(project)
    const env = benchEnvironment(home)
    const loadout = (...words: string[]) => [process.execPath, resolve('dist/cli.cjs'), ...words]
    mustRun(loadout('index', 'build'), project, env)
    await new Promise((done) => setTimeout(done, SETTLING_MS))
    const command = loadout('context', TASK)
    const huge = join(project, 'docs', 'a-test-log.md')
    const uncached = ['/bin/sh', '-c', `rm -rf "$HOME/.cache"; exec ${command.map((word) => `'${word}'`).join(' ')}`]
    const measure = () => {
      mustRun(command, project, env)
      const times = processTimes(
        [
          { name: 'bare', command: [process.execPath, '-e', '0'], cwd: project },
          { name: 'again', command, cwd: project },
          { name: 'uncached', command: uncached, cwd: project },
        ],
        env,
        6,
      )
      return { times, memory: memoryOf(command, project, env, folder) }
    }
    const before = measure()
    writeFileSync(huge, 'a line of a log\n'.repeat(100_000))
    truncateSync(huge, HUGE)
    const after = measure()
    const row = (label: string, { times, memory }: ReturnType<typeof measure>, name: string) => {
      const [bare, time] = [times.get('bare') ?? Number.NaN, times.get(name) ?? Number.NaN]
      return [
        label,
        ms(time),
        ratio(time, bare),
        ms(time - bare),
        name === 'bare' ? '' : '250',
        name === 'again' ? mib(memory) : '',
      ]
    }
    printTable(`context: ${FILES} files, ${PAYLOADS} payloads, ${PACKS} packs, processor time`, [
      ['', 'ms', '/ node -e 0', 'above it', 'at most', 'most memory'],
      row('node -e 0', before, 'bare'),
      row('context', before, 'again'),
      row('context, nothing cached', before, 'uncached'),
      row('with a file of 300 MB', after, 'again'),
      row('the same, nothing cached', after, 'uncached'),
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const mib = (kilobytes: number) => `${(kilobytes / 1024).toFixed(0)} MiB`

/** The largest resident size of a run, in kilobytes, told by the process itself. */
function memoryOf(
  [node = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  scratch: string,
): number {
  const preload = join(scratch, 'memory.cjs')
  writeFileSync(preload, `process.on('exit', () => process._rawDebug(process.resourceUsage().maxRSS))`)
  const sizes = Array.from({ length: 5 }, () => {
    const { stderr } = spawnSync(node, ['--require', preload, ...args], { cwd, env, encoding: 'utf8' })
    return Number(stderr.trim().split('\n').at(-1))
  })
  return median(sizes)
}

function mustRun([program = '', ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function writeHome(home: string): void {
  const texts = new SampleText(3000).documents(PACKS, 3000)
  texts.forEach(({ description = '', body = '' }, at) => {
    const name = `pack-${at}`
    const fields = { name, description: JSON.stringify(description), type: 'domain-reference', status: 'ready' }
    write(
      join(home, '.agents', 'knowledge', name),
      'KNOWLEDGE.md',
      frontmatter({ ...fields, profile: 'wiki-first' }) + body,
    )
    write(join(home, '.agents', 'knowledge', name), 'compiled/facts.md', body)
  })
  const gauge = {
    name: 'gauge',
    description: 'How the water gauge works, and why its tests fail',
    type: 'domain-reference',
  }
  write(
    join(home, '.agents/knowledge/gauge'),
    'KNOWLEDGE.md',
    `${frontmatter({ ...gauge, status: 'ready' })}A sonar.\n`,
  )
}

/** Most of it source; documents that the task asks for among them. */
function writeProject(project: string): void {
  const texts = new SampleText(3000).documents(200, 4000)
  const textOf = (at: number) => texts[at % texts.length]?.body ?? ''
  mkdirSync(join(project, '.git'), { recursive: true })
  for (const name of ['AGENTS.md', 'README.md', 'CONTRIBUTING.md']) write(project, name, textOf(name.length))
  for (let at = 0; at < FILES; at++) {
    const place =
      at % 20 === 0 ? `docs/part-${at % 30}/${at % 100 === 0 ? 'test-' : ''}${at}.md` : `src/part-${at % 400}/${at}.ts`
    write(project, place, `# ${at}\n${textOf(at)}`)
  }
  for (let at = 0; at < PAYLOADS; at++) {
    const words = at % 50 === 0 ? ['gauge', 'water'] : [`word${at}`, `other${at}`]
    write(
      project,
      `rules/rule-${at}.md`,
      frontmatter({ id: `rule-${at}`, keywords: `[${words.join(', ')}]` }) + textOf(at),
    )
  }
  write(project, 'loadout.json', JSON.stringify({ payloads: ['rules/*.md'] }))
}

function frontmatter(fields: Record<string, string>): string {
  return `---\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}---\n`
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
