import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { fillHome } from './machine.ts'
import { open } from './open.ts'
import type { Size } from './pty.ts'

// UPDATE_GOLDEN=1 writes the screens again; read the difference before you commit it.
const isUpdating = process.env.UPDATE_GOLDEN === '1'

const NORMAL: Size = { columns: 80, rows: 24 }
const TO_THE_END = '\u0004\u0004'
const busy = makeFolder()
fillHome(busy)

const screens: [name: string, size: Size, ...steps: [keys: string, shown: string | RegExp][]][] = [
  ['inventory-80x24', NORMAL, ['/rel\r', /\/rel ─[\s\S]*1\. Collect merged/]],
  ['inventory-120x40', { columns: 120, rows: 40 }, ['', /Review an API[\s\S]+Review an API/]],
  ['inventory-40x10', { columns: 40, rows: 10 }, ['j', '▸ db-migrations']],
  ['details-40x10', { columns: 40, rows: 10 }, ['jl', 'tags database'], [TO_THE_END, 'One step at a time']],
  ['import', NORMAL, ['i', 'Import 3'], ['jj k', /Import 1 of 3[\s\S]*its copies differ/]],
  ['doctor', NORMAL, ['d', /Doctor: 2[\s\S]*to do: /]],
  ['help', NORMAL, ['?', 'Equip for Claude']],
  ['palette', NORMAL, [':impo', '▸ Import']],
]

it.each(screens)('%s', async (name, size, ...steps) => {
  const session = open({ home: busy, size })
  // The status line comes last: it is read when the list is there.
  const isWhole = (screen: string) =>
    /main|±/.test(screen) && screen.includes('Skills 5') && !screen.includes('reading…')
  await session.until(isWhole)
  for (const [keys, shown] of steps) {
    session.send(keys)
    // The text may have grown since the scroll: scroll to its end again.
    while (keys === TO_THE_END && !(await session.quiet()).includes(String(shown))) session.send(keys)
    await session.until(shown)
  }
  compare(name, await session.quiet())
})

it('setup', async () => {
  const session = open({ home: makeFolder(), size: NORMAL })
  await session.until('Make a new library')
  compare('setup', await session.quiet())
})

function compare(name: string, screen: string): void {
  const path = join(import.meta.dirname, 'golden', `${name}.txt`)
  const text = `${normalise(screen)}\n`
  if (isUpdating || !existsSync(path)) writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

/** Replaces what differs from run to run, with the same width. */
function normalise(screen: string): string {
  return screen
    .replace(/(loadout-test-)(\w{1,6})/g, (_, start: string, rest: string) => start + 'X'.repeat(rest.length))
    .replace(/\b[0-9a-f]{40}\b/g, '0'.repeat(40))
    .replace(/version \d+(\.\d+)+/, (version) => 'version x'.padEnd(version.length))
}
