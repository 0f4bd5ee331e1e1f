import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import { askForPostgres, makeDatabase, settled } from '../team/postgres.ts'
import { makeMachine, runAside, startTeam, type TestServer } from '../team/server.ts'
import { openWeb, showScreen } from './browser-world.ts'
import { startWeb, type WebServer } from './web-world.ts'

let team: TestServer
let started: StartedBrowser
let server: WebServer
let page: Page
const reader = makeMachine()
beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  for (let each = 0; each < 7; each++) {
    const machine = makeMachine()
    await machine.loadout.joinTeam({ url: team.url, token: await team.token() })
    machine.use(
      { entryId: 'review' },
      { entryId: 'prices', kind: 'pack', stage: 'delivered', tokensEst: 500 },
      { entryId: 'idle', stage: 'planned' },
    )
    await machine.loadout.pushUsage({})
  }
  await settled(team.databaseUrl)
  await reader.loadout.joinTeam({ url: team.url, token: await team.token() })
  server = await startWeb(reader.home)
  started = await startBrowser()
  page = (await openWeb(started, server)).page
  await page.setViewportSize({ width: 1300, height: 2_000 })
})
afterAll(async () => {
  server?.stop()
  await started?.stop()
  await team?.stop()
})

const grouped = (number: number) => new Intl.NumberFormat('en').format(number)
type Entry = { id: string; people: number | null; delivered: number; used: number; tokens: number; versions: unknown[] }

it('the Team screen is in the menu, and shows what loadout team report --json says', async () => {
  const { stdout } = await runAside(['team', 'report', '--json'], { home: reader.home, cwd: reader.home })
  const { people, events, tokens, from, to, entries, inVain, deadWeight } = JSON.parse(stdout)
  await showScreen(page, server.origin, '/agents')
  await page.getByRole('link', { name: 'Team' }).click()
  const report = page.getByRole('region', { name: 'Report' })
  await report.waitFor()
  expect(await report.locator('.figure dd').allInnerTexts()).toEqual([
    ...[people, events, tokens].map(grouped),
    `${from} to ${to}`,
  ])
  const rows = await report
    .locator('.table-row')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
  expect(entries.length).toBeGreaterThan(1)
  expect(rows).toEqual(
    entries.map(({ id, people: each, delivered, used, tokens: size, versions }: Entry) => [
      id,
      each === null ? '5 or fewer' : grouped(each),
      ...[delivered, used, size, versions.length].map(grouped),
    ]),
  )
  const listed = (title: string) => page.getByRole('region', { name: title }).locator('strong').allInnerTexts()
  expect(await listed('Delivered, never used')).toEqual(inVain.map(({ id }: Entry) => id))
  expect(await listed('Installed or planned, never delivered')).toEqual(deadWeight.map(({ id }: Entry) => id))
})
