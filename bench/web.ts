import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser } from '../test/browser.ts'
import { commitAll, connect, git, makeLibrary, write } from '../test/tui/machine.ts'
import { spawnWeb, type WebServer } from '../test/web/spawn-web.ts'
import { median, ms, printTable } from './measure.ts'

const SKILLS = 5_000
const EVENTS = 100_000
const PARTS = 200
const ROUNDS = 5
const KEYS = 30
/** Changes that an hour brings when something changes every six seconds. */
const UPDATES = 600

/** The page over a large machine: how soon it is useful, how soon it answers a key, and what it keeps over an hour. */
export async function benchWeb(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  const project = makeLargeMachine(home)
  const { browser, stop } = await startBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, locale: 'en-US' })
    const start = async () => {
      const server = await spawnWeb(home, project)
      await page.goto(server.address)
      await page.locator('h1').waitFor()
      return server
    }
    const task = encodeURIComponent('every order of the shop')
    await benchScreens(page, start, [
      [`skills, ${SKILLS} of them`, '/skills', '.table-row'],
      [`agents with ${SKILLS} skills: their names`, '/skills?view=lists', '.agent-card'],
      [`agents with ${SKILLS} skills: the table`, '/skills?view=lists', '.table-row'],
      [`bundle of ${PARTS} parts`, `/task?task=${task}&chars=2000000&files=${PARTS}`, '.part-name'],
      [`usage, ${EVENTS} events`, '/skills?view=usage&since=2026-01-01&until=2026-03-12', '.table-row'],
    ])
    const server = await start()
    await benchLive(page, server.origin)
    server.stop()
  } finally {
    await stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

function makeLargeMachine(home: string): string {
  const names = Array.from({ length: SKILLS }, (_, at) => `skill-${String(at).padStart(4, '0')}`)
  const skills = Object.fromEntries(names.map((name) => [name, { description: `What ${name} is for. Use it then.` }]))
  connect(home, makeLibrary(join(home, 'skills'), skills))
  for (const name of names) {
    write(
      join(home, '.claude/skills', name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: What ${name} is for.\n---\n`,
    )
  }
  const state = join(home, '.local/state/loadout')
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const start = Date.parse('2026-01-01T00:00:00Z')
  const lines = Array.from({ length: EVENTS }, (_, at) => {
    const timestamp = new Date(start + at * 60_000).toISOString()
    const [entryId, tokensEst] = [`entry-${at % 500}`, 100 + (at % 900)]
    return `${JSON.stringify({ timestamp, taskHash: `${at % 5_000}`, entryId, trigger: 'x', mode: 'eager', tokensEst })}\n`
  })
  writeFileSync(join(state, 'usage.jsonl'), lines.join(''), { mode: 0o600 })
  const project = join(home, 'project')
  for (let at = 0; at < PARTS + 50; at++) {
    write(join(project, 'docs', `order-${at}.md`), `# Order ${at}\n\nEvery order ${at} of the shop.\n`)
  }
  git(project, 'init', '-q')
  commitAll(project, 'Start')
  return project
}

type Row = readonly [name: string, path: string, useful: string]

/**
 * From the click to what the screen is for, after a new start of the server and then again, and from a key to the
 * picture that answers it, both as the browser sees it; and the processor time of the server for one more look.
 */
async function benchScreens(page: Page, start: () => Promise<WebServer>, rows: readonly Row[]): Promise<void> {
  const table: string[][] = []
  for (const [name, path, useful] of rows) {
    const server = await start()
    const paint = async () => {
      await page.goto(server.origin + path)
      await page.locator(useful).first().waitFor()
      return page.evaluate<number>('performance.now()')
    }
    const first = await paint()
    const before = spentBy(server)
    const paints: number[] = []
    for (let round = 0; round < ROUNDS; round++) paints.push(await paint())
    const spent = (spentBy(server) - before) / ROUNDS
    table.push([name, ms(first), ms(median(paints)), ms(spent), await measureKeys(page)])
    server.stop()
  }
  const load = loadavg()[0]?.toFixed(1)
  printTable(`The page, in ms (load ${load}): until a screen is useful, and until a key is answered; medians`, [
    ['screen', 'first', 'again', 'processor', 'a key'],
    ...table,
  ])
}

/** Processor time of the server in milliseconds, user and system, where the system tells: in ticks of 10 ms. */
function spentBy({ child }: WebServer): number {
  const path = `/proc/${child.pid}/stat`
  if (!existsSync(path)) return Number.NaN
  const fields = readFileSync(path, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Where the screen has a table or a list: down, again and again. */
async function measureKeys(page: Page): Promise<string> {
  const place = page.locator('[role=grid], .parts button').first()
  if ((await place.count()) === 0) return '–'
  await place.focus()
  await page.evaluate(`window.answered = []; addEventListener('keydown', () => {
    const start = performance.now()
    requestAnimationFrame(() => setTimeout(() => window.answered.push(performance.now() - start)))
  }, true)`)
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press('ArrowDown')
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
  }
  return ms(median(await page.evaluate<number[]>('window.answered')))
}

/** An hour of changes as fast as they go: what the page keeps of them, after the browser cleaned up. */
async function benchLive(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/skills`)
  await page.locator('.table-row').first().waitFor()
  const client = await page.context().newCDPSession(page)
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage')
    return page.evaluate<number>('performance.memory.usedJSHeapSize / 1048576')
  }
  const nodes = () => page.evaluate<number>('document.querySelectorAll("*").length')
  const sample = async () => [await heap(), await nodes()] as const
  const before = await sample()
  // In place of the server's stream: the page asks again for what it shows at each line.
  await page.addInitScript(`{
    const real = fetch
    let sent = 0
    const start = (stream) => setInterval(() => {
      if (sent++ < ${UPDATES}) stream.enqueue(new TextEncoder().encode('["installs"]\\n'))
      else document.documentElement.dataset.sent = 'all'
    }, 50)
    window.fetch = async (path, init) =>
      path === '/api/live' ? new Response(new ReadableStream({ start })) : real(path, init)
  }`)
  await page.reload()
  await page.locator('html[data-sent]').waitFor({ timeout: 0 })
  await page.waitForTimeout(3_000)
  const after = await sample()
  printTable(`The page over ${UPDATES} changes`, [
    ['', 'memory', 'elements'],
    ['before', `${before[0].toFixed(1)} MB`, String(before[1])],
    ['after', `${after[0].toFixed(1)} MB`, String(after[1])],
  ])
}
