import { resolve } from 'node:path'
import { projectOf, type SourceRequest } from '../answer/sources.ts'
import { admitExamples, type Proposal } from '../examples/rules/admit.ts'
import { descriptionDigest, type Example, keyOf, type Origin } from '../examples/rules/example.ts'
import { type ExampleFile, pathOf, withoutSecrets, writeExamples } from '../examples/write.ts'
import { readText } from '../machine/files.ts'
import { writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { teachLibrary } from '../skills/library-examples.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { type AnswerItem, LONGEST_ANSWER, readAnswer } from './rules/teach-answer.ts'
import { exportText, type TeachingTask, taskFor } from './rules/teach-request.ts'
import { ENOUGH, findTeachable, openTeachable, type Teachable, type TeachableEntry } from './teachable.ts'

export interface TeachRequest extends SourceRequest {
  items: readonly AnswerItem[]
  origin: Exclude<Origin, 'use'>
  dryRun?: boolean | undefined
  /** Whether to commit a change of the library. Default: true. */
  commit?: boolean | undefined
}

export interface Teaching {
  taught: { id: string; prompts: string[]; negatives: string[]; path: string }[]
  /** The commit in the library, if its files were committed. */
  commit?: string
  isDryRun: boolean
}

/** Adds prompts as examples of their entries. Invalid prompts become findings; the rest is added. */
export async function teach(machine: Machine, request: TeachRequest): Promise<Report<Teaching>> {
  const teachable = openTeachable(machine, request)
  return teachItems(machine, teachable, request, [])
}

/** Confirms that the examples of some entries still fit, although their descriptions have changed. */
export async function renewTeaching(
  machine: Machine,
  request: Omit<TeachRequest, 'items' | 'origin'> & { ids: readonly string[] },
): Promise<Report<Teaching>> {
  const teachable = openTeachable(machine, request)
  const findings: Finding[] = []
  const entries = chosen(teachable.entries, request.ids, findings).filter(({ stale }) => stale > 0)
  const items = entries.map((entry): AnswerItem => {
    const digest = descriptionDigest(entry.description)
    const own = teachable.known.map(({ example }) => example).filter((each) => keyOf(each) === keyOf(entry))
    const old = own.filter((each) => each.digest !== digest && each.origin !== 'use')
    const prompts = (isNegative: boolean) =>
      old.filter(({ not }) => (not ?? false) === isNegative).map(({ prompt }) => prompt)
    return { id: keyOf(entry), prompts: prompts(false), negatives: prompts(true) }
  })
  return teachItems(machine, teachable, { ...request, items, origin: 'hand' }, findings)
}

async function teachItems(
  machine: Machine,
  { entries, known }: Teachable,
  request: Omit<TeachRequest, 'layers'>,
  findings: Finding[],
): Promise<Report<Teaching>> {
  const proposals: Proposal[] = []
  const files = new Map<string, ExampleFile>()
  for (const { id, prompts, negatives } of request.items) {
    const entry = findTeachable(entries, id)
    if ('severity' in entry) {
      if (!findings.some(({ message }) => message === entry.message)) findings.push(entry)
      continue
    }
    files.set(keyOf(entry), entry.file)
    const { origin } = request
    proposals.push(...prompts.map((prompt) => ({ entry, prompt, origin })))
    proposals.push(...negatives.map((prompt) => ({ entry, prompt, origin, not: true as const })))
  }
  // Before the scan for secrets, which takes longest, and again after it: refused examples must not use up a place.
  const written = known.map(({ example }) => example).filter(({ origin }) => origin !== 'use')
  const candidates = admitExamples(proposals, written)
  const byEntry = new Map(proposals.map(({ entry }) => [keyOf(entry), entry]))
  const { clean, findings: secrets } = await withoutSecrets(
    candidates.fresh.map(({ prompt, origin, not, ...of }) => ({
      entry: byEntry.get(keyOf(of))!,
      prompt,
      origin,
      ...(not ? { not } : {}),
    })),
  )
  const { fresh } = admitExamples(clean, written)
  const isDryRun = request.dryRun ?? false
  const saved = isDryRun ? { findings: [] } : await save(machine, fresh, files, request.commit ?? true)
  const taught = summarize(fresh, files)
  const value = { taught, ...(saved.commit === undefined ? {} : { commit: saved.commit }), isDryRun }
  return { value, findings: [...findings, ...candidates.findings, ...secrets, ...saved.findings] }
}

async function save(
  machine: Machine,
  fresh: readonly Example[],
  files: ReadonlyMap<string, ExampleFile>,
  wantsCommit: boolean,
): Promise<{ commit?: string; findings: Finding[] }> {
  const library = new Map<string, Example[]>()
  const others = new Map<string, { file: ExampleFile; examples: Example[] }>()
  for (const example of fresh) {
    const file = files.get(keyOf(example))!
    if (file.place === 'library') library.set(example.id, [...(library.get(example.id) ?? []), example])
    else {
      const other = others.get(pathOf(file)) ?? { file, examples: [] }
      other.examples.push(example)
      others.set(pathOf(file), other)
    }
  }
  for (const { file, examples } of others.values()) await writeExamples(machine, file, examples)
  if (library.size === 0) return { findings: [] }
  const { value, findings } = await teachLibrary(machine, library, wantsCommit)
  return { ...(value === undefined ? {} : { commit: value }), findings }
}

function summarize(fresh: readonly Example[], files: ReadonlyMap<string, ExampleFile>): Teaching['taught'] {
  const rows = new Map<string, Teaching['taught'][number]>()
  for (const example of fresh) {
    const id = keyOf(example)
    const row = rows.get(id) ?? { id, prompts: [], negatives: [], path: pathOf(files.get(id)!) }
    const list = example.not ? row.negatives : row.prompts
    list.push(example.prompt)
    rows.set(id, row)
  }
  return [...rows.values()]
}

export interface TeachExport {
  tasks: TeachingTask[]
  /** For an agent: instructions, and the entries. */
  text: string
  /** The file that it was written to. */
  path?: string
}

/** For an agent without MCP: instructions, and every entry that needs more examples. */
export function exportTeaching(
  machine: Machine,
  request: SourceRequest & { ids?: readonly string[] | undefined; out?: string | undefined },
): Report<TeachExport> {
  const { entries, findings } = openTeachable(machine, request)
  const asked = chosen(entries, request.ids ?? [], findings)
  const tasks = lacking(asked)
  if (tasks.length === 0) return { value: { tasks, text: '' }, findings: [...findings, nothingToAsk(asked.length)] }
  const text = exportText(tasks)
  if (request.out === undefined) return { value: { tasks, text }, findings }
  const path = resolve(machine.cwd, request.out)
  writeNamed(projectOf(machine, request).root, path, text)
  return { value: { tasks, text, path }, findings }
}

function chosen(entries: readonly TeachableEntry[], ids: readonly string[], findings: Finding[]): TeachableEntry[] {
  if (ids.length === 0) return entries.filter(({ isChosenByTask }) => isChosenByTask)
  return ids.flatMap((id) => {
    const entry = findTeachable(entries, id)
    if (!('severity' in entry)) return [entry]
    findings.push(entry)
    return []
  })
}

function nothingToAsk(entries: number): Finding {
  const code = 'NOTHING_TO_TEACH'
  if (entries > 0) {
    const message = `every requested entry has ${ENOUGH} examples or more: nothing is left to write`
    return { severity: 'info', code, message }
  }
  const hint = 'loadout index build makes entries of payloads; loadout try shows what entries are'
  return { severity: 'error', code, message: 'there is no entry to write prompts for', hint }
}

function lacking(entries: readonly TeachableEntry[]): TeachingTask[] {
  return entries
    .filter(({ written }) => written < ENOUGH)
    .map((entry) => taskFor(keyOf(entry), entry, ENOUGH - entry.written))
}

/**
 * Adds the examples in the answer of an agent, from a file or as text. Findings name the prompts that were not added.
 */
export async function importTeaching(
  machine: Machine,
  request: Omit<TeachRequest, 'items' | 'origin'> & ({ file: string } | { text: string }),
): Promise<Report<Teaching>> {
  const text = 'file' in request ? readText(resolve(machine.cwd, request.file), LONGEST_ANSWER) : request.text
  if (text.length > LONGEST_ANSWER) {
    throw new LoadoutError('FILE_TOO_LARGE', `the answer has more than ${LONGEST_ANSWER} characters`, {
      hint: 'import it in parts',
    })
  }
  const teachable = openTeachable(machine, request)
  const isKnown = (id: string) => !('severity' in findTeachable(teachable.entries, id))
  const { items, problems } = readAnswer(text, isKnown)
  const findings = [...brokenParts(problems), ...(items.length === 0 ? [nothingThere(text)] : [])]
  return teachItems(machine, teachable, { ...request, items, origin: 'agent' }, findings)
}

function brokenParts(problems: readonly { line: number; problem: string }[]): Finding[] {
  const [first] = problems
  if (first === undefined) return []
  const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`
  const message = `line ${first.line} of the answer is not used: ${first.problem}${more}`
  const hint = 'repair it and import the answer again; existing examples are not added twice'
  return [{ severity: 'error', code: 'BAD_JSON', message, line: first.line, hint }]
}

function nothingThere(text: string): Finding {
  const what = text.trim() === '' ? 'the answer is empty' : 'the answer contains no examples, only other text'
  const hint = 'one JSON object per line: {"id": "skill:name", "prompts": ["…"]}'
  return { severity: 'error', code: 'NOTHING_TO_TEACH', message: what, hint }
}

export interface TeachBatch {
  /** The next entries without enough examples. */
  tasks: TeachingTask[]
  /** How many more there are. */
  left: number
  /** How many entries can have examples, and how many of them have enough. */
  known: number
  enough: number
}

/** The next entries to write about, for a conversation that continues until none is left. */
export function nextTeaching(
  machine: Machine,
  request: SourceRequest & { limit: number; skip?: readonly string[] | undefined },
): Report<TeachBatch> {
  const { entries, findings } = openTeachable(machine, request)
  const wanted = entries.filter(({ isChosenByTask }) => isChosenByTask)
  const skip = new Set(request.skip ?? [])
  const tasks = lacking(wanted).filter(({ id }) => !skip.has(id))
  const shown = tasks.slice(0, request.limit)
  const enough = wanted.filter(({ written }) => written >= ENOUGH).length
  return { value: { tasks: shown, left: tasks.length - shown.length, known: wanted.length, enough }, findings }
}
