import { dirname, join, resolve } from 'node:path'
import { locate, projectOf, type SourceRequest } from '../answer/sources.ts'
import { openExamples } from '../examples/examples.ts'
import { isFile, isFolder } from '../machine/files.ts'
import { readInside, readTextInside, writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT } from '../machine/open-project.ts'
import { Packs, pinPack } from '../packs/catalog.ts'
import { PACK_FILE, SHARED_FOLDER } from '../packs/rules/pack.ts'
import { buildIndex, serializeIndex } from '../payloads/rules/build-index.ts'
import type { LoadoutEntry } from '../payloads/rules/loadout-index.ts'
import { resultTexts, type TestedSkill, TestedSkills } from '../skills/tested-skills.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { parseEntryId } from '../usage/rules/entry-id.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'
import { pathsBelow, readSuite, readTestsBeside } from './disk/suites.ts'
import type { Question, Task } from './rules/cases.ts'

/** What can be put before an agent: a skill; or with the hooks of Loadout a pack or a rule. */
export interface Tested extends Pick<TestedSkill, 'name' | 'description' | 'digest' | 'isOutside'> {
  kind: EntryKind
  /** Where its own tests are. */
  suite?: string
  /** Prompts that it was taught. */
  examples?: readonly string[]
  negatives?: readonly string[]
  /** Of a skill: its files as an agent gets them. */
  files?: TestedSkill['files']
  /** Of another: puts it into the working folder of a run. */
  put?(there: Machine): void | Promise<void>
  /** Of another: parts of a call by which a model asks for it. */
  marks?: readonly string[]
}

export interface TestedEntries {
  /** The library, the project or the named folder: `results/` lies there. */
  root: string
  isLibrary: boolean
  entries: Tested[]
  /** Returns the paths of the files that were written. */
  keepResults: TestedSkills['keepResults']
}

export interface TestedRequest extends Partial<SourceRequest> {
  /** Skills of the library, a folder of skills; or packs and rules as `pack:x`, `rule:x`. Default: the working folder. */
  what?: readonly string[]
}

/** Skills of the library, all in a folder, or packs and rules. Throws for what may reach no model. */
export function openTested(machine: Machine, { what = [], layers = {}, project }: TestedRequest): TestedEntries {
  const named = what.map((word) => word.replace(/^rule:/, 'payload:').replace(/^skill:/, ''))
  const isKnowledge = (word: string) => /^(?:pack|payload):/.test(word)
  if (!named.some(isKnowledge)) {
    const tested = new TestedSkills(machine, named)
    const { root, isLibrary, skills } = tested
    const examples = isLibrary ? openExamples({ library: root }) : undefined
    const entries = skills.map((skill): Tested => {
      const { name, description } = skill
      const taught = examples?.into('skill', { id: name, name, description, body: '' })
      const { examples: yes, negatives } = taught ?? {}
      return { ...skill, kind: 'skill', suite: skill.folder, examples: yes, negatives }
    })
    return { root, isLibrary, entries, keepResults: (rows) => tested.keepResults(rows) }
  }
  const other = named.find((word) => !isKnowledge(word))
  if (other !== undefined) throw failWith('USAGE/unexpected', { word: other, command: 'test' })
  const { root } = projectOf(machine, { layers, project })
  const rules: LoadoutEntry[] = []
  const entries = named.map((id): Tested => {
    const found = locate(machine, { layers, project, id, kinds: ['payload', 'pack'], isRead: true })
    const { kind, name, source } = found
    const findings: Finding[] = []
    const documents = source.segments.flatMap(({ readDocuments }) => readDocuments(findings))
    const { examples, negatives } = documents.find(({ kept }) => (kept as { name: string }).name === name) ?? {}
    const about = { kind, name, examples, negatives, isOutside: true }
    if (kind === 'payload') {
      const { entry } = found
      const from = found.source.knowledge.rootOf(entry)
      const bytes = Buffer.from(readTextInside(from, entry.path))
      rules.push(entry)
      return {
        ...about,
        description: entry.summary,
        digest: sha256(bytes).slice(0, 12),
        put: (there) => {
          writeInside(there.cwd, entry.path, [bytes])
          writeInside(there.cwd, INDEX_IN_PROJECT, serializeIndex(buildIndex(rules, undefined, '')))
        },
        marks: [entry.path, `lookup ${name}`, `payload:${name}`],
      }
    }
    const { root: from, trust, manifest } = found.entry
    const { files, digest } = pinPack(found.entry)
    return {
      ...about,
      description: manifest.description,
      digest: sha256(JSON.stringify(trust.files ?? files ?? digest)).slice(0, 12),
      suite: from,
      put: async (there) => {
        const at = join(SHARED_FOLDER, name)
        for (const path of trust.kept === undefined ? pathsBelow(from) : Object.keys(trust.files ?? {})) {
          const copy = trust.kept === undefined ? { at: from, path } : { at: trust.kept, path: trust.files![path]! }
          const { bytes } = readInside(copy.at, copy.path, { most: LARGEST_FILE })
          if (bytes !== undefined) writeInside(there.cwd, join(at, path), [bytes])
        }
        const pack = new Packs(there, { project: there.cwd }).get(name)
        const answer = { kind: 'pack', root: pack.root, name, decision: 'approved' } as const
        await there.approvals.record({ ...answer, ...pinPack(pack) })
      },
      marks: [`--pack ${name}`, `pack:${name}`, `${SHARED_FOLDER}/${name}/${PACK_FILE}`],
    }
  })
  const keepResults: TestedEntries['keepResults'] = async (rows) => {
    const texts = resultTexts(root, rows)
    for (const [path, text] of texts) writeInside(root, path, text)
    return texts.map(([path]) => path)
  }
  return { root, isLibrary: false, entries, keepResults }
}

