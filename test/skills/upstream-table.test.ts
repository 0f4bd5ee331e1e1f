import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { type Person, personIn } from './in-process.ts'
import { commitAll, git, makeWorld, readTree, type World } from './world.ts'

// An upstream, machine A that imports from it and changes the library, and machine B that shares the library and edits its
// installed copies. Every change of one meets every change of the others, in one skill each.

const NOTES = Array.from({ length: 12 }, (_, at) => `line ${at + 1}\n`).join('')
/** A picture of which only the ends are checked. */
const pictureOf = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n\0${text}\xae\x42\x60\x82`, 'latin1')
const FILES = { 'notes.md': NOTES, 'old.md': 'Old.\n', 'pic.png': pictureOf('first') }
const DOCUMENT = '# Title\n\nOne.\n\nTwo.\n'

type Who = 'upstream' | 'here' | 'copy'

/** What somebody does to a skill's folder. The mark must be found afterwards, wherever that is. */
type Change = (folder: string, mark: string, who: Who) => void

const replace =
  (file: string, from: string): Change =>
  (folder, mark) =>
    writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace(from, `${from} ${mark}`))

const CHANGES: Record<string, Change> = {
  nothing: () => {},
  'a line': replace('notes.md', 'line 3'),
  'another line': replace('notes.md', 'line 9'),
  'the document': replace('SKILL.md', 'Two.'),
  'a file removed': (folder) => rmSync(join(folder, 'notes.md')),
  'a file renamed': (folder, _, who) => renameSync(join(folder, 'notes.md'), join(folder, `${who}.md`)),
  'a binary': (folder, mark) => writeFileSync(join(folder, 'pic.png'), pictureOf(mark)),
  'a file added': (folder, mark) => writeFileSync(join(folder, 'added.md'), `${mark}\n`),
}
/** All of them with LOADOUT_TEST_ALL; otherwise some, because the whole table takes half a minute. */
const SAMPLE = ['a line', 'a file renamed', 'a binary']
const KINDS = Object.keys(CHANGES).filter((kind) => process.env.LOADOUT_TEST_ALL !== undefined || SAMPLE.includes(kind))
const LEAVES_NO_MARK = ['nothing', 'a file removed', 'a file renamed']

/** Files that a change takes away or gives another name do not merge with other changes of that kind. */
const MOVES = ['a file removed', 'a file renamed']
const LINES = ['a line', 'another line']

function isConflict(one: string, other: string): boolean {
  if (one === 'nothing' || other === 'nothing') return false
  if (one === other) return one !== 'a file removed'
  if (MOVES.includes(one) && MOVES.includes(other)) return true
  return [
    [one, other],
    [other, one],
  ].some(([a, b]) => a === 'a file removed' && LINES.includes(b ?? ''))
}

interface Skill {
  name: string
  upstream: string
  here: string
  /** Turned by one for each row, so that every pair of changes occurs, of any two of the three. */
  copy: string
}

const SKILLS: Skill[] = KINDS.flatMap((upstream, row) =>
  KINDS.map((here, column) => ({
    name: `s-${row}-${column}`,
    upstream,
    here,
    copy: KINDS[(row + column) % KINDS.length]!,
  })),
)

const markOf = (who: Who, { name }: Skill) => `by ${who} in ${name}.`

function change(who: Who, folderOf: (name: string) => string): void {
  for (const skill of SKILLS) CHANGES[skill[who]]?.(folderOf(skill.name), markOf(who, skill), who)
}

function makeUpstream(): World {
  const home = makeFolder()
  const upstream = { home, library: join(home, 'repo') }
  for (const { name } of SKILLS) {
    const folder = join(upstream.library, 'skills', name)
    mkdirSync(folder, { recursive: true })
    const frontmatter = `---\nname: ${name}\ndescription: About ${name}.\n---\n`
    writeFileSync(join(folder, 'SKILL.md'), frontmatter + DOCUMENT)
    for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text)
  }
  git(upstream, 'init', '--quiet', '--initial-branch=main')
  git(upstream, 'config', 'user.name', 'Upstream')
  git(upstream, 'config', 'user.email', 'upstream@example.org')
  commitAll(upstream, 'first')
  return upstream
}

/** Everything that a machine still has of what was written on it: the history of its library, its copies, merges and backups. */
function everythingOn(person: Person): string {
  const files: string[] = [git(person, 'log', '--all', '--patch', '--text', '--no-renames', '--format=')]
  const visit = (folder: string) => {
    for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, entry)
      if (statSync(path).isDirectory()) visit(path)
      else files.push(readFileSync(path, 'utf8'))
    }
  }
  for (const folder of ['.claude', '.codex', '.local/state/loadout']) visit(join(person.home, folder))
  return files.join('\n')
}

function checkKept(person: Person, ...whose: Who[]): void {
  const all = everythingOn(person)
  const expected = whose.flatMap((who) =>
    SKILLS.filter((skill) => !LEAVES_NO_MARK.includes(skill[who])).map((skill) => markOf(who, skill)),
  )
  expect(expected.filter((mark) => !all.includes(mark))).toEqual([])
}

async function endMerges(person: Person): Promise<string[]> {
  const { merges } = (await person.calls.skills.finishMerge({})).value
  for (const [at, { skill }] of merges.entries()) {
    await person.calls.skills.finishMerge({ name: skill, take: at % 2 === 0 ? 'other' : 'library', continue: true })
  }
  return merges.map(({ skill }) => skill)
}

/** Both machines have a library with one remote, and all skills installed. */
async function makeMachines() {
  const upstream = makeUpstream()
  const a = personIn(makeWorld({}))
  const remote = join(makeFolder(), 'library.git')
  git(a, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
  git(a, 'remote', 'add', 'origin', remote)
  await a.calls.skills.import({ source: `file://${upstream.library}` })
  git(a, 'push', '--quiet', '--set-upstream', 'origin', 'main')
  const b = personIn(makeWorld({}))
  rmSync(b.library, { recursive: true })
  git(upstream, 'clone', '--quiet', remote, b.library)
  for (const person of [a, b]) await person.calls.skills.equip({ names: [], all: true })
  return { upstream, a, b }
}

