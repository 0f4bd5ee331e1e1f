import { isRecord } from '../../text/values.ts'
import { type EntryKind, kindOf, stageOf, type UsageEvent } from '../../usage/rules/usage-event.ts'
import { keyOf, LONGEST_PROMPT, promptKey, tidyPrompt } from './example.ts'

/** A prompt whose plan contained an entry that the agent then used. */
export interface UsedPrompt {
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

// A use belongs to one of the last tasks; the reader forgets sessions without new events.
const MOST_TASKS = 20
const MOST_SESSIONS = 1_000

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
      if (tasks.length > MOST_TASKS) tasks.shift()
    }
    if (event.entryId === '') return
    const entry = { kind: kindOf(event), id: event.entryId }
    if (stageOf(event) === 'used') this.use(tasks, entry)
    else tasks.findLast(({ hash }) => hash === event.taskHash)?.planned.add(keyOf(entry))
  }

  private use(tasks: readonly Task[], entry: { kind: EntryKind; id: string }): void {
    const task = tasks.findLast(({ planned }) => planned.has(keyOf(entry)))
    if (task === undefined) return
    // Counted once: reading the same entry again adds nothing.
    task.planned.delete(keyOf(entry))
    const prompt = tidyPrompt(task.prompt)
    if (prompt.length > LONGEST_PROMPT || promptKey(prompt) === '') return
    const { project } = task
    this.found.push({ ...entry, prompt, ...(project === undefined ? {} : { project }) })
  }

  private tasksOf(session: string): Task[] {
    const tasks = this.sessions.get(session) ?? []
    this.sessions.delete(session)
    this.sessions.set(session, tasks)
    if (this.sessions.size > MOST_SESSIONS) {
      for (const oldest of this.sessions.keys()) {
        this.sessions.delete(oldest)
        break
      }
    }
    return tasks
  }
}
