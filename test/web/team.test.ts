import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import { askForPostgres, makeDatabase, settled } from '../team/postgres.ts'
import { makeMachine, runAside, startTeam, type TestServer } from '../team/server.ts'
import { expectFits, findBarriers, openWeb, settle } from './browser-world.ts'
import { startWeb } from './web-world.ts'

let team: TestServer
let started: StartedBrowser
let page: Page
const reader = makeMachine()
const requests: string[] = []
beforeAll(async () => {
  team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  for (let each = 0; each < 7; each++) {
    const machine = makeMachine()
    await machine.loadout.team.join({ url: team.url, token: await team.token() })
    machine.use(
      { entryId: 'review', version: 'a'.repeat(16) },
      { entryId: 'prices', kind: 'pack', stage: 'delivered', tokensEst: 500 },
      { entryId: 'idle', stage: 'planned' },
    )
    await machine.loadout.team.push({})
  }
  await settled(team.databaseUrl)
  await reader.loadout.team.join({ url: team.url, token: await team.token('admin') })
  started = await startBrowser()
  page = await started.browser.newPage({ viewport: { width: 1300, height: 2_000 } })
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(team.url)
})
afterAll(async () => {
  await started?.stop()
  await team?.stop()
})

/** As a person does it. */
async function signIn(token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await settle(page)
}

async function openView(name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await settle(page)
}

it('the page of the server asks for a token, says when one is refused, and never gets the key of the team', async () => {
  await signIn(`ldt_${'x'.repeat(32)}.${'y'.repeat(32)}`)
  await page.getByText('The token is unknown here').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await signIn(await team.token('member'))
  await page.getByRole('region', { name: 'Report' }).waitFor()
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('kkkk')
  expect(requests.filter((url) => !url.startsWith(team.url) || url.includes('ldt_'))).toEqual([])
})

it('a member sees report and catalog, an administrator also machines and the audit log, each without barriers', async () => {
  const views = () => page.locator('nav a').allInnerTexts()
  expect(await views()).toEqual(['Report', 'Catalog'])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signIn(await team.token('admin'))
  await page.getByRole('link', { name: 'Audit' }).waitFor()
  expect(await views()).toEqual(['Report', 'Catalog', 'Proposals', 'Machines', 'Audit'])
  for (const width of [390, 1300]) {
    await page.setViewportSize({ width, height: 1_000 })
    for (const view of await views()) {
      await openView(view)
      expect(await findBarriers(page)).toEqual([])
      await expectFits(page)
    }
  }
  expect(await page.locator('.table-row').count()).toBeGreaterThan(7)
  await page.reload()
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
})

it('a maintainer reads what people proposed, with what it changes', async () => {
  const [secret = ''] = (await team.token('member')).slice('ldt_'.length).split('.')
  const body = JSON.stringify({
    name: 'review',
    base: '',
    result: 'd'.repeat(64),
    patch: '+Look twice.\n',
    note: 'Once missed it.',
  })
  await fetch(`${team.url}/v1/proposals`, { method: 'POST', headers: { authorization: `Bearer ${secret}` }, body })
  await openView('Proposals')
  await page.getByText('Once missed it.').click()
  expect(await page.getByRole('region', { name: 'The change' }).textContent()).toContain('+Look twice.')
  expect(await findBarriers(page)).toEqual([])
})

it('the page of a machine that joined leads to the page of its team', async () => {
  const server = await startWeb(reader.home)
  const { page: own } = await openWeb(started, server)
  const link = own.getByRole('link', { name: 'Team' })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe(team.url)
  server.stop()
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

it('the report of the page is what loadout team report --json says', async () => {
  const { stdout } = await runAside(['team', 'report', '--json'], { home: reader.home, cwd: reader.home })
  const { people, events, tokens, listing, from, to, entries, inVain, deadWeight, rollout } = JSON.parse(stdout)
  await openView('Report')
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
