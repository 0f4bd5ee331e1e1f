import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import { makeFolder } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { commitAll, configFile, fillHome, git, write } from '../tui/machine.ts'
import { openWeb, showScreen } from './browser-world.ts'
import { startWeb, type WebServer } from './web-world.ts'

/** Every screen of the menu. */
const SCREENS = [
  '',
  'conversations',
  'skills',
  'skills?view=lists',
  'skills?view=usage',
  'skills?view=overlaps',
  'knowledge',
  'task',
  '?view=checks',
]

let started: StartedBrowser
beforeAll(async () => {
  started = await startBrowser()
})
afterAll(() => started?.stop())

let page: Page

async function open(home: string): Promise<WebServer> {
  const server = await startWeb(home)
  // In no language, as on a machine whose locale is `C`.
  if (page === undefined) ({ page } = await openWeb(started, server, {}))
  else await showScreen(page, '', server.address)
  await page.setViewportSize({ width: 1300, height: 900 })
  return server
}

/** What each screen says when it is whole: one refusal at most, with what to do. */
async function visit(server: WebServer): Promise<Record<string, string | null>> {
  const said: Record<string, string | null> = {}
  for (const screen of SCREENS) {
    await showScreen(page, server.origin, `/${screen}`)
    const alerts = await page.getByRole('alert').allInnerTexts()
    said[screen] = alerts.length === 0 ? await page.locator('main').textContent() : alerts.join('\n')
    expect([screen, alerts.length <= 1]).toEqual([screen, true])
  }
  return said
}

describe('a machine without anything', () => {
  it('every screen says what is missing and what to do, once', async () => {
    const server = await open(makeFolder())
    expect(await visit(server)).toEqual({
      '': expect.stringMatching(/First steps[\s\S]*No agent was found on this machine.[\s\S]*Connect your agents/),
      conversations: expect.stringMatching(/\S/),
      skills: expect.stringMatching(/there is no library yet[\s\S]*loadout init/),
      'skills?view=lists': expect.stringContaining('No agent was found on this machine.'),
      'skills?view=usage': expect.stringContaining('The log tells of nothing in this range.'),
      'skills?view=overlaps': expect.stringContaining('Nothing to compare yet'),
      knowledge: expect.stringMatching(/\S/),
      task: expect.stringContaining('Type a task'),
      '?view=checks': expect.stringMatching(/checks?/),
    })
    server.stop()
  })
})

describe('a machine with skills', () => {
  const home = makeFolder()
  const source = join(home, 'source')
  const installed = join(home, '.claude/skills/planning/SKILL.md')
  const loadout = (...words: string[]) => runWarm(words, { cwd: home, home })
  const offer = (step: string) => {
    write(join(source, 'skills/planning/SKILL.md'), `---\nname: planning\ndescription: Plans.\n---\n\n${step}\n`)
    commitAll(source, step)
  }
  let server: WebServer
  beforeAll(async () => {
    fillHome(home)
    mkdirSync(source)
    git(source, 'init', '-q')
    offer('Old')
    for (const words of [
      ['import', source, '--all'],
      ['equip', 'planning', '--target', 'claude'],
    ])
      expect(loadout(...words).code).toBe(0)
    offer('New')
    server = await open(home)
  })

  /** Opens a skill, and the plan of what a button proposes. */
  async function plan(from: Page, button: string, skill: string): Promise<void> {
    await showScreen(from, server.origin, `/skills?skill=${skill}`)
    await from.getByRole('button', { name: new RegExp(`^${button}( for .*)?…$`) }).click()
    await from.getByRole('dialog').getByText('In a terminal').waitFor()
  }
  const agree = (from: Page, button: string) =>
    from.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()

  it('with a broken configuration every screen that needs it names the file, and is whole once it is mended', async () => {
    const config = configFile(home)
    const before = readFileSync(config, 'utf8')
    writeFileSync(config, '{ "repo_path": ')
    const said = await visit(server)
    for (const screen of ['', 'skills', 'skills?view=overlaps', '?view=checks']) {
      expect([screen, said[screen]]).toEqual([screen, expect.stringContaining('config.json')])
    }
    writeFileSync(config, before)
    await showScreen(page, server.origin, '/skills')
    await page.getByText('planning').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('a log that grows while it is read is shown as far as its lines are whole', async () => {
    const log = join(home, '.local/state/loadout/usage.jsonl')
    const event = (entryId: string) =>
      `${JSON.stringify({ timestamp: new Date().toISOString(), taskHash: '0', entryId, trigger: '', mode: 'lazy', tokensEst: 1, stage: 'used', kind: 'skill', via: 'claude' })}\n`
    const used = page.getByRole('region', { name: 'Over time' }).locator('.figure', { hasText: 'used' }).locator('dd')
    write(log, '')
    await showScreen(page, server.origin, '/usage')
    appendFileSync(log, event('planning').repeat(300))
    await expect.poll(() => used.allInnerTexts(), { timeout: 100_000 }).toEqual(['300'])
    const line = event('planning')
    appendFileSync(log, line.repeat(2) + line.slice(0, 40))
    await expect.poll(() => used.allInnerTexts(), { timeout: 100_000 }).toEqual(['302'])
    appendFileSync(log, line.slice(40))
    await expect.poll(() => used.allInnerTexts(), { timeout: 100_000 }).toEqual(['303'])
  })

  it('a library that another process holds is left as it is, and the page says who holds it', async () => {
    const lock = join(home, 'skills/.git/index.lock')
    const state = () => [
      git(join(home, 'skills'), 'rev-list', '--count', 'HEAD'),
      git(join(home, 'skills'), 'status', '--short'),
      readFileSync(installed, 'utf8'),
    ]
    const before = state()
    await plan(page, 'Update', 'planning')
    writeFileSync(lock, '')
    await agree(page, 'Update')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    const said = await page.getByRole('dialog').getByRole('alert').textContent()
    expect(said).toMatch(/index\.lock/)
    rmSync(lock)
    expect(state()).toEqual(before)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('dialog').getByText('+New').waitFor()
    await agree(page, 'Update')
    await page.getByText('1 skill updated').waitFor()
    expect(readFileSync(installed, 'utf8')).toContain('New')
  })

  it('of two pages that act on one skill the second learns of it, and nothing is done twice', async () => {
    const other = await page.context().newPage()
    await plan(page, 'Remove', 'planning')
    await plan(other, 'Remove', 'planning')
    await agree(page, 'Remove')
    await page.getByText('1 copy removed.').waitFor()
    await agree(other, 'Remove')
    const dialog = other.getByRole('dialog')
    await dialog.getByText('something has changed since this was planned').waitFor()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('There is nothing to do.').waitFor()
    await other.close()
    expect(existsSync(installed)).toBe(false)
  })

  it('a server that is killed before a plan is agreed to does nothing, and the page says how to go on', async () => {
    await plan(page, 'Install', 'planning')
    const { port } = new URL(server.origin)
    server.child.kill('SIGKILL')
    await agree(page, 'Install')
    await page.getByRole('dialog').getByText('start loadout web again').waitFor()
    expect(existsSync(installed)).toBe(false)
    server = await startWeb(home, home, ['--port', port])
    await page.goto(server.address)
    await plan(page, 'Install', 'planning')
    await agree(page, 'Install')
    await page.getByText(/cop(y|ies) installed\./).waitFor()
    expect(readFileSync(installed, 'utf8')).toContain('New')
  })
})
