import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ArchiveEntry, putInPlace, unpackArchive, writeArchive } from '../../src/skills/disk/archive.ts'
import { LoadoutError } from '../../src/text/trouble.ts'
import { aPipe, makeFolder } from '../cli/run.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const LONG = `${'long-folder-name/'.repeat(9)}${'n'.repeat(120)}`
const LONGER = `${'longer-folder-name/'.repeat(20)}${'f'.repeat(200)}.md`
const UNICODE = 'caf\u00e9/\u65e5\u672c\u8a9e \ud83d\ude00.md'

const text = (path: string, content = path, isExecutable = false): ArchiveEntry => {
  return { path, isExecutable, content: { text: content } }
}

const fileEntry = (path: string, file: string, isExecutable = false): ArchiveEntry => {
  return { path, isExecutable, content: { file } }
}

async function pack(entries: readonly ArchiveEntry[]): Promise<string> {
  const target = join(makeFolder(), 'a.tar.gz')
  await writeArchive(entries, target)
  return target
}

async function failureOf(promise: Promise<unknown>): Promise<LoadoutError> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  )
  if (error instanceof LoadoutError) return error
  throw new Error('expected a LoadoutError', { cause: error })
}

/** One block of a tar: made by hand, so that anything can stand in it. */
function header(name: string, kind = '0', size = 0, mode = '0000644'): Buffer {
  const block = Buffer.alloc(512)
  block.write(name, 0, 100)
  block.write(mode, 100)
  block.write('0000000', 108)
  block.write('0000000', 116)
  block.write(size.toString(8).padStart(11, '0'), 124)
  block.write('00000000000', 136)
  block.write(kind, 156)
  if (kind === '1' || kind === '2') block.write('/etc/passwd', 157)
  block.write('ustar\x0000', 257)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 511)])
}

function entry(name: string, content = '', kind = '0'): Buffer {
  return Buffer.concat([header(name, kind, content.length), padded(Buffer.from(content))])
}

/** An extended header with one record. */
function extended(key: string, value: string, kind = 'x'): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  const length = rest + String(rest + String(rest).length).length
  const record = Buffer.from(`${length} ${key}=${value}\n`)
  return Buffer.concat([header('extended', kind, record.length), padded(record)])
}

const END = Buffer.alloc(1024)

function archiveOf(...parts: Buffer[]): string {
  return fileOf(gzipSync(Buffer.concat([...parts, END])))
}

function fileOf(bytes: Uint8Array): string {
  const file = join(makeFolder(), 'hostile.tar.gz')
  writeFileSync(file, bytes)
  return file
}

/** Refused, with the folder empty and nothing beside it. */
async function refusalOf(file: string, limits?: { entries: number; bytes: number }): Promise<LoadoutError> {
  const home = makeFolder()
  const folder = join(home, 'deep', 'folder')
  mkdirSync(folder, { recursive: true })
  const error = await failureOf(unpackArchive(file, folder, limits))
  expect(readdirSync(folder)).toEqual([])
  expect(readdirSync(join(home, 'deep'))).toEqual(['folder'])
  expect(readdirSync(home)).toEqual(['deep'])
  expect(error.hint).toBeTruthy()
  return error
}

/** Runs a script that has `writeArchive` and `unpackArchive` in a process of its own. */
function runScript(script: string, args: readonly string[], prefix = ''): { code: number | null; out: string } {
  const source = `import { unpackArchive, writeArchive } from '${ROOT}/src/skills/disk/archive.ts'
    const [,...args] = process.argv
    ${script}`
  const file = join(makeFolder(), 'script.mts')
  writeFileSync(file, source)
  const command = `${prefix} exec "$0" --max-old-space-size=64 --import tsx "$@"`
  const run = spawnSync('bash', ['-c', command, process.execPath, file, ...args], { cwd: ROOT, encoding: 'utf8' })
  return { code: run.status, out: run.stdout + run.stderr }
}

