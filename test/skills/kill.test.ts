import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { SkillView } from '../../src/loadout.ts'
import { removeDeadLocks } from '../../src/machine/git-process.ts'
import { libraryHashOf } from '../../src/skills/disk/library-git.ts'
import { hashTree, listTree } from '../../src/skills/disk/tree.ts'
import { makeFolder } from '../cli/run.ts'
import { ask, askForPostgres, makeDatabase, settled } from '../team/postgres.ts'
import { makeMachine, startTeam, type TestServer } from '../team/server.ts'
import {
  AGENT_FOLDERS,
  commitAll,
  copyWorld,
  envOf,
  forEachAtOnce,
  git,
  leftoversIn,
  loadout,
  loadoutOk,
  makeWorld,
  readTree,
  skillFiles,
  type World,
  write,
} from './world.ts'

// Who comes next after a kill uses the built program's own calls: a start for each would be most of the time.
const { createLoadout } = (await import(resolve('dist/api.js'))) as typeof import('../../src/api.ts')

const callsIn = (world: World) => createLoadout({ persist: true, home: world.home, cwd: world.home, env: envOf(world) })

const PRELOAD = join(import.meta.dirname, 'kill-at.cjs')
const EDIT = 'An edit by hand.'

const ALPHA = {
  ...skillFiles('alpha', '# Alpha\n\nFirst version.\n'),
  'scripts/run.sh': '#!/bin/sh\necho first\n',
  'docs/deep/notes.md': 'First notes.\n',
}

/** A world that is made once, by the first test that needs it, and then only copied. */
type State = () => Promise<World>

function once(make: () => Promise<World>): State {
  let world: Promise<World> | undefined
  return () => {
    world ??= make()
    return world
  }
}

/** What is there after a person has done more in a world. */
function later(start: State, ...acts: ((world: World) => unknown)[]): State {
  return once(async () => {
    const world = await copyWorld(await start())
    for (const act of acts) await act(world)
    return world
  })
}

const run =
  (...args: string[]) =>
  (world: World) =>
    loadoutOk(world, ...args)

/** A library, one skill installed for both agents, and folders that are nobody's business. */
const BASE = once(async () => {
  const world = makeWorld({ alpha: ALPHA, beta: skillFiles('beta'), spare: { ...ALPHA, ...skillFiles('spare') } })
  await loadoutOk(world, 'equip', 'beta')
  write(world.home, {
    '.claude/skills/mine/SKILL.md': '---\nname: mine\ndescription: Mine.\n---\n# Mine\n',
    '.claude/skills/mine/more.md': 'More.\n',
    'drafts/delta/SKILL.md': '---\nname: delta\ndescription: A draft.\n---\n# Delta\n',
    'drafts/delta/docs/more.md': 'More.\n',
  })
  return world
})

const INSTALLED = later(BASE, run('equip', 'alpha', '--target', 'claude'))

const EDITED = later(INSTALLED, ({ home }) => {
  const copy = join(home, '.claude/skills/alpha')
  write(copy, { 'docs/deep/notes.md': `${EDIT}\n`, 'mine.md': `${EDIT}\n` })
  rmSync(join(copy, 'scripts'), { recursive: true })
})

/** A folder of the user's where alpha would be, with the same files as an edited copy. */
const LOOSE = later(BASE, ({ home }) => {
  const text = '---\nname: alpha\ndescription: About alpha.\n---\n# Alpha\n'
  const files = { 'SKILL.md': text, 'docs/deep/notes.md': `${EDIT}\n`, 'mine.md': `${EDIT}\n` }
  write(join(home, '.claude/skills/alpha'), files)
})

function changeLibrary(world: World): void {
  const alpha = join(world.library, 'skills/alpha')
  write(alpha, { 'SKILL.md': '# Alpha\n\nSecond version.\n', 'docs/new.md': 'New.\n' })
  rmSync(join(alpha, 'docs/deep'), { recursive: true })
  commitAll(world, 'second')
}

/** Skills as if they had been imported from folders that have since changed. */
const OUTDATED = later(
  BASE,
  (world) => {
    // Without the script, which would need an approval: that is about one place, and worlds are copied.
    rmSync(join(world.library, 'skills/alpha/scripts'), { recursive: true })
    const alpha = Object.fromEntries(Object.entries(ALPHA).filter(([path]) => !path.startsWith('scripts/')))
    for (const [name, own] of Object.entries({ alpha, beta: skillFiles('beta') })) {
      const path = `~/upstream/${name}`
      const source = { path, folder: '', tree_hash: '0'.repeat(64), imported_at: '2026-01-02T03:04:05Z' }
      const { 'skill.json': json, ...files }: Record<string, string> = own
      const hash = libraryHashOf(join(world.library, 'skills', name), name)
      const record = { ...JSON.parse(json ?? ''), source: { ...source, library_hash: hash } }
      write(join(world.library, 'skills', name), { 'skill.json': JSON.stringify(record) })
      const text = `---\nname: ${name}\ndescription: About ${name}.\n---\n# ${name}\n\nNews.\n`
      write(join(world.home, 'upstream', name), { ...files, 'SKILL.md': text, 'docs/new.md': 'New.\n' })
    }
    commitAll(world, 'source')
  },
  run('equip', 'alpha', '--target', 'claude'),
  run('sync'),
)

interface Scenario {
  args: string[]
  /** What is there before the command. */
  start: State
  isEdited?: boolean
  /** The library and the copies change together, or not at all. */
  isWhole?: boolean
  /** Killed here first; then the command that finds that is killed as well. */
  crash?: { at: RegExp; next: string[] }
}

const ADOPT: Scenario = { args: ['adopt', 'alpha', '--yes'], start: EDITED, isEdited: true }
const DELETE: Scenario = { args: ['delete', 'spare'], start: BASE }
const IMPORT: Scenario = { args: ['import', 'drafts/delta', '--targets', 'claude,codex'], start: BASE }
const REFRESH_EDITED: Scenario = { args: ['sync', '--replace'], start: later(EDITED, changeLibrary), isEdited: true }
const SYNC: Scenario = { args: ['sync'], start: later(INSTALLED, changeLibrary) }
const UPDATE: Scenario = { args: ['update', '--yes'], start: OUTDATED, isWhole: true }
const UNDO: Scenario = { args: ['undo'], start: later(OUTDATED, run('update', '--yes')), isWhole: true }
const TEACH: Scenario = {
  args: ['teach', '--import', 'prompts.jsonl'],
  start: later(BASE, ({ home }) => {
    const prompts = ['alpha', 'beta'].map((name) => ({ id: `skill:${name}`, prompts: [`please do ${name} for me`] }))
    write(home, { 'prompts.jsonl': prompts.map((each) => `${JSON.stringify(each)}\n`).join('') })
  }),
}
const MERGE: Scenario = {
  args: ['merge', 'alpha', '--take', 'other', '--continue'],
  start: later(EDITED, async (world) => {
    write(join(world.library, 'skills/alpha'), { 'docs/deep/notes.md': 'Third notes.\n' })
    commitAll(world, 'third')
    expect((await loadout(world, ['adopt', 'alpha', '--yes'])).code).toBe(1)
  }),
  isEdited: true,
}

