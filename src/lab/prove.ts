import { listedInTrial, type UsableClient, usableClients } from '../agents/try-client.ts'
import { listLoadable } from '../answer/sources.ts'
import type { Machine } from '../machine/machine.ts'
import { findRegressions, type ResultRow } from '../skills/rules/test-results.ts'
import { readResults } from '../skills/tested-skills.ts'
import type { Money } from '../text/cost.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { compareText, groupBy } from '../text/values.ts'
import { moneyFor } from '../usage/rules/cost.ts'
import { readPrices } from '../usage/usage.ts'
import { compareTask } from './helps.ts'
import { type Comparison, judgeRuns, type Verdict } from './rules/proof.ts'
import { type Bounds, type Ran, Runner, tokensOf } from './runner.ts'
import {
  casesOf,
  filesOf,
  openTested,
  type TestCase,
  type Tested,
  type TestedEntries,
  type TestedRequest,
} from './tested.ts'

export interface TestRequest extends TestedRequest, Partial<Omit<Bounds, 'onProgress'>> {
  agents?: readonly string[]
  /** How often each prompt is run. */
  times?: number
  /** Other entries in the same list; `all` for every one of the library or the project. */
  beside?: readonly string[]
  /** Run each task without and with the skill, and check what its tests assert. */
  helps?: boolean
  /** Only what changed since the kept results. */
  changed?: boolean
  /** How many cases of each skill. */
  limit?: number
  /** How many runs at a time. */
  jobs?: number
}

/** What a test would run, and what that would cost. */
export interface TestPlan {
  root: string
  isLibrary: boolean
  agents: { agent: string; label: string; version?: string }[]
  skills: (Pick<Tested, 'kind' | 'name' | 'digest' | 'isOutside'> & { cases: number })[]
  cases: TestCase[]
  runs: number
  estimate: { tokens: number; money?: Money; maxCost: number }
  /** Commands in the assertions of skills from outside: they run only if the user allows these. */
  commands: string[]
  /** Skipped because the kept results are of the same skill and client. */
  unchanged: number
}

const DEFAULTS = { times: 1, turns: 5, seconds: 120, maxCost: 5, jobs: 2, limit: 100 }
// What a client sends with each request, before anything was measured.
const REQUEST_TOKENS = 20_000

interface Prepared {
  plan: TestPlan
  tested: TestedEntries
  clients: UsableClient[]
  /** The tested ones, then those beside them. */
  entries: Tested[]
  isWanted(entry: Tested, client: UsableClient): boolean
}

function prepare(machine: Machine, asked: TestRequest): Prepared {
  const request = { ...DEFAULTS, ...asked }
  const { times, limit, helps = false, changed = false, maxCost, beside = [] } = request
  const tested = openTested(machine, request)
  const { root, isLibrary } = tested
  if (tested.entries.length === 0) throw failWith('BAD_SUITE/no-skill', { path: root })
  const isKnowledge = tested.entries.some(({ kind }) => kind !== 'skill')
  const clients = usableClients(machine, request.agents, isKnowledge)
  if (clients.length === 0) throw failWith('NOT_SEEN/none')
  const names = beside.includes('all') ? everythingBeside(machine, request, tested) : beside
  const others = names.length === 0 ? [] : openTested(machine, { ...request, what: names }).entries
  const isTested = ({ kind, name }: Tested) => tested.entries.some((each) => each.name === name && each.kind === kind)
  const entries = [...tested.entries, ...others.filter((other) => !isTested(other))]
  const { cases, findings } = casesOf(tested, { limit, helps })
  machine.report(...findings)
  if (cases.length === 0) throw failWith('BAD_SUITE/no-cases', { path: root })

  const byName = groupBy(cases, ({ skill }) => skill)
  const casesOfEntry = ({ name }: Tested) => byName.get(name) ?? []
  const isKept = (entry: Tested, { agent: { id }, version }: UsableClient) => {
    const row = readResults(root, resultName(entry)).rows.findLast(
      (each) => each.agent === id && each.version === version && each.skill === entry.digest,
    )
    const known = new Set((helps ? row?.tasks : row?.cases)?.map(({ prompt }) => prompt))
    return row !== undefined && casesOfEntry(entry).every(({ prompt }) => known.has(prompt))
  }
  const isWanted = (entry: Tested, client: UsableClient) => !changed || !isKept(entry, client)
  const wanted = clients.flatMap((client) => tested.entries.filter((entry) => isWanted(entry, client)))
  const asks = wanted.flatMap(casesOfEntry)
  const judged = asks.filter(({ task }) => task?.assertions.some(({ kind }) => kind === 'judge'))
  const runs = (helps ? 2 * (asks.length + judged.length) : asks.length) * times
  const tokens = runs * REQUEST_TOKENS * (helps ? 4 : 2)
  const outside = new Set(tested.entries.flatMap(({ name, isOutside }) => (isOutside ? [name] : [])))
  const commands = cases
    .filter(({ skill }) => helps && outside.has(skill))
    .flatMap(({ task }) => task?.assertions.flatMap(({ kind, text }) => (kind === 'command' ? [text] : [])) ?? [])
  const plan: TestPlan = {
    root,
    isLibrary,
    agents: clients.map(({ agent: { id, label }, version }) => ({ agent: id, label, version })),
    skills: tested.entries.map((entry) => {
      const { kind, name, digest, isOutside } = entry
      return { kind, name, digest, isOutside, cases: casesOfEntry(entry).length }
    }),
    cases,
    runs,
    estimate: {
      tokens,
      money: moneyFor(tokens, readPrices(machine), clients[0]!.agent.id, request.model),
      maxCost,
    },
    commands: [...new Set(commands)],
    unchanged: clients.length * tested.entries.length - wanted.length,
  }
  return { plan, tested, clients, entries, isWanted }
}