describe('packing', () => {
  it('gives the same bytes whatever the order, times, permissions and umask', () => {
    const make = (names: readonly string[], time: number, mode: number, umask: string) => {
      const folder = makeFolder()
      for (const name of names) {
        writeFileSync(join(folder, name), `content of ${name}`)
        chmodSync(join(folder, name), mode)
        utimesSync(join(folder, name), time, time)
      }
      const target = join(folder, 'out.tar.gz')
      const files = names.map((name) => fileEntry(`s/${name}`, join(folder, name), name === 'b'))
      const entries = JSON.stringify([...files, text('\u00e9')])
      const script = 'await writeArchive(JSON.parse(args[1]), args[2])'
      expect(runScript(script, [entries, target], `umask ${umask};`)).toEqual({ code: 0, out: '' })
      return readFileSync(target)
    }
    const first = make(['a', 'b', 'c'], 1_000_000, 0o600, '022')
    expect(make(['c', 'a', 'b'], 1_700_000_000, 0o755, '077')).toEqual(first)
  })

  it('writes the same header on every system, and one fixed archive', async () => {
    const bytes = readFileSync(await pack([text('b/x', 'hello', true), text('a')]))
    expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
    const tar = gunzipSync(bytes)
    const names = [0, 1024, 1536].map((at) => tar.toString('latin1', at, at + 100).replaceAll('\0', ''))
    expect(names).toEqual(['a', 'b/', 'b/x'])
    expect(createHash('sha256').update(tar).digest('hex')).toBe(EXPECTED_TAR)
  })

  it('sorts by code units, parents first', async () => {
    const file = await pack(['a/z', 'a-b', 'B', 'a/b/c', '\u00e9', '\uff5e', '\ud83d\ude00'].map((path) => text(path)))
    const list = spawnSync('tar', ['--quoting-style=literal', '-tzf', file], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    const wanted = ['B', 'a/', 'a-b', 'a/b/', 'a/b/c', 'a/z', '\u00e9', '\ud83d\ude00', '\uff5e']
    expect(list.stdout.trim().split('\n')).toEqual(wanted)
  })

  it('does not touch what exists, not even a link that leads nowhere', async () => {
    const folder = makeFolder()
    const target = join(folder, 'a.tar.gz')
    writeFileSync(target, 'mine')
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link.tar.gz'))
    for (const name of ['a.tar.gz', 'link.tar.gz']) {
      const error = await failureOf(writeArchive([text('a')], join(folder, name)))
      expect([error.code, error.message]).toEqual(['FILE_EXISTS', `${join(folder, name)} already exists`])
    }
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(readdirSync(folder).sort()).toEqual(['a.tar.gz', 'link.tar.gz'])
  })

  it('lets one of many at the same time win', async () => {
    const folder = makeFolder()
    const target = join(folder, 'a.tar.gz')
    const tries = Array.from({ length: 8 }, (_, at) => writeArchive([text('a', String(at))], target))
    const results = await Promise.allSettled(tries)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(readdirSync(folder)).toEqual(['a.tar.gz'])
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    const out = makeFolder()
    await unpackArchive(target, out)
    expect(readFileSync(join(out, 'a'), 'utf8')).toBe(String(winner))
  })

  it('works without hard links, and still never overwrites', () => {
    const folder = makeFolder()
    const [stage, target] = [join(folder, 'stage'), join(folder, 'target')]
    const noLinks = () => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
    }
    writeFileSync(stage, 'one')
    putInPlace(stage, target, noLinks)
    expect([readFileSync(target, 'utf8'), existsSync(stage)]).toEqual(['one', false])
    writeFileSync(stage, 'two')
    expect(() => putInPlace(stage, target, noLinks)).toThrow('already exists')
    expect(() => putInPlace(stage, target)).toThrow('already exists')
    expect(readFileSync(target, 'utf8')).toBe('one')
    expect(() => putInPlace(join(folder, 'missing'), join(folder, 'new'), noLinks)).toThrow('ENOENT')
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })

  const sources: [string, string, (path: string) => void][] = [
    ['FILE_NOT_FOUND', 'a missing file', () => undefined],
    ['NOT_A_FILE', 'a folder', (path) => mkdirSync(path)],
    ['NOT_A_FILE', 'a link', (path) => symlinkSync('/etc/passwd', path)],
    ['NOT_A_FILE', 'a pipe', aPipe],
  ]
  it.each(sources)('leaves nothing behind: %s for %s', async (code, _, make) => {
    const [folder, source] = [makeFolder(), join(makeFolder(), 'source')]
    make(source)
    const entries = [text('a', 'x'.repeat(1_000_000)), fileEntry('b', source)]
    const error = await failureOf(writeArchive(entries, join(folder, 'a.tar.gz')))
    expect([error.code, error.message.includes(source)]).toEqual([code, true])
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves nothing behind when the place is full', () => {
    const [folder, source] = [makeFolder(), join(makeFolder(), 'source')]
    writeFileSync(source, randomBytes(20_000_000))
    const script = `await writeArchive([{ path: 'a', isExecutable: false, content: { file: args[1] } }], args[2])
      .catch((error) => console.log(error.code, error.message))`
    const { out } = runScript(script, [source, join(folder, 'a.tar.gz')], 'ulimit -f 1000;')
    expect(out).toContain(`WRITE_FAILED ${join(folder, 'a.tar.gz')} could not be written`)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says that the folder of the target does not exist', async () => {
    const error = await failureOf(writeArchive([text('a')], join(makeFolder(), 'missing', 'a.tar.gz')))
    expect([error.code, error.message.includes('its folder does not exist')]).toEqual(['WRITE_FAILED', true])
  })

  it.each([
    ['PATH_ESCAPE', ['../a']],
    ['PATH_ESCAPE', ['/a']],
    ['BAD_NAME', ['a\ud800']],
    ['BAD_ARCHIVE', ['a', 'a']],
    ['BAD_ARCHIVE', ['a', 'a/b']],
    ['BAD_ARCHIVE', ['a/b', './a']],
  ])('refuses what it could not unpack again: %s for %j', async (code, paths) => {
    const folder = makeFolder()
    const error = await failureOf(
      writeArchive(
        paths.map((path) => text(path)),
        join(folder, 'a.tar.gz'),
      ),
    )
    expect([error.code, readdirSync(folder)]).toEqual([code, []])
  })

  it('refuses more content than it would unpack', async () => {
    const [folder, source] = [makeFolder(), join(makeFolder(), 'sparse')]
    closeSync(openSync(source, 'w'))
    truncateSync(source, 1024 ** 3 + 1)
    const entries = [fileEntry('a', source)]
    expect((await failureOf(writeArchive(entries, join(folder, 'a.tar.gz')))).code).toBe('FILE_TOO_LARGE')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a round trip', () => {
  const binary = randomBytes(300_001)
  const contents: Record<string, string> = {
    empty: '',
    'bin/run.sh': '#!/bin/sh\n',
    [LONG]: 'long',
    [LONGER]: 'longer',
    [UNICODE]: 'unicode',
    '\ufeffmark': 'mark',
    'deep/\ufeffmark': 'mark',
    'line\nbreak': 'line',
    [`${'\u00e9'.repeat(99)}/${'\u00e9'.repeat(99)}/x`]: 'wide',
    ['a'.repeat(99)]: '99',
    ['a'.repeat(100)]: '100',
    ['a'.repeat(101)]: '101',
    [`${'d'.repeat(99)}/f`]: 'slash at 100',
    [`${'e'.repeat(100)}/f`]: 'slash at 101',
  }
  const paths = [...Object.keys(contents), 'binary'].sort((a, b) => (a < b ? -1 : 1))

  async function packAll(): Promise<string> {
    const source = join(makeFolder(), 'source')
    writeFileSync(source, binary)
    const texts = Object.entries(contents).map(([path, content]) => text(path, content, path === 'bin/run.sh'))
    return pack([...texts, fileEntry('binary', source)])
  }

  function expectAll(folder: string): void {
    for (const [path, content] of Object.entries(contents))
      expect(readFileSync(join(folder, path), 'utf8')).toBe(content)
    expect(readFileSync(join(folder, 'binary')).equals(binary)).toBe(true)
    expect(statSync(join(folder, 'bin/run.sh')).mode & 0o111).not.toBe(0)
    expect(statSync(join(folder, 'binary')).mode & 0o111).toBe(0)
  }

  it('keeps names, bytes and executable bits', async () => {
    const folder = makeFolder()
    expect(await unpackArchive(await packAll(), folder)).toEqual(paths)
    expectAll(folder)
  })

  it('is understood by tar', async () => {
    const [file, folder] = [await packAll(), makeFolder()]
    const list = spawnSync('tar', ['--utc', '--full-time', '-tzvf', file], { encoding: 'utf8' })
    expect([list.status, list.stderr]).toEqual([0, ''])
    expect(list.stdout).toMatch(/^-rwxr-xr-x 0\/0 +10 1970-01-01 00:00:00 bin\/run\.sh$/m)
    expect(list.stdout).toMatch(/^-rw-r--r-- 0\/0 +300001 1970-01-01 00:00:00 binary$/m)
    expect(list.stdout).toMatch(/^drwxr-xr-x 0\/0 +0 1970-01-01 00:00:00 bin\/$/m)
    expect(spawnSync('tar', ['-xzf', file, '-C', folder]).status).toBe(0)
    expectAll(folder)
  })

  it.each(['gnu', 'pax', 'ustar', 'v7', 'oldgnu'])('unpacks what tar packs as %s', async (format) => {
    const [source, folder] = [makeFolder(), makeFolder()]
    const names = ['a', `${'d'.repeat(60)}/b`, ...(format === 'gnu' || format === 'pax' ? [LONG, LONGER, UNICODE] : [])]
    for (const name of names) {
      mkdirSync(dirname(join(source, name)), { recursive: true })
      writeFileSync(join(source, name), name)
    }
    mkdirSync(join(source, 'nothing'))
    const file = join(makeFolder(), 'a.tgz')
    expect(spawnSync('tar', ['-czf', file, `--format=${format}`, '-C', source, '.']).status).toBe(0)
    expect(await unpackArchive(file, folder)).toEqual([...names].sort())
    for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe(name)
    expect(statSync(join(folder, 'nothing')).isDirectory()).toBe(true)
  })

  it('keeps nothing of the mode but the executable bit', async () => {
    const folder = makeFolder()
    await unpackArchive(
      archiveOf(header('s', '0', 0, '0006777'), header('d/', '5', 0, '0001000'), header('d/f')),
      folder,
    )
    const umask = process.umask()
    expect(statSync(join(folder, 's')).mode & 0o7777).toBe(0o777 & ~umask)
    expect(statSync(join(folder, 'd')).mode & 0o7777).toBe(0o777 & ~umask)
    expect(statSync(join(folder, 'd/f')).mode & 0o7777).toBe(0o666 & ~umask)
  })

  it('holds little of a large file in memory', () => {
    const [source, folder] = [makeFolder(), makeFolder()]
    const file = openSync(join(source, 'large'), 'w')
    const piece = randomBytes(1_000_000)
    for (let at = 0; at < 100; at++) writeSync(file, piece)
    closeSync(file)
    const script = `
      const peak = () => process.resourceUsage().maxRSS / 1024
      const before = peak()
      await writeArchive([{ path: 'large', isExecutable: false, content: { file: args[1] } }], args[2])
      await unpackArchive(args[2], args[3])
      console.log(JSON.stringify({ grown: peak() - before }))`
    const { out } = runScript(script, [join(source, 'large'), join(source, 'a.tar.gz'), folder])
    expect(JSON.parse(out).grown).toBeLessThan(80)
    expect(readFileSync(join(folder, 'large')).equals(readFileSync(join(source, 'large')))).toBe(true)
  })
})

describe('what is not unpacked', () => {
  const hostile: [string, string, Buffer[]][] = [
    ['PATH_ESCAPE', '/absolute', [entry('/absolute', 'x')]],
    ['PATH_ESCAPE', '../out', [entry('../out', 'x')]],
    ['PATH_ESCAPE', '../../out', [entry('ok', 'x'), entry('../../out', 'x')]],
    ['PATH_ESCAPE', 'a/../b', [entry('a/../b', 'x')]],
    ['PATH_ESCAPE', 'a/..', [header('a/..', '5')]],
    ['PATH_ESCAPE', '../', [header('../', '5')]],
    ['PATH_ESCAPE', 'a\\b', [entry('a\\b', 'x')]],
    ['PATH_ESCAPE', 'C:/a', [entry('C:/a', 'x')]],
    ['PATH_ESCAPE', '../long', [extended('path', '../long'), entry('fine', 'x')]],
    ['PATH_ESCAPE', '../global', [extended('path', '../global', 'g'), entry('fine', 'x')]],
    ['PATH_ESCAPE', '../gnu', [entry('././@LongLink', '../gnu\0', 'L'), entry('fine', 'x')]],
    ['PATH_ESCAPE', 'NUL', [extended('path', 'a\0b'), entry('fine', 'x')]],
    ['PATH_ESCAPE', 'empty', [header('')]],
    ['NOT_A_FILE', 'link', [header('link', '2')]],
    ['BAD_ARCHIVE', 'link', [header('link', '2'), entry('link/file', 'x')]],
    ['NOT_A_FILE', 'hard', [header('hard', '1')]],
    ['NOT_A_FILE', 'tty', [header('tty', '3')]],
    ['NOT_A_FILE', 'disk', [header('disk', '4')]],
    ['NOT_A_FILE', 'pipe', [header('pipe', '6')]],
    ['BAD_ARCHIVE', 'twice', [entry('twice', 'x'), entry('twice', 'y')]],
    ['BAD_ARCHIVE', 'twice', [entry('twice', 'x'), entry('./twice', 'y')]],
    ['BAD_ARCHIVE', 'twice', [entry('twice/', '', '5'), entry('twice//', '', '5')]],
    ['BAD_ARCHIVE', 'both', [entry('both', 'x'), entry('both/file', 'y')]],
    ['BAD_ARCHIVE', 'both', [entry('both/deep/file', 'y'), entry('both', 'x')]],
    ['BAD_ARCHIVE', 'both', [entry('both', 'x'), header('both/', '5')]],
    ['BAD_ARCHIVE', 'both', [header('both/', '5'), entry('both', 'x')]],
    ['BAD_ARCHIVE', '. appears', [entry('.', 'x')]],
    ['BAD_ARCHIVE', 'sparse', [entry('ok', 'x'), entry('sparse', 'x', 'S')]],
    ['BAD_ARCHIVE', 'label', [header('label', 'V')]],
    ['BAD_ARCHIVE', 'fine', [extended('GNU.sparse.major', '1'), entry('fine', 'x')]],
    ['BAD_ARCHIVE', 'fine', [extended('size', '1'), entry('fine', 'x')]],
    ['BAD_NAME', '\ufffd', [withBadByte(header('a'))]],
    ['BAD_NAME', 'too long', [extended('path', 'a/'.repeat(3000)), entry('fine', 'x')]],
  ]

  it.each(hostile)('%s: %s', async (code, part, parts) => {
    const error = await refusalOf(archiveOf(...parts))
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(part)])
  })

  it.each(['sparse', 'hard links'])('what tar makes of %s', async (what) => {
    const source = makeFolder()
    writeFileSync(join(source, 'file'), 'x')
    if (what === 'sparse') truncateSync(join(source, 'file'), 10_000_000)
    else linkSync(join(source, 'file'), join(source, 'other'))
    const file = join(makeFolder(), 'a.tgz')
    expect(spawnSync('tar', ['-S', '-czf', file, '-C', source, '.']).status).toBe(0)
    expect((await refusalOf(file)).code).toBe(what === 'sparse' ? 'BAD_ARCHIVE' : 'NOT_A_FILE')
  })

  it('too many entries, also folders that only paths name', async () => {
    const limits = { entries: 5, bytes: 1000 }
    const files = (count: number) => Array.from({ length: count }, (_, at) => entry(`f${at}`))
    expect(await unpackArchive(archiveOf(...files(5)), makeFolder(), limits)).toHaveLength(5)
    for (const file of [
      archiveOf(...files(6)),
      archiveOf(entry('a/b/c/d/e/f')),
      archiveOf(...Array(6).fill(header('./', '5'))),
    ]) {
      const error = await refusalOf(file, limits)
      expect([error.code, error.message]).toEqual(['BAD_ARCHIVE', `${file} contains more than 5 entries`])
    }
    // One folder again and again: twenty thousand on the disk would show nothing more.
    const many = gzipSync(Buffer.concat([...Array(20_001).fill(header('./', '5')), END]))
    expect((await refusalOf(fileOf(many))).message).toContain('more than 20000 entries')
  })

  it('too much content', async () => {
    const limits = { entries: 5, bytes: 1000 }
    const file = archiveOf(entry('a', 'x'.repeat(600)), entry('b', 'y'.repeat(401)))
    expect((await refusalOf(file, limits)).message).toBe(`${file} contains more than 1000 bytes`)
    expect(await unpackArchive(archiveOf(entry('a', 'x'.repeat(1000))), makeFolder(), limits)).toEqual(['a'])
  })

  it('a small file that would fill the disk', async () => {
    const claim = gzipSync(Buffer.concat([header('big', '0', 1024 ** 3 + 1), Buffer.alloc(1_000_000)]))
    expect((await refusalOf(fileOf(claim))).message).toContain('more than 1073741824 bytes')
    const zeros = gzipSync(Buffer.concat([entry('a', 'x'), END, Buffer.alloc(4_000_000)]))
    expect((await refusalOf(fileOf(zeros), { entries: 5, bytes: 1000 })).message).toContain('more than 1000 bytes')
    const hidden = gzipSync(Buffer.concat([header('a/', '0', 4_000_000), Buffer.alloc(4_000_256), END]))
    expect((await refusalOf(fileOf(hidden), { entries: 5, bytes: 1000 })).message).toContain('more than 1000 bytes')
  })

  it('an archive cut short anywhere', async () => {
    const bytes = readFileSync(await pack([text('a', randomBytes(3000).toString('hex')), text('b')]))
    for (let length = 2; length < bytes.length; length += 97) {
      expect((await refusalOf(fileOf(bytes.subarray(0, length)))).code).toBe('BAD_ARCHIVE')
    }
    expect((await refusalOf(fileOf(bytes.subarray(0, -1)))).code).toBe('BAD_ARCHIVE')
    const tar = gunzipSync(bytes)
    for (let length = 0; length < tar.length - 512; length += 256) {
      const error = await refusalOf(fileOf(gzipSync(tar.subarray(0, length))))
      expect([error.code, error.message]).toEqual(['BAD_ARCHIVE', expect.stringContaining('truncated')])
    }
  })

  it('an archive with a changed byte', async () => {
    const bytes = readFileSync(await pack([text('a', randomBytes(3000).toString('hex')), text('b')]))
    for (let at = 10; at < bytes.length; at += 61) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0xff
      expect((await refusalOf(fileOf(changed))).code).toBe('BAD_ARCHIVE')
    }
    const tar = gunzipSync(bytes)
    tar[10] = 65
    expect((await refusalOf(fileOf(gzipSync(tar)))).message).toContain('checksum')
  })

  it.each([
    ['nothing', ''],
    ['text', 'hello, world'],
    ['one byte', '\x1f'],
    ['a plain tar', Buffer.concat([entry('a', 'x'), END]).toString('latin1')],
    ['a zip', 'PK\x03\x04'],
  ])('a file that is not gzip: %s', async (_, content) => {
    const file = fileOf(Buffer.from(content, 'latin1'))
    const error = await refusalOf(file)
    expect([error.code, error.message]).toEqual(['BAD_ARCHIVE', `${file} is not a .tar.gz archive`])
  })

  it('gzip that is not a tar', async () => {
    expect((await refusalOf(fileOf(gzipSync('hello, world')))).code).toBe('BAD_ARCHIVE')
    expect((await refusalOf(fileOf(gzipSync('hello, world'.repeat(1000))))).code).toBe('BAD_ARCHIVE')
  })

  it('a file that is missing, a folder, or a pipe', async () => {
    const folder = makeFolder()
    aPipe(join(folder, 'pipe'))
    expect((await refusalOf(join(folder, 'missing'))).code).toBe('FILE_NOT_FOUND')
    expect((await refusalOf(folder)).code).toBe('NOT_A_FILE')
    expect((await refusalOf(join(folder, 'pipe'))).code).toBe('NOT_A_FILE')
  })

  it('into a folder that has something in it or does not exist', async () => {
    const [file, folder] = [await pack([text('a')]), makeFolder()]
    writeFileSync(join(folder, 'mine'), 'mine')
    expect((await failureOf(unpackArchive(file, folder))).code).toBe('FILE_EXISTS')
    expect(readdirSync(folder)).toEqual(['mine'])
    renameSync(join(folder, 'mine'), join(folder, 'yours'))
    expect((await failureOf(unpackArchive(file, join(folder, 'missing')))).code).toBe('FILE_NOT_FOUND')
  })

  it('when the place is full', async () => {
    const [source, folder] = [join(makeFolder(), 'source'), makeFolder()]
    writeFileSync(source, Buffer.alloc(20_000_000))
    const file = await pack([text('a'), fileEntry('b/c', source)])
    const script = `await unpackArchive(args[1], args[2]).catch((error) => console.log(error.code, error.message))`
    expect(runScript(script, [file, folder], 'ulimit -f 1000;').out).toContain('WRITE_FAILED')
    expect(readdirSync(folder)).toEqual([])
  })
})

