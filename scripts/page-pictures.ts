// Takes docs/pictures/web-*.png: screens of the real page in the browser that npm brings.
import { join } from 'node:path'
import { startBrowser } from '../test/browser.ts'
import { commitAll, git, write } from '../test/tui/machine.ts'
import { spawnWeb } from '../test/web/spawn-web.ts'

const TASK = 'a refund of a cancelled order fails'
const SIZE = { width: 1180, height: 720 }

const PICTURES = [
  ['web-agents', '/skills?view=lists', 'light', 'characters used'],
  ['web-bundle', `/task?task=${encodeURIComponent(TASK)}`, 'dark', 'digest'],
  ['web-skills', '/skills?skill=release-notes', 'light', 'Collect merged changes'],
] as const

/** `shown`: how the pictures name the home. */
export async function takePages(home: string, shown: string): Promise<void> {
  const project = fill(home)
  const server = await spawnWeb(home, project)
  const { browser, stop } = await startBrowser()
  try {
    const page = await browser.newPage({ viewport: SIZE, reducedMotion: 'reduce' })
    await page.goto(server.address)
    for (const [name, path, theme, text] of PICTURES) {
      await page.emulateMedia({ colorScheme: theme })
      await page.goto(server.origin + path)
      await page.getByText(text).first().waitFor()
      await page.getByRole('status').getByText('live').waitFor()
      await page.evaluate(rename(home, shown))
      await page.screenshot({ path: join('docs/pictures', `${name}.png`) })
    }
  } finally {
    await stop()
    server.stop()
  }
}

/** Skills that crowd a list, and a shop with orders and refunds. */
function fill(home: string): string {
  const kinds = [
    'invoice',
    'contract',
    'minutes',
    'survey',
    'roadmap',
    'budget',
    'playbook',
    'handbook',
    'glossary',
    'brief',
  ]
  for (const [at, kind] of kinds.entries()) {
    const description = `Writes and reviews a ${kind}: its parts, its tone and what must not be missing. Use when a ${kind} is asked for. `
    const text = `---\nname: ${kind}-writer\ndescription: ${description.repeat(1 + (at % 4))}\n---\n# ${kind}\n`
    write(join(home, '.claude/skills', `${kind}-writer`, 'SKILL.md'), text)
  }
  const project = join(home, 'shop')
  const files = {
    'AGENTS.md': '# Rules\n\nRun the tests before every commit.\n',
    'docs/orders.md':
      '# Orders\n\nA cancelled order can be refunded until it is sent.\n\n## Refunds\n\nA refund needs the number of its ticket. It is paid back the way it came.\n',
    'src/refunds.ts':
      'import { ordersOf } from "./orders"\n\nexport function refund(ticket: string, order: string) {\n  if (ordersOf(ticket).includes(order)) return pay(order)\n  throw new Error("no such order")\n}\n',
    'src/orders.ts': 'export function cancel(order: string) {\n  cancelled.add(order)\n}\n',
    '.claude/loadout/refunds.md':
      '---\nid: refunds\nkeywords: [refund, payment]\n---\n# Refunds\n\nA refund needs the number of its ticket.\n',
  }
  for (const [name, text] of Object.entries(files)) write(join(project, name), text)
  git(project, 'init', '-q')
  commitAll(project, 'Refund orders by their ticket')
  return project
}

/** Runs in the page. */
function rename(home: string, shown: string): string {
  return `(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      node.data = node.data.replaceAll(${JSON.stringify(home)}, ${JSON.stringify(shown)})
  })()`
}
