// Draws docs/pictures/: screens of the real program in a pseudo-terminal, as SVG, the same bytes on every run; and pages
// of it in a browser, as PNG.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AUTHOR, CLI, commitAll, fillHome, git, write as writeFile } from '../test/tui/machine.ts'
import { Session, type Size } from '../test/tui/pty.ts'
import { drawScreen } from './draw-screen.ts'
import { takePages } from './page-pictures.ts'

const SCREEN: Size = { columns: 92, rows: 22 }
const PAPER: Size = { columns: 80, rows: 120 }

type Picture = readonly [name: string, ...steps: [keys: string, shown: RegExp][]]

const PICTURES: readonly Picture[] = [
  ['inventory', ['/rel\r', /\/rel ─[\s\S]*1\. Collect merged/], ['\u001b', /Skills 5 ─[\s\S]*1\. Collect merged/]],
  ['import', ['i', /Import 3/], ['jj k', /Import 1 of 3[\s\S]*its copies differ/]],
  ['doctor', ['d', /Doctor: 2[\s\S]*to do: /]],
]

/** With skills of others, which both sides have changed. */
const OTHERS: readonly Picture[] = [
  ['update', ['U', /has news[\s\S]*\+/], ['*', /Update 2 of 2/]],
  ['merge', ['U', /has news[\s\S]*\+/], ['*', /Update 2 of 2/], ['\r', /Merges: 1 place/], ['k', /1 left/]],
]

// As wide as the home that the pictures show.
const HOME = '/tmp/youh'
const SHOWN_HOME = '/home/you'

mkdirSync(HOME)
try {
  fillHome(HOME)
  mkdirSync('docs/pictures', { recursive: true })
  for (const picture of PICTURES) await take(picture)
  importOthers(join(HOME, 'superskills'))
  for (const picture of OTHERS) await take(picture)
  const tour = new Session({ home: HOME, size: PAPER, env: { COLORTERM: 'truecolor' }, args: ['try'] })
  const shown = await tour.until('DONE 0')
  const rows = shown.split('\n').findIndex((line) => line.startsWith('This was a sample'))
  write(
    'bundle',
    drawScreen(tour.terminal, { ...PAPER, rows: rows - 1 }, 'A bundle with the reason for every part', normalise),
  )
  tour.dispose()
  await takePages(HOME, SHOWN_HOME)
} finally {
  rmSync(HOME, { recursive: true })
}

async function take([name, ...steps]: Picture): Promise<void> {
  const session = new Session({ home: HOME, size: SCREEN, env: { ...AUTHOR, COLORTERM: 'truecolor' } })
  await session.until(
    (screen) => /Skills \d/.test(screen) && /claude \d+%/.test(screen) && !screen.includes('reading…'),
  )
  for (const [keys, shown] of steps) {
    session.send(keys)
    await session.until(shown)
  }
  await session.quiet()
  write(name, drawScreen(session.terminal, SCREEN, `The ${name} of the terminal interface`, normalise))
  session.dispose()
}

function importOthers(source: string): void {
  const offer = (name: string, step: string) =>
    writeFile(
      join(source, 'skills', name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: How to begin with ${name}.\n---\n# ${name}\n\n1. Ask what is wanted\n2. ${step}\n3. Say what was left out\n`,
    )
  offer('brainstorming', 'Write ten ideas')
  offer('planning', 'Write down the steps')
  git(source, 'init', '-q')
  commitAll(source, 'Start')
  execFileSync(process.execPath, [CLI, 'import', source, '--all'], {
    cwd: HOME,
    env: { ...process.env, HOME, ...AUTHOR },
    stdio: 'ignore',
  })
  const own = join(HOME, 'skills', 'skills', 'planning', 'SKILL.md')
  writeFile(own, readFileSync(own, 'utf8').replace('Write down the steps', 'Write down the steps and their order'))
  commitAll(join(HOME, 'skills'), 'Order the steps')
  offer('brainstorming', 'Write ten ideas, then five more')
  offer('planning', 'Write down the steps and who takes them')
  commitAll(source, 'News')
}

function write(name: string, picture: string): void {
  writeFileSync(resolve(join('docs/pictures', `${name}.svg`)), picture)
}

/** What differs from machine to machine, as wide as it was. */
function normalise(text: string): string {
  return text
    .replaceAll(HOME, SHOWN_HOME)
    .replace(/^version \d+(\.\d+)+/, (version) => 'version 2.50.1'.padEnd(version.length).slice(0, version.length))
}
