import { dirname, resolve } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { realFolder } from '../machine/open-project.ts'
import type { Strategy } from '../search/strategy.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { hashText } from '../text/values.ts'
import { visitUsage } from '../usage/log.ts'
import { junkFinding, openLog } from '../usage/usage.ts'
import { type Knowledge, readPlaces } from './knowledge.ts'
import { type LayerPlace, type Layers, layerPlaces, projectOf } from './layers.ts'
import { readIndexFile } from './payload-root.ts'
import { rankPayloads, rankTask } from './payload-source.ts'
import type { MatchResult } from './rules/match.ts'
import { type PastTask, PastTaskReader } from './rules/past-task.ts'
import { selectEntries, selectMatches } from './rules/plan.ts'
import { type ChangedEntry, type ChangedTask, ReplayTally } from './rules/prompt-replay.ts'

export interface ReplayRequest {
  /** Default: the machine's own. */
  log?: string | undefined
  /** An index file instead of the project's. */
  index?: string | undefined
  /** Default: the one that each task was planned with. */
  strategy?: Strategy | undefined
  /** How many changed tasks are listed, the newest first. */
  limit?: number | undefined
  /** Include tasks of other projects, although they were planned with another index. */
  allProjects?: boolean | undefined
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
  entries: ChangedEntry[]
  changes: ChangedTask[]
}

const DEFAULT_LIMIT = 20

/** Routes the tasks of a log again, and reports which choose other entries. Reads the log twice, in pieces. */
export function replayPrompts(machine: Machine, request: ReplayRequest): Report<PromptReplay> {
  const log = openLog(machine, request.log)
  const isOwn = request.allProjects ? () => true : ownTasks(machine, request)
  const { latest, otherProjects, junkLines } = findLatest(log, isOwn)
  if (latest.size === 0) throw nothingToReplay(log, otherProjects)
  const knowledge = openLayers(machine, request)
  const route = createRouter(machine, knowledge)
  const tally = new ReplayTally(request.limit ?? DEFAULT_LIMIT)
  const positions = new Set(latest.values())
  forEachTask(log, (task, position) => {
    if (!positions.has(position)) return
    const strategy = request.strategy ?? task.asked?.strategy ?? 'keywords'
    tally.add(task, route(task, strategy), strategy)
  })
  const { tasks, differing } = tally
  const value = { log, tasks, differing, otherProjects, entries: tally.changedEntries(), changes: tally.changes() }
  const findings = [...knowledge.findings, ...(junkLines > 0 ? [junkFinding(junkLines, log)] : [])]
  return { value, findings: differing > 0 ? [...findings, changed(tasks, differing)] : findings }
}

/** The same words with the same plan options are one task: the last time counts. Returns its position among all. */
function findLatest(log: string, isOwn: (task: PastTask) => boolean) {
  const latest = new Map<string, number>()
  let otherProjects = 0
  const { junkLines } = forEachTask(log, (task, position) => {
    if (isOwn(task)) latest.set(fingerprint(task), position)
    else otherProjects++
  })
  return { latest, otherProjects, junkLines }
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

/** A log without projects belongs to this one. */
function ownTasks(machine: Machine, { layers }: ReplayRequest): (task: PastTask) => boolean {
  const project = projectOf(machine, layers)
  const root = project && realFolder(machine, project.root)
  return ({ asked }) => asked === undefined || asked.project === root
}

function openLayers(machine: Machine, { layers, index }: ReplayRequest): Knowledge {
  const places = layerPlaces(machine, layers)
  const knowledge = readPlaces(index === undefined ? places : withIndex(places, resolve(machine.cwd, index)))
  if (knowledge.layerNames.length > 0) return knowledge
  throw new LoadoutError('NO_INDEX', 'no index was found in any layer', {
    hint: 'run: loadout index build, or name an index file with --index',
  })
}

/** The payloads stay where they are; only their index is replaced. */
function withIndex(places: readonly LayerPlace[], path: string): LayerPlace[] {
  // A named index must be valid; other layers may be broken, and are reported.
  readIndexFile(path)
  if (!places.some(({ name }) => name === 'project')) return [...places, { name: 'project', path, root: dirname(path) }]
  return places.map((place) => (place.name === 'project' ? { ...place, path } : place))
}

function createRouter(machine: Machine, knowledge: Knowledge): (task: PastTask, strategy: Strategy) => string[] {
  const { table, lazyLoad } = knowledge
  let opened: ReturnType<typeof rankPayloads> | undefined
  return ({ words, asked }, strategy) => {
    const rules = { phase: asked?.phase, budget: asked?.budget, lazyLoad }
    if (strategy === 'ranked') opened ??= rankPayloads(machine, knowledge)
    const { preload, onDemand } =
      opened !== undefined && strategy === 'ranked'
        ? selectMatches(rankTask(knowledge, opened, words), rules)
        : selectEntries(words, table, rules)
    const isTaken = ({ entry }: MatchResult) => !asked?.withoutCore || entry.priority !== 'core'
    const chosen = [...preload.filter(isTaken), ...onDemand.filter(isTaken).slice(0, asked?.most)]
    return chosen.map(({ entry }) => entry.id)
  }
}

function nothingToReplay(log: string, otherProjects: number): LoadoutError {
  if (otherProjects === 0) {
    return new LoadoutError('NO_TASK_TEXTS', `${log} contains no words of tasks`, {
      hint: 'loadout usage --keep-tasks on keeps them from now on',
    })
  }
  const are = otherProjects === 1 ? 'the task in it belongs' : `the ${otherProjects} tasks in it belong`
  return new LoadoutError('NO_TASK_TEXTS', `no task of this project is in ${log}; ${are} to others`, {
    hint: 'go to that project, or compare them with --all-projects',
  })
}

function changed(tasks: number, differing: number): Finding {
  const message = `${differing} of ${tasks} ${tasks === 1 ? 'task' : 'tasks'} choose other entries now`
  return { severity: 'error', code: 'ROUTING_CHANGED', message, hint: 'loadout explain <id> --task "<task>" shows why' }
}
