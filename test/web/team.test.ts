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
      { entryId: 'review', version: 'a'.repeat(16) },
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
const shown = (number: number | null) => (number === null ? '–' : grouped(number))
type Entry = {
  id: string
  people: number | null
  delivered: number | null
  used: number | null
  tokens: number
  versions: unknown[]
}

it('the Team screen is in the menu, and shows what loadout team report --json says', async () => {
  const { stdout } = await runAside(['team', 'report', '--json'], { home: reader.home, cwd: reader.home })
  const { people, events, tokens, listing, from, to, entries, inVain, deadWeight, rollout } = JSON.parse(stdout)
  await showScreen(page, server.origin, '/agents')
  await page.getByRole('link', { name: 'Team' }).click()
  const report = page.getByRole('region', { name: 'Report' })
  await report.waitFor()
  expect(await report.locator('.figure dd').allInnerTexts()).toEqual([
    ...[people, events, tokens, listing].map(grouped),
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
      ...[delivered, used, size, versions.length].map(shown),
    ]),
  )
  const listed = (title: string) => page.getByRole('region', { name: title }).locator('strong').allInnerTexts()
  expect(await listed('Delivered, hardly used')).toEqual(inVain.map(({ id }: Entry) => id))
  expect(await listed('Installed or planned, hardly received')).toEqual(deadWeight.map(({ id }: Entry) => id))
  const said = await page.getByRole('region', { name: 'Roll-out' }).locator('.muted').allInnerTexts()
  expect(said).toEqual([`100 %, 7 of 7 machines since ${new Date().toISOString().slice(0, 10)}`])
  expect(rollout[0].versions[0]).toMatchObject({ share: 100, machines: 7 })
  const { stdout: text } = await runAside(['team', 'report'], { home: reader.home, cwd: reader.home })
  expect(text).toContain(`${from} to ${to}, in whole weeks · 7 people`)
  expect(text).toMatch(/review \(skill\) +a{10} +100 % +7 of 7 machines/)
})
