import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { recover, workFolderIn } from '../change/transaction.ts'
import { writeArchive } from '../skills/disk/archive.ts'
import { isOrphaned, makeScratch, ownedName, removeOrphans } from './leftovers.ts'
import { acquireLock, tryLock } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'leftovers-'))
afterAll(() => rmSync(folder, { recursive: true }))

// Higher than any process number can be.
const DEAD = '99999999-0a0b0c0d'

function make(path: string, content?: string): string {
  mkdirSync(content === undefined ? path : dirname(path), { recursive: true })
  if (content !== undefined) writeFileSync(path, content)
  return path
}

describe('a name with its process', () => {
  it.each([
    [`config.${DEAD}`, true],
    [`.s.tar.gz.${DEAD}.tmp`, true],
    ['claude-0123.99999999.partial', true],
    [ownedName('config'), false],
    [`alpha.${DEAD}.new`, false],
    [`alpha.${DEAD}.old`, false],
    ['config', false],
    ['notes.99999999', false],
    ['99999999-0a0b0c0d', false],
  ])('%s', (name, expected) => {
    expect(isOrphaned(name)).toBe(expected)
  })
})

it('the clean-up removes what no process owns, files and folders, and only under the wanted names', () => {
  const place = join(folder, 'orphans')
  make(join(place, `a.${DEAD}`, 'file'), '')
  make(join(place, `b.${DEAD}.tmp`), '')
  const own = make(join(place, ownedName('a')), '')
  removeOrphans(place, (name) => name === 'a')
  expect(readdirSync(place).sort()).toEqual([own.slice(place.length + 1), `b.${DEAD}.tmp`].sort())
})

describe('the next writer removes', () => {
  it('locks in the making, whatever their names, and abandoned take-overs', async () => {
    const locks = join(folder, 'locks')
    make(join(locks, `approvals.${DEAD}`, 'owner.json'), '{}')
    make(join(locks, `hooks.break.${DEAD}`))
    make(join(locks, 'hooks.break', 'owner.json'), '')
    const release = await acquireLock(join(locks, 'config'), { purpose: 'a test' })
    expect(readdirSync(locks)).toEqual(['config'])
    release()
    expect(existsSync(locks)).toBe(false)
  })

  it('a lock whose owner a power cut made unreadable', () => {
    make(join(folder, 'cut/lock/owner.json'), '')
    const release = tryLock(join(folder, 'cut/lock'), 'a test')
    expect(release).toBeTypeOf('function')
    release?.()
  })

  it('half an archive', async () => {
    const half = make(join(folder, 'archives', `.s.tar.gz.${DEAD}.tmp`), 'half')
    await writeArchive([{ path: 'a', isExecutable: false, content: { text: '' } }], join(folder, 'archives/s.tar.gz'))
    expect(existsSync(half)).toBe(false)
  })

  it('temporary folders', () => {
    vi.stubEnv('TMPDIR', make(join(folder, 'tmp')))
    make(join(folder, 'tmp', `loadout.${DEAD}`, 'installed'), '')
    make(join(folder, 'tmp', `other.${DEAD}`), '')
    const scratch = makeScratch()
    expect(readdirSync(join(folder, 'tmp')).map((name) => join(folder, 'tmp', name))).toEqual([
      scratch,
      join(folder, 'tmp', `other.${DEAD}`),
    ])
    vi.unstubAllEnvs()
  })

  it('a work folder that could not be removed, also when the next one only reads', () => {
    const root = make(join(folder, 'root'))
    make(join(root, '.loadout-work/lock/owner.json'), '')
    expect(recover(workFolderIn(root), 'a test')).toEqual([])
    expect(readdirSync(root)).toEqual([])
  })
})
