import type { Machine } from '../machine/machine.ts'
import { LoadoutError } from '../text/trouble.ts'
import { groupBy, isRecord } from '../text/values.ts'
import { visitUsage } from '../usage/log.ts'
import { parseKeepsTasks } from '../usage/rules/config.ts'
import { type EntryKind, kindOf, stageOf, type UsageEvent } from '../usage/rules/usage-event.ts'
import { changeExamplesNow, machineFile } from './disk/example-files.ts'
import {
  descriptionDigest,
  type Example,
  formatExample,
  keyOf,
  LONGEST_PROMPT,
  MOST_USED,
  promptKey,
  tidyPrompt,
} from './rules/example.ts'

/** Older events were learned before, or are too old to matter. Reading this much takes a few milliseconds. */
const READ_BACK = 2 * 1024 * 1024

/**
 * Learns from the usage log which prompts led to which entries: the newest of each. Does nothing unless the user keeps
 * tasks, whose words are masked already. Skips an entry without a description here; another process may know it. An
 * error only loses what would have been learned.
 */
export function learnFromUse(machine: Machine, describe: (used: UsedPrompt) => string | undefined): void {
  try {
    if (!parseKeepsTasks(machine.config.read(), machine.config.path)) return
    const reader = new UsedPromptReader()
    visitUsage(machine.usageLog, (event) => reader.add(event), READ_BACK)
    const learned = reader.found.flatMap((used): Example[] => {
      const description = describe(used)
      if (description === undefined) return []
      const { kind, id, prompt } = used
      return [{ kind, id, prompt, digest: descriptionDigest(description), origin: 'use' }]
    })
    if (learned.length === 0) return
    changeExamplesNow(machine.records, machineFile(machine.records, 'from-use'), (lines) => {
      const known = lines.flatMap(({ example }) => example ?? [])
      const after = newestOf([...known, ...learned]).map(formatExample)
      return after.join('\n') === lines.map(({ text }) => text).join('\n') ? undefined : after
    })
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
  }
}

/** The newest for each entry and description; a repeated prompt keeps its position. */
function newestOf(examples: readonly Example[]): Example[] {
  const kept = new Set<Example>()
  for (const group of groupBy(examples, (each) => JSON.stringify([keyOf(each), each.digest])).values()) {
    const firsts = [...groupBy(group, ({ prompt }) => promptKey(prompt)).values()].flatMap(([first]) => first ?? [])
    for (const example of firsts.slice(-MOST_USED)) kept.add(example)
  }
  return examples.filter((example) => kept.has(example))
}

/** A prompt whose plan contained an entry that the agent then used. */
interface UsedPrompt {
  kind: EntryKind
  id: string
  prompt: string
  /** The project folder of the plan, if the log has it. */
  project?: string
}

interface Task {
  hash: string
  prompt: string
  project: string | undefined
  planned: Set<string>
}

/** Finds in a log, event by event, which prompts led to which entries: planned, then used in the same conversation. */
export class UsedPromptReader {
  /** Oldest first. */
  readonly found: UsedPrompt[] = []
  private readonly sessions = new Map<string, Task[]>()

  add(event: UsageEvent): void {
    if (typeof event.session !== 'string' || event.session === '') return
    const tasks = this.tasksOf(event.session)
    if (typeof event.task === 'string') {
      const project = isRecord(event.asked) && typeof event.asked.project === 'string' ? event.asked.project : undefined
      tasks.push({ hash: event.taskHash, prompt: event.task, project, planned: new Set() })
      // A use belongs to one of the last tasks; the reader forgets sessions without new events.
      if (tasks.length > 20) tasks.shift()
    }
    if (event.entryId === '') return
    const entry = { kind: kindOf(event), id: event.entryId }
    if (stageOf(event) !== 'used') {
      tasks.findLast(({ hash }) => hash === event.taskHash)?.planned.add(keyOf(entry))
      return
    }
    const task = tasks.findLast(({ planned }) => planned.has(keyOf(entry)))
    if (task === undefined) return
    // Counted once: reading the same entry again adds nothing.
    task.planned.delete(keyOf(entry))
    const prompt = tidyPrompt(task.prompt)
    if (prompt.length > LONGEST_PROMPT || promptKey(prompt) === '') return
    this.found.push({ ...entry, prompt, project: task.project })
  }

  private tasksOf(session: string): Task[] {
    const tasks = this.sessions.get(session) ?? []
    this.sessions.delete(session)
    this.sessions.set(session, tasks)
    const [oldest = ''] = this.sessions.keys()
    if (this.sessions.size > 1_000) this.sessions.delete(oldest)
    return tasks
  }
}
