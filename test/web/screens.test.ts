import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import {
  expectFits,
  expectPicture,
  findBarriers,
  makeWebWorld,
  type OpenPage,
  openWeb,
  SHOP_TASK,
  settle,
  showScreen,
} from './browser-world.ts'
import { startWeb, type WebServer } from './web-world.ts'

/** One row for each screen: a name for its pictures, its address, and a text that it shows when it is whole. */
const SCREENS: readonly (readonly [name: string, path: string, shows: string])[] = [
  ['home', '/', 'What to do next'],
  ['checks', '/?view=checks', 'to do'],
  ['conversations', '/conversations?agent=claude&session=claude-week-2', 'first (UTC)'],
  ['skills', '/skills', 'release-notes'],
  ['skill', '/skills?skill=release-notes', 'Collect merged changes'],
  ['lists', '/skills?view=lists', 'Claude Code'],
  ['what-if', '/skills?view=lists&without=kind-1&without=kind-2', 'What if'],
  ['usage', '/skills?view=usage&since=2026-01-01&until=2026-01-31', '6 entries'],
  ['usage-none', '/skills?view=usage&since=2025-01-01&until=2025-01-31', 'The log tells of nothing'],
  ['overlaps', '/skills?view=overlaps', 'pairs among'],
  ['knowledge', '/knowledge', '2 rules'],
  ['task', `/task?task=${encodeURIComponent(SHOP_TASK)}`, 'digest'],
  ['compare', `/task?task=${encodeURIComponent(SHOP_TASK)}&compare=yes&task2=release&tokens2=400`, 'digest'],
]
// The themes differ in their colours alone: each width needs no more than one.
const LOOKS = [
  [360, 'light'],
  [1024, 'light'],
  [1600, 'dark'],
] as const

let started: StartedBrowser
let server: WebServer
let opened: OpenPage
let canvas: Page
beforeAll(async () => {
  const { home, project } = makeWebWorld()
  server = await startWeb(home, project)
  started = await startBrowser()
  opened = await openWeb(started, server)
  canvas = await started.browser.newPage()
})
afterAll(async () => {
  server?.stop()
  await started?.stop()
})

describe.each(SCREENS)('%s', (name, path, shows) => {
  beforeAll(async () => {
    const { page } = opened
    await showScreen(page, server.origin, path)
    await page.getByText(shows).first().waitFor()
    await page.getByRole('status').getByText('live').waitFor()
  })

  it.each(LOOKS)('at %i pixels, %s: it fits, has no barrier, and looks as it did', async (width, theme) => {
    const { page, trouble } = opened
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 800 })
    await settle(page)
    await expectFits(page)
    const rules = theme === 'light' ? undefined : ['color-contrast', 'link-in-text-block']
    expect(await findBarriers(page, rules)).toEqual([])
    await expectPicture(page, canvas, `${name}-${width}-${theme}`)
    expect(trouble).toEqual([])
  })
})
