import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { printable } from '../../src/text/printable.ts'
import { type StartedBrowser, startBrowser } from '../browser.ts'
import { makeFolder, runLoadout } from '../cli/run.ts'
import { commitAll, connect, git, makeLibrary, write } from '../tui/machine.ts'
import { expectFits, type OpenPage, openWeb, showScreen } from './browser-world.ts'
import { send, startWeb, type WebServer } from './web-world.ts'

const SCRIPT = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
const STEERING = '\u202eright to left\u202c \u001b[31mred\u001b[0m \u2066\u0007'
const LONG = 'w'.repeat(1_000_000)

let started: StartedBrowser
const servers: WebServer[] = []
beforeAll(async () => {
  started = await startBrowser()
})
afterEach(() => {
  for (const server of servers.splice(0)) server.stop()
})
afterAll(() => started?.stop())

let opened: OpenPage | undefined

async function open(home: string, cwd = home): Promise<{ opened: OpenPage; page: Page; server: WebServer }> {
  const server = await startWeb(home, cwd)
  servers.push(server)
  if (opened === undefined) opened = await openWeb(started, server)
  else await showScreen(opened.page, '', server.address)
  await opened.page.setViewportSize({ width: 800, height: 800 })
  return { opened, page: opened.page, server }
}

describe('what others wrote stays inert', () => {
  it('names, titles, tasks and contents', async () => {
    const home = makeFolder()
    const library = makeLibrary(join(home, 'skills'), {
      bad: {
        description: `${SCRIPT} ${STEERING}`,
        tags: [SCRIPT.slice(0, 30)],
        body: `# ${SCRIPT}\n${STEERING}\n${LONG}\n`,
      },
    })
    connect(home, library)
    for (const [name, description] of [
      ['script', SCRIPT],
      ['steering', STEERING],
      ['long', LONG.slice(0, 60_000)],
    ]) {
      write(
        join(home, '.claude/skills', `${name}`, 'SKILL.md'),
        `---\nname: ${JSON.stringify(`${name} ${description}`.slice(0, 80))}\ndescription: ${JSON.stringify(description)}\n---\n`,
      )
    }
    writeFileSync(join(home, '.claude/skills/script/broken.md'), Buffer.from([0xff, 0xfe, 0x80, 0x3c]))
    const project = join(home, 'project')
    write(join(project, 'docs', 'order <b>bold</b>.md'), `# ${SCRIPT}\n\nAn order. ${STEERING}\n`)
    write(join(project, 'docs', 'long.md'), `# order\n\n${LONG} order\n`)
    writeFileSync(
      join(project, 'docs', 'broken.md'),
      Buffer.concat([Buffer.from('# order\n'), Buffer.from([0xc3, 0x28, 0xff])]),
    )
    git(project, 'init', '-q')
    commitAll(project, SCRIPT)
    const { opened, page, server } = await open(home, project)
    const paths = [
      '/skills?view=lists',
      `/skills?view=lists&filter=${encodeURIComponent(SCRIPT)}&without=${encodeURIComponent(SCRIPT)}`,
      '/skills?skill=bad',
      `/task?task=${encodeURIComponent(`order ${SCRIPT} ${STEERING}`)}`,
      '/?view=checks',
      `/${encodeURIComponent(SCRIPT)}`,
    ]
    for (const path of paths.slice(0, 5)) {
      await showScreen(page, server.origin, path)
      await expectFits(page)
      const injected = await page.evaluate<number>(`document.querySelectorAll('main img, main script, main b').length`)
      expect([path, injected, await page.evaluate('window.hacked')]).toEqual([path, 0, undefined])
      const shown = await page.evaluate<string>('document.body.innerText')
      expect(printable(shown)).toBe(shown)
    }
    await page.getByText('reading').waitFor({ state: 'detached' })
    expect(opened.trouble).toEqual([])
    expect((await send(server.origin, paths[5] ?? '', server)).status).toBe(404)
  })
})

describe('a machine that is not as it should be', () => {
  it('no library, no project, no agents', async () => {
    const { page, server } = await open(makeFolder())
    await showScreen(page, server.origin, '/skills')
    await page.getByRole('alert').getByText('there is no library yet').waitFor()
    await page.getByText('loadout add <owner/repo>').waitFor()
    await showScreen(page, server.origin, '/')
    await page.getByText('No agent was found on this machine.', { exact: true }).waitFor()
    await showScreen(page, server.origin, '/?view=checks&scope=project')
    await page.getByRole('alert').getByText('not started in a project').waitFor()
    await showScreen(page, server.origin, '/task?task=x&record=0000')
    await page.getByRole('alert').getByText('there is no record "0000"').waitFor()
  })

  it('a broken configuration is named, and mending it is enough', async () => {
    const home = makeFolder()
    connect(home, makeLibrary(join(home, 'skills')))
    const { page, server } = await open(home)
    const config = join(home, '.config/loadout/config.json')
    writeFileSync(config, '{ "repo_path": ')
    await showScreen(page, server.origin, '/skills')
    await page
      .getByRole('alert')
      .getByText(/config\.json/)
      .first()
      .waitFor()
    connect(home, join(home, 'skills'))
    await page.getByText('release-notes').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('a port that is taken, --json and a folder that is not there end before anything is served', async () => {
    const { server } = await open(makeFolder())
    const { port } = new URL(server.origin)
    const run = (...words: string[]) => runLoadout(['web', ...words], {})
    expect(run('--port', port)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`port ${port} is already in use`),
    })
    expect(run('--json')).toMatchObject({ code: 2, stderr: expect.stringContaining('--json') })
    expect(run('--project', 'nowhere')).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') })
  })

  it('ends when it is asked to, with pages open', async () => {
    const { server } = await open(makeFolder())
    const ended = new Promise((done) => server.child.once('exit', done))
    server.child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
