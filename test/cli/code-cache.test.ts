import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'loadout-code-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The program as a person starts it, who must get an answer within seconds whatever the cache holds. */
function version(env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('dist/cli.cjs'), '--version'], {
    encoding: 'utf8',
    timeout: 100_000,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  })
  return { status, stdout, stderr }
}

const FINE = { status: 0, stdout: `${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`, stderr: '' }
const code = join(home, '.cache/loadout/code')
const found = () =>
  readdirSync(code, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

beforeEach(() => {
  rmSync(join(home, '.cache'), { recursive: true, force: true })
  // The second run leaves code.
  expect(version()).toEqual(FINE)
  expect(version()).toEqual(FINE)
})

describe('the cache of compiled code', () => {
  const DAMAGE: Record<string, (file: string) => void> = {
    'is a pipe': (file) => {
      rmSync(file)
      execFileSync('mkfifo', [file])
    },
    'is a device': (file) => {
      rmSync(file)
      symlinkSync('/dev/zero', file)
    },
    'is a folder': (file) => {
      rmSync(file)
      mkdirSync(file)
    },
    'is empty': (file) => writeFileSync(file, ''),
    'is cut short': (file) => writeFileSync(file, readFileSync(file).subarray(0, 1001)),
    'is noise': (file) => writeFileSync(file, Buffer.alloc(4096, 'noise')),
    'has changed bytes': (file) => {
      const bytes = readFileSync(file)
      for (let at = 200; at < bytes.length; at += 97) bytes[at] = (bytes[at] ?? 0) ^ 0xff
      writeFileSync(file, bytes)
    },
    'cannot be read': (file) => chmodSync(file, 0),
  }
  it.each(Object.keys(DAMAGE))('does no harm when a file of it %s', (name) => {
    const files = found()
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) DAMAGE[name]?.(file)
    expect(version()).toEqual(FINE)
  })

  it('is read again, and written once', () => {
    const before = found().map((file) => lstatSync(file).mtimeMs)
    version()
    expect(found().map((file) => lstatSync(file).mtimeMs)).toEqual(before)
  })

  it('is private under any umask, and not used when others can write to it', () => {
    rmSync(join(home, '.cache'), { recursive: true })
    const open = `umask 000; exec '${process.execPath}' '${resolve('dist/cli.cjs')}' --version`
    spawnSync('sh', ['-c', open], { env: { PATH: process.env.PATH, HOME: home } })
    const [build = ''] = readdirSync(code)
    expect(lstatSync(join(code, build)).mode & 0o777).toBe(0o700)
    for (const file of found()) rmSync(file)
    chmodSync(join(code, build), 0o777)
    expect(version()).toEqual(FINE)
    expect(found()).toEqual([])
  })

  it('removes what other builds left, and nothing else', () => {
    const [build = ''] = readdirSync(code)
    rmSync(join(code, build), { recursive: true })
    mkdirSync(join(code, '0123456789abcdef'))
    writeFileSync(join(code, 'notes'), 'kept')
    version()
    expect(readdirSync(code).sort()).toEqual([build, 'notes'].sort())
  })

  it.each(['/dev/null', 'relative', '/proc/nowhere'])('is not needed: home %s', (place) => {
    expect(version({ HOME: place })).toEqual(FINE)
  })
})

it('LOADOUT_DEBUG shows the lines of the source', () => {
  const broken = join(home, 'broken.cjs')
  writeFileSync(broken, "JSON.stringify = () => { throw new TypeError('broken') }")
  const run = spawnSync(process.execPath, ['-r', broken, resolve('dist/cli.cjs'), '--version', '--json'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home, LOADOUT_DEBUG: '1' },
  })
  expect(run.stderr).toMatch(/src\/cli\/main\.ts:\d+:\d+/)
})
