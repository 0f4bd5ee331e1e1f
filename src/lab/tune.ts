import { join } from 'node:path'
import { readText } from '../machine/files.ts'
import { writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { rebuildIndex } from '../payloads/index-build.ts'
import { readKnowledge } from '../payloads/knowledge.ts'
import { PRIORITIES } from '../payloads/rules/loadout-index.ts'
import { diffLines } from '../text/line-diff.ts'
import { failWith } from '../text/trouble.ts'
import { openPastPlanner, tasksIn } from './past-tasks.ts'

export interface TuneRequest {
  project: string
  /** A rule of the project. */
  id: string
  /** `core`: at each start of a session. `manual`: never unasked. `domain`: when a task fits. */
  priority: string
  dryRun?: boolean
}

export interface Tuning {
  id: string
  path: string
  before: string
  after: string
  diff: string
  /** How many kept tasks of this project were asked again. */
  tasks: number
  /** Those that choose otherwise then, the newest first. */
  changes: { task: string; gained: string[]; lost: string[] }[]
  isDryRun: boolean
}

const MOST_TASKS = 50

/** Gives a rule of a project another priority, and says first what that changes for the last kept tasks. */
export function tuneRule(machine: Machine, { id, priority, dryRun = false, ...request }: TuneRequest): Tuning {
  const known = PRIORITIES.join(', ')
  if (!PRIORITIES.some((each) => each === priority)) {
    throw failWith('USAGE/choice', { name: 'priority', text: priority.slice(0, 40), known })
  }
  const project = openProject(machine, request.project)
  const knowledge = readKnowledge(machine, { projectRoot: project }, true)
  const entry = knowledge.entries.find((each) => each.id === id)
  if (entry === undefined || knowledge.layerOf(entry) !== 'project') throw failWith('ENTRY_NOT_FOUND/layers', { id })
  const root = knowledge.rootOf(entry)
  const before = readText(join(root, entry.path))
  const after = withPriority(before, id, priority)
  const own = machine.realFolder(project.root)
  const past = tasksIn(machine.usageLog).tasks.filter(({ asked: terms }) => terms?.project === own)
  const plan = openPastPlanner(machine, knowledge)
  const asked = past.slice(-MOST_TASKS).reverse()
  const changes = asked.flatMap((task): Tuning['changes'] => {
    const now = plan(task)
    const then = priority === 'manual' ? plan(task, id) : [...new Set([id, ...now])]
    const [gained, lost] = [then.filter((each) => !now.includes(each)), now.filter((each) => !then.includes(each))]
    return gained.length + lost.length === 0 || priority === 'domain' ? [] : [{ task: task.words, gained, lost }]
  })
  if (!dryRun && before !== after) {
    writeInside(root, entry.path, after)
    rebuildIndex(machine, { project })
  }
  const diff = diffLines(before, after)
  return {
    id,
    path: entry.path,
    before: entry.priority,
    after: priority,
    diff,
    tasks: asked.length,
    changes,
    isDryRun: dryRun,
  }
}

/** Only that line of the frontmatter changes. */
function withPriority(text: string, id: string, priority: string): string {
  const block = /^---\r?\n[\s\S]*?\n---/.exec(text)?.[0]
  if (block === undefined) return `---\nid: ${id}\npriority: ${priority}\n---\n${text}`
  const row = /^priority:.*$/m
  const changed = row.test(block)
    ? block.replace(row, `priority: ${priority}`)
    : block.replace(/\n---$/, `\npriority: ${priority}\n---`)
  return changed + text.slice(block.length)
}
