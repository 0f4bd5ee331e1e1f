import { dirname, resolve } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { realFolder } from '../machine/open-project.ts'
import { Knowledge, type Layers, layerPlaces, projectOf, readIndexAt } from '../payloads/knowledge.ts'
import { rankPayloads, rankTask } from '../payloads/payload-source.ts'
import type { PlanTerms } from '../payloads/plan.ts'
import { PHASES } from '../payloads/rules/loadout-index.ts'
import type { MatchResult } from '../payloads/rules/match.ts'
import { selectMatches } from '../payloads/rules/plan.ts'
import { STRATEGIES, type Strategy } from '../search/document.ts'
import { failWith, type LoadoutError, report } from '../text/trouble.ts'
import { compareText, hashText, isRecord } from '../text/values.ts'
import { visitUsage } from '../usage/log.ts'
import { kindOf, stageOf, type UsageEvent } from '../usage/rules/usage-event.ts'
import { junkFinding, openLog } from '../usage/usage.ts'

export interface ReplayRequest {
  /** Default: the machine's own. */
  log?: string
  /** An index file instead of the project's. */
  index?: string
  /** Default: the one that each task was planned with. */
  strategy?: Strategy
  /** How many changed tasks are listed, the newest first. */
  limit?: number
  /** Include tasks of other projects, although they were planned with another index. */
  allProjects?: boolean
  layers: Layers
}

export interface PromptReplay {
  log: string
  /** The number of distinct tasks that were routed again. */
  tasks: number
  /** How many of them choose other entries now. */
  differing: number
  /** The number of skipped tasks of other projects. */
  otherProjects: number
  /** In how many tasks an entry is newly chosen, and in how many no longer. The most changed first. */
  entries: { id: string; gained: number; lost: number }[]
  /** The newest first. */
  changes: { task: string; timestamp: string; strategy: Strategy; gained: string[]; lost: string[]; kept: string[] }[]
}

/** Routes the tasks of a log again, and reports which choose other entries. Reads the log twice, in pieces. */
export function replayPrompts(machine: Machine, request: ReplayRequest): PromptReplay {
  const log = openLog(machine, request.log)
  const project = projectOf(machine, request.layers)
  const root = project && realFolder(machine, project.root)
  // A log without projects belongs to this one.
  const isOwn = ({ asked }: PastTask) => request.allProjects || asked === undefined || asked.project === root
  // The same words with the same plan options are one task: the last time counts.
  const latest = new Map<string, number>()
  let otherProjects = 0
  const { junkLines } = forEachTask(log, (task, position) => {
    if (isOwn(task)) latest.set(fingerprint(task), position)
    else otherProjects++
  })
  if (latest.size === 0) throw nothingToReplay(log, otherProjects)
  const knowledge = openLayers(machine, request)
  const { lazyLoad } = knowledge.summary
  let ranking: ReturnType<typeof rankPayloads> | undefined
  const route = ({ words, asked }: PastTask, strategy: Strategy) => {
    const rank = () => {
      ranking ??= rankPayloads(machine, knowledge)
      return rankTask(knowledge, ranking, words)
    }
    const matches = strategy === 'ranked' ? rank() : knowledge.table.match(words)
    const rules = { phase: asked?.phase, budget: asked?.budget, lazyLoad }
    const { preload, onDemand } = selectMatches(matches, rules)
    const isTaken = ({ entry }: MatchResult) => !asked?.withoutCore || entry.priority !== 'core'
    const chosen = [...preload.filter(isTaken), ...onDemand.filter(isTaken).slice(0, asked?.most)]
    return chosen.map(({ entry }) => entry.id)
  }
  const changes: PromptReplay['changes'] = []
  const entries = new Map<string, PromptReplay['entries'][number]>()
  const entry = (id: string) => entries.get(id) ?? entries.set(id, { id, gained: 0, lost: 0 }).get(id)!
  const positions = new Set(latest.values())
  let differing = 0
  forEachTask(log, (past, position) => {
    if (!positions.has(position)) return
    const { words: task, timestamp, chosen } = past
    const strategy = request.strategy ?? past.asked?.strategy ?? 'keywords'
    const now = route(past, strategy)
    const [had, has] = [new Set(chosen), new Set(now)]
    const gained = now.filter((id) => !had.has(id))
    const lost = chosen.filter((id) => !has.has(id))
    if (gained.length + lost.length === 0) return
    differing++
    for (const id of gained) entry(id).gained++
    for (const id of lost) entry(id).lost++
    changes.push({ task, timestamp, strategy, gained, lost, kept: now.filter((id) => had.has(id)) })
    if (changes.length > (request.limit ?? 20)) changes.shift()
  })
  const changed = [...entries.values()].sort(
    (a, b) => b.gained + b.lost - (a.gained + a.lost) || compareText(a.id, b.id),
  )
  const tasks = positions.size
  const findings = [...knowledge.findings, ...(junkLines > 0 ? [junkFinding(junkLines, log)] : [])]
  if (differing > 0) {
    findings.push(report('CONTEXT_CHANGED/routing', { differing, tasks, what: tasks === 1 ? 'task' : 'tasks' }))
  }
  machine.report(...findings)
  return { log, tasks, differing, otherProjects, entries: changed, changes: changes.reverse() }
}

