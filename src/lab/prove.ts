import { dirname, join } from 'node:path'
import {
  listedInTrial,
  type Trial,
  type TrialRequest,
  type TrialSkill,
  tryClient,
  type UsableClient,
  usableClients,
  type Work,
} from '../agents/try-client.ts'
import { openExamples } from '../examples/examples.ts'
import { isFile, isFolder } from '../machine/files.ts'
import { readInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { findRegressions, type ResultRow, type TaskOutcome } from '../skills/rules/test-results.ts'
import { readResults, type TestedSkill, TestedSkills } from '../skills/tested-skills.ts'
import type { Money } from '../text/cost.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { attempt, groupBy } from '../text/values.ts'
import { moneyFor } from '../usage/rules/cost.ts'
import { readPrices } from '../usage/usage.ts'
import { matchesPattern, pathsBelow, readTestsBeside } from './disk/suites.ts'
import type { Assertion, Question, Task } from './rules/cases.ts'
import { judgePrompt, readJudgement } from './rules/judge.ts'
import { type Comparison, compareSides, judgeRuns, type Side, type Verdict } from './rules/proof.ts'

export interface TestRequest {
  /** Skills of the library, or one folder. Default: the working folder. */
  what?: readonly string[]
  agents?: readonly string[]
  /** How often each prompt is run. */
  times?: number
  /** Of the agent; default: the one that its user has. */
  model?: string
  /** Other skills of the library that are in the list too; `all` for every one. */
  beside?: readonly string[]
  /** Run each task without and with the skill, and check what its tests assert. */
  helps?: boolean
  /** Only what changed since the kept results. */
  changed?: boolean
  /** How many cases of each skill. */
  limit?: number
  /** The most calls of tools in a run, seconds of a run, and US dollars of all. */
  turns?: number
  seconds?: number
  maxCost?: number
  /** How many runs at a time. */
  jobs?: number
}

/** A prompt that a skill should be opened for, or should not. */
export interface ProofCase {
  skill: string
  prompt: string
  expects: 'fires' | 'quiet'
  /** Skills of which one counts. */
  counts: string[]
  task?: Task
}

/** What a test would run, and what that would cost. */
export interface TestPlan {
  root: string
  isLibrary: boolean
  agents: { agent: string; label: string; version?: string }[]
  skills: { name: string; digest: string; cases: number; isOutside: boolean }[]
  cases: ProofCase[]
  runs: number
  estimate: { tokens: number; money?: Money; maxCost: number }
  /** Commands in the assertions of skills from outside: they run only if the user allows these. */
  commands: string[]
  /** Skipped because the kept results are of the same skill and client. */
  unchanged: number
}

const TIMES = 1
const TURNS = 5
const SECONDS = 120
const MAX_COST = 5
const JOBS = 2
const LIMIT = 100
// What a client sends with each request, before anything was measured.
const REQUEST_TOKENS = 20_000

interface Prepared {
  plan: TestPlan
  tested: TestedSkills
  clients: UsableClient[]
  others: TestedSkill[]
  isWanted(skill: TestedSkill, client: UsableClient): boolean
}

function prepare(machine: Machine, request: TestRequest): Prepared {
  const { times = TIMES, limit = LIMIT, helps = false, changed = false } = request
  const tested = new TestedSkills(machine, request.what ?? [])
  if (tested.skills.length === 0) throw failWith('BAD_SUITE/no-skill', { path: tested.root })
  const clients = usableClients(machine, request.agents)
  if (clients.length === 0) throw failWith('NOT_SEEN/none')
  const named = request.beside ?? []
  const beside =
    named.length === 0 ? [] : new TestedSkills(machine, named.includes('all') ? libraryOf(tested) : named).skills
  const others = beside.filter(({ name }) => !tested.skills.some((each) => each.name === name))
  const { cases, findings } = casesOf(machine, tested, { limit, helps })
  machine.report(...findings)
  if (cases.length === 0) throw failWith('BAD_SUITE/no-cases', { path: tested.root })

  const casesOfSkill = (skill: string) => cases.filter((each) => each.skill === skill)
  const isKept = (skill: TestedSkill, { agent: { id }, version }: UsableClient) => {
    const row = readResults(tested.root, skill.name).rows.findLast(
      (each) => each.agent === id && each.version === version && each.skill === skill.digest,
    )
    const known = new Set(row?.cases.map(({ prompt }) => prompt))
    return row !== undefined && casesOfSkill(skill.name).every(({ prompt }) => known.has(prompt))
  }
  const isWanted = (skill: TestedSkill, client: UsableClient) => !changed || !isKept(skill, client)
  const wanted = clients.flatMap((client) =>
    tested.skills.filter((skill) => isWanted(skill, client)).map((skill) => ({ client, skill })),
  )
  const prompts = wanted.reduce((sum, { skill }) => sum + casesOfSkill(skill.name).length, 0)
  const sides = helps ? 2 : 1
  const judged = helps
    ? cases.filter(({ task }) => task?.assertions.some(({ kind }) => kind === 'judge')).length * clients.length
    : 0
  const runs = (prompts * sides + judged * sides) * times
  const tokens = runs * REQUEST_TOKENS * (helps ? 4 : 2)
  const prices = readPrices(machine)
  const [first] = clients
  const outside = new Set(tested.skills.flatMap(({ name, isOutside }) => (isOutside ? [name] : [])))
  const commands = cases.flatMap(({ skill, task }) =>
    helps && outside.has(skill)
      ? (task?.assertions ?? []).flatMap((each) => (each.kind === 'command' ? [each.text] : []))
      : [],
  )
  const plan: TestPlan = {
    root: tested.root,
    isLibrary: tested.isLibrary,
    agents: clients.map(({ agent: { id, label }, version }) => ({ agent: id, label, version })),
    skills: tested.skills.map(({ name, digest, isOutside }) => ({
      name,
      digest,
      cases: casesOfSkill(name).length,
      isOutside,
    })),
    cases,
    runs,
    estimate: {
      tokens,
      money: moneyFor(tokens, prices, first?.agent.id ?? '', request.model),
      maxCost: request.maxCost ?? MAX_COST,
    },
    commands: [...new Set(commands)],
    unchanged: clients.length * tested.skills.length - wanted.length,
  }
  return { plan, tested, clients, others, isWanted }
}

function libraryOf({ root, isLibrary }: TestedSkills): string[] {
  return isLibrary ? [root] : ['.']
}

/** Says what a test would run, without running anything. */
export function planTest(machine: Machine, request: TestRequest): TestPlan {
  return prepare(machine, request).plan
}

/** The cases of some skills: the tests beside them, and their committed examples. */
export function casesOf(
  machine: Machine,
  { root, isLibrary, skills }: TestedSkills,
  { limit, helps }: { limit: number; helps: boolean },
): { cases: ProofCase[]; findings: Finding[] } {
  const findings: Finding[] = []
  const questions: Question[] = []
  const unused: string[] = []
  for (const folder of isLibrary ? skills.map((skill) => skill.folder) : [root]) {
    const read = readTestsBeside(folder)
    questions.push(...read.questions)
    unused.push(...read.unused)
  }
  const examples = isLibrary ? openExamples(machine, { library: root }, 'committed') : undefined
  for (const { name, description } of examples === undefined ? [] : skills) {
    const taught = examples!.into('skill', { id: name, name, description, body: '' })
    for (const prompt of taught.examples ?? [])
      questions.push({ id: name, prompt, expected: [name], not: [], kind: 'pos' })
    for (const prompt of taught.negatives ?? [])
      questions.push({ id: name, prompt, expected: [], not: [name], kind: 'pairneg' })
  }
  // Tests name a skill by its name or its folder; in a folder with one skill all tests are about it.
  const [only, second] = skills
  const nameOf = (said: string): string | undefined =>
    skills.find(({ name, folder }) => name === said || folder.endsWith(`/${said}`))?.name ??
    (second === undefined && !isLibrary ? only?.name : undefined)
  let foreign = 0
  const counted = new Map<string, number>()
  const left = new Map<string, number>()
  const seen = new Set<string>()
  const cases = questions.flatMap(({ prompt, expected, not, task }): ProofCase[] => {
    const named = expected.length > 0 ? expected : not
    const counts = named.flatMap((said) => nameOf(said) ?? [])
    if (named.length > 0 && counts.length === 0) {
      foreign++
      return []
    }
    const skill = counts[0] ?? only!.name
    const expects = expected.length > 0 ? ('fires' as const) : ('quiet' as const)
    const key = JSON.stringify([skill, prompt])
    if (seen.has(key) || (helps && (task?.assertions.length ?? 0) === 0)) return []
    seen.add(key)
    const at = counted.get(skill) ?? 0
    if (at >= limit) {
      left.set(skill, (left.get(skill) ?? 0) + 1)
      return []
    }
    counted.set(skill, at + 1)
    const all = named.length === 0 ? skills.map(({ name }) => name) : counts
    return [{ skill, prompt, expects, counts: all, task }]
  })
  if (unused.length > 0) {
    const more = unused.length > 1 ? ` and ${unused.length - 1} more` : ''
    findings.push(report('BAD_SUITE/no-tests', { unused: String(unused[0]), more }, { count: unused.length }))
  }
  if (foreign > 0) findings.push(report('BAD_SUITE/foreign', { count: foreign }))
  for (const [skill, count] of left) findings.push(report('BAD_SUITE/left-out', { skill, count, limit }))
  const notRun = new Map<string, number>()
  for (const { task } of cases) for (const what of task?.notRun ?? []) notRun.set(what, (notRun.get(what) ?? 0) + 1)
  for (const [what, count] of notRun) findings.push(report('BAD_SUITE/not-run', { what: what.slice(0, 60), count }))
  return { cases, findings }
}

/** One case with one agent. */
export interface Proven extends Verdict {
  skill: string
  prompt: string
  expects: ProofCase['expects']
  agent: string
  version?: string
  model?: string
  /** What the agent's list says of the skill: `visible`, `cut`, `dropped`, … */
  listed?: string
  runs: RunTrace[]
}

export interface RunTrace {
  /** Calls of tools, in order. */
  calls: string[]
  opened: string[]
  ended: Trial['ended'] | 'skipped'
  problem?: string
  seconds: number
  tokens?: number
  dollars?: number
}

export interface TestReport {
  cases: Proven[]
  tasks: Comparison[]
  spent: { runs: number; tokens: number; dollars?: number }
  /** Files of results. */
  kept: string[]
  /** Cases that were as expected with an earlier version. */
  regressed: { skill: string; agent: string; prompt: string; before: string; since: string }[]
}

export interface RunRequest extends TestRequest {
  /** Run the commands in assertions of skills from outside. */
  allowCommands?: boolean
  /** Keep the results. Default: those of a library. */
  keep?: boolean
  /** With this description instead of its own; only for one skill. */
  describedAs?: string
  signal?: AbortSignal
  onProgress?: (done: number, total: number, what: string) => void
}

/** Runs the cases with the user's own agents, and says which skills they opened. */
export async function runTest(machine: Machine, request: RunRequest): Promise<TestReport> {
  const prepared = prepare(machine, request)
  const { plan, tested, clients, others } = prepared
  const { times = TIMES, helps = false, model, keep = tested.isLibrary } = request
  const built = new Map<string, TrialSkill[]>()
  const skillsFor = ({ agent }: UsableClient) => {
    const filesFor = (skill: TestedSkill) =>
      skill.files(agent.id, others.includes(skill) ? undefined : request.describedAs)
    const all = [...tested.skills, ...others]
    const known = built.get(agent.id) ?? all.map((skill) => ({ name: skill.name, files: filesFor(skill) }))
    built.set(agent.id, known)
    return known
  }
  const runner = new Runner(machine, request, plan)
  const report: TestReport = { cases: [], tasks: [], spent: runner.spent, kept: [], regressed: [] }
  const jobs: (() => Promise<void>)[] = []
  const rows = new Map<string, ResultRow[]>()
  const shown: Proven[][] = []
  for (const client of clients) {
    const skills = skillsFor(client)
    const wanted = new Set(tested.skills.filter((skill) => prepared.isWanted(skill, client)).map(({ name }) => name))
    const cases = plan.cases.filter(({ skill }) => wanted.has(skill))
    const listed = cases.length === 0 || helps ? undefined : await listedInTrial(machine, client, skills)
    const about = { agent: client.agent.id, version: client.version }
    const proven: Proven[] = []
    shown.push(proven)
    for (const each of cases) {
      if (helps) {
        jobs.push(
          async () =>
            void report.tasks.push(
              await compareTask(runner, { client, each, skills, times, isOutside: isOutside(tested, each.skill) }),
            ),
        )
        continue
      }
      const runs: RunTrace[] = []
      const row: Proven = {
        ...each,
        ...about,
        ...judgeRuns([], [], each.expects),
        listed: listed?.get(each.skill),
        runs,
      }
      proven.push(row)
      for (let at = 0; at < times; at++) {
        jobs.push(async () => {
          const isEnough = (opened: readonly string[]) => opened.some((name) => each.counts.includes(name))
          const trial = await runner.run(
            { client, prompt: each.prompt, skills, files: filesOf(each.task, tested), isEnough },
            (done) => done,
          )
          row.model ??= trial.model
          runs.push(traceOf(trial))
        })
      }
    }
  }
  await inTurn(jobs, request.jobs ?? JOBS)
  for (const row of shown.flat()) {
    const counts = plan.cases.find((each) => each.skill === row.skill && each.prompt === row.prompt)!.counts
    Object.assign(row, judgeRuns(row.runs, counts, row.expects))
    report.cases.push(row)
  }
  const order = (a: { agent: string; skill: string }, b: { agent: string; skill: string }) =>
    a.skill < b.skill ? -1 : a.skill > b.skill ? 1 : a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : 0
  report.cases.sort(order)
  report.tasks.sort(order)
  for (const { name, digest } of tested.skills) {
    for (const { agent, version = 'unknown' } of plan.agents) {
      const own = report.cases.filter((each) => each.skill === name && each.agent === agent && each.of > 0)
      const tasks = report.tasks.filter((each) => each.skill === name && each.agent === agent && each.with.runs > 0)
      if (own.length + tasks.length === 0) continue
      const row: ResultRow = {
        agent,
        version,
        model: own.find((each) => each.model !== undefined)?.model ?? model,
        skill: digest,
        cases: own.map(({ prompt, expects, fired, of }) => ({ prompt, expects, fired, of })),
      }
      if (tasks.length > 0) row.tasks = tasks.map(taskOutcome)
      rows.set(name, [...(rows.get(name) ?? []), row])
    }
  }
  if (keep) report.kept = await tested.keepResults(rows)
  for (const { name } of keep ? tested.skills : []) {
    for (const { agent, prompt, before, since } of findRegressions(readResults(tested.root, name))) {
      if (report.cases.some((each) => each.agent === agent && each.prompt === prompt)) {
        report.regressed.push({ skill: name, agent, prompt, before, since: since.version })
      }
    }
  }
  machine.report(...findingsOf(report))
  return report
}

function isOutside({ skills }: TestedSkills, name: string): boolean {
  return skills.find((skill) => skill.name === name)?.isOutside !== false
}

function taskOutcome({ prompt, without, with: with_ }: Comparison): TaskOutcome {
  const { held, of } = without
  return { prompt, without: { held, of }, with: { held: with_.held, of: with_.of } }
}

function findingsOf({ cases, tasks }: TestReport): Finding[] {
  const label = (text: string) => (text.length > 70 ? `${text.slice(0, 69)}…` : text)
  const failed = groupBy(
    cases.filter(({ isRight }) => isRight === false),
    ({ skill, agent }) => JSON.stringify([skill, agent]),
  )
  const silent = cases.filter(({ verdict }) => verdict === 'no result')
  const problems = new Map<string, Proven[]>()
  for (const row of silent) {
    const problem = row.runs.find((run) => run.problem !== undefined)?.problem ?? 'it was not run'
    problems.set(`${row.agent} ${problem}`, [...(problems.get(`${row.agent} ${problem}`) ?? []), row])
  }
  return [
    ...[...failed.values()].map((rows) => {
      const [{ skill, agent, prompt }] = rows as [Proven, ...Proven[]]
      const facts = { skill, agent, count: rows.length, prompt: label(prompt) }
      return report('BELOW_THRESHOLD/proof', facts, { subject: skill, count: rows.length })
    }),
    ...[...problems.values()].map((rows) => {
      const [{ agent, runs }] = rows as [Proven, ...Proven[]]
      const problem = label(runs.find((run) => run.problem !== undefined)?.problem ?? 'it was not run')
      return report('NOT_SEEN/no-result', { agent, count: rows.length, problem }, { count: rows.length })
    }),
    ...tasks
      .filter(({ shows }) => shows === 'harms')
      .map(({ skill, prompt }) =>
        report('BELOW_THRESHOLD/harms', { skill, prompt: label(prompt) }, { subject: skill }),
      ),
  ]
}

function traceOf({ calls, opened, ended, problem, seconds, tokens, dollars }: Trial | Skipped): RunTrace {
  const said = calls.slice(0, 20).map(({ tool, input }) => `${tool} ${JSON.stringify(input) ?? ''}`.slice(0, 200))
  const sum = tokens && tokens.input + tokens.output
  return { calls: said, opened, ended, problem, seconds, tokens: sum, dollars }
}

/** The files that a test names, as they lie in the working folder of the task. */
function filesOf(task: Task | undefined, { root }: Pick<TestedSkills, 'root'>): Record<string, Uint8Array> {
  const found: Record<string, Uint8Array> = {}
  if (task?.path === undefined) return found
  const near = dirname(task.path)
  for (const name of task.files) {
    const at = [dirname(near), near, join(near, 'files'), root]
      .map((folder) => join(folder, name))
      .find((path) => isFile(path) || isFolder(path))
    if (at === undefined || !at.startsWith(`${root}/`)) continue
    const inside = at.slice(root.length + 1)
    for (const path of isFolder(at) ? pathsBelow(at).map((each) => join(inside, each)) : [inside]) {
      const { bytes } = readInside(root, path, { most: LARGEST_FILE })
      const shown = isFolder(at)
        ? path.slice(inside.length + 1)
        : name.replace(/^(?:\.\/)?(?:evals\/)?(?:files\/)?/, '')
      if (bytes !== undefined) found[shown] = bytes
    }
  }
  return found
}

const LARGEST_FILE = 4 * 1024 * 1024

interface Skipped
  extends Pick<Trial, 'calls' | 'opened' | 'problem' | 'seconds' | 'tokens' | 'dollars' | 'model' | 'answer'> {
  ended: 'skipped'
}

/** Runs clients within the bounds of one call: time and turns of each, and the money of all. */
class Runner {
  readonly spent: TestReport['spent'] = { runs: 0, tokens: 0 }
  readonly machine: Machine
  readonly request: RunRequest
  readonly plan: TestPlan
  private readonly failures = new Map<string, { count: number; problem: string }>()

  constructor(machine: Machine, request: RunRequest, plan: TestPlan) {
    this.machine = machine
    this.request = request
    this.plan = plan
  }

  async run<T>(
    wanted: Pick<TrialRequest, 'client' | 'prompt' | 'skills' | 'files' | 'edits' | 'isEnough'>,
    look: (trial: Trial | Skipped, work?: Work) => T | Promise<T>,
  ): Promise<T> {
    const { turns = TURNS, seconds = SECONDS, model, signal, onProgress } = this.request
    const { agent } = wanted.client
    const left = this.plan.estimate.maxCost - (this.spent.dollars ?? 0)
    const failed = this.failures.get(agent.id)
    const skip = (problem: string) => {
      const none = { calls: [], opened: [], seconds: 0, answer: '' }
      return look({ ...none, problem, ended: 'skipped' })
    }
    signal?.throwIfAborted()
    if (left <= 0) return skip(`the limit of ${this.plan.estimate.maxCost} US dollars was reached`)
    // A client without a login fails each time.
    if (failed !== undefined && failed.count >= 2) return skip(failed.problem)
    const bounds = {
      turns: wanted.edits ? turns * 6 : turns,
      seconds: wanted.edits ? seconds * 3 : seconds,
      dollars: left,
    }
    return tryClient(this.machine, { ...wanted, ...bounds, model, signal }, async (trial, work) => {
      const { tokens, dollars, ended } = trial
      this.spent.runs++
      this.spent.tokens += (tokens?.input ?? 0) + (tokens?.output ?? 0)
      const money = dollars ?? this.priceOf(trial, agent.id)
      if (money !== undefined) this.spent.dollars = Math.round(((this.spent.dollars ?? 0) + money) * 1e6) / 1e6
      const problem = problemOf(trial, bounds)
      if (ended === 'failed')
        this.failures.set(agent.id, { count: (this.failures.get(agent.id)?.count ?? 0) + 1, problem: problem ?? '' })
      else this.failures.delete(agent.id)
      onProgress?.(this.spent.runs, this.plan.runs, agent.label)
      return look({ ...trial, problem }, work)
    })
  }

  private priceOf({ tokens, model }: Trial, agent: string): number | undefined {
    const money = tokens && moneyFor(tokens.input + tokens.output, readPrices(this.machine), agent, model)
    return money?.currency === 'USD' ? money.amount : undefined
  }
}

/** Why a run has no result. One that was stopped for its turns has: in so many it opened nothing. */
function problemOf({ ended, problem, opened }: Trial, { seconds }: { seconds: number }): string | undefined {
  if (ended === 'time') return `it was stopped after ${seconds} seconds`
  if (ended === 'dollars' && opened.length === 0) return 'it was stopped because it spent too much'
  return ended === 'failed' ? (problem ?? 'it failed') : undefined
}

async function inTurn(jobs: readonly (() => Promise<void>)[], most: number): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < jobs.length) await jobs[next++]!()
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(most, jobs.length)) }, work))
}