/** Room for the list only with no more than the names of some skills. */
const FIX: Scenario = {
  args: ['see', 'claude', '--fix', '--yes', '--model', 'claude-haiku-4-5'],
  start: later(BASE, async (world) => {
    const description = 'why '.repeat(74)
    for (const name of ['alpha', 'spare']) {
      const json = { name, description, targets: ['claude', 'codex'] }
      write(join(world.library, 'skills', name), { 'skill.json': JSON.stringify(json) })
    }
    commitAll(world, 'long')
    await loadoutOk(world, 'equip', 'alpha', 'spare')
    for (let at = 0; at < 9; at++) {
      const text = `---\nname: other-${at}\ndescription: ${description}\n---\n`
      write(world.home, { [`.claude/skills/other-${at}/SKILL.md`]: text })
    }
    write(world.home, {
      '.claude.json': '{ "skillUsage": { "beta": { "usageCount": 5, "lastUsedAt": 1 } } }',
      '.claude/settings.json': '{"model": "haiku"}',
    })
    await loadoutOk(world, 'connect', 'claude')
  }),
  isWhole: true,
}

/** As another manager leaves it. */
const LINKED = later(BASE, ({ home }) => {
  const linked = '---\nname: linked\ndescription: Of another manager.\n---\n# Linked\n'
  write(home, { '.agents/skills/linked/SKILL.md': linked, '.agents/skills/linked/more.md': 'More.\n' })
  for (const folder of AGENT_FOLDERS) symlinkSync('../../.agents/skills/linked', join(home, folder, 'linked'))
})

const SCENARIOS: Record<string, Scenario> = {
  'equip --replace of a folder of the user': {
    args: ['equip', 'alpha', '--replace'],
    start: LOOSE,
    isEdited: true,
  },
  'import --all --adopt of links': {
    args: ['import', '--all', '--adopt'],
    start: LINKED,
  },
  'leave after a takeover': { args: ['leave', '--yes'], start: later(LINKED, run('import', '--all', '--adopt')) },
  'profile switch': {
    args: ['profile', 'switch', 'work'],
    start: later(INSTALLED, run('profile', 'save', 'work'), run('unequip', 'alpha'), run('equip', 'spare')),
    isWhole: true,
  },
  'equip of two skills for two agents': { args: ['equip', 'alpha', 'spare'], start: BASE, isWhole: true },
  'update of two skills': UPDATE,
  'undo of two skills': UNDO,
  'teach about two skills': TEACH,
  'merge --continue': MERGE,
  'sync after the library has changed': SYNC,
  'sync --replace of an edited copy': REFRESH_EDITED,
  'unequip of an edited copy': { args: ['unequip', 'alpha'], start: EDITED, isEdited: true },
  import: IMPORT,
  adopt: ADOPT,
  delete: DELETE,
  'a reader after a killed refresh': {
    ...REFRESH_EDITED,
    crash: { at: /^renameSync \S+\.new \S+\/\.claude\/skills\/alpha$/, next: ['inventory'] },
  },
  'a writer after a killed delete': { ...DELETE, crash: { at: /^spawn git commit$/, next: ['unequip', 'alpha'] } },
}

/** What passes the same phases as one of the others, and differs in how it begins. */
const MORE: Record<string, Scenario> = {
  // Files of others change through one engine, which test/machine/changed-files.test.ts kills.
  'see --fix': FIX,
  'adopt of a folder of the user': { ...ADOPT, start: LOOSE },
  'sync of an edited copy after the library has changed': {
    args: ['sync'],
    start: later(EDITED, (world) => {
      write(join(world.library, 'skills/alpha'), { 'SKILL.md': '# Alpha\n\nSecond version.\n' })
      commitAll(world, 'second')
    }),
    isEdited: true,
  },
  'equip, the first ever for one agent': {
    args: ['equip', 'alpha'],
    start: later(BASE, ({ home }) => rmSync(join(home, '.codex'), { recursive: true })),
  },
  'sync after a commit that changes nothing installed': {
    args: ['sync'],
    start: later(INSTALLED, (world) => {
      write(world.library, { 'README.md': 'Changed.\n' })
      commitAll(world, 'readme')
    }),
  },
  add: { args: ['add', 'drafts/delta'], start: BASE },
  'import --adopt': { args: ['import', '.claude/skills/mine', '--adopt'], start: BASE },
  'a reader after a killed adopt': { ...ADOPT, crash: { at: /^spawn git add$/, next: ['inventory'] } },
}

const ends = new Map<Scenario, State>()

/** What was there before a command, and what it makes when nothing kills it. */
async function bothSides(scenario: Scenario): Promise<Expected> {
  if (!ends.has(scenario)) ends.set(scenario, later(scenario.start, run(...scenario.args)))
  return { before: await scenario.start(), after: await ends.get(scenario)!(), scenario }
}

interface Call {
  name: string
  detail: string
  hasHalf: boolean
  /** It leaves everything as it is: a folder that is there already, a flush, a git that only reads. */
  isVain: boolean
  /** What a kill there would leave was kept. */
  isCopied: boolean
  /** By which to kill at it. Calls that are not the same in each run share that of the one before. */
  number: number
}

type How = 'before' | 'half' | 'after'

interface Point {
  /** Which of the calls, from 1. */
  at: number
  how: How
  call: Call
}

interface Recording {
  calls: Call[]
  /** What a kill would leave, if asked for. */
  copyAt(point: Point): World
}

