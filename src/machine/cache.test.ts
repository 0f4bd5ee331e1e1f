import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type CacheKey, type Codec, signatureOf } from './cache.ts'
import { Machine } from './machine.ts'

const root = mkdtempSync(join(tmpdir(), 'loadout-cache-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let made = 0

/** A clock so far ahead that every file counts as settled, unless a test is about that. */
function makeMachine(ahead = 60_000): Machine {
  const home = join(root, String(++made))
  mkdirSync(home)
  return new Machine({ cwd: home, home, env: {}, now: () => new Date(Date.now() + ahead) })
}

const text: Codec<string> = {
  encode: (value) => new TextEncoder().encode(value),
  decode: (bytes) => new TextDecoder().decode(bytes),
}

/** The content of a file through the cache, and whether the file was read. */
function readThrough(machine: Machine, path: string, version = 1): { value: string; isHit: boolean } {
  let isHit = true
  const key = { kind: 'texts', version, ...signatureOf([path], machine.now()) }
  const value = machine.cache.keep(key, text, () => {
    isHit = false
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : 'nothing'
  })
  return { value, isHit }
}

function makeSource(machine: Machine, content = 'first'): string {
  const path = join(machine.home, 'source.txt')
  writeFileSync(path, content)
  return path
}

const folderOf = (machine: Machine) => join(machine.cacheFolder, 'texts')
const fileOf = (machine: Machine) => join(folderOf(machine), readdirSync(folderOf(machine))[0] ?? '')

describe('a cached value', () => {
  it('is built once while its source stays the same', () => {
    const machine = makeMachine()
    const path = makeSource(machine)
    expect(readThrough(machine, path)).toEqual({ value: 'first', isHit: false })
    expect(readThrough(machine, path)).toEqual({ value: 'first', isHit: true })
  })

  const keepTimes = (path: string, change: () => void) => {
    const { atime, mtime } = statSync(path)
    change()
    utimesSync(path, atime, mtime)
  }
  it.each<[string, (path: string) => void]>([
    ['has another content', (path) => writeFileSync(path, 'other content')],
    ['has as many other bytes and its old times', (path) => keepTimes(path, () => writeFileSync(path, 'other'))],
    ['has another mode', (path) => chmodSync(path, 0o600)],
    ['was replaced', (path) => [writeFileSync(`${path}.new`, 'third'), renameSync(`${path}.new`, path)]],
    ['is gone', (path) => rmSync(path)],
    ['is a folder', (path) => [rmSync(path), mkdirSync(path)]],
  ])('is built again when its source %s', (_, change) => {
    const machine = makeMachine()
    const path = makeSource(machine)
    readThrough(machine, path)
    change(path)
    expect(readThrough(machine, path).isHit).toBe(false)
    expect(readThrough(machine, path).isHit).toBe(true)
  })

  it('is not kept while its source could still change unseen', () => {
    const machine = makeMachine(0)
    const path = makeSource(machine)
    readThrough(machine, path)
    expect(existsSync(machine.cacheFolder)).toBe(false)
    utimesSync(path, 1, 1)
    readThrough(machine, path)
    expect(existsSync(machine.cacheFolder)).toBe(false)
  })

  it('is kept for a source that does not exist', () => {
    const machine = makeMachine()
    const path = join(machine.home, 'none')
    readThrough(machine, path)
    expect(readThrough(machine, path)).toEqual({ value: 'nothing', isHit: true })
    writeFileSync(path, 'there')
    expect(readThrough(machine, path)).toEqual({ value: 'there', isHit: false })
  })

  it('of another version is a miss, and is replaced', () => {
    const machine = makeMachine()
    const path = makeSource(machine)
    readThrough(machine, path, 1)
    expect(readThrough(machine, path, 2).isHit).toBe(false)
    expect(readThrough(machine, path, 2).isHit).toBe(true)
    expect(readdirSync(folderOf(machine))).toHaveLength(1)
  })

  it('that cannot be decoded is a miss', () => {
    const machine = makeMachine()
    const key: CacheKey = { kind: 'texts', version: 1, name: ['x'] }
    machine.cache.write(key, Buffer.from('{'))
    const json: Codec<unknown> = { encode: () => undefined, decode: (bytes) => JSON.parse(text.decode(bytes) ?? '') }
    expect(machine.cache.keep(key, json, () => 'built')).toBe('built')
  })

  it('starts where arrays of numbers can start', () => {
    const machine = makeMachine()
    const numbers = Float64Array.from([1.5, -2])
    for (const name of ['a', 'ab', 'abc']) {
      const key: CacheKey = { kind: 'numbers', version: 1, name: [name] }
      machine.cache.write(key, new Uint8Array(numbers.buffer))
      expect(machine.cache.read(key, ({ buffer }) => new Float64Array(buffer))).toEqual(numbers)
    }
  })

  it('can be read in parts', () => {
    const machine = makeMachine()
    const key: CacheKey = { kind: 'texts', version: 1, name: ['x'] }
    machine.cache.write(key, Buffer.from('0123456789'))
    const opened = machine.cache.open(key)
    expect(text.decode(opened?.read(3, 4) ?? new Uint8Array())).toBe('3456')
    expect(text.decode(opened?.read(8, 4) ?? new Uint8Array())).toBe('89')
    opened?.close()
  })

  it('has parts that start where arrays of numbers can start', () => {
    const machine = makeMachine()
    const numbers = Float64Array.from([1.5, -2])
    for (const length of [3, 100_000]) {
      const key: CacheKey = { kind: 'numbers', version: 1, name: [`${length}`] }
      machine.cache.write(key, Buffer.concat([Buffer.alloc(length), new Uint8Array(numbers.buffer)]))
      const opened = machine.cache.open(key)
      const part = opened?.read(length, 16) ?? new Uint8Array()
      expect(new Float64Array(part.buffer, part.byteOffset, 2)).toEqual(numbers)
      opened?.close()
    }
  })
})

describe('a file that is not what was stored is a miss', () => {
  const long = 'x'.repeat(5000)
  it.each<[string, (path: string, good: Buffer) => void]>([
    ['cut off', (path, good) => writeFileSync(path, good.subarray(0, good.length - 1))],
    ['cut off in its head', (path, good) => writeFileSync(path, good.subarray(0, 20))],
    ['longer', (path, good) => writeFileSync(path, Buffer.concat([good, Buffer.from('x')]))],
    [
      'with a changed byte',
      (path, good) => writeFileSync(path, Buffer.from(good).fill('y', good.length - 100, good.length - 99)),
    ],
    ['with a lost block', (path, good) => writeFileSync(path, Buffer.from(good).fill(0, good.length - 4096))],
    ['empty', (path) => writeFileSync(path, '')],
    ['garbage', (path) => writeFileSync(path, 'not a cache\n'.repeat(1000))],
    ['as long, of zeros', (path, good) => writeFileSync(path, Buffer.alloc(good.length))],
    ['a link in a circle', (path) => [rmSync(path), symlinkSync(path, path)]],
    ['a pipe', (path) => [rmSync(path), execFileSync('mkfifo', [path])]],
    ['unreadable', (path) => chmodSync(path, 0)],
  ])('%s', (what, damage) => {
    const machine = makeMachine()
    const path = makeSource(machine, long)
    readThrough(machine, path)
    const file = fileOf(machine)
    const good = readFileSync(file)
    damage(file, good)
    const isRoot = process.getuid?.() === 0
    expect(readThrough(machine, path)).toEqual({ value: long, isHit: what === 'unreadable' && isRoot })
    expect(readThrough(machine, path)).toEqual({ value: long, isHit: true })
  })

  it('a folder in its place, which stays', () => {
    const machine = makeMachine()
    const path = makeSource(machine)
    readThrough(machine, path)
    const file = fileOf(machine)
    rmSync(file)
    mkdirSync(join(file, 'sub'), { recursive: true })
    for (let time = 0; time < 2; time++) expect(readThrough(machine, path)).toEqual({ value: 'first', isHit: false })
    expect(readdirSync(folderOf(machine))).toHaveLength(1)
  })

  it('of another source under the same file name', () => {
    const machine = makeMachine()
    const path = makeSource(machine)
    readThrough(machine, path)
    const [mine, other] = [fileOf(machine), join(machine.home, 'other.txt')]
    writeFileSync(other, 'other')
    readThrough(machine, other)
    const [name = ''] = readdirSync(folderOf(machine)).filter((each) => join(folderOf(machine), each) !== mine)
    renameSync(join(folderOf(machine), name), mine)
    expect(readThrough(machine, path)).toEqual({ value: 'first', isHit: false })
  })
})

describe('the folder', () => {
  it.each<[string, (machine: Machine) => void]>([
    ['is a file', ({ home }) => writeFileSync(join(home, '.cache'), '')],
    [
      'is read-only',
      ({ home }) => {
        mkdirSync(join(home, '.cache'))
        chmodSync(join(home, '.cache'), 0o500)
      },
    ],
    ['leads to a device', ({ home }) => symlinkSync('/dev/null', join(home, '.cache'))],
  ])('that %s costs time and nothing else', (_, prepare) => {
    const machine = makeMachine()
    const path = makeSource(machine)
    prepare(machine)
    for (let time = 0; time < 2; time++) expect(readThrough(machine, path).value).toBe('first')
  })

  it('is private under any umask', () => {
    const machine = makeMachine()
    const path = makeSource(machine)
    const before = process.umask(0)
    try {
      readThrough(machine, path)
    } finally {
      process.umask(before)
    }
    const modes = [machine.cacheFolder, folderOf(machine), fileOf(machine)].map((each) => statSync(each).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o600])
  })

  it('keeps a bounded number of bytes, the newest', () => {
    const machine = makeMachine()
    mkdirSync(folderOf(machine), { recursive: true })
    // Files with holes take no room on the disk.
    for (const at of [1, 2, 3]) {
      const path = join(folderOf(machine), `0000000${at}`)
      writeFileSync(path, '')
      truncateSync(path, 100 * 1024 * 1024)
      utimesSync(path, at, at)
    }
    const key: CacheKey = { kind: 'texts', version: 1, name: ['new'] }
    machine.cache.write(key, Buffer.from('new'))
    expect(readdirSync(folderOf(machine))).not.toContain('00000001')
    expect(readdirSync(folderOf(machine))).toContain('00000003')
    expect(machine.cache.read(key, String)).toBe('new')
  })

  it('loses what killed writers left there, but not what one is writing', () => {
    const machine = makeMachine(0)
    // No process has a number beyond what Linux gives out.
    const [old, fresh] = ['00000000.99999999-aaaaaaaa.tmp', `00000000.${process.pid}-bbbbbbbb.tmp`]
    mkdirSync(folderOf(machine), { recursive: true })
    for (const folder of [folderOf(machine), machine.cacheFolder]) {
      for (const name of [old, fresh]) writeFileSync(join(folder, name), '')
    }
    machine.cache.write({ kind: 'texts', version: 1, name: ['x'] }, Buffer.from('x'))
    for (const names of [folderOf(machine), machine.cacheFolder].map((folder) => readdirSync(folder))) {
      expect(names).not.toContain(old)
      expect(names).toContain(fresh)
    }
  })
})

it('writers at the same time leave one whole value', async () => {
  const machine = makeMachine()
  const program = `
    import { Cache } from ${JSON.stringify(new URL('./cache.ts', import.meta.url).href)}
    const [folder, letter] = process.argv.slice(-2)
    const cache = new Cache(folder)
    const key = { kind: 'texts', version: 1, name: ['x'] }
    for (let at = 0; at < 50; at++) cache.write(key, Buffer.from(letter.repeat(20_000 + at)))
  `
  const { spawn } = await import('node:child_process')
  const writers = ['a', 'b', 'c'].map((letter) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, machine.cacheFolder, letter], {
      stdio: 'inherit',
    }),
  )
  let running = writers.length
  const codes: (number | null)[] = []
  for (const writer of writers) {
    writer.on('exit', (code) => {
      codes.push(code)
      running--
    })
  }
  const key: CacheKey = { kind: 'texts', version: 1, name: ['x'] }
  while (running > 0) {
    const value = machine.cache.read(key, (bytes) => Buffer.from(bytes).toString())
    if (value !== undefined) expect(value).toMatch(/^(a+|b+|c+)$/)
    await new Promise((done) => setTimeout(done, 2))
  }
  expect(codes).toEqual([0, 0, 0])
  expect(readdirSync(folderOf(machine))).toHaveLength(1)
  expect(machine.cache.read(key, (bytes) => bytes.length)).toBe(20_049)
})
