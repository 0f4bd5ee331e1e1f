import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { StartedBrowser } from '../browser.ts'
import { makeFolder } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { fillHome, git, write } from '../tui/machine.ts'
import type { WebServer } from './web-world.ts'

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')

const SHOP = {
  'AGENTS.md': '# Rules\n\nRun the tests before every commit.\n',
  'docs/release.md': '# Release\n\nTag, wait for CI, publish.\n',
  'docs/orders.md':
    '# Orders\n\nA cancelled order can be refunded until it is sent.\n\n## Labels\n\nA parcel has one label.\n',
  'src/refunds.ts':
    'import { ordersOf } from "./orders"\n\nexport function refund(ticket: string, order: string) {\n  if (ordersOf(ticket).includes(order)) return pay(order)\n  throw new Error("no such order")\n}\n',
  'src/orders.ts': 'export function ordersOf(ticket: string) {\n  return open.get(ticket) ?? []\n}\n',
  '.claude/loadout/refunds.md':
    '---\nid: refunds\nkeywords: [refund, payment]\n---\n# Refunds\n\nA refund needs the number of its ticket.\n',
  '.claude/loadout/parcels.md':
    '---\nid: parcels\nkeywords: [parcel, label]\npriority: core\n---\n# Parcels\n\nA parcel has one label.\n',
  '.agents/knowledge/carriers/KNOWLEDGE.md':
    '---\nname: carriers\ndescription: What each carrier takes, and by when\ntype: domain-reference\nstatus: ready\n---\n\n# Carriers\n\nNo carrier takes more than 30 kg.\n',
}

/** One row for each day of a January: what was planned, delivered and used, by whom, in which conversation. */
const USED: readonly (readonly [entry: string, kind: string, via: string, stages: readonly string[], every: number])[] =
  [
    ['refunds', 'payload', 'claude', ['planned', 'delivered', 'used'], 2],
    ['parcels', 'payload', 'claude', ['planned', 'delivered'], 3],
    ['carriers', 'pack', 'mcp', ['planned'], 5],
    ['release-notes', 'skill', 'codex', ['planned', 'delivered', 'used'], 4],
    ['api-review', 'skill', 'claude', ['used'], 7],
  ]

/** The list of skills that each start of a session shows. */
const LISTED = { 'skill:api-review': 31, 'skill:release-notes': 24, 'skill:planning': 19 }

/** Of fixed days, so that what is drawn of it does not depend on today. */
function usedInJanuary(): string {
  const days = Array.from({ length: 31 }, (_, at) => at + 1)
  const lines = days.flatMap((day) =>
    USED.filter(([, , , , every]) => day % every === 0).flatMap(([entryId, kind, via, stages]) =>
      stages.map((stage, at) =>
        JSON.stringify({
          timestamp: `2026-01-${String(day).padStart(2, '0')}T09:0${at}:00.000Z`,
          taskHash: `day-${day}`,
          entryId,
          trigger: entryId.slice(0, 6),
          mode: 'lazy',
          tokensEst: stage === 'delivered' ? 120 + day : 0,
          stage,
          kind,
          via,
          session: `${via}-week-${Math.ceil(day / 7)}`,
          ...(at === 0 && via === 'claude' && day % 2 === 0 ? { isStart: true, listed: LISTED } : {}),
        }),
      ),
    ),
  )
  return `${lines.join('\n')}\n`
}

export const SHOP_TASK = 'a refund of a cancelled order fails'

/** A home with a library and agents, with something in every state, and a project with code, payloads and a pack. */
export function makeWebWorld(): { home: string; project: string } {
  const home = makeFolder()
  fillHome(home)
  for (let number = 1; number <= 40; number++) {
    const description =
      `Checks documents of kind ${number}. Use when such a file is open, or somebody asks for it. `.repeat(
        1 + (number % 4),
      )
    write(
      join(home, '.claude/skills', `kind-${number}`, 'SKILL.md'),
      `---\nname: kind-${number}\ndescription: ${description}\n---\n# Kind\n`,
    )
  }
  write(join(home, '.claude/CLAUDE.md'), '# Mine\n\nBe brief.\n')
  const project = join(home, 'shop')
  for (const [name, text] of Object.entries(SHOP)) write(join(project, name), text)
  git(project, 'init', '-q')
  const { code, stderr } = runWarm(['index', 'build'], { cwd: project, home })
  if (code !== 0) throw new Error(stderr)
  write(join(home, '.local/state/loadout/usage.jsonl'), usedInJanuary())
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'Refund orders by their ticket')
  return { home, project }
}