/** What a command does to the file system, call by call. */
async function recordCalls(world: World, args: readonly string[], skips?: RegExp, first = 0): Promise<Recording> {
  const folder = makeFolder()
  const log = join(folder, 'calls.log')
  const env: Record<string, string> = { NODE_OPTIONS: `--require ${PRELOAD}`, KILL_LOG: log }
  if (skips !== undefined) {
    Object.assign(env, { KILL_COPIES: folder, KILL_SKIPS: skips.source })
    Object.assign(env, { KILL_EVERY: String(EVERY), KILL_FIRST: String(first % EVERY) })
  }
  const { code, stderr } = await loadout(world, args, env)
  expect(code, stderr).toBe(0)
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const copyAt = ({ at, how }: Point) => {
    const home = join(folder, `${at}-${how}`)
    return { home, library: join(home, 'library') }
  }
  return { calls: lines.map((line) => JSON.parse(line) as Call), copyAt }
}

/**
 * Before each call that changes something, half-way through those that have a middle, and right after git was started,
 * which goes on by itself. After any other is the same as before the next: in between nothing changes. After the last
 * is what it is without a kill.
 */
function killPoints(calls: readonly Call[]): Point[] {
  return calls.flatMap((call, index) => {
    if (call.isVain) return []
    const hows: How[] = ['before', ...(call.hasHalf ? ['half' as const] : [])]
    if (call.name === 'spawn') hows.push('after')
    return hows.map((how) => ({ at: index + 1, how, call }))
  })
}

/** Whether git, once started, changes the repository without us. */
function changesRepository({ name, detail }: Call): boolean {
  return name === 'spawn' && /^git (?:add|commit|update-index)$/.test(detail)
}

/** What a kill may leave of each folder: the whole of what was there before, or the whole of what would be there. */
interface Expected {
  before: World
  after: World
  scenario: Scenario
}

const skillFolders = ({ home, library }: World): string[] => {
  const folders = [...AGENT_FOLDERS.map((folder) => join(home, folder)), join(library, 'skills')]
  return folders.flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => !name.startsWith('.'))
          .map((name) => join(folder, name).slice(home.length + 1))
      : [],
  )
}

const isMarker = (path: string) => path === '.loadout'

function checkFolders(world: World, { before, after, scenario }: Expected): void {
  const sides = new Set<string>()
  for (const folder of new Set([world, before, after].flatMap(skillFolders))) {
    const [found, old, made] = [world, before, after].map(({ home }) => readTree(join(home, folder), isMarker))
    const isWhole = [old, made].some((tree) => withoutTime(tree) === withoutTime(found))
    if (!isWhole) expect({ folder, found }, 'neither the old nor the new version').toEqual({ folder, found: made })
    if (withoutTime(old) !== withoutTime(made)) sides.add(withoutTime(found) === withoutTime(old) ? 'old' : 'new')
    checkMarker(world, before, after, folder)
  }
  const [settings, old, made] = [world, before, after].map(settingsOf)
  expect([old, made], 'neither the old nor the new settings').toContain(settings)
  if (old !== made) sides.add(settings === old ? 'old' : 'new')
  if (scenario.isWhole) expect([...sides], 'a part is old, a part is new').toHaveLength(1)
  for (const folder of ['drafts', '.config']) {
    expect(readTree(join(world.home, folder))).toEqual(readTree(join(before.home, folder)))
  }
}

const settingsOf = ({ home }: World) =>
  JSON.stringify(readTree(join(home, '.claude'), (path) => path !== 'settings.json'))

/** A run that is killed has its own time. */
function withoutTime(tree: ReturnType<typeof readTree>): string {
  return JSON.stringify(tree ?? null).replace(/imported_at[^,]*/g, '')
}

/** An install is marked with what it holds, or as by a run that was not killed: a merged copy still counts as edited. */
function checkMarker(world: World, before: World, after: World, folder: string): void {
  const path = join(world.home, folder)
  if (!existsSync(path) || folder.startsWith('library')) return
  const marker = join(path, '.loadout')
  if (!existsSync(marker)) {
    const sides = [before, after].map(({ home }) => existsSync(join(home, folder, '.loadout')))
    return void expect(sides, folder).toContain(false)
  }
  const isAsBefore = JSON.stringify(readTree(path)) === JSON.stringify(readTree(join(before.home, folder)))
  if (isAsBefore) return
  const hashes = [marker, join(after.home, folder, '.loadout')]
    .filter((each) => existsSync(each))
    .map((each) => JSON.parse(readFileSync(each, 'utf8')).content_hash)
  if (hashes[0] !== hashes[1]) expect(hashes[0], folder).toBe(hashTree(path, listTree(path).files))
}

const headOf = ({ library }: World) => readFileSync(join(library, '.git/refs/heads/main'), 'utf8').trim()

/** The change and its commit are both there, the whole of it, or both not. */
function checkCommits(world: World, { before, after }: Expected): void {
  expect(git(world, 'status', '--porcelain')).toBe('')
  const [head, old] = [world, before].map(headOf)
  if (head === old) return
  expect(git(world, 'rev-parse', 'HEAD^')).toBe(old)
  const [made, whole] = [world, after].map((each) =>
    git(each, 'log', '-1', '--format=%B', '--name-only', '--no-renames'),
  )
  expect(made).toBe(whole)
}

function checkEdit({ home, library }: World): void {
  const places = ['.claude/skills/alpha', '.local/state/loadout/backups/alpha'].map((path) => join(home, path))
  const files = [...places, join(library, 'skills/alpha')].map((place) => readTree(place) ?? {})
  const held = files.flatMap((tree) => Object.entries(tree).filter(([, text]) => text.includes(EDIT)))
  const names = new Set(held.map(([path]) => path.split('/').at(-1)))
  expect([...names].sort()).toEqual(['mine.md', 'notes.md'])
}

const FINE_STATES = ['current', 'outdated', 'edited']

const isManagedIn = ({ home }: World, path: string) => existsSync(join(path.replace(/.*(?=\/\.)/, home), '.loadout'))

/** What was not ours before may still not be, and what the command gives back may not be any more. */
function checkStates(skills: readonly SkillView[], { before, after }: Expected): void {
  for (const { state, path } of skills.flatMap(({ placements }) => placements)) {
    const wasUnmanaged = existsSync(path.replace(/.*(?=\/\.)/, before.home)) && !isManagedIn(before, path)
    const isGivenBack = existsSync(path.replace(/.*(?=\/\.)/, after.home)) && !isManagedIn(after, path)
    expect([...FINE_STATES, ...(wasUnmanaged || isGivenBack ? ['unmanaged'] : [])], path).toContain(state)
  }
}