/** The same header with a name that is not UTF-8. */
function withBadByte(block: Buffer): Buffer {
  const changed = Buffer.from(block)
  changed[0] = 0xff
  const sum = changed.fill(' ', 148, 156).reduce((total, byte) => total + byte, 0)
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return changed
}

// The tar of `a` and the executable `b/x`: a change here is a change for everyone who compares archives.
const EXPECTED_TAR = '23ab96121c68afe0e61da7fdaf9b1c1a94687a34d089f1c40d7e873d43352d20'

/** A zip of stored entries, made by hand, so that anything can stand in it. */
function zipOf(entries: readonly { name: string; text: string; mode?: number; claims?: number }[]): string {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, text: content, mode = 0o100644, claims } of entries) {
    const body = deflateRawSync(content)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(body.length, 14)
    shared.writeUInt32LE(claims ?? content.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), body])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), shared, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const size = central.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  const file = join(makeFolder(), 'a.zip')
  writeFileSync(file, Buffer.concat([...locals, ...central, end]))
  return file
}

describe('a zip file', () => {
  it('is unpacked with its folders, executable bits and links inside', async () => {
    const folder = makeFolder()
    const file = zipOf([
      { name: 'pdf/', text: '', mode: 0o040755 },
      { name: 'pdf/SKILL.md', text: '# PDF\n' },
      { name: 'pdf/scripts/run.sh', text: 'true\n', mode: 0o100755 },
      { name: 'pdf/CLAUDE.md', text: 'SKILL.md', mode: 0o120777 },
    ])
    expect(await unpackArchive(file, folder)).toEqual(['pdf/CLAUDE.md', 'pdf/SKILL.md', 'pdf/scripts/run.sh'])
    expect(readFileSync(join(folder, 'pdf/CLAUDE.md'), 'utf8')).toBe('# PDF\n')
    expect(statSync(join(folder, 'pdf/scripts/run.sh')).mode & 0o111).not.toBe(0)
  })

  it.each([
    ['a path that leaves it', [{ name: '../evil', text: 'x' }], 'invalid relative path'],
    ['an absolute path', [{ name: '/etc/evil', text: 'x' }], 'absolute path'],
    ['a link that leaves it', [{ name: 'a', text: '/etc/passwd', mode: 0o120777 }], 'symbolic link'],
    ['a device', [{ name: 'a', text: '', mode: 0o020666 }], 'is a device'],
    ['the same path twice', [1, 2].map(() => ({ name: 'a', text: 'x' })), 'appears twice'],
    ['less in its header than it unpacks to', [{ name: 'a', text: 'x'.repeat(5000), claims: 10 }], 'too many bytes'],
    ['more than fits', [{ name: 'a', text: 'x', claims: 1024 ** 3 + 1 }], 'contains more than'],
  ])('with %s is refused, and nothing is left', async (_, entries, problem) => {
    const folder = makeFolder()
    expect((await failureOf(unpackArchive(zipOf(entries), folder))).message).toContain(problem)
    expect(readdirSync(folder)).toEqual([])
  })

  it('that is cut short is refused', async () => {
    const file = zipOf([{ name: 'a', text: 'x' }])
    truncateSync(file, 20)
    expect((await failureOf(unpackArchive(file, makeFolder()))).code).toBe('BAD_ARCHIVE')
  })
})
