import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tryLock } from '../../src/machine/lock.ts'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import { runWarm } from '../cli/warm.ts'
import { commitAll, write, writeSkill } from '../tui/machine.ts'
import { findBarriers, makeWebWorld, type OpenPage, openWeb, SHOP_TASK, settle, showScreen } from './browser-world.ts'
import { send, startWeb, type WebServer } from './web-world.ts'

const { home, project } = makeWebWorld()
writeSkill(join(home, 'skills/skills/short-lived'), 'short-lived', { description: 'It will go.' })
const claude = (name: string) => join(home, '.claude/skills', name)
const codex = (name: string) => join(home, '.codex/skills', name)
const loadout = (...words: string[]) => runWarm(words, { cwd: project, home })
const carriers = join(project, '.agents/knowledge/carriers')
write(
  join(carriers, 'wiki/post.md'),
  '# The post\n\n## Heaviest parcel\n\nThe post takes 31 kg.\n\n## Days\n\nNot on Sundays.\n',
)
write(join(carriers, 'wiki/open-questions/customs.md'), '# Customs\n\nWho pays the customs?\n')

let started: StartedBrowser
let server: WebServer
let opened: OpenPage
let page: Page
beforeAll(async () => {
  expect(loadout('approve', 'pack:carriers').code).toBe(0)
  expect(loadout('note', 'add', 'Ask the post about customs').code).toBe(0)
  server = await startWeb(home, project)
  started = await startBrowser()
  opened = await openWeb(started, server)
  page = opened.page
  await page.setViewportSize({ width: 1300, height: 900 })
})
afterAll(async () => {
  server?.stop()
  await started?.stop()
})

const grouped = (number: number) => new Intl.NumberFormat('en').format(number)
const read = (selector: string) => page.locator(selector).allInnerTexts()

describe('the page and --json answer the same', () => {
  it.each([
    ['/api/status', ['status']],
    ['/api/status?scope=project', ['status', '--project', '.']],
    ['/api/see/claude', ['see', 'claude']],
    ['/api/see/claude?window=100000&without=kind-1', ['see', 'claude', '--window', '100000', '--without', 'kind-1']],
    ['/api/see/claude?shorten=kind-3%3D20&model=x', ['see', 'claude', '--shorten', 'kind-3=20', '--model', 'x']],
    ['/api/inventory', ['inventory']],
    ['/api/inventory?scope=project', ['inventory', '--project', '.']],
    ['/api/inspect/release-notes', ['inspect', 'release-notes']],
    ['/api/diff/release-notes', ['diff', 'release-notes']],
    ['/api/doctor', ['doctor']],
  ])('%s', async (path, words) => {
    const { text } = await send(server.origin, path, server)
    expect(JSON.parse(text)).toEqual(JSON.parse(loadout(...words, '--json').stdout))
  })

  it('a first look, empty once there is an index', async () => {
    const path = `/api/first?task=${encodeURIComponent(SHOP_TASK)}`
    loadout('search', SHOP_TASK)
    expect(JSON.parse((await send(server.origin, path, server)).text)).toEqual({ places: [], findings: [] })
  })

  it('a bundle', async () => {
    const path = `/api/context?tokens=600&task=${encodeURIComponent(SHOP_TASK)}`
    const { bundle, findings } = JSON.parse((await send(server.origin, path, server)).text)
    const { findings: told, ...same } = JSON.parse(loadout('context', SHOP_TASK, '--tokens', '600', '--json').stdout)
    expect([bundle, findings]).toEqual([same, told])
  })

  it('numbers of what an agent lists', async () => {
    const { used, budget, skills } = JSON.parse(loadout('see', 'claude', '--json').stdout)
    await showScreen(page, server.origin, '/skills?view=lists')
    await page.getByText('characters used').waitFor()
    expect(await read('.figure dd')).toEqual([used, budget.budget, budget.window].map(grouped))
    expect(await page.locator('[role=grid]').getAttribute('aria-rowcount')).toBe(String(skills.length + 1))
  })

  it('numbers and words of a task', async () => {
    const bundle = JSON.parse(loadout('context', SHOP_TASK, '--json').stdout)
    await showScreen(page, server.origin, `/task?task=${encodeURIComponent(SHOP_TASK)}`)
    await page.getByText('digest').waitFor()
    const used = Object.values<{ used: number }>(bundle.budget.partitions).reduce((sum, each) => sum + each.used, 0)
    expect(await read('.figure dd')).toEqual([bundle.files.length, used, bundle.estimate.tokens].map(grouped))
    expect(await read('.part-name')).toEqual(bundle.files.map(({ path }: { path: string }) => path))
    expect((await read('mark')).map((word) => word.toLowerCase())).toContain('refund')
  })

  it('the table of skills', async () => {
    const { skills } = JSON.parse(loadout('inventory', '--json').stdout)
    await showScreen(page, server.origin, '/skills')
    await page.getByText('release-notes').first().waitFor()
    const states = skills.map(({ name, state }: { name: string; state: string }) => [name, state])
    const cells = await page
      .locator('.table-row')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
    expect(cells.map((row) => [row[1], row[3]]).sort()).toEqual(states.sort())
  })
})

