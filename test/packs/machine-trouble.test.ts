import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aFolder, aPipe, CLI, type Content, makeFolder, type Run, runShell } from '../cli/run.ts'
import { runMany } from '../cli/warm.ts'
import { guide, makeWorld, SECRET, type World } from './pack-world.ts'

const RESOLVE = ['resolve', 'how we work', '--pack', 'handbook']

function isCalm({ code, stderr }: Run): boolean {
  return code !== null && code <= 3 && !/UNEXPECTED|went wrong|\n {4}at /.test(stderr)
}

/** The kind and inode of the file at a path, after links. */
function kindOf(path: string): string {
  const { mode, ino } = statSync(path)
  return `${mode} ${ino}`
}

function put(home: string, path: string, content: Content): void {
  const full = join(home, path)
  mkdirSync(dirname(full), { recursive: true })
  if (typeof content === 'function') content(full)
  else writeFileSync(full, content)
}

/** Never a real device: the user of this test may have the right to replace it. */
const linkToPipe = (path: string) => {
  const pipe = join(makeFolder(), 'pipe')
  aPipe(pipe)
  symlinkSync(pipe, path)
}

describe('files of the program that are not what they should be', () => {
  const READ = ['.local/state/loadout/approvals.json', '.config/loadout/config.json']
  const WRITTEN = [
    '.local/state/loadout/audit',
    '.local/state/loadout/usage.jsonl',
    '.local/state/loadout/locks',
    '.cache/loadout',
  ]
  const THINGS: [what: string, content: Content][] = [
    ['a pipe', aPipe],
    ['a link to a pipe', linkToPipe],
    ['a folder', aFolder],
    ['nested lists', '['.repeat(1_000_000)],
    ['broken text', Buffer.from([0xff, 0xfe, 0x00])],
  ]
  const ROWS = [
    ...READ.flatMap((place) => THINGS.map((thing) => [place, ...thing] as const)),
    ...WRITTEN.flatMap((place) => THINGS.slice(0, 2).map((thing) => [place, ...thing] as const)),
  ]
  it.each(ROWS)('%s is %s: said, and no text of a pack without an approval', (place, _, content) => {
    const { workspace, home } = makeWorld({ workspace: { handbook: guide() } })
    put(home, place, content)
    const before = kindOf(join(home, place))
    const resolve = ['packs', ...RESOLVE, '--session', 's']
    const calls = [resolve, ['packs', 'list', '--json'], ['packs', 'approve', 'handbook'], resolve]
    const runs = runMany(calls, { cwd: workspace, home })
    for (const run of runs) expect(isCalm(run), run.stderr).toBe(true)
    expect(runs[0]?.stdout).not.toContain(SECRET)
    const isApproved = runs[2]?.code === 0
    expect(runs[3]?.stdout.includes(SECRET)).toBe(isApproved)
    if (READ.includes(place)) expect(isApproved).toBe(false)
    expect(kindOf(join(home, place))).toBe(before)
  })
})