export interface OpenPage {
  page: Page
  context: BrowserContext
  /** What the page wrote to its console, asked of others, or broke. Empty when all is well. */
  trouble: string[]
}

/** Opens the address, and listens to all that the page does. The browser is one process: it ends with its first context. */
export async function openWeb(
  { browser }: StartedBrowser,
  server: WebServer,
  options: BrowserContextOptions = { locale: 'en-US' },
): Promise<OpenPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const trouble: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      trouble.push(`console: ${message.text()} ${message.location().url}`)
    }
  })
  page.on('pageerror', (error) => trouble.push(`error: ${error.stack} ${page.url()}`))
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1:')) trouble.push(`asks ${request.url()}`)
  })
  await page.goto(server.address)
  await page.waitForSelector('h1')
  return { page, context, trouble }
}

/** Opens a screen, and waits until it shows its answer. */
export async function showScreen(page: Page, origin: string, path: string): Promise<void> {
  await page.goto(origin + path)
  await settle(page)
}

/** Nothing is on its way any more. */
export async function settle(page: Page): Promise<void> {
  await page.waitForSelector('h1')
  await page.locator('.waiting, .updating').first().waitFor({ state: 'detached' })
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

/** What axe finds wrong by all of its rules, or by these, one line each. */
export async function findBarriers(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  // Not as a script of the page, which its policy refuses.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`(() => { ${AXE} })()`)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  const found = await page.evaluate(`axe.run(document, ${options})`)
  const { violations } = found as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

/** No wider than the window: nothing is out of reach on a narrow one. */
export async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

const PICTURES = join(import.meta.dirname, 'pictures')
const PICTURE_WIDTH = 96
/** A pixel differs when one of its colours does by more than this, of 255. */
const MOST_COLOUR = 14
/** Texts of another length, such as a path or a time, change a few. */
const MOST_PIXELS = 0.03

/**
 * Compares what a page shows with a picture of it in `test/web/pictures/`, both made small: it tells a layout or a colour
 * that broke, and the pictures of all screens together stay small. `LOADOUT_PICTURES=1` draws them anew.
 */
export async function expectPicture(page: Page, canvas: Page, name: string): Promise<void> {
  const taken = await shrink(canvas, (await page.screenshot()).toString('base64'))
  const path = join(PICTURES, `${name}.png`)
  if (process.env.LOADOUT_PICTURES) {
    mkdirSync(PICTURES, { recursive: true })
    writeFileSync(path, Buffer.from(taken.split(',')[1] ?? '', 'base64'))
  }
  expect(existsSync(path), `${path} is missing: LOADOUT_PICTURES=1 draws it`).toBe(true)
  const known = `data:image/png;base64,${readFileSync(path).toString('base64')}`
  const share = await canvas.evaluate<number>(`(${differ})(${JSON.stringify([taken, known, MOST_COLOUR])})`)
  expect(share, `${name}: so much of the picture is different`).toBeLessThan(MOST_PIXELS)
}

async function shrink(canvas: Page, base64: string): Promise<string> {
  return canvas.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${base64}'
    await image.decode()
    const element = document.createElement('canvas')
    element.width = ${PICTURE_WIDTH}
    element.height = Math.round(image.height * ${PICTURE_WIDTH} / image.width)
    const pen = element.getContext('2d')
    pen.imageSmoothingQuality = 'high'
    pen.drawImage(image, 0, 0, element.width, element.height)
    return element.toDataURL('image/png')
  })()`)
}

/** Runs in the browser: the share of pixels that differ; all of them when the sizes do. */
const differ = `async ([one, other, most]) => {
  const read = async (source) => {
    const image = new Image()
    image.src = source
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    const pen = canvas.getContext('2d')
    pen.drawImage(image, 0, 0)
    return pen.getImageData(0, 0, image.width, image.height)
  }
  const [a, b] = [await read(one), await read(other)]
  if (a.width !== b.width || a.height !== b.height) return 1
  let different = 0
  for (let at = 0; at < a.data.length; at += 4)
    if ([0, 1, 2].some((colour) => Math.abs(a.data[at + colour] - b.data[at + colour]) > most)) different++
  return different / (a.data.length / 4)
}`
