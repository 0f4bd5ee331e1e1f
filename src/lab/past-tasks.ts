import { dirname, resolve } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { Knowledge, type Layers, layerPlaces, projectOf, readIndexAt } from '../payloads/knowledge.ts'
import { rankPayloads, rankTask } from '../payloads/payload-source.ts'
import type { PlanTerms } from '../payloads/plan.ts'
import { PHASES } from '../payloads/rules/loadout-index.ts'
import { selectMatches } from '../payloads/rules/plan.ts'
import { STRATEGIES, type Strategy } from '../search/document.ts'
import { failWith, report } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { visitUsage } from '../usage/log.ts'
import { kindOf, stageOf } from '../usage/rules/usage-event.ts'
import { junkFinding, openLog } from '../usage/usage.ts'

export interface PastRequest {
  /** Default: the machine's own. */
  log?: string
  /** An index file instead of the project's. */
  index?: string
  /** Default: the one that each task was planned with. */
  strategy?: Strategy
  /** Include tasks of other projects, although they were planned with another index. */
  allProjects?: boolean
  layers: Layers
}

export interface PastComparison {
  log: string
  tasks: number
  otherProjects: number
  /** The newest first. */
  changes: { query: string; timestamp: string; before: string[]; after: string[] }[]
}

/** Plans the tasks in a log again, and reports which choose other rules now. */
export function comparePast(machine: Machine, request: PastRequest): PastComparison {
  const log = openLog(machine, request.log)
  const { tasks: all, junkLines } = tasksIn(log)
  const project = projectOf(machine, request.layers)
  const root = project && machine.realFolder(project.root)
  // A log without projects belongs to this one.
  const tasks = all.filter(({ asked }) => request.allProjects || asked === undefined || asked.project === root)
  const otherProjects = all.length - tasks.length
  if (tasks.length === 0) {
    if (otherProjects === 0) throw failWith('NOTHING_TO_DO/no-task-texts', { log })
    const are = otherProjects === 1 ? 'the task in it belongs' : `the ${otherProjects} tasks in it belong`
    throw failWith('NOTHING_TO_DO/other-projects', { log, are })
  }
  const places = layerPlaces(machine, request.layers)
  if (request.index !== undefined) {
    const path = resolve(machine.cwd, request.index)
    // A named index must be valid; other layers may be broken, and are reported.
    readIndexAt({ path, root: '' })
    const own = places.findIndex(({ name }) => name === 'project')
    places.splice(own < 0 ? places.length : own, 1, {
      name: 'project',
      path,
      root: places[own]?.root ?? dirname(path),
    })
  }
  const knowledge = new Knowledge(places)
  if (knowledge.summary.layerNames.length === 0) throw failWith('NO_INDEX')
  const plan = openPastPlanner(machine, knowledge, request.strategy)
  const changes = tasks.flatMap((task) => {
    const { words, timestamp, chosen } = task
    const after = plan(task)
    const isSame = after.length === new Set(chosen).size && after.every((id) => chosen.includes(id))
    return isSame ? [] : [{ query: words, timestamp, before: chosen, after }]
  })
  machine.report(...knowledge.findings, ...(junkLines > 0 ? [junkFinding(junkLines, log)] : []))
  const differing = changes.length
  if (differing > 0) {
    const what = tasks.length === 1 ? 'task' : 'tasks'
    machine.report(report('CONTEXT_CHANGED/routing', { differing, tasks: tasks.length, what }))
  }
  return { log, tasks: tasks.length, otherProjects, changes: changes.reverse() }
}

/** Plans past tasks with the options of their plans. `without`: as if this rule did not match. */
export function openPastPlanner(machine: Machine, knowledge: Knowledge, strategy?: Strategy) {
  const { lazyLoad } = knowledge.summary
  let ranking: ReturnType<typeof rankPayloads> | undefined
  return ({ words, asked }: PastTask, without?: string): string[] => {
    const isRanked = (strategy ?? asked?.strategy) === 'ranked'
    if (isRanked) ranking ??= rankPayloads(machine, knowledge)
    const all = isRanked ? rankTask(knowledge, ranking!, words) : knowledge.table.match(words)
    const matches = all.filter(({ entry }) => entry.id !== without)
    const { preload, onDemand } = selectMatches(matches, { phase: asked?.phase, budget: asked?.budget, lazyLoad })
    const taken = [preload, onDemand].map((list) =>
      list.filter(({ entry }) => !asked?.withoutCore || entry.priority !== 'core'),
    )
    return [...taken[0]!, ...taken[1]!.slice(0, asked?.most)].map(({ entry }) => entry.id)
  }
}

/** A task whose words are in a log, and the rules of its plan at that time. */
interface PastTask {
  timestamp: string
  words: string
  /** Undefined in a log without plan options. */
  asked?: PlanTerms
  chosen: string[]
}

/** The tasks of a log: the same words with the same options are one task, the last time counts. */
export function tasksIn(log: string): { tasks: PastTask[]; junkLines: number } {
  const latest = new Map<string, PastTask>()
  let hash = ''
  let task: PastTask | undefined
  let given: { planned: string[]; delivered: string[]; isPlanned: boolean }
  const end = () => {
    // Events that routed nothing do not form a task; deliveries without a plan count as chosen.
    if (task === undefined || !(given.isPlanned || given.delivered.length > 0)) return
    const key = JSON.stringify([task.words, task.asked])
    latest.delete(key)
    latest.set(key, { ...task, chosen: given.isPlanned ? given.planned : given.delivered })
  }
  const { junkLines } = visitUsage(log, (event) => {
    if (event.taskHash !== hash) {
      end()
      task = undefined
    }
    hash = event.taskHash
    if (typeof event.task === 'string' && task === undefined) {
      task = { timestamp: event.timestamp, words: event.task, asked: readTerms(event.asked), chosen: [] }
      given = { planned: [], delivered: [], isPlanned: false }
    }
    if (task === undefined || kindOf(event) !== 'payload') return
    const stage = stageOf(event)
    if (stage === 'planned') given.isPlanned = true
    if (event.entryId !== '' && stage !== 'used') given[stage].push(event.entryId)
  })
  end()
  return { tasks: [...latest.values()], junkLines }
}

/** From an untrusted file. */
function readTerms(json: unknown): PlanTerms | undefined {
  if (!isRecord(json)) return undefined
  const { project, budget, most, withoutCore } = json
  const atLeast0 = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : undefined)
  return {
    project: typeof project === 'string' ? project : undefined,
    strategy: STRATEGIES.find((known) => known === json.strategy),
    phase: PHASES.find((known) => known === json.phase),
    budget: atLeast0(budget),
    most: atLeast0(most),
    withoutCore: withoutCore === true ? withoutCore : undefined,
  }
}
