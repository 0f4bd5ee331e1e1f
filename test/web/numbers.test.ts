import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import { runWarm } from '../cli/warm.ts'
import { commitAll, git, write } from '../tui/machine.ts'
import { makeWebWorld, type OpenPage, openWeb, showScreen } from './browser-world.ts'
import { send, startWeb, type WebServer } from './web-world.ts'

const { home, project } = makeWebWorld()
const source = join(home, 'source')
const loadout = (...words: string[]) => runWarm(words, { cwd: project, home })
const json = (...words: string[]) => JSON.parse(loadout(...words, '--json').stdout)

let started: StartedBrowser
let server: WebServer
let opened: OpenPage
let page: Page
beforeAll(async () => {
  offer('Old')
  git(source, 'init', '-q')
  commitAll(source, 'Start')
  for (const words of [
    ['import', source, '--all'],
    ['equip', 'planning', '--target', 'claude'],
  ])
    expect(loadout(...words).code).toBe(0)
  offer('New')
  commitAll(source, 'News')
  server = await startWeb(home, project)
  started = await startBrowser()
  opened = await openWeb(started, server)
  page = opened.page
  // Every row of a table is in sight.
  await page.setViewportSize({ width: 1300, height: 6_000 })
})
afterAll(async () => {
  server?.stop()
  await started?.stop()
})

function offer(step: string): void {
  const text = `---\nname: planning\ndescription: Plans.\n---\n# Planning\n\n${step}\n`
  write(join(source, 'skills/planning/SKILL.md'), text)
}

const grouped = (number: unknown) => new Intl.NumberFormat('en').format(Number(number))
const figures = (name: string) => page.getByRole('region', { name, exact: true }).locator('.figure dd').allInnerTexts()
/** The first columns of a table, row by row. */
const rows = async (name: string, columns: number) => {
  const found = page.getByRole('grid', { name, exact: true }).locator('.table-row')
  const cells = await found.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
  return cells.map((row) => row.slice(0, columns))
}
type Row = Record<string, unknown>

describe('what a screen shows is what --json says', () => {
  it('Usage', async () => {
    const { points, entries, agents, cost, starts } = json('usage', '--by', 'week', '--since', '2026-01-01')
    await showScreen(page, server.origin, '/skills?view=usage&since=2026-01-01&step=week')
    await page.getByText('tokens per week').waitFor()
    const sum = (name: string) => grouped(points.reduce((all: number, point: Row) => all + Number(point[name]), 0))
    expect((await figures('Over time')).slice(0, 6)).toEqual([
      ...['planned', 'delivered', 'used', 'tokens'].map(sum),
      ...[cost.listing, starts].map(grouped),
    ])
    expect(starts).toBeGreaterThan(0)
    expect(await rows('Entries', 7)).toEqual(
      entries.map(({ entryId, kind, planned, delivered, used, totalTokens, cost: own }: Row) =>
        [entryId, kind, planned, delivered, used, totalTokens, (own as { listing: number }).listing]
          .map(String)
          .map((text) => text.replace(/^\d+$/, grouped)),
      ),
    )
    expect(await page.getByRole('region', { name: 'By agent' }).locator('strong').allInnerTexts()).toEqual(
      agents.map(({ via }: Row) => via),
    )
  })

  it('Overlaps', async () => {
    const { pairs, entries, asked } = json('test', '--similar')
    await showScreen(page, server.origin, '/skills?view=overlaps')
    await page.getByText(`${pairs.length} pairs among ${entries.length} entries of ${asked}`).waitFor()
    const grid = page.getByRole('grid', { name: 'Pairs' })
    expect(await grid.getAttribute('aria-rowcount')).toBe(String(pairs.length + 1))
    const shown = await rows('Pairs', 3)
    const told = pairs.map(({ a, b, questions }: Row) => [a, b, grouped((questions as string[]).length)])
    expect(shown).toEqual(told.slice(0, shown.length))
  })

  it('Knowledge', async () => {
    const { packs, waiting } = json('packs', 'list', '--all')
    const { entries, budget } = json('resolve')
    await showScreen(page, server.origin, '/knowledge')
    await page.getByText(`${entries.length} rules`).waitFor()
    expect((await rows('Packs', 5)).map(([, ...row]) => row)).toEqual(
      packs.map(({ name, status, effectiveTrust, scope }: Row) => [name, status, effectiveTrust, scope]),
    )
    expect(await page.getByText('waits for you').count()).toBe(waiting.length)
    expect((await figures('Rules')).slice(0, 2)).toEqual(
      [budget.always_loaded_est, budget.on_demand_total_est].map(grouped),
    )
    expect(await rows('Rules', 4)).toEqual(
      entries.map(({ id, priority, source: layer, tokens }: Row) => [id, priority, layer, grouped(tokens)]),
    )
  })

  it('Conversations', async () => {
    const { conversations, total } = json('usage', '--sessions')
    await showScreen(page, server.origin, '/conversations')
    await page.getByText(`${total} conversations`).waitFor()
    expect((await rows('Conversations', 7)).map(([, ...row]) => row)).toEqual(
      conversations.map(({ last, via, delivered, used, tokens }: Row) => [
        String(last).slice(0, 16).replace('T', ' '),
        via,
        '–',
        ...[delivered, used, tokens].map(grouped),
      ]),
    )
    const { planned, delivered, used, tokens } = conversations.find(({ session }: Row) => session === 'claude-week-2')
    await showScreen(page, server.origin, '/conversations?agent=claude&session=claude-week-2')
    const { cost } = JSON.parse((await send(server.origin, '/api/sessions/claude/claude-week-2', server)).text)
    expect(cost.opened + cost.delivered).toBe(tokens)
    expect((await figures('One conversation')).slice(1)).toEqual(
      [planned, delivered, used, tokens + cost.listing].map(grouped),
    )
  })

  it('Checks', async () => {
    const { checks } = json('doctor')
    await showScreen(page, server.origin, '/?view=checks')
    await page.locator('.check').first().waitFor()
    const shown = await page.locator('.check > strong').allInnerTexts()
    expect([...shown].sort()).toEqual(checks.map(({ name }: Row) => String(name)).sort())
    const due = checks.filter(({ state }: Row) => state === 'problem').length
    expect(await page.locator('.check .tone-bad.badge').count()).toBe(due)
  })
})

describe('with the keyboard alone', () => {
  const press = async (name: string) => {
    const button = page.getByRole('button', { name, exact: true })
    await button.focus()
    await page.keyboard.press('Enter')
  }
  const installed = () => readFileSync(join(home, '.claude/skills/planning/SKILL.md'), 'utf8')

  it('a skill is updated after a look at what changes, and that is undone', async () => {
    await showScreen(page, server.origin, '/skills?skill=planning')
    await press('Update…')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('+New').waitFor()
    expect(installed()).toContain('Old')
    await press('Update')
    await page.getByText('1 skill updated').waitFor()
    expect(installed()).toContain('New')
    await press('Undo')
    await dialog.getByText('-New').waitFor()
    await dialog.getByRole('button', { name: 'Undo', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('1 skill as before').waitFor()
    expect(installed()).toContain('Old')
    expect(opened.trouble).toEqual([])
  })
})