function everythingBeside(
  machine: Machine,
  request: TestRequest,
  { root, isLibrary, entries }: TestedEntries,
): string[] {
  if (isLibrary) return [root]
  if (entries.every(({ kind }) => kind === 'skill')) return ['.']
  const { payloads, packs } = listLoadable(machine.quiet(), { layers: {}, ...request })
  return [...payloads.map(({ id }) => `payload:${id}`), ...packs.map(({ name }) => `pack:${name}`)]
}

/** The name of the file of results: skills by their names. */
function resultName({ kind, name }: Pick<Tested, 'kind' | 'name'>): string {
  return kind === 'skill' ? name : `${kind}-${name.replace(/[^\w.-]/g, '-')}`
}

/** Says what a test would run, without running anything. */
export function planTest(machine: Machine, request: TestRequest): TestPlan {
  return prepare(machine, request).plan
}

/** One case with one agent. */
export interface Proven extends Verdict, TestCase {
  agent: string
  version?: string
  model?: string
  /** What the agent's list says of the skill: `visible`, `cut`, `dropped`, … */
  listed?: string
  runs: RunTrace[]
}

export interface RunTrace extends Pick<Ran, 'opened' | 'pointers' | 'ended' | 'problem' | 'seconds' | 'dollars'> {
  /** Calls of tools, in order. */
  calls: string[]
  tokens?: number
}

export interface TestReport {
  cases: Proven[]
  tasks: Comparison[]
  spent: Runner['spent']
  /** Files of results. */
  kept: string[]
  /** Cases that were as expected with an earlier version. */
  regressed: { skill: string; agent: string; prompt: string; before: string; since: string }[]
}

export interface RunRequest extends Omit<TestRequest, 'onProgress'> {
  /** Run the commands in assertions of skills from outside. */
  allowCommands?: boolean
  /** Keep the results. Default: those of a library. */
  keep?: boolean
  /** With this description instead of its own; only for one skill. */
  describedAs?: string
  onProgress?: (done: number, total: number, what: string) => void
}

