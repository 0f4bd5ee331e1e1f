// Draws docs/pictures/: screens of the real program in a pseudo-terminal, as SVG. The same bytes on every run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AUTHOR, CLI, commitAll, fillHome, git, write as writeFile } from '../test/tui/machine.ts'
import { Session, type Size } from '../test/tui/pty.ts'

const TEXT = '#d7dae0'
const GROUND = '#16181d'
const CELL = { width: 8.4, height: 18 }
const MARGIN = 14
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
  const rows = shown.split('\n').findIndex((line) => line.startsWith('The bundle, as a model gets it'))
  write('bundle', draw(tour, { ...PAPER, rows: rows - 1 }, 'A bundle with the reason for every part'))
  tour.dispose()
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
  write(name, draw(session, SCREEN, `The ${name} of the terminal interface`))
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

interface Run {
  column: number
  columns: number
  text: string
  colour: string
  isBold: boolean
  isInverse: boolean
}

function write(name: string, picture: string): void {
  writeFileSync(resolve(join('docs/pictures', `${name}.svg`)), picture)
}

/** Cells that look alike, side by side. */
function runsOf(session: Session, row: number, columns: number): Run[] {
  const line = session.terminal.buffer.active.getLine(row)
  const runs: Run[] = []
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const colour = cell.isFgRGB() ? `#${cell.getFgColor().toString(16).padStart(6, '0')}` : TEXT
    const look = { colour, isBold: cell.isBold() !== 0, isInverse: cell.isInverse() !== 0 }
    const last = runs.at(-1)
    const isSame = last?.colour === colour && last.isBold === look.isBold && last.isInverse === look.isInverse
    if (last !== undefined && isSame) {
      last.text += cell.getChars() || ' '
      last.columns += cell.getWidth()
    } else {
      runs.push({ column, columns: cell.getWidth(), text: cell.getChars() || ' ', ...look })
    }
  }
  return runs
}

function draw(session: Session, size: Size, label: string): string {
  const width = px(size.columns * CELL.width + 2 * MARGIN)
  const height = px(size.rows * CELL.height + 2 * MARGIN)
  const rows = Array.from({ length: size.rows }, (_, row) =>
    runsOf(session, row, size.columns)
      .map((run) => drawRun(run, row))
      .join(''),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${rows.filter((row) => row !== '').join('\n')}
</g>
</svg>
`
}

function drawRun({ column, columns, text, colour, isBold, isInverse }: Run, row: number): string {
  const [x, y] = [MARGIN + column * CELL.width, MARGIN + row * CELL.height]
  const width = px(columns * CELL.width)
  const ground = isInverse
    ? `<rect x="${px(x)}" y="${px(y)}" width="${width}" height="${CELL.height}" fill="${colour}"/>`
    : ''
  if (text.trim() === '') return ground
  const weight = isBold ? ' font-weight="bold"' : ''
  const fill = isInverse ? GROUND : colour
  const shown = escapeMarkup(normalise(text))
  return `${ground}<text x="${px(x)}" y="${px(y + 13.5)}" fill="${fill}"${weight} textLength="${width}" xml:space="preserve">${shown}</text>`
}

/** What differs from machine to machine, as wide as it was. */
function normalise(text: string): string {
  return text
    .replaceAll(HOME, SHOWN_HOME)
    .replace(/^version \d+(\.\d+)+/, (version) => 'version 2.50.1'.padEnd(version.length).slice(0, version.length))
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10)
}
