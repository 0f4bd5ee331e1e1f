import { resolve } from 'node:path'
import { projectOf, type SourceRequest } from '../answer/sources.ts'
import { type ExampleFile, pathOf, writeExamples } from '../examples/examples.ts'
import { descriptionDigest, type Example, keyOf, type Origin } from '../examples/rules/example.ts'
import { readText } from '../machine/files.ts'
import { writeNamed } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { Library } from '../skills/library-skills.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { admitExamples, type Proposal } from './rules/admit.ts'
import { type AnswerItem, exportText, LONGEST_ANSWER, readAnswer, type TeachingTask } from './rules/teach-exchange.ts'
import { ENOUGH, findTeachable, openTeachable, type Teachable, type TeachableEntry } from './teachable.ts'

export interface TeachRequest extends SourceRequest {
  items: readonly AnswerItem[]
  origin: Exclude<Origin, 'use'>
  dryRun?: boolean
  /** Whether to commit a change of the library. Default: true. */
  commit?: boolean
}

export interface Teaching {
  taught: { id: string; prompts: string[]; negatives: string[]; path: string }[]
  /** The commit in the library, if its files were committed. */
  commit: string | undefined
  isDryRun: boolean
}

/** Adds prompts as examples of their entries. Invalid prompts become findings; the rest is added. */
export function teach(machine: Machine, request: TeachRequest): Promise<Teaching> {
  return teachItems(machine, openTeachable(machine, request), request, [])
}