/** Runs the cases with the user's own agents, and says what they opened. */
export async function runTest(machine: Machine, asked: RunRequest): Promise<TestReport> {
  const { plan, tested, clients, entries, isWanted } = prepare(machine, asked)
  const request = { ...DEFAULTS, ...asked }
  const { times, helps = false, model, keep = tested.isLibrary, describedAs, onProgress, allowCommands } = request
  const bounds = { ...request, onProgress: (done: number, what: string) => onProgress?.(done, plan.runs, what) }
  const runner = new Runner(machine, bounds)
  const result: TestReport = { cases: [], tasks: [], spent: runner.spent, kept: [], regressed: [] }
  const jobs: (() => Promise<unknown>)[] = []
  for (const client of clients) {
    const { agent, version } = client
    const wanted = new Set(tested.entries.filter((entry) => isWanted(entry, client)).map(({ name }) => name))
    const cases = plan.cases.filter(({ skill }) => wanted.has(skill))
    const skills = entries.flatMap(({ name, files }) => (files === undefined ? [] : [{ name, files: files(agent.id) }]))
    const hasList = cases.length > 0 && !helps && skills.length > 0
    const listed = hasList ? await listedInTrial(machine, client, skills) : undefined
    for (const each of cases) {
      const { skill, prompt, expects, counts, task } = each
      const isOutside = tested.entries.some(({ name, isOutside }) => name === skill && isOutside)
      if (helps) {
        const run = {
          client,
          each,
          root: plan.root,
          entries,
          times,
          runsCommands: !isOutside || allowCommands === true,
        }
        jobs.push(async () => result.tasks.push(await compareTask(runner, run)))
        continue
      }
      const row: Proven = {
        ...each,
        agent: agent.id,
        version,
        listed: listed?.get(skill),
        ...judgeRuns([], counts, expects),
        runs: [],
      }
      result.cases.push(row)
      for (let at = 0; at < times; at++) {
        jobs.push(async () => {
          const files = filesOf(task, plan.root)
          const ran = await runner.run({ client, prompt, entries, files, counts, describedAs })
          const calls = ran.calls
            .slice(0, 20)
            .map(({ tool, input }) => `${tool} ${JSON.stringify(input) ?? ''}`.slice(0, 200))
          const { opened, pointers, ended, problem, seconds, dollars } = ran
          row.model ??= ran.model
          row.runs.push({ calls, opened, pointers, ended, problem, seconds, dollars, tokens: tokensOf(ran) })
          Object.assign(row, judgeRuns(row.runs, counts, expects))
        })
      }
    }
  }
  const next = jobs.values()
  await Promise.all(
    Array.from({ length: Math.max(1, request.jobs) }, async () => {
      for (const job of next) await job()
    }),
  )
  const order = (a: { agent: string; skill: string }, b: { agent: string; skill: string }) =>
    compareText(a.skill, b.skill) || compareText(a.agent, b.agent)
  result.cases.sort(order)
  result.tasks.sort(order)
  if (keep) {
    const rows = new Map<string, ResultRow[]>()
    for (const entry of tested.entries) {
      const own = plan.agents.flatMap(({ agent, version = 'unknown' }): ResultRow[] => {
        const isOwn = (each: { skill: string; agent: string }) => each.skill === entry.name && each.agent === agent
        const cases = result.cases.filter((each) => isOwn(each) && each.of > 0)
        const tasks = result.tasks.filter((each) => isOwn(each) && each.with.runs > 0)
        if (cases.length + tasks.length === 0) return []
        const asked = cases.find((each) => each.model !== undefined)?.model ?? model
        const held = ({ held, of }: Comparison['with']) => ({ held, of })
        const outcomes = tasks.map((each) => {
          return { prompt: each.prompt, without: held(each.without), with: held(each.with) }
        })
        const row = { agent, version, model: asked, skill: entry.digest }
        const fired = cases.map(({ prompt, expects, fired, of }) => ({ prompt, expects, fired, of }))
        return [{ ...row, cases: fired, tasks: outcomes.length > 0 ? outcomes : undefined }]
      })
      if (own.length > 0) rows.set(resultName(entry), own)
    }
    result.kept = await tested.keepResults(rows)
    result.regressed = tested.entries.flatMap((entry) =>
      findRegressions(readResults(tested.root, resultName(entry)))
        .filter(({ agent, prompt }) => result.cases.some((each) => each.agent === agent && each.prompt === prompt))
        .map(({ agent, prompt, before, since }) => ({
          skill: entry.name,
          agent,
          prompt,
          before,
          since: since.version,
        })),
    )
  }
  machine.report(...findingsOf(result))
  return result
}

function findingsOf({ cases, tasks }: TestReport): Finding[] {
  const label = (text: string) => (text.length > 70 ? `${text.slice(0, 69)}…` : text)
  const problemOf = ({ runs }: Proven) => label(runs.find((run) => run.problem)?.problem ?? 'it was not run')
  const failed = cases.filter(({ isRight }) => isRight === false)
  const silent = cases.filter(({ verdict }) => verdict === 'no result')
  const groups = (rows: readonly Proven[], of: (row: Proven) => string) =>
    [...groupBy(rows, of).values()] as [Proven, ...Proven[]][]
  return [
    ...groups(failed, ({ skill, agent }) => JSON.stringify([skill, agent])).map((rows) => {
      const [{ skill, kind, agent, prompt }] = rows
      const facts = { skill, id: `${kind}:${skill}`, agent, count: rows.length, prompt: label(prompt) }
      return report('BELOW_THRESHOLD/proof', facts, { subject: skill, count: rows.length })
    }),
    ...groups(silent, (row) => `${row.agent} ${problemOf(row)}`).map((rows) => {
      const facts = { agent: rows[0].agent, count: rows.length, problem: problemOf(rows[0]) }
      return report('NOT_SEEN/no-result', facts, { count: rows.length })
    }),
    ...tasks
      .filter(({ shows }) => shows === 'harms')
      .map(({ skill, prompt }) =>
        report('BELOW_THRESHOLD/harms', { skill, prompt: label(prompt) }, { subject: skill }),
      ),
  ]
}