interface TaskRun {
  client: UsableClient
  each: ProofCase
  skills: TrialSkill[]
  times: number
  isOutside: boolean
}

/** The same task without and with the skill. */
async function compareTask(
  runner: Runner,
  { client, each, skills, times, isOutside: fromOutside }: TaskRun,
): Promise<Comparison> {
  const unchecked = new Set<string>()
  const sides: Side[] = []
  for (const isWith of [false, true]) {
    const side = { held: 0, of: 0, runs: 0, turns: 0, tokens: 0, seconds: 0 }
    const those = isWith ? skills : skills.filter(({ name }) => name !== each.skill)
    for (let at = 0; at < times; at++) {
      const files = filesOf(each.task, runner.plan)
      const asked = { client, prompt: each.prompt, skills: those, files, edits: true }
      const done = await runner.run(asked, async (trial, work) => {
        const checks =
          work === undefined
            ? []
            : await check(runner, each.task?.assertions ?? [], { trial, work, fromOutside, unchecked })
        return { trial, checks, left: work === undefined ? '' : describeWork(work) }
      })
      if (done.trial.problem !== undefined) {
        unchecked.add(done.trial.problem)
        continue
      }
      const judged = done.checks.flatMap(({ assertion, holds }) =>
        holds === undefined && assertion.kind === 'judge' ? [assertion.text] : [],
      )
      if (judged.length > 0) {
        const prompt = judgePrompt({ task: each.prompt, answer: done.trial.answer, files: done.left, claims: judged })
        const verdicts = await runner.run({ client, prompt, skills: [] }, ({ answer }) =>
          readJudgement(answer, judged.length),
        )
        if (verdicts === undefined) unchecked.add('the judge gave no answer in its form')
        for (const holds of verdicts ?? []) {
          side.of++
          if (holds) side.held++
        }
      }
      for (const { holds } of done.checks) {
        if (holds === undefined) continue
        side.of++
        if (holds) side.held++
      }
      side.runs++
      side.turns += done.trial.calls.length + 1
      side.tokens += (done.trial.tokens?.input ?? 0) + (done.trial.tokens?.output ?? 0)
      side.seconds += done.trial.seconds
    }
    const mean = (sum: number) => (side.runs === 0 ? 0 : Math.round((sum / side.runs) * 10) / 10)
    sides.push({
      ...side,
      turns: mean(side.turns),
      tokens: side.tokens === 0 ? undefined : mean(side.tokens),
      seconds: mean(side.seconds),
    })
  }
  const [without, with_] = sides as [Side, Side]
  const { agent, version } = client
  return {
    skill: each.skill,
    prompt: each.prompt,
    agent: agent.id,
    version,
    without,
    with: with_,
    ...compareSides(without, with_),
    unchecked: [...unchecked, ...(each.task?.notRun ?? [])],
  }
}