describe('an upstream and two machines', () => {
  it(`lose nothing of ${SKILLS.length} combinations of changes`, { timeout: 120_000 }, async () => {
    const { upstream, a, b } = await makeMachines()
    change('upstream', (name) => join(upstream.library, 'skills', name))
    commitAll(upstream, 'second')
    change('here', (name) => join(a.library, 'skills', name))
    commitAll(a, 'mine')
    change('copy', (name) => join(b.home, '.claude/skills', name))

    const states = new Map((await a.calls.skills.outdated({})).value.map(({ name, state }) => [name, state]))
    const told = SKILLS.map(({ name, upstream: kind }) => [
      name,
      states.get(name) === (kind === 'nothing' ? 'current' : 'outdated'),
    ])
    expect(told.filter(([, isRight]) => !isRight)).toEqual([])

    const before = readTree(a.library, (path) => path === '.git')
    const preview = await a.calls.skills.update({ all: true, dryRun: true })
    expect(readTree(a.library, (path) => path === '.git')).toEqual(before)
    const { value } = await a.calls.skills.update({ all: true })
    expect(value.updates.map(({ name, result }) => [name, result])).toEqual(
      preview.value.updates.map(({ name, result }) => [name, result]),
    )
    const results = new Map(value.updates.map(({ name, result }) => [name, result]))
    const unexpected = SKILLS.filter(({ name, upstream: theirs, here: ours }) => {
      const expected = theirs === 'nothing' ? 'unchanged' : isConflict(theirs, ours) ? 'conflict' : 'updated'
      return results.get(name) !== expected
    })
    expect(unexpected.map((each) => ({ ...each, result: results.get(each.name) }))).toEqual([])
    expect(git(a, 'status', '--porcelain')).toBe('')
    checkKept(a, 'upstream', 'here')
    const waiting = await endMerges(a)
    expect(waiting).toEqual(SKILLS.filter((each) => results.get(each.name) === 'conflict').map(({ name }) => name))
    // Whoever took the library's side did without what the upstream has.
    checkKept(a, 'here')
    const after = (await a.calls.skills.outdated({})).value.filter(({ state }) => state !== 'current')
    expect(after).toEqual([])
    await a.calls.skills.sync({ push: true })

    await b.calls.skills.sync({})
    checkKept(b, 'here', 'copy')
    const { skills } = (await b.calls.skills.inventory({})).value
    for (const { name, placements } of skills) {
      if (placements.some(({ edit }) => edit === 'kept')) await b.calls.skills.adopt({ name })
    }
    const left = await endMerges(b)
    checkKept(b, 'here', 'copy')
    expect(git(b, 'status', '--porcelain')).toBe('')
    await b.calls.skills.sync({ push: true })
    checkKept(b, 'here', 'copy')
    expect((await b.calls.skills.inventory({})).value.skills.filter(({ state }) => state !== 'current')).toEqual([])
    expect(left.length).toBeGreaterThan(0)

    await a.calls.skills.sync({})
    const isGit = (path: string) => path === '.git'
    expect(readTree(a.library, isGit)).toEqual(readTree(b.library, isGit))
    expect((await a.calls.skills.inventory({})).value.skills.filter(({ state }) => state !== 'current')).toEqual([])
  })
})
