import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect } from 'vitest'
import type { Run } from './run.ts'

/** What must hold for every run, whatever it was given. */
export function expectCivil({ code, stdout, stderr }: Run): void {
  expect.soft(code, 'it ends by itself with a documented code').toBeOneOf([0, 1, 2, 3])
  expect.soft(stdout + stderr, 'no stack trace').not.toMatch(/\n {4}at |node:internal|Node\.js v\d/)
  expect.soft(stderr, 'no defect of ours').not.toContain('This is a bug in Loadout')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  expect.soft(stdout + stderr, 'no control characters').not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  if (code === 2) expect.soft(stderr, 'what is wrong, then what to do').toMatch(/^error: .+\n {2}\S.*\n$/s)
}

/** The same for a run with --json: its output is one JSON value, whatever happened. */
export function expectCivilJson(run: Run): void {
  expectCivil(run)
  expect.soft(() => JSON.parse(run.stdout), `one JSON value, not ${run.stdout.slice(0, 80)}`).not.toThrow()
}

/** Every path below a folder with what it holds. Links are not followed. */
export function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort()
    .map((name) => {
      const stat = lstatSync(join(folder, name))
      if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(join(folder, name))}`
      return stat.isFile() ? `${name} ${readFileSync(join(folder, name), 'latin1')}` : name
    })
}