/** Presses Tab until an element with this name has the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab')
    const now = await page.evaluate<string>(
      `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`,
    )
    if (typeof name === 'string' ? now === name : name.test(now)) return
  }
  throw new Error(`${name} cannot be reached`)
}

describe('with the keyboard alone', () => {
  it('the first key skips the menu, and every screen can be opened', async () => {
    await showScreen(page, server.origin, '/')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await tabTo('Knowledge')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Knowledge' }).waitFor()
    expect(page.url()).toBe(`${server.origin}/knowledge`)
  })

  it('a skill is selected and installed, and that is undone', async () => {
    await showScreen(page, server.origin, '/skills?filter=db-migrations')
    await page.getByText('db-migrations').first().waitFor()
    await tabTo('Skills of the library')
    for (const key of ['Home', 'Space']) await page.keyboard.press(key)
    await page.getByText('1 skill selected').waitFor()
    expect(page.url()).toContain('skill=db-migrations')
    const bar = page.getByRole('region', { name: 'Selected skills' })
    await bar.getByLabel('Agent').selectOption('codex')
    await bar.getByRole('button', { name: 'Install…' }).press('Enter')
    await page.getByRole('dialog').getByText('install', { exact: true }).waitFor()
    expect(existsSync(codex('db-migrations'))).toBe(false)
    await tabTo('Install')
    await page.keyboard.press('Enter')
    await page.getByText('1 copy installed.').waitFor()
    expect(existsSync(codex('db-migrations'))).toBe(true)
    await tabTo('Undo')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('remove', { exact: true }).waitFor()
    await tabTo('Remove')
    await page.keyboard.press('Enter')
    await page.getByText('1 copy removed.').waitFor()
    expect(existsSync(codex('db-migrations'))).toBe(false)
  })

  it('a skill is left out of a list to see what changes, and unequipped', async () => {
    await showScreen(page, server.origin, '/skills?view=lists&filter=sketch')
    await page.locator('.table-row', { hasText: 'sketch' }).waitFor()
    await tabTo(/^Skills that Claude Code/)
    for (const key of ['Home', 'Space']) await page.keyboard.press(key)
    await page.getByText('What if:').waitFor()
    await tabTo('Remove 1 skill…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('remove', { exact: true }).waitFor()
    await tabTo('Remove')
    await page.keyboard.press('Enter')
    await page.getByText('1 copy removed.').waitFor()
    expect(existsSync(claude('sketch'))).toBe(false)
    expect(loadout('equip', 'sketch').code).toBe(0)
  })

  it('the search opens skills, actions and pages of packs by keys, and Escape closes it', async () => {
    const field = page.getByRole('combobox', { name: /^Search/ })
    const current = page.locator('.palette [aria-selected=true]')
    await showScreen(page, server.origin, '/knowledge')
    await page.keyboard.press('/')
    await field.waitFor()
    await expect.poll(() => current.textContent()).toContain('Home')
    for (let step = 0; step < 15; step++) await page.keyboard.press('ArrowDown')
    expect(
      await page.evaluate(`(() => {
      const [list, row] = [document.querySelector('.palette-list'), document.querySelector('.palette .is-current')]
      return row.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom + 1
    })()`),
    ).toBe(true)
    await field.fill('release-n')
    await expect.poll(() => current.textContent()).toContain('release-notes')
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.locator('.skill-card').getByRole('region', { name: 'SKILL.md', exact: true }).waitFor()
    expect([page.url(), await field.count()]).toEqual([`${server.origin}/skills?skill=release-notes`, 0])
    await page.keyboard.press('Control+k')
    await field.fill('settings prices')
    await expect.poll(() => current.textContent()).toContain('Prices and other settings')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toBe(`${server.origin}/?view=settings`)
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${server.origin}/?view=settings`)
  })

  it('the search opens a page of a pack at its section, where gaps and notes stand too', async () => {
    const used = loadout('usage').stdout
    await showScreen(page, server.origin, '/')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: /^Search/ })
    await field.fill('heaviest parcel of the post')
    const found = page.locator('.palette [role=option]', { hasText: 'carriers, wiki/post.md' })
    await found.waitFor()
    for (let step = 0; step < 8 && (await found.getAttribute('aria-selected')) !== 'true'; step++) {
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    const text = page.getByRole('region', { name: /^Text of carriers/ })
    await text.getByText('31 kg').waitFor()
    expect(await text.textContent()).not.toContain('Sundays')
    await page.getByRole('button', { name: 'Whole page' }).click()
    await text.getByText('Sundays').waitFor()
    expect(new URL(page.url()).searchParams.get('page')).toBe('wiki/post.md')
    expect(await page.getByRole('list', { name: 'Gaps' }).textContent()).toContain('wiki/open-questions/customs.md')
    await page.getByRole('region', { name: 'Notes' }).getByText('Ask the post about customs').waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(loadout('usage').stdout).toBe(used)
  })

  it('a recorded bundle is built again', async () => {
    const { digest } = JSON.parse(loadout('context', SHOP_TASK, '--json').stdout)
    await showScreen(page, server.origin, '/task')
    await page.getByLabel('Recorded bundles').waitFor()
    await tabTo(new RegExp(SHOP_TASK))
    await page.keyboard.press('ArrowDown')
    await page.getByText('the same bytes as then').waitFor()
    expect(digest).toContain(new URL(page.url()).searchParams.get('record'))
  })

  it('Escape closes a plan, nothing is done, and the focus is where it was', async () => {
    await showScreen(page, server.origin, '/skills?skill=api-review')
    await page.getByText('api-review').first().waitFor()
    await page.getByRole('button', { name: 'Remove…' }).first().press('Enter')
    await page.getByRole('dialog').getByText('remove', { exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Remove…')
    expect(existsSync(claude('api-review'))).toBe(true)
  })
})

describe('on the agents screen', () => {
  it('unticking a skill says what would change, and unequips it after a look at the plan', async () => {
    await showScreen(page, server.origin, '/skills?view=lists&filter=sketch')
    await page.locator('.table-row', { hasText: 'sketch' }).click()
    await page.getByText('What if:').waitFor()
    expect(page.url()).toContain('without=sketch')
    const after = JSON.parse(loadout('see', 'claude', '--without', 'sketch', '--json').stdout)
    await expect
      .poll(() => read('.what-if'))
      .toEqual([expect.stringContaining(`takes ${grouped(after.used)} characters`)])
    await page.getByRole('button', { name: 'Remove 1 skill…' }).click()
    await page.getByRole('dialog').getByText('remove', { exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('1 copy removed.').waitFor()
    expect(existsSync(claude('sketch'))).toBe(false)
    expect(loadout('equip', 'sketch').code).toBe(0)
  })

  it('a window and a shorter description are asked for as the command would', async () => {
    await showScreen(page, server.origin, '/skills?view=lists&filter=kind-3')
    await page.getByLabel('Window').fill('100000')
    await page.locator('.figure dd', { hasText: '3,000' }).waitFor()
    await page.locator('.table-row', { hasText: 'kind-3' }).first().click()
    await page.getByLabel(/^Shorten kind-3/).fill('10')
    await expect.poll(() => page.url()).toContain('shorten=kind-3%3D10')
  })

  it('what is typed into a field at once when it appears is kept', async () => {
    await showScreen(page, server.origin, '/skills?view=lists&filter=kind-3')
    await page.locator('.table-row', { hasText: 'kind-3' }).first().waitFor()
    await page.evaluate(`new MutationObserver((_, observer) => {
      const field = [...document.querySelectorAll('.field')].find(({ innerText }) => innerText.startsWith('Shorten'))
      if (!field) return
      observer.disconnect()
      const input = field.querySelector('input')
      input.value = '10'
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }).observe(document.body, { childList: true, subtree: true })`)
    await page.locator('.table-row', { hasText: 'kind-3' }).first().click()
    await expect.poll(() => page.url()).toContain('shorten=kind-3%3D10')
  })

  it('a skill that Loadout did not install is never removed', async () => {
    await showScreen(page, server.origin, '/skills?view=lists&without=kind-1')
    await page.getByRole('button', { name: 'Remove 1 skill…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/kind-1/)
      .nth(1)
      .waitFor()
    expect(await dialog.getByRole('button', { name: 'Remove', exact: true }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    expect(existsSync(claude('kind-1'))).toBe(true)
  })
})

describe('a bundle', () => {
  it('moves with its budget, stands beside another, and is built again from its record', async () => {
    const { bundle } = { bundle: JSON.parse(loadout('context', SHOP_TASK, '--json').stdout) }
    await showScreen(page, server.origin, '/task')
    await page.getByLabel('Task').fill(SHOP_TASK)
    await page.getByText('digest').waitFor()
    const before = await read('.part-name')
    await page.getByLabel('Budget in tokens').fill('250')
    await expect.poll(async () => (await read('.part-name')).length).toBeLessThan(before.length)
    await page.getByRole('button', { name: 'Compare with another' }).click()
    await page.getByLabel('Second task').fill('cut a release')
    await expect.poll(async () => (await read('.bundle')).length).toBe(2)
    await showScreen(page, server.origin, '/task')
    await page.getByLabel('Recorded bundles').selectOption(bundle.digest.slice(0, 16))
    await page.getByText('the same bytes as then').waitFor()
    expect(await read('.part-name')).toEqual(before)
  })
})

describe('while others work', () => {
  it('a skill that leaves the library takes its card along, and the page does not ask for it again', async () => {
    await showScreen(page, server.origin, '/skills?skill=short-lived')
    await page.locator('.skill-card').getByText('written in this library').waitFor()
    await page.getByRole('status').getByText('live').waitFor()
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).pathname))
    renameSync(join(home, 'skills/skills/short-lived'), join(home, 'gone'))
    await page.locator('.skill-card').waitFor({ state: 'detached' })
    expect([...asked].filter((path) => !/^\/api\/(s|tests$)/.test(path))).toEqual(['/api/inventory'])
  })

  it('what another process changes is shown without a reload', async () => {
    await showScreen(page, server.origin, '/skills?skill=db-migrations')
    await page.getByRole('status').getByText('live').waitFor()
    expect(loadout('equip', 'db-migrations', '--target', 'codex').code).toBe(0)
    await page.locator('.skill-card li', { hasText: 'codex, user' }).waitFor()
    writeSkill(join(home, 'skills/skills/brand-new'), 'brand-new', { description: 'It was not there.' })
    commitAll(join(home, 'skills'), 'One more')
    await page.getByText('brand-new').first().waitFor()
  })

  it('the focus goes to the row when what a plan was opened from is gone', async () => {
    const row = `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.children[1].textContent`
    const isGone = (name: RegExp) =>
      page.locator('.skill-card button', { hasText: name }).waitFor({ state: 'detached' })
    await showScreen(page, server.origin, '/skills?skill=api-review')
    await page.getByRole('button', { name: 'Remove…' }).press('Enter')
    await page.getByRole('dialog').getByText('remove', { exact: true }).first().waitFor()
    expect(loadout('unequip', 'api-review').code).toBe(0)
    await isGone(/^Remove/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(row)).toBe('api-review')
    await tabTo(/^Install for/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('install', { exact: true }).first().waitFor()
    await tabTo('Install')
    await page.keyboard.press('Enter')
    await page.getByText('2 copies installed.').waitFor()
    await isGone(/^Install for/)
    expect(await page.evaluate(row)).toBe('api-review')
  })

  it('a plan that is another one by now is not carried out', async () => {
    await showScreen(page, server.origin, '/skills?skill=api-review')
    await page.getByRole('button', { name: 'Remove…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('remove', { exact: true }).first().waitFor()
    expect(loadout('unequip', 'api-review', '--target', 'codex').code).toBe(0)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.getByText('something has changed since this was planned').waitFor()
    expect(existsSync(claude('api-review'))).toBe(true)
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('remove', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('1 copy removed.').waitFor()
    expect(loadout('equip', 'api-review').code).toBe(0)
  })

  it('a folder that another process holds is waited for, and nothing is half done', async () => {
    const release = tryLock(join(home, '.claude/skills/.loadout-work/lock'), 'a test')
    await showScreen(page, server.origin, '/skills?skill=api-review')
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByText('remove', { exact: true }).first().waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Working…' }).waitFor()
    expect(readFileSync(join(claude('api-review'), 'SKILL.md'), 'utf8')).toContain('# api-review')
    release?.()
    await page.getByText('2 copies removed.').waitFor()
    expect([existsSync(claude('api-review')), existsSync(codex('api-review'))]).toEqual([false, false])
  })

  it('doctor puts right what it can, and says so', async () => {
    await showScreen(page, server.origin, '/?view=checks')
    await page.getByRole('button', { name: 'Repair what is safe…' }).press('Enter')
    await page.getByRole('dialog').getByText('In a terminal').waitFor()
    await tabTo('Repair')
    await page.keyboard.press('Enter')
    await page.locator('.toast-box').waitFor()
    const { checks } = JSON.parse(loadout('doctor', '--json').stdout)
    const due = checks.filter(({ state }: { state: string }) => state === 'problem').length
    await expect.poll(() => page.locator('.check .tone-bad.badge').count()).toBe(due)
  })

  it('nothing of all this broke the page, or left the machine', () => {
    // One plan was refused, as it should be; a browser writes down each such answer.
    const refused = `console: Failed to load resource: the server responded with a status of 409 (Conflict) ${server.origin}/api/change/unequip`
    expect(opened.trouble).toEqual([refused])
  })

  it('the server is killed: the page says so, keeps what it shows, and after a new start asks for the new address', async () => {
    await showScreen(page, server.origin, '/skills')
    await settle(page)
    const { port } = new URL(server.origin)
    server.child.kill('SIGKILL')
    await page.getByRole('alert').getByText('Loadout does not answer').waitFor()
    expect(await page.getByText('release-notes').count()).toBeGreaterThan(0)
    server = await startWeb(home, project, ['--port', port])
    await page
      .getByRole('alert')
      .getByText('Open the address that loadout web printed last')
      .waitFor({ timeout: 100_000 })
    const other = await opened.context.newPage()
    await other.goto(server.address)
    await page.getByRole('status').getByText('live').waitFor()
    await other.close()
  })

  it('the token is in local storage alone: in no cookie and no address, and a second tab of the same origin has it', async () => {
    const other = await opened.context.newPage()
    await other.goto(`${server.origin}/skills`)
    await other.getByText('release-notes').first().waitFor()
    await other.goto(server.address)
    await other.getByRole('status').getByText('live').waitFor()
    expect(other.url()).toBe(`${server.origin}/`)
    await other.evaluate('localStorage.setItem("token", "old")')
    await other.reload()
    await other.getByRole('alert').getByText('Open the address that loadout web printed last').waitFor()
    // The same document with another fragment: a browser does not load it again by itself.
    await other.goto(server.address)
    await other.getByRole('status').getByText('live').waitFor()
    expect(await opened.context.cookies()).toEqual([])
    await other.close()
  })
})