/** A prompt that an entry should be opened for, or should not. */
export interface TestCase {
  /** The skill, the pack or the rule. */
  skill: string
  kind: EntryKind
  prompt: string
  expects: 'fires' | 'quiet'
  /** Entries of which one counts. */
  counts: string[]
  task?: Task
}

/** The cases of some entries: the tests beside them, the project's own questions, and their committed examples. */
export function casesOf(
  { root, isLibrary, entries }: TestedEntries,
  { limit, helps }: { limit: number; helps: boolean },
): { cases: TestCase[]; findings: Finding[] } {
  const findings: Finding[] = []
  const suites: (readonly Question[])[] = []
  const unused: string[] = []
  const isOfFolder = !isLibrary && entries.every(({ kind }) => kind === 'skill')
  for (const folder of isOfFolder ? [root] : entries.flatMap(({ suite }) => suite ?? [])) {
    const read = readTestsBeside(folder)
    suites.push(read.questions)
    unused.push(...read.unused)
  }
  const own = join(root, SUITE_IN_PROJECT)
  if (isFolder(own) && entries.some(({ kind }) => kind === 'payload')) suites.push(readSuite(own))
  for (const { name, examples = [], negatives = [] } of entries) {
    suites.push(examples.map((prompt) => ({ id: name, prompt, expected: [name], not: [], kind: 'pos' })))
    suites.push(negatives.map((prompt) => ({ id: name, prompt, expected: [], not: [name], kind: 'pairneg' })))
  }
  // Tests name an entry by its name, its id or its folder; in a folder with one skill all tests are about it.
  const [only, second] = entries
  const nameOf = (said: string): string | undefined =>
    entries.find(({ name, suite }) => name === parseEntryId(said).name || suite?.endsWith(`/${said}`))?.name ??
    entries.find(({ name }) => name.endsWith(`-${said}`))?.name ??
    (second === undefined && isOfFolder ? only?.name : undefined)
  const known = new Map<string, string | undefined>()
  let foreign = 0
  const counted = new Map<string, number>()
  const seen = new Set<string>()
  const cases: TestCase[] = []
  for (const { prompt, expected, not, task } of suites.flat()) {
    const named = expected.length > 0 ? expected : not
    const counts = named.flatMap((said) => {
      if (!known.has(said)) known.set(said, nameOf(said))
      return known.get(said) ?? []
    })
    if (named.length > 0 && counts.length === 0) {
      foreign++
      continue
    }
    const skill = counts[0] ?? only!.name
    const key = JSON.stringify([skill, prompt])
    if (seen.has(key) || (helps && (task?.assertions.length ?? 0) === 0)) continue
    seen.add(key)
    counted.set(skill, (counted.get(skill) ?? 0) + 1)
    if (counted.get(skill)! > limit) continue
    const all = named.length === 0 ? entries.map(({ name }) => name) : counts
    const { kind } = entries.find(({ name }) => name === skill)!
    cases.push({ skill, kind, prompt, expects: expected.length > 0 ? 'fires' : 'quiet', counts: all, task })
  }
  if (unused.length > 0) findings.push(unusedTests(unused))
  if (foreign > 0) findings.push(report('BAD_SUITE/foreign', { count: foreign }))
  for (const [skill, count] of counted) {
    if (count > limit) findings.push(report('BAD_SUITE/left-out', { skill, count: count - limit, limit }))
  }
  const notRun = new Map<string, number>()
  for (const { task } of cases) for (const what of task?.notRun ?? []) notRun.set(what, (notRun.get(what) ?? 0) + 1)
  for (const [what, count] of notRun) findings.push(report('BAD_SUITE/not-run', { what: what.slice(0, 60), count }))
  return { cases, findings }
}

/** Files that look like tests, and are none that Loadout can read. */
export function unusedTests(paths: readonly string[]): Finding {
  const more = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
  return report('BAD_SUITE/no-tests', { unused: String(paths[0]), more }, { count: paths.length })
}

/** Where a project stores its own questions. */
export const SUITE_IN_PROJECT = '.claude/loadout/evals'

const LARGEST_FILE = 32 * 1024 * 1024

/** The files that a test names, as they lie in the working folder of the task. */
export function filesOf(task: Task | undefined, root: string): Record<string, Uint8Array> {
  const found: Record<string, Uint8Array> = {}
  if (task?.path === undefined) return found
  const near = dirname(task.path)
  for (const name of task.files) {
    const at = [dirname(near), near, join(near, 'files'), root]
      .map((folder) => resolve(folder, name))
      .find((path) => isFile(path) || isFolder(path))
    if (at === undefined || !at.startsWith(`${root}/`)) continue
    const inside = at.slice(root.length + 1)
    for (const path of isFolder(at) ? pathsBelow(at).map((each) => join(inside, each)) : [inside]) {
      const { bytes } = readInside(root, path, { most: LARGEST_FILE })
      const shown = isFolder(at)
        ? path.slice(inside.length + 1)
        : join(name).replace(/^(?:\.{0,2}\/)*(?:evals\/)?(?:files\/)?/, '')
      if (bytes !== undefined) found[shown] = bytes
    }
  }
  return found
}