/** A task whose words are in a log, and the payloads of its plan at that time. */
export interface PastTask {
  timestamp: string
  words: string
  /** Undefined in a log without plan options. */
  asked: PlanTerms | undefined
  chosen: string[]
}

// The text itself would be as long as the task, and a log may have more of them than fit into memory.
function fingerprint({ words, asked }: PastTask): string {
  const text = `${words}\n${JSON.stringify(asked)}`
  return String.fromCharCode(...[hashText(text), hashText(text, 0x01234567)].flatMap((n) => [n >>> 16, n & 0xffff]))
}

function forEachTask(log: string, visit: (task: PastTask, position: number) => void): { junkLines: number } {
  let position = 0
  const reader = new PastTaskReader((task) => visit(task, position++))
  const scanned = visitUsage(log, (event) => reader.add(event))
  reader.end()
  return scanned
}

/** Assembles tasks from the events of a log, one at a time: events of one task follow each other. */
export class PastTaskReader {
  private readonly give: (task: PastTask) => void
  private hash = ''
  private task: PastTask | undefined
  private delivered: string[] = []
  private hasPlan = false

  constructor(give: (task: PastTask) => void) {
    this.give = give
  }

  add(event: UsageEvent): void {
    if (event.taskHash !== this.hash) this.end()
    this.hash = event.taskHash
    if (typeof event.task === 'string' && this.task === undefined) {
      const { timestamp, task: words } = event
      this.task = { timestamp, words, asked: readTerms(event.asked), chosen: [] }
    }
    if (this.task === undefined || kindOf(event) !== 'payload') return
    const stage = stageOf(event)
    if (stage === 'planned') this.hasPlan = true
    if (event.entryId === '' || stage === 'used') return
    const list = stage === 'planned' ? this.task.chosen : this.delivered
    list.push(event.entryId)
  }

  /**
   * Call it after the last event. Deliveries without a plan count as chosen; events that routed nothing do not form a
   * task.
   */
  end(): void {
    const { task, delivered, hasPlan } = this
    this.task = undefined
    this.delivered = []
    this.hasPlan = false
    if (task === undefined) return
    if (hasPlan) this.give(task)
    else if (delivered.length > 0) this.give({ ...task, chosen: delivered })
  }
}

/** From an untrusted file. */
function readTerms(json: unknown): PlanTerms | undefined {
  if (!isRecord(json)) return undefined
  const { project, budget, most, withoutCore } = json
  const strategy = STRATEGIES.find((known) => known === json.strategy)
  const phase = PHASES.find((known) => known === json.phase)
  return {
    project: typeof project === 'string' ? project : undefined,
    strategy,
    phase,
    budget: typeof budget === 'number' && budget >= 0 ? budget : undefined,
    most: typeof most === 'number' && most >= 0 ? most : undefined,
    withoutCore: withoutCore === true ? withoutCore : undefined,
  }
}

/** With a named index the payloads stay where they are; only the index of the project is replaced. */
function openLayers(machine: Machine, { layers, index }: ReplayRequest): Knowledge {
  const places = layerPlaces(machine, layers)
  if (index !== undefined) {
    const path = resolve(machine.cwd, index)
    // A named index must be valid; other layers may be broken, and are reported.
    readIndexAt({ path, root: '' })
    const own = places.findIndex(({ name }) => name === 'project')
    const root = places[own]?.root ?? dirname(path)
    places.splice(own < 0 ? places.length : own, 1, { name: 'project', path, root })
  }
  const knowledge = new Knowledge(places)
  if (knowledge.summary.layerNames.length > 0) return knowledge
  throw failWith('NO_INDEX')
}

function nothingToReplay(log: string, otherProjects: number): LoadoutError {
  if (otherProjects === 0) {
    return failWith('NOTHING_TO_DO/no-task-texts', { log })
  }
  const are = otherProjects === 1 ? 'the task in it belongs' : `the ${otherProjects} tasks in it belong`
  return failWith('NOTHING_TO_DO/other-projects', { log, are })
}
