import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { makeFolder, makeProject } from '../cli/run.ts'
import { runMany, runWarm, type WarmRun } from '../cli/warm.ts'
import { BROKEN_PACK, canariesIn, canary, ENDLESS_PACK, FULL_PACK, placed, TASK } from './canaries.ts'
import { everyCall } from './every-command.ts'

const PACKS = '.agents/knowledge'

// Hundreds of commands each, slow on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

interface Hidden {
  workspace: string
  home: string
  root: string
}

/** A workspace with unapproved packs. */
function hide(): Hidden {
  const workspace = makeProject({
    '.git/HEAD': '',
    ...placed('quails', FULL_PACK),
    ...placed('wrecked', BROKEN_PACK),
    ...placed('endless', ENDLESS_PACK),
  })
  return { workspace, home: makeFolder(), root: join(workspace, PACKS, 'quails') }
}

function runAll({ workspace, home }: Hidden, calls: readonly string[][]): WarmRun[] {
  // Caches may stay.
  const kept = [workspace, join(home, '.local'), join(home, '.config')]
  for (const folder of kept) mkdirSync(folder, { recursive: true })
  return runMany(calls, { cwd: workspace, home, kept, env: { TMPDIR: makeFolder() } })
}

/** Commands that may print file names: validation, approval, and an index of a named folder. */
const NAMES_FILES = /^(packs validate|validate|approve|rules build) /

interface Leak {
  call: string
  places: string[]
}

/** The words of packs in the output, except allowed ones. */
function leaksOf(runs: readonly WarmRun[], mayShow: (place: string) => boolean = () => false): Leak[] {
  return runs.flatMap(({ args, stdout, stderr }) => {
    const said = stdout + stderr
    const places = canariesIn(said).filter((place) => !mayShow(place))
    if (/zqname/.test(said) && !NAMES_FILES.test(args.join(' ')) && !mayShow('name')) places.push('a file name')
    return places.length === 0 ? [] : [{ call: args.join(' '), places }]
  })
}

/** Runs with an undocumented exit code or a stack trace. */
function brokenOf(runs: readonly WarmRun[]): object[] {
  return runs
    .filter(({ code, stderr }) => code === null || code > 3 || /UNEXPECTED|\n {4}at /.test(stderr))
    .map(({ args, code, stderr }) => ({ call: args.join(' '), code, stderr: stderr.slice(0, 500) }))
}

/** Prints parts of the file that the user names, so it may show a file of a pack. */
const SHOWS_NAMED_FILE = 'rules migrate'

/** Tested elsewhere: they would end or block a process with many calls. */
const END_THEIR_PROCESS = ['mcp', 'hook', 'web', 'team serve']

describe('a pack of a workspace that is not approved', () => {
  // A valid pack, and a file of a broken one; the others only in a full run.
  const TARGETS = [
    `${PACKS}/quails`,
    `${PACKS}/wrecked/indexes/source-map.json`,
    ...(process.env.LOADOUT_TEST_ALL === undefined
      ? []
      : [
          PACKS,
          `${PACKS}/wrecked`,
          `${PACKS}/quails/compiled/facts.md`,
          `${PACKS}/endless`,
          `${PACKS}/wrecked/compiled/brief.md`,
          `${PACKS}/quails/evals/discovery.train.json`,
        ]),
  ]

  it('cases 43, 44 and 49: no command shows a word of it, and none starts a program of it', () => {
    const hidden = hide()
    const words = { targets: TARGETS, task: TASK, name: 'quails' }
    const runs = runAll(
      hidden,
      everyCall(words, ({ name }) => name !== SHOWS_NAMED_FILE && !END_THEIR_PROCESS.includes(name)),
    )
    expect(runs.length).toBeGreaterThan(400)
    expect(leaksOf(runs)).toEqual([])
    expect(brokenOf(runs)).toEqual([])
    expect([...new Set(runs.flatMap(({ started }) => started))]).toEqual(['git'])
    expect(existsSync(join(hidden.root, 'scripts/was-run'))).toBe(false)
    // The calls are such that they would show it, if they could.
    expect(runs.filter(({ stdout }) => stdout.includes('quails')).length).toBeGreaterThan(50)
  })

  it('the same for every file of it that can be checked', () => {
    const files = [...Object.keys(FULL_PACK).map((file) => `quails/${file}`)]
    const broken = Object.keys(BROKEN_PACK).map((file) => `wrecked/${file}`)
    const calls = [...files, ...broken].map((file, at) =>
      at % 2 === 0 ? ['validate', `${PACKS}/${file}`] : ['packs', 'validate', `${PACKS}/${file}`, '--json'],
    )
    const runs = runAll(hide(), calls)
    expect(leaksOf(runs)).toEqual([])
    expect(brokenOf(runs)).toEqual([])
  })
})

type Step = (hidden: Hidden) => void

const say =
  (...words: string[]): Step =>
  ({ workspace, home }) => {
    const { code, stderr } = runWarm(['packs', ...words], { cwd: workspace, home })
    if (code !== 0) throw new Error(stderr)
  }
const change =
  (file: string): Step =>
  ({ root }) =>
    appendFileSync(join(root, file), `${canary('added')}\n`)
const spoilApprovals: Step = ({ home }) =>
  writeFileSync(join(home, '.local/state/loadout/approvals.json'), '[{"root": 1')

/** Commands that take packs and other kinds of entries. */
const FOR_EVERY_KIND = ['approve', 'deny', 'revoke', 'explain', 'eval', 'replay', 'validate']

const isOfPacks = ({ name }: { name: string }) => name.startsWith('packs ') || FOR_EVERY_KIND.includes(name)

function runPackCommands(steps: readonly Step[], hasFlags: boolean): WarmRun[] {
  const hidden = hide()
  for (const step of steps) step(hidden)
  const calls = everyCall({ targets: [hidden.root], task: TASK, name: 'quails' }, isOfPacks)
  return runAll(
    hidden,
    calls.filter((call) => hasFlags || call.every((word) => word === '--json' || !word.startsWith('--'))),
  )
}

describe('a pack that is shut again', () => {
  const STATES: [state: string, steps: Step[]][] = [
    ['denied', [say('approve', 'quails'), say('deny', 'quails')]],
    ['revoked', [say('approve', 'quails'), say('revoke', 'quails')]],
    ['approved in a file that cannot be read', [say('approve', 'quails'), spoilApprovals]],
  ]
  // One gate decides for all: every flag is tried with the first state alone, every command with each.
  it.each(STATES)('%s: no command shows a word of it', (state, steps) => {
    const runs = runPackCommands(steps, state === STATES[0]?.[0])
    expect(runs.length).toBeGreaterThan(25)
    expect(leaksOf(runs)).toEqual([])
    expect(brokenOf(runs)).toEqual([])
  })
})

it.each([
  ['the guide', 'KNOWLEDGE.md', []],
  ['a file of an approved tree', 'sources/a.md', ['--tree']],
])('what was added to %s since the approval is shown by no command', (_, file, flags) => {
  const runs = runPackCommands([say('approve', 'quails', ...flags), change(file)], false)
  expect(runs.length).toBeGreaterThan(25)
  expect(leaksOf(runs, (place) => place !== 'added')).toEqual([])
  expect(brokenOf(runs)).toEqual([])
})

it('an open pack gives its sources when they are asked for', () => {
  const hidden = hide()
  say('approve', 'quails')(hidden)
  const [cited] = runAll(hidden, [['packs', 'resolve', TASK, '--pack', 'quails', '--cite']])
  expect(cited?.stdout).toContain(`${canary('source')}\n`)
})