interface Looked {
  trial: Trial | Skipped
  work: Work
  fromOutside: boolean
  unchecked: Set<string>
}

/** Which assertions hold, as far as that can be seen without a model. */
async function check(
  runner: Runner,
  assertions: readonly Assertion[],
  { trial, work, fromOutside, unchecked }: Looked,
) {
  const found: { assertion: Assertion; holds: boolean | undefined }[] = []
  for (const assertion of assertions) {
    const { kind, text } = assertion
    const answer = trial.answer.toLowerCase()
    let holds: boolean | undefined
    if (kind === 'says') holds = answer.includes(text.toLowerCase())
    if (kind === 'says not') holds = !answer.includes(text.toLowerCase())
    if (kind === 'file') holds = work.files.includes(text.replace(/^\.\//, ''))
    if (kind === 'tool')
      holds = trial.calls.some(({ tool, input }) => `${tool} ${JSON.stringify(input)}`.includes(text))
    if (kind === 'matches') {
      holds = matchesPattern(text, trial.answer)
      if (holds === undefined) unchecked.add(`the pattern ${text.slice(0, 40)} is not valid, or takes too long`)
    }
    if (kind === 'command') {
      if (fromOutside && runner.request.allowCommands !== true) unchecked.add('commands of a skill from outside')
      else holds = (await work.run(text)) === assertion.exit
    }
    found.push({ assertion, holds })
  }
  return found
}

const MOST_SHOWN = 8_000

function describeWork(work: Work): string {
  let left = MOST_SHOWN
  return work.files
    .map((path) => {
      const text = left <= 0 ? '' : attempt(() => work.read(path), '').slice(0, left)
      left -= text.length
      return `--- ${path}\n${text}`
    })
    .join('\n')
}