/** Confirms that the examples of some entries still fit, although their descriptions have changed. */
export function renewTeaching(
  machine: Machine,
  request: Omit<TeachRequest, 'items' | 'origin'> & { ids: readonly string[] },
): Promise<Teaching> {
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

/** Adds the examples in the answer of an agent, from a file or as text. Findings name the prompts that were not added. */
export async function importTeaching(
  machine: Machine,
  request: Omit<TeachRequest, 'items' | 'origin'> & ({ file: string } | { text: string }),
): Promise<Teaching> {
  const text = 'file' in request ? readText(resolve(machine.cwd, request.file), LONGEST_ANSWER) : request.text
  if (text.length > LONGEST_ANSWER) {
    throw failWith('FILE_TOO_LARGE/answer', { most: LONGEST_ANSWER })
  }
  const teachable = openTeachable(machine, request)
  const isKnown = (id: string) => !('severity' in findTeachable(teachable.entries, id))
  const { items, problems } = readAnswer(text, isKnown)
  const findings: Finding[] = []
  const [first] = problems
  if (first !== undefined) {
    const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`
    const { line, problem } = first
    findings.push(report('BAD_JSON/answer', { line, problem, more }, { line }))
  }
  if (items.length === 0) {
    const what = text.trim() === '' ? 'the answer is empty' : 'the answer contains no examples, only other text'
    findings.push(report('NOTHING_TO_DO/answer', { what }))
  }
  return teachItems(machine, teachable, { ...request, items, origin: 'agent' }, findings)
}

async function teachItems(
  machine: Machine,
  { entries, known }: Teachable,
  { items, origin, dryRun: isDryRun = false, commit: wantsCommit = true }: TeachRequest,
  findings: Finding[],
): Promise<Teaching> {
  const proposals: Proposal[] = []
  const files = new Map<string, ExampleFile>()
  for (const { id, prompts, negatives } of items) {
    const entry = findTeachable(entries, id)
    if ('severity' in entry) {
      if (!findings.some(({ message }) => message === entry.message)) findings.push(entry)
      continue
    }
    files.set(keyOf(entry), entry.file)
    proposals.push(...prompts.map((prompt) => ({ entry, prompt, origin })))
    proposals.push(...negatives.map((prompt) => ({ entry, prompt, origin, not: true as const })))
  }
  const admitted = admitExamples(
    proposals,
    known.map(({ example }) => example),
  )
  const { clean, findings: secrets } = await withoutSecrets(admitted.fresh)
  const taught = new Map<string, Teaching['taught'][number]>()
  const byFile = new Map<string, { file: ExampleFile; examples: Example[] }>()
  for (const example of clean) {
    const id = keyOf(example)
    const file = files.get(id)!
    const path = pathOf(file)
    const row = taught.get(id) ?? { id, prompts: [], negatives: [], path }
    const list = example.not ? row.negatives : row.prompts
    list.push(example.prompt)
    taught.set(id, row)
    const group = byFile.get(path) ?? { file, examples: [] }
    group.examples.push(example)
    byFile.set(path, group)
  }
  const teaching: Teaching = { taught: [...taught.values()], commit: undefined, isDryRun }
  machine.report(...findings, ...admitted.findings, ...secrets)
  if (isDryRun) return teaching
  const library = new Map<string, Example[]>()
  for (const { file, examples } of byFile.values()) {
    if (file.place === 'library') library.set(examples[0]!.id, examples)
    else await writeExamples(machine.records, file, examples)
  }
  if (library.size === 0) return teaching
  return { ...teaching, commit: await new Library(machine).teach(library, wantsCommit) }
}

/** Prompts scanned as one text; single prompts are scanned only if that text has a finding. */
const SCANNED_AT_ONCE = 200

/** Removes examples with secret or personal data. A message never quotes them. */
async function withoutSecrets(examples: readonly Example[]): Promise<{ clean: Example[]; findings: Finding[] }> {
  const { detectPrivate } = await import('../machine/secret-scanner.ts')
  const isClean = async (text: string) => (await detectPrivate(text)).length === 0
  const clean: Example[] = []
  const refused = new Map<string, number>()
  for (let from = 0; from < examples.length; from += SCANNED_AT_ONCE) {
    const part = examples.slice(from, from + SCANNED_AT_ONCE)
    const isAllClean = await isClean(part.map(({ prompt }) => prompt).join('\n\n'))
    for (const example of part) {
      if (isAllClean || (await isClean(example.prompt))) clean.push(example)
      else refused.set(keyOf(example), (refused.get(keyOf(example)) ?? 0) + 1)
    }
  }
  const findings = [...refused].map(([entry, times]): Finding => {
    const what = times === 1 ? 'a prompt was not added: it contains' : `${times} prompts were not added: they contain`
    return report('EXAMPLE_REFUSED/secret', { entry, what }, { subject: entry })
  })
  return { clean, findings }
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
  request: SourceRequest & { ids?: readonly string[]; out?: string },
): TeachExport {
  const { entries, findings } = openTeachable(machine, request)
  const asked = chosen(entries, request.ids ?? [], findings)
  const tasks = lacking(asked)
  if (tasks.length === 0) {
    findings.push(
      asked.length > 0 ? report('NOTHING_TO_DO/prompts', { enough: ENOUGH }) : report('NOTHING_TO_DO/no-entry'),
    )
    machine.report(...findings)
    return { tasks, text: '' }
  }
  const text = exportText(tasks)
  if (request.out === undefined) {
    machine.report(...findings)
    return { tasks, text }
  }
  const path = resolve(machine.cwd, request.out)
  writeNamed(projectOf(machine, request).root, path, text)
  machine.report(...findings)
  return { tasks, text, path }
}

/** The next entries to write about, and how many more there are: for a conversation that continues until none is left. */
export function nextTeaching(
  machine: Machine,
  request: SourceRequest & { limit: number; skip?: readonly string[] },
): { tasks: TeachingTask[]; left: number } {
  const { entries, findings } = openTeachable(machine, request)
  const skip = new Set(request.skip ?? [])
  const all = lacking(chosen(entries, [], findings)).filter(({ id }) => !skip.has(id))
  const tasks = all.slice(0, request.limit)
  machine.report(...findings)
  return { tasks, left: all.length - tasks.length }
}

/** The named entries, or all that a task can choose. */
function chosen(entries: readonly TeachableEntry[], ids: readonly string[], findings: Finding[]): TeachableEntry[] {
  if (ids.length === 0) return entries.filter(({ isChosenByTask }) => isChosenByTask)
  return ids.flatMap((id) => {
    const entry = findTeachable(entries, id)
    if (!('severity' in entry)) return [entry]
    findings.push(entry)
    return []
  })
}

/** A longer description adds nothing about its purpose. */
const LONGEST_DESCRIPTION = 800

function lacking(entries: readonly TeachableEntry[]): TeachingTask[] {
  return entries
    .filter(({ written }) => written < ENOUGH)
    .map(({ kind, id, description, written, stale }) => {
      const text = description.replace(/\s+/g, ' ').trim()
      const shown = text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION - 1)}…` : text
      return { id: keyOf({ kind, id }), description: shown, wanted: ENOUGH - written, stale: stale || undefined }
    })
}