describe('a machine that lets nothing be written', () => {
  function approvedWorld(): World {
    const world = makeWorld({ workspace: { handbook: guide() } })
    expect(world.run(['approve', 'handbook']).code).toBe(0)
    return world
  }

  /** Folders of a pack that only root can read. */
  function makeUnreadable(pack: string): void {
    for (const folder of ['compiled', 'wiki', 'runs']) mkdirSync(join(pack, folder), { mode: 0 })
  }

  it('a read-only home: what is approved is used, and what cannot be recorded is said', () => {
    const { home, run } = approvedWorld()
    runShell(`chmod -R a-w "${home}"`)
    const resolved = run(RESOLVE, { isBound: true })
    expect([resolved.code, resolved.stdout.includes(SECRET)]).toEqual([0, true])
    expect(resolved.stderr).toContain('could not be recorded')
    const denied = run(['deny', 'handbook'], { isBound: true })
    expect(denied.code).toBe(2)
    expect(denied.stderr).toContain('permission denied')
    runShell(`chmod -R u+w "${home}"`)
  })

  it('a full disk: the answer is not half written', () => {
    const { home, run } = approvedWorld()
    const before = readFileSync(join(home, '.local/state/loadout/approvals.json'), 'utf8')
    const words = 'loadout packs deny handbook'
    const { code, stderr } = runShell(`ulimit -f 0; trap "" XFSZ; ${words}`, { home, cwd: makeFolder() })
    expect([code, stderr.includes('UNEXPECTED')]).toEqual([2, false])
    expect(readFileSync(join(home, '.local/state/loadout/approvals.json'), 'utf8')).toBe(before)
    expect(run(RESOLVE).stdout).toContain(SECRET)
  })

  it('an approved pack with folders that cannot be read gives what was approved, and cannot be approved anew', () => {
    const world = approvedWorld()
    makeUnreadable(join(world.workspace, '.agents/knowledge/handbook'))
    const resolved = world.run(RESOLVE, { isBound: true })
    expect([resolved.code, resolved.stdout.includes(SECRET)]).toEqual([0, true])
    const approved = world.run(['approve', 'handbook'], { isBound: true })
    expect([approved.code, approved.stderr.includes('is not readable')]).toEqual([2, true])
  })

  it('files and folders of a pack that cannot be read', () => {
    const world = makeWorld({ user: { handbook: guide() } })
    const pack = join(world.home, '.agents/knowledge/handbook')
    makeUnreadable(pack)
    const resolved = world.run(RESOLVE, { isBound: true })
    expect([resolved.code, resolved.stdout.includes(SECRET)]).toEqual([0, true])
    chmodSync(join(pack, 'KNOWLEDGE.md'), 0)
    for (const words of [RESOLVE, ['validate', pack], ['approve', pack], ['show', pack], ['list']]) {
      const run = world.run(words, { isBound: true })
      expect(isCalm(run), run.stderr).toBe(true)
      expect(run.stdout).not.toContain(SECRET)
    }
  })

  it.each([undefined, '', 'relative', '/dev/null/at/all'])('HOME is %j', (HOME) => {
    const { run } = makeWorld({ workspace: { handbook: guide() } })
    const scratch = makeFolder()
    for (const words of [RESOLVE, ['list'], ['approve', 'handbook']]) {
      // Without HOME the system names one: the home of whoever runs the tests.
      const state = HOME === undefined ? { XDG_STATE_HOME: scratch, XDG_CACHE_HOME: scratch } : {}
      const ended = run(words, { env: { HOME, ...state }, isBound: true })
      expect(isCalm(ended), ended.stderr).toBe(true)
      expect(ended.stdout).not.toContain(SECRET)
    }
  })
})

describe('several at once', () => {
  const names = Array.from({ length: 6 }, (_, at) => `pack-${at}`)
  const guides = Object.fromEntries(names.map((name) => [name, guide({ name })]))

  function start({ workspace, home }: World, words: readonly string[]) {
    const child = spawn(process.execPath, [CLI, 'packs', ...words], {
      cwd: workspace,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: 'ignore',
    })
    return { child, ended: new Promise<number | null>((resolve) => child.on('exit', resolve)) }
  }

  it('every approval is kept', async () => {
    const world = makeWorld({ workspace: guides })
    const codes = await Promise.all(names.map((name) => start(world, ['approve', name]).ended))
    expect(codes).toEqual(names.map(() => 0))
    const { packs } = world.json(['list'])
    const approved = packs.filter((pack: { effectiveTrust: string }) => pack.effectiveTrust === 'approved')
    expect(approved.map(({ name }: { name: string }) => name)).toEqual(names)
  })

  it('every use is written down', async () => {
    const world = makeWorld({ workspace: { handbook: guide() } })
    world.run(['approve', 'handbook'])
    const codes = await Promise.all(names.map(() => start(world, [...RESOLVE, '--session', 's']).ended))
    expect(codes).toEqual(names.map(() => 0))
    const lines = readFileSync(join(world.home, '.local/state/loadout/usage.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).entryId)).toEqual(names.map(() => 'handbook'))
  })

  it('killed at any moment: the file is what it was, or what it was to be', async () => {
    const world = makeWorld({ workspace: guides })
    const path = join(world.home, '.local/state/loadout/approvals.json')
    for (let at = 0; at < 8; at++) {
      const { child, ended } = start(world, [at % 2 === 0 ? 'approve' : 'deny', 'pack-0'])
      await new Promise((resolve) => setTimeout(resolve, 40 + at * 15))
      child.kill('SIGKILL')
      await ended
      if (existsSync(path)) expect(() => JSON.parse(readFileSync(path, 'utf8'))).not.toThrow()
    }
    expect(world.run(['approve', 'pack-1']).code).toBe(0)
    expect(world.json(['show', 'pack-1']).effectiveTrust).toBe('approved')
  })
})