/** The whole state, without what differs from run to run. */
function stateOf({ home }: World): string {
  const tree = readTree(home, (path) => /^library\/\.git\/(?:objects|index$|logs)/.test(path)) ?? {}
  const rows = Object.entries(tree).map(([path, text]) => {
    const isSteady = !/owner\.json|trees\.json|COMMIT_EDITMSG/.test(path)
    const name = path.replace(/\d+-[0-9a-f]{8}|\d+(?=\.partial)/, '*')
    return [name, isSteady ? text.replace(/"installed_at": "[^"]*"/, '') : '']
  })
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

/** `isMoving`: a git that was left alone may end only between two of these calls, and the second one finds its work. */
async function checkNext(
  world: World,
  expected: Expected,
  isKnown: (state: string) => boolean,
  isMoving = false,
): Promise<void> {
  const next = callsIn(world)
  const inventory = await next.skills.inventory({})
  checkAll(world, expected)
  checkStates(inventory.value.skills, expected)
  if (!isMoving) expect(leftoversIn(world).filter((path) => path.startsWith('./library/.git/'))).toEqual([])
  if (isKnown(`recovered ${stateOf(world)}`)) return
  const { findings } = await next.agents.doctor({})
  const codes = findings
    .map(({ code }) => code)
    .filter((code) => !/^(?:OUTDATED|EDITED)_INSTALL$|^MERGE_CONFLICT$/.test(code))
    .filter((code) => !isMoving || code !== 'RECOVERED')
  expect(codes).toEqual([])
  await next.skills.sync({})
  checkAll(world, expected, { isSynced: true })
  // The next writer of a settings file cleans up beside it.
  if (expected.scenario === FIX) await loadoutOk(world, ...FIX.args)
  expect(leftoversIn(world).join(' ')).toBe('')
}

function checkAll(world: World, expected: Expected, { isSynced = false } = {}): void {
  if (!isSynced) checkFolders(world, expected)
  checkCommits(world, expected)
  if (expected.scenario.isEdited) checkEdit(world)
}

const withKill = (at: number, how: How) => {
  return { NODE_OPTIONS: `--require ${PRELOAD}`, KILL_AT: String(at), KILL_HOW: how }
}

/** Where every command does the same: taking locks and giving them back, remembering what was read. */
const EVERYWHERE = /\/lock[./]|\/lock$|trees\.json/

/** In the system's folder for what may be lost. */
const SCRATCH = /\/tmp\/loadout\.\d+-\w{8}(?:$|\/)/

const isThorough = process.env.LOADOUT_KILL_ALL !== undefined

// At every fortieth call that changes something, evenly from the first to the last, and at each start of a git that
// changes something: enough to see that each phase of a command (stage, swap, commit, clean up) recovers. Each command
// begins with another call, so that together they meet all of what they share. That every single call does, only
// LOADOUT_KILL_ALL=1 shows.
const EVERY = isThorough ? 1 : 40

function choosePoints(calls: readonly Call[], skips: RegExp): Point[] {
  return killPoints(calls).filter((point) =>
    isLeftRunning(point) ? !skips.test(point.call.detail) : point.call.isCopied,
  )
}

/** One where a kill is tried as well: it leaves what the copy has. Up to it, every run is the same. */
function chooseSample(points: readonly Point[], calls: readonly Call[]): Point | undefined {
  const steady = calls.findIndex(({ number }, index) => number !== index + 1)
  const same = points.filter((point) => (steady === -1 || point.at <= steady) && !isLeftRunning(point))
  return same[same.length >> 1]
}

/** Git goes on without the program, which has to be dead for that. */
const isLeftRunning = ({ how, call }: Point) => how === 'after' && call.name === 'spawn'

async function tryAll(scenario: Scenario, isFirst: boolean, nth: number): Promise<Tally> {
  const { crash } = scenario
  const skips = isThorough || isFirst || crash ? SCRATCH : new RegExp(`${SCRATCH.source}|${EVERYWHERE.source}`)
  const before = await scenario.start()
  const after = await copyWorld(before)
  const first = nth * 11
  const wholeRun = await recordCalls(after, scenario.args, crash === undefined ? skips : undefined, first)
  const start = crash === undefined ? before : await crashed(before, scenario, wholeRun.calls)
  const args = crash?.next ?? scenario.args
  const { calls, copyAt } =
    crash === undefined ? wholeRun : await recordCalls(await copyWorld(start), args, skips, first)
  const points = choosePoints(calls, skips)
  // That a copy is what a kill leaves, every third command shows.
  const sample = isThorough || nth % 3 === 0 ? chooseSample(points, calls) : undefined
  const seen = new Set<string>()
  const isKnown = (state: string) => seen.size === seen.add(state).size
  const failures: string[] = []
  await forEachAtOnce(points, async (point) => {
    const { at, how, call } = point
    try {
      const world = isLeftRunning(point) ? await killedAt(start, args, point) : copyAt(point)
      if (point === sample) {
        expect(stateOf(await killedAt(start, args, point))).toBe(stateOf(world))
      }
      const gits = calls.slice(0, at).filter(changesRepository).length
      const isMoving = isLeftRunning(point) && changesRepository(call)
      if (isLeftRunning(point)) await gitToEnd(world)
      if (isMoving || !isKnown(`${gits} ${stateOf(world)}`))
        await checkNext(world, { before, after, scenario }, isKnown, isMoving)
      rmSync(world.home, { recursive: true, force: true })
    } catch (error) {
      failures.push(`${how} call ${at}, ${call.name} ${call.detail}: ${error instanceof Error ? error.message : error}`)
    }
  })
  return { kills: points.length, states: seen.size, failures }
}

/** Whoever comes next does not wait for a git that goes on by itself. */
async function gitToEnd({ library }: World): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline && !removeDeadLocks(library, Date.now()); ) {
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

async function killedAt(start: World, args: readonly string[], { call, how }: Point): Promise<World> {
  const world = await copyWorld(start)
  expect(await loadout(world, args, withKill(call.number, how))).toMatchObject({ code: null })
  return world
}

interface Tally {
  kills: number
  states: number
  failures: string[]
}

async function crashed(before: World, { args, crash }: Scenario, calls: readonly Call[]): Promise<World> {
  const call = calls.find(({ name, detail }) => crash?.at.test(`${name} ${detail}`))
  if (call === undefined) throw new Error(`no call is ${crash?.at}`)
  return killedAt(before, args, { at: call.number, how: 'before', call })
}

describe('a command that is killed at any call is finished or undone by the next one', () => {
  it.each(Object.entries(isThorough ? { ...SCENARIOS, ...MORE } : SCENARIOS))(
    '%s',
    { timeout: 300_000 },
    async (name, scenario) => {
      const { kills, states, failures } = await tryAll(
        scenario,
        name.startsWith('equip'),
        Object.keys(SCENARIOS).indexOf(name) + 1,
      )
      console.log(`${name}: killed at ${kills} points; ${states} different states were checked`)
      expect(failures).toEqual([])
    },
  )
})

/** A project beside the library, whose manifest has two versions to move between: skills, a pack and a rule. */
const PROJECT = once(async () => {
  const world = makeWorld({})
  const at = (folder: string): World => ({ ...world, library: join(world.home, folder) })
  const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\n# ${text}\n`
  const fill = (version: string) => {
    write(join(world.home, 'source'), {
      'skills/alpha/SKILL.md': skill('alpha', version).replace('---\n#', 'requires: [beta]\n---\n#'),
      'skills/beta/SKILL.md': skill('beta', version),
      'skills/beta/docs/more.md': `${version}\n`,
      'packs/tides/KNOWLEDGE.md': `---\nname: tides\ndescription: Tides.\ntype: domain-reference\nstatus: ready\n---\n# ${version}\n`,
      'rules/knots.md': `---\nid: knots\nkeywords: [knot]\npriority: domain\n---\n${version}\n`,
    })
    commitAll(at('source'), version)
  }
  for (const name of ['source', 'site', 'other']) {
    write(join(world.home, name), { 'README.md': 'A repository.\n' })
    git(at(name), 'init', '--quiet', '--template=')
  }
  const url = `file://${join(world.home, 'source')}`
  const names = ['alpha', 'pack:tides', 'rule:knots']
  fill('Second version')
  // What a person agreed to counts for the same text in every project.
  await loadout(world, ['add', url, ...names, '--project', 'other'])
  await loadoutOk(world, 'approve', ...names.slice(1), '--project', 'other')
  git(at('source'), 'commit', '--quiet', '--allow-empty', '--message', 'empty')
  fill('First version')
  await loadout(world, ['add', url, ...names, '--project', 'site'])
  await loadoutOk(world, 'approve', ...names.slice(1), '--project', 'site')
  await loadoutOk(world, 'install', '--project', 'site')
  fill('Second version')
  return world
})

const FRESH = later(PROJECT, ({ home }) => {
  for (const path of [
    'site/.claude',
    'site/.codex',
    'site/.loadout',
    '.cache/loadout',
    '.local/state/loadout/project-texts.json',
  ])
    rmSync(join(home, path), { recursive: true, force: true })
})

const PROJECT_ACTS: Record<string, [start: State, args: string[]]> = {
  'install in a new clone': [FRESH, ['install', '--project', 'site']],
  'update of everything': [PROJECT, ['update', '--project', 'site']],
  'remove of everything': [PROJECT, ['remove', 'alpha', 'pack:tides', 'rule:knots', '--project', 'site']],
}

describe('a project whose command is killed at any call has its old or its new manifest after the next one', () => {
  const steady = (text: string) => text.replace(/"(?:installed_at|at)": "[^"]*"/g, '')
  const siteOf = ({ home }: World) => {
    const tree = readTree(join(home, 'site'), (path) => ['.git', '.claude/loadout/index.json'].includes(path)) ?? {}
    return Object.fromEntries(Object.entries(tree).map(([path, text]) => [path, steady(text)]))
  }
  const pinsOf = (world: World) => JSON.stringify(['loadout.json', 'loadout.lock'].map((path) => siteOf(world)[path]))

  it.each(Object.entries(PROJECT_ACTS))('%s', { timeout: 300_000 }, async (name, [start, args]) => {
    const before = await start()
    const after = await copyWorld(before)
    const { calls, copyAt } = await recordCalls(after, args, SCRATCH, 7)
    const points = choosePoints(calls, SCRATCH)
    const failures: string[] = []
    const installed = await copyWorld(before)
    await loadoutOk(installed, 'install', '--project', 'site')
    await forEachAtOnce(points, async (point) => {
      const { at, how, call } = point
      const world = isLeftRunning(point) ? await killedAt(before, args, point) : copyAt(point)
      try {
        const run = await loadout(world, ['install', '--project', 'site'])
        expect({ code: run.code, said: run.stderr }).toMatchObject({ code: 0 })
        const side = pinsOf(world) === pinsOf(after) ? after : installed
        expect(siteOf(world)).toEqual(siteOf(side))
        expect(leftoversIn(world).filter((path) => !/^.\/.cache|\/loadout.lock$/.test(path))).toEqual([])
        rmSync(world.home, { recursive: true, force: true })
      } catch (error) {
        failures.push(
          `${how} call ${at}, ${call.name} ${call.detail}: ${error instanceof Error ? error.message : error}`,
        )
      }
    })
    console.log(`${name}: killed at ${points.length} points`)
    expect(failures).toEqual([])
    expect(points.length).toBeGreaterThan(1)
  })
})

it('adopt goes on where a kill between the commit and the copy stopped it', async () => {
  const before = await EDITED()
  const { calls } = await recordCalls(await copyWorld(before), ADOPT.args)
  const crash = { at: /^renameSync \S+\/\.claude\/skills\/alpha \S+\.old$/, next: [] }
  const world = await crashed(before, { ...ADOPT, crash }, calls)
  await loadoutOk(world, ...ADOPT.args)
  const { stdout } = await loadoutOk(world, 'inventory', '--json')
  expect(stdout).not.toContain('"edited"')
  expect(leftoversIn(world).join(' ')).toBe('')
})

it.each([['--all'], ['.claude/skills/mine']])(
  'import %s --adopt goes on where a kill after the commit stopped it',
  async (which) => {
    const before = await BASE()
    const args = ['import', which, '--adopt']
    const { calls } = await recordCalls(await copyWorld(before), args)
    const crash = { at: /^renameSync \S+\/\.claude\/skills\/mine \S+\.old$/, next: [] }
    const world = await crashed(before, { args, start: BASE, crash }, calls)
    const { stdout } = await loadoutOk(world, ...args)
    expect(stdout).not.toContain('Nothing was imported')
    expect(existsSync(join(world.home, '.claude/skills/mine/.loadout'))).toBe(true)
    expect(leftoversIn(world).join(' ')).toBe('')
  },
)

// A git that may write no more than so many blocks dies at the next write of a signal that it does not handle, as it would
// die of a kill: a real git, and it cleans up nothing. Whether the program dies with it, the scenario says.
const SHIM = `#!/bin/sh
PATH=$REAL_PATH
export PATH
for word in "$@"; do
  if [ "$word" = "$KILL_COMMAND" ]; then
    (ulimit -f "$KILL_BLOCKS"; exec git "$@")
    code=$?
    [ $code -lt 128 ] && exit $code
    [ -n "$KILL_PARENT" ] && kill -9 $PPID
    kill -9 $$
  fi
done
exec git "$@"
`

/** Kills git from inside, while it holds its locks, and with KILL_PARENT the program first. */
const HOOK = `#!/bin/sh
case "$0 $1" in *reference-transaction?prepared | *commit*) ;; *) exit 0 ;; esac
mv .git/armed .git/fired 2>/dev/null || exit 0
read -r stat < /proc/$PPID/stat
set -- $stat
[ -n "$KILL_PARENT" ] && kill -9 $4
kill -9 $PPID
`

interface GitKill {
  /** Where git dies: at a write of one command, by blocks that it may write, or in a hook. */
  at: readonly [command: string, blocks: number] | string
  /** The program as well: a power cut. Otherwise only git: the system ran out of memory. */
  isWithParent: boolean
}

const HOOKS = ['pre-commit', 'commit-msg', 'reference-transaction', 'post-commit']
const WRITES = [['add', 0] as const, ['commit', 0] as const]
const GIT_KILLS = [...WRITES, ...HOOKS].flatMap((at): GitKill[] =>
  [true, false].map((isWithParent) => ({ at, isWithParent })),
)

async function withKilledGit(start: World, args: readonly string[], { at, isWithParent }: GitKill) {
  const world = await copyWorld(start)
  const shims = makeFolder()
  const env: Record<string, string> = isWithParent ? { KILL_PARENT: '1' } : {}
  if (typeof at === 'string') {
    write(join(world.library, '.git'), { [`hooks/${at}`]: HOOK, armed: '' })
    chmodSync(join(world.library, '.git/hooks', at), 0o755)
  } else {
    write(shims, { git: SHIM })
    chmodSync(join(shims, 'git'), 0o755)
    const path = process.env.PATH ?? ''
    Object.assign(env, { PATH: `${shims}:${path}`, REAL_PATH: path, KILL_COMMAND: at[0], KILL_BLOCKS: String(at[1]) })
  }
  const { code, stderr } = await loadout(world, args, env)
  return { world, code, stderr }
}

const gitLocks = ({ library }: World) =>
  readdirSync(join(library, '.git'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.lock'))

describe('a command whose git is killed at a write or in a hook, with its parent or alone', () => {
  it.each([
    ['import', IMPORT],
    ['adopt', ADOPT],
    ['delete', DELETE],
    ['update', UPDATE],
    ['undo', UNDO],
    ['merge', MERGE],
    ['teach', TEACH],
  ])('%s is finished or undone', { timeout: 120_000 }, async (name, scenario) => {
    const { before, after } = await bothSides(scenario)
    // Each command meets one point with its parent and another one alone; together they meet all.
    const nth = ['import', 'adopt', 'delete', 'update', 'undo', 'merge', 'teach'].indexOf(name)
    const chosen = [2 * nth, 2 * nth + 3].map((at) => at % GIT_KILLS.length)
    const kills = GIT_KILLS.filter((_, at) => isThorough || chosen.includes(at))
    const failures: string[] = []
    await forEachAtOnce(kills, async (kill) => {
      try {
        const { world, code, stderr } = await withKilledGit(before, scenario.args, kill)
        // After the last step the commit is there, and git is no longer needed.
        expect(kill.isWithParent ? [null] : [kill.at === 'post-commit' ? 0 : 2], stderr).toContain(code)
        const leavesLock = kill.isWithParent && kill.at !== 'post-commit'
        expect(gitLocks(world).length > 0, 'a lock of git').toBe(leavesLock)
        await callsIn(await copyWorld(world)).skills.unequip({ names: ['beta'] })
        await checkNext(world, { before, after, scenario }, () => false)
        expect(gitLocks(world)).toEqual([])
      } catch (error) {
        failures.push(`${JSON.stringify(kill)}: ${error instanceof Error ? error.message : error}`)
      }
    })
    console.log(`${name}: git killed at ${kills.length} points`)
    expect(failures).toEqual([])
  })
})

// Where strace is installed: the system itself kills at one system call, counted in each thread and each git by itself.
// That reaches what the preload cannot: the threads that flush files, and every write inside git.
const CALLS = 'mkdir rename unlink rmdir link chmod write pwrite64 fsync ftruncate unlinkat renameat2'
const hasStrace = spawnSync('strace', ['-V']).status === 0

/** Undefined when no thread and no git came so far. */
async function killedBySystem(start: World, args: readonly string[], call: string, nth: number) {
  const world = await copyWorld(start)
  const log = join(makeFolder(), 'calls')
  const inject = `inject=${call}:signal=KILL:when=${nth}`
  await loadout(world, args, {}, ['strace', '-f', '-o', log, '-e', `trace=${call}`, '-e', inject])
  return readFileSync(log, 'utf8').includes('killed by SIGKILL') ? world : undefined
}

/** `act` kills at the nth call of a kind, and answers whether any process came so far. How often it did, of each kind. */
async function atSystemCalls(chosen: Record<string, number[]>, act: (call: string, nth: number) => Promise<boolean>) {
  const tally: string[] = []
  const kinds = new Set([...Object.keys(chosen), ...(isThorough ? CALLS.split(' ') : [])])
  await forEachAtOnce([...kinds], async (call) => {
    let points = 0
    for (const nth of isThorough ? manyNumbers() : (chosen[call] ?? [])) {
      if (!(await act(call, nth))) break
      points += 1
    }
    tally.push(`${points} of ${call}`)
  })
  return tally.sort().join(', ')
}

/** From 1, first all, then only every so often: most calls of one kind are alike, and each costs a run. */
function* manyNumbers() {
  for (let nth = 1; ; nth += 1 + (nth >> 4)) yield nth
}

describe.skipIf(!hasStrace)('a command that the system kills at one system call, in any thread', () => {
  it.each<[name: string, scenario: Scenario, chosen: Record<string, number[]>]>([
    ['import', IMPORT, { rename: [2] }],
    ['sync --replace of an edited copy', REFRESH_EDITED, { rename: [7] }],
    ['delete', DELETE, { fsync: [1] }],
    ['update', UPDATE, { rename: [7] }],
    ['undo', UNDO, { fsync: [1] }],
    ['merge', MERGE, { rename: [2] }],
    ['teach', TEACH, { rename: [7] }],
    ['see --fix', FIX, { fsync: [1] }],
  ])('%s is finished or undone', { timeout: 1_800_000 }, async (name, scenario, chosen) => {
    const { before, after } = await bothSides(scenario)
    const failures: string[] = []
    const tally = await atSystemCalls(chosen, async (call, nth) => {
      const world = await killedBySystem(before, scenario.args, call, nth)
      if (world === undefined) return false
      try {
        await gitToEnd(world)
        await checkNext(world, { before, after, scenario }, () => false)
      } catch (error) {
        failures.push(`${call} ${nth}: ${error instanceof Error ? error.message : error}`)
      }
      rmSync(world.home, { recursive: true, force: true })
      return true
    })
    console.log(`${name}: killed by the system at ${tally}`)
    expect(failures).toEqual([])
    expect(tally).toMatch(/[1-9]/)
  })
})

// Only git makes a symbolic link there: it tries, in a new repository that has a HEAD already, whether the disk can.
it.skipIf(!hasStrace)(
  'a source is asked again after a kill in its cache, and nothing of it is left',
  { timeout: 900_000 },
  async () => {
    const [before, library] = [await copyWorld(await BASE()), makeFolder()]
    const source = { home: before.home, library }
    const text = (words: string) => `---\nname: remote\ndescription: Of a source.\n---\n# Remote\n\n${words}\n`
    git(source, 'init', '--quiet', '--template=')
    write(library, { 'skills/remote/SKILL.md': text('One.') })
    commitAll(source, 'one')
    await loadoutOk(before, 'import', `file://${library}`, '--all')
    write(library, { 'skills/remote/SKILL.md': text('Two.') })
    commitAll(source, 'two')
    const caches = '.cache/loadout/sources'
    rmSync(join(before.home, caches), { recursive: true, force: true })
    const failures: string[] = []
    const tally = await atSystemCalls({ symlink: [1], write: [1, 13] }, async (call, nth) => {
      const world = await killedBySystem(before, ['outdated'], call, nth)
      if (world === undefined) return false
      const { stdout, stderr } = await loadout(world, ['outdated'])
      const left = readdirSync(join(world.home, caches)).length
      if (!/remote +outdated/.test(stdout) || left !== 1) failures.push(`${call} ${nth}: ${left} ${stdout}${stderr}`)
      return true
    })
    console.log(`outdated: killed by the system at ${tally}`)
    expect(failures).toEqual([])
    expect(tally).toMatch(/[1-9] of symlink.*[1-9] of write/)
  },
)

describe('a push to the team', () => {
  let team: TestServer
  beforeAll(async () => {
    team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  })
  afterAll(() => team.stop())

  const PUSH = ['team', 'push']
  // More than fit into one batch.
  const EVENTS = 600

  /** A machine of the team with events of its own that it has not sent. */
  async function makeMember(base: World, name: string): Promise<World> {
    const world = await copyWorld(base)
    const member = callsIn(world)
    await member.team.join({ url: team.url, token: await team.token() })
    const ids = Array.from({ length: EVENTS }, (_, at) => ({ entryId: `${name}-${at}` }))
    makeMachine({ home: world.home }).use(...ids)
    return world
  }

  async function checkSent(world: World, name: string): Promise<void> {
    await loadoutOk(world, ...PUSH)
    await settled(team.databaseUrl)
    const sql = `SELECT count(*) AS events, sum(times) AS times FROM event JOIN label ON label.id = entry WHERE text LIKE $1`
    expect(await ask(team.databaseUrl, sql, [`skill:${name}-%`])).toEqual([{ events: EVENTS, times: EVENTS }])
    expect(leftoversIn(world).join(' ')).toBe('')
  }

  it('that is killed at any call is repeated, and each event arrives once', { timeout: 900_000 }, async () => {
    const base = await BASE()
    const { calls } = await recordCalls(await makeMember(base, 'whole'), PUSH)
    const points = killPoints(calls).filter((_, at) => isThorough || at % 15 === 0)
    const failures: string[] = []
    await forEachAtOnce(points, async ({ at, how, call }) => {
      const name = `at-${at}-${how}`
      try {
        const world = await makeMember(base, name)
        expect(await loadout(world, PUSH, withKill(call.number, how))).toMatchObject({ code: null })
        await checkSent(world, name)
        rmSync(world.home, { recursive: true, force: true })
      } catch (error) {
        failures.push(
          `${how} call ${at}, ${call.name} ${call.detail}: ${error instanceof Error ? error.message : error}`,
        )
      }
    })
    console.log(`team push: killed at ${points.length} points`)
    expect(failures).toEqual([])
  })

  it.skipIf(!hasStrace)(
    'that the system kills at one call is repeated, and each event arrives once',
    { timeout: 900_000 },
    async () => {
      const base = await BASE()
      const failures: string[] = []
      // Among the writes are those to the server.
      const tally = await atSystemCalls({ rename: [1], write: [5], writev: [1] }, async (call, nth) => {
        const name = `${call}-${nth}`
        const killed = await killedBySystem(await makeMember(base, name), PUSH, call, nth)
        if (killed === undefined) return false
        await checkSent(killed, name).catch((error) => failures.push(`${call} ${nth}: ${error.message}`))
        return true
      })
      console.log(`team push: killed by the system at ${tally}`)
      expect(failures).toEqual([])
    },
  )
})

/** What was written where the disk was full or failed at one call; that call, if the run came so far. */
async function failing(start: World, args: readonly string[], code: string, at: number) {
  const world = await copyWorld(start)
  const log = join(makeFolder(), 'calls.log')
  const env = { NODE_OPTIONS: `--require ${PRELOAD}`, FAIL_LOG: log, FAIL_CODE: code, FAIL_AT: String(at) }
  const run = await loadout(world, args, env)
  const calls = readFileSync(log, 'utf8').trim().split('\n')
  return { world, run, calls, failed: calls.find((call) => call.startsWith('failed ')) }
}

async function checkFailure({ world, run }: Awaited<ReturnType<typeof failing>>, expected: Expected): Promise<void> {
  const { before, after, scenario } = expected
  expect([0, 1, 2], run.stderr).toContain(run.code)
  if (run.code !== 0) expect(run.stderr + run.stdout).toMatch(/^error: ./m)
  expect(run.stderr).not.toMatch(/bug in Loadout|^ +at /m)
  const next = callsIn(world)
  await next.skills.inventory({})
  checkAll(world, expected)
  const isDone = () =>
    skillFolders(after)
      .concat(skillFolders(world))
      .every((folder) => isSame(world, after, folder))
  if (run.code === 0) expect(isDone(), 'it said that it worked').toBe(true)
  // What can be done only once is done.
  if (!isDone() || headOf(after) === headOf(before)) await loadoutOk(world, ...scenario.args)
  expect(isDone(), 'run again').toBe(true)
  expect(settingsOf(world)).toBe(settingsOf(after))
  checkCommits(world, expected)
  await next.skills.sync({})
  expect(leftoversIn(world).join(' ')).toBe('')
}

const isSame = (world: World, other: World, folder: string) => {
  const [here, there] = [world, other].map(({ home }) => withoutTime(readTree(join(home, folder), isMarker)))
  return here === there
}

describe('a command on a disk that is full, or fails, at any call', () => {
  it.each([
    ['update', UPDATE, 0],
    ['undo', UNDO, 1],
    ['sync', SYNC, 2],
    ['merge', MERGE, 3],
    ['teach', TEACH, 4],
    ['see --fix', FIX, 5],
  ])(
    '%s: says so, leaves nothing half, and works when it is run again',
    { timeout: 1_800_000 },
    async (name, scenario, nth) => {
      const { before, after } = await bothSides(scenario)
      const failures: string[] = []
      const tally: string[] = []
      // Without LOADOUT_KILL_ALL, every second command meets a full disk, and the others one that fails.
      const codes = isThorough ? ['ENOSPC', 'EIO'] : [nth % 2 === 0 ? 'ENOSPC' : 'EIO']
      for (const code of codes) {
        const { calls } = await failing(before, scenario.args, code, 0)
        const first = (8 * nth) % Math.min(calls.length, 60)
        const points = calls.flatMap((_, index) => (isThorough || index % 60 === first ? [index + 1] : []))
        expect(points).not.toEqual([])
        await forEachAtOnce(points, async (at) => {
          const result = await failing(before, scenario.args, code, at)
          try {
            if (result.failed !== undefined) await checkFailure(result, { before, after, scenario })
          } catch (error) {
            const { failed, run } = result
            failures.push(`${code} ${at}, ${failed}: ${error instanceof Error ? error.message : error}\n${run.stderr}`)
          }
          rmSync(result.world.home, { recursive: true, force: true })
        })
        tally.push(`${points.length} of ${code}`)
      }
      console.log(`${name}: the disk failed at ${tally.join(', ')}`)
      expect(failures).toEqual([])
    },
  )
})

/** A world whose remote is one commit ahead. */
async function makeBehind(change: (library: string) => void): Promise<World> {
  const world = await copyWorld(await BASE())
  git(world, 'clone', '--quiet', '--bare', '.', '../remote.git')
  git(world, 'remote', 'add', 'origin', '../remote.git')
  git(world, 'fetch', '--quiet', 'origin')
  git(world, 'branch', '--quiet', '--set-upstream-to=origin/main')
  const other = { home: world.home, library: join(world.home, 'other') }
  git(world, 'clone', '--quiet', '../remote.git', other.library)
  change(other.library)
  commitAll(other, 'elsewhere')
  git(other, 'push', '--quiet')
  return world
}

it('a fetch that was killed is no reason to call the remote unreachable', async () => {
  const before = await makeBehind((library) => write(library, { 'README.md': 'From elsewhere.\n' }))
  const { world, code } = await withKilledGit(before, ['sync'], { at: ['fetch', 0], isWithParent: true })
  expect(code).toBe(null)
  write(join(world.library, '.git'), { 'refs/remotes/origin/main.lock': '' })
  const { stdout, stderr } = await loadoutOk(world, 'sync')
  expect(stdout + stderr).not.toMatch(/reached|lock/)
  expect(readFileSync(join(world.library, 'README.md'), 'utf8')).toBe('From elsewhere.\n')
})

// Git writes files in the order of their names: those before the large one are there, the large one is cut.
it.each([[true], [false]])('a fast-forward that was killed is repeated (with its parent: %s)', async (isWithParent) => {
  const before = await makeBehind((library) => {
    write(join(library, 'skills/alpha'), { 'SKILL.md': '# Alpha\n\nSecond version.\n', 'docs/new.md': 'New.\n' })
    rmSync(join(library, 'skills/alpha/docs/deep'), { recursive: true })
    write(join(library, 'skills/middle'), { ...skillFiles('middle'), 'large.md': 'Large.\n'.repeat(5000) })
    write(join(library, 'skills/spare'), { 'SKILL.md': '# Spare\n\nSecond version.\n' })
  })
  write(before.library, { 'skills/beta/SKILL.md': '# Beta\n\nEdited by hand.\n' })
  const { world, code } = await withKilledGit(before, ['sync'], { at: ['merge', 20], isWithParent })
  expect(code).toBe(isWithParent ? null : 1)
  if (isWithParent) await loadoutOk(world, 'inventory')
  expect(git(world, 'status', '--porcelain')).toBe('M skills/beta/SKILL.md')
  const { stderr } = await loadoutOk(world, 'sync')
  expect(stderr).not.toContain('overwritten')
  expect(git(world, 'status', '--porcelain')).toBe('M skills/beta/SKILL.md')
  expect(git(world, 'rev-parse', 'HEAD')).toBe(git(world, 'rev-parse', 'origin/main'))
  expect(leftoversIn(world).join(' ')).toBe('')
})

it('a command leaves the lock of a git that is alive, and makes only those wait who need git', async () => {
  const before = await BASE()
  const { world } = await withKilledGit(before, DELETE.args, { at: 'pre-commit', isWithParent: true })
  const lock = join(world.library, '.git/index.lock')
  rmSync(lock)
  const editor = 'sleep 600 #'
  write(world.library, { 'README.md': 'By hand.\n' })
  const person = spawn('git', ['-C', world.library, '-c', `core.editor=${editor}`, 'commit', '--all'], {
    env: { ...envOf(world), EDITOR: editor },
    detached: true,
    stdio: 'ignore',
  })
  try {
    while (!existsSync(lock)) await new Promise((wake) => setTimeout(wake, 20))
    await loadoutOk(world, 'inventory')
    await loadoutOk(world, 'unequip', 'beta')
    await loadout(world, ['doctor', '--fix'])
    expect(existsSync(lock)).toBe(true)
  } finally {
    process.kill(-(person.pid ?? 0), 'SIGKILL')
  }
  // What died was the only git that could own the lock, and it is older than the next command.
  await loadoutOk(world, 'sync')
  expect(gitLocks(world)).toEqual([])
})
