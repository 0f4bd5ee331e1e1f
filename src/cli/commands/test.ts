import { existsSync } from 'node:fs'
import {
  type Comparison,
  type HistoryEvaluation,
  type Improvement,
  type Loadout,
  type OfflineReport,
  type PackEvaluation,
  type PastComparison,
  type Similar,
  STRATEGIES,
  type SuiteReport,
  type TestPlan,
  type TestReport,
} from '../../loadout.ts'
import { failWith, type Report } from '../../text/trouble.ts'
import {
  AGENT_FLAG,
  type Ask,
  DRY_RUN_FLAG,
  defineCommand,
  isYes,
  LAYER_FLAGS,
  limitFlag,
  nameOfKey,
  PACK_KIND_FLAG,
  YES_FLAG,
} from '../command.ts'
import {
  printComparison,
  printHistory,
  printPackEvaluation,
  printPast,
  printReport,
  printSimilar,
} from '../evaluation-text.ts'
import {
  annotations,
  formatJUnit,
  printCommands,
  printImprovement,
  printOffline,
  printPlan,
  printProof,
} from '../proof-text.ts'
import { count, lines, printableLine, shorten } from '../screen.ts'

export const test = defineCommand({
  name: 'test',
  aliases: {
    eval: ['--offline'],
    'packs eval': ['--offline', '--kind', 'pack'],
    'replay-prompts': ['--past'],
    'usage --similar': ['--similar'],
  },
  summary: 'prove that a skill fires, helps, and still does, with your own agents',
  details: `loadout test notes runs the tests of a skill with each agent on this machine, in a home folder that has only this skill.
loadout test . does it for all skills of a folder, pack:x and rule:x with the hooks and the MCP server of Loadout.
Tests are evals/*.json beside a skill or in a pack, .claude/loadout/evals, and examples (loadout teach).
It says first what it would run and asks. A run can write only its own folder, and asks the model that you have.
--helps runs each task without and with the skill, and checks what its tests assert.

Without a model: --offline says whether a skill is listed, whether the hook would name it, and what competes with it.
A suite, a folder, a pack with --offline or nothing is asked of the search: how often the right entry comes first.
A suite has one question per line: {"query": "cut a release", "relevant": ["release-pipeline"]}.
--compare <old-index> <new-index> [suite] lists the questions whose answer changes; --past [log] the past tasks that
choose other rules now (loadout usage --keep-tasks on keeps them); --similar the entries that answer the same questions.
--history 100 tests the file search with the last commits: the subject is the task, in the tree before it.
It exits with 1 when an expectation fails, and with 3 when it may not ask.`,
  args: [
    {
      name: 'what',
      summary: 'skills, a folder, pack:x, rule:x, a suite, or with --compare two indexes',
      rest: 'names',
      complete: 'file',
    },
  ],
  flags: {
    ...AGENT_FLAG,
    times: { kind: 'number', value: 'n', summary: 'how often each prompt is run (default: 1)' },
    model: { kind: 'text', value: 'name', summary: 'the model to ask (default: the one that the agent takes)' },
    beside: { kind: 'list', value: 'a,b|all', summary: 'other skills of the library in the same list' },
    helps: { kind: 'switch', summary: 'run each task without and with the skill, and check its assertions' },
    changed: { kind: 'switch', summary: 'only what changed since the kept results' },
    improve: { kind: 'switch', summary: 'let your agent write a better description, and keep it if more tests pass' },
    new: { kind: 'text', value: 'prompt', summary: 'add a test: this prompt should open the skill' },
    not: { kind: 'switch', summary: 'with --new: it should not open it' },
    ...limitFlag(100),
    turns: { kind: 'number', value: 'n', summary: 'calls of tools in a run (default: 5)' },
    seconds: { kind: 'number', value: 'n', summary: 'length of a run (default: 120)' },
    maxCost: { kind: 'number', value: 'dollars', summary: 'stop when all runs have cost this much (default: 5)' },
    jobs: { kind: 'number', value: 'n', summary: 'runs at a time (default: 2)' },
    allowCommands: { kind: 'switch', summary: 'run commands in tests of skills from other authors' },
    keep: {
      kind: 'switch',
      summary: 'keep the results below results/ (default: in the library)',
      no: 'keep no results',
      also: ['write'],
    },
    junit: { kind: 'switch', summary: 'print the results as JUnit XML' },
    github: { kind: 'switch', summary: 'print failures as annotations of GitHub Actions' },
    ...DRY_RUN_FLAG,
    ...YES_FLAG,
    offline: { kind: 'switch', summary: 'ask no model' },
    strategy: {
      kind: 'choice',
      choices: STRATEGIES,
      summary: 'routing strategy (default: the project’s, ranked for a library)',
    },
    library: {
      kind: 'text',
      value: 'path',
      summary: 'what to search: a folder, an index, or documents, one per line',
      also: ['index'],
    },
    past: { kind: 'switch', summary: 'past tasks of a usage log that choose other rules now' },
    allProjects: { kind: 'switch', summary: 'with --past: also tasks of other projects' },
    similar: { kind: 'switch', summary: 'entries of every kind that answer the same questions' },
    compare: { kind: 'switch', summary: 'compare two indexes' },
    history: { kind: 'number', value: 'commits', summary: 'test which files it finds for the last commits' },
    min: {
      kind: 'number',
      value: 'percent',
      summary: 'fail if fewer questions of a suite are answered as they should',
    },
    ...PACK_KIND_FLAG,
    ...LAYER_FLAGS,
  },
  run: async ({ args, flags, ask, control }, loadout): Promise<Report<TestAnswer>> => {
    const { knowledge } = loadout
    const what = args.what ?? []
    const { project, strategy, library, min, history, kind } = flags
    const [first, second, third] = what
    const layers = knowledge.nameLayers(flags)
    const only = (most: number) => {
      const extra = what[most]
      if (extra !== undefined) throw failWith('USAGE/unexpected', { word: extra, command: 'test' })
    }
    const pack = kind === 'pack' ? first : flags.offline ? /^pack:(.+)/.exec(first ?? '')?.[1] : undefined
    if (history !== undefined) {
      if (first !== undefined) throw failWith('USAGE/history-suite')
      if (!Number.isSafeInteger(history) || history < 1 || history > MOST_COMMITS) {
        throw failWith('USAGE/history', { most: MOST_COMMITS })
      }
      return knowledge.evaluateHistory({ project, commits: history })
    }
    if (flags.similar) {
      only(0)
      return knowledge.similar({ layers, project })
    }
    if (flags.past) {
      only(1)
      return knowledge.comparePast({ log: first, index: library, strategy, allProjects: flags.allProjects, layers })
    }
    if (pack !== undefined || kind === 'pack') {
      if (pack === undefined || pack.trim() === '') throw failWith('USAGE/no-tested-pack')
      // A pack has its own suites: no other flag applies.
      const other = Object.keys(flags).find((key) => !PACK_FLAGS.includes(key))
      if (other !== undefined) throw failWith('USAGE/not-of-packs', { flag: nameOfKey(other) })
      only(2)
      return knowledge.evaluatePack({ pack, project, suite: second, write: flags.keep })
    }
    if (flags.compare) {
      if (first === undefined || second === undefined)
        throw failWith('USAGE/needs', { flag: '--compare', what: 'two index files', command: 'test' })
      only(3)
      return knowledge.compare({ before: first, after: second, suite: third, strategy, layers })
    }
    if (flags.new !== undefined) return knowledge.addCases({ what, prompts: [flags.new], not: flags.not })
    const isFolder = flags.offline && first !== undefined && (/[/\\]|^\.+$/.test(first) || existsSync(first))
    if (first === undefined || /\.(?:jsonl?|ya?ml)$/.test(first) || library !== undefined || isFolder) {
      only(1)
      return knowledge.evaluate({ suite: first, library, strategy, min, project, layers })
    }
    const named = (list: readonly string[] | undefined) => list?.flatMap((names) => names.split(','))
    const request = { ...flags, what, agents: named(flags.targets), beside: named(flags.beside), project, layers }
    if (flags.offline) return knowledge.testOffline(request)

    const { value: plan, findings } = await knowledge.planTest(request)
    const stopped = (state: PlannedTest['state']) => ({ value: { plan, state }, findings })
    if (flags.dryRun || plan.runs === 0) return stopped(plan.runs === 0 ? 'nothing' : 'planned')
    if (!flags.yes && ask === undefined) return stopped('waiting')
    if (!flags.yes && !isYes(ask?.(`${printPlan(plan)}\nRun it? [y/N] `) ?? '')) return stopped('refused')
    const isAsked = plan.commands.length > 0 && !flags.allowCommands && !flags.yes
    const allowCommands =
      flags.allowCommands ||
      (isAsked && isYes(ask?.(`${printCommands(plan)}\nRun these commands, without network? [y/N] `) ?? ''))
    const running = { ...request, ...control, allowCommands }
    if (flags.improve) {
      const { value: improvement, findings: more } = await knowledge.proposeDescription(running)
      const { isBetter, after } = improvement
      const wants =
        isBetter &&
        (flags.yes || isYes(ask?.(`${printImprovement(improvement)}\nKeep the new description? [y/N] `) ?? ''))
      const path = wants ? (await knowledge.keepDescription({ what, description: after.description })).value : undefined
      return { value: { improvement, path }, findings: more }
    }
    const { value: report, findings: more } = await knowledge.runTest(running)
    if (ask !== undefined) more.push(...(await offerTeaching(report, plan, ask, loadout)))
    const text = flags.junit ? formatJUnit(report) : flags.github ? lines(annotations(report)) : undefined
    return { value: { report, text }, findings: more }
  },
  print: (value, screen) => {
    if ('pairs' in value) return printSimilar(value)
    if ('otherProjects' in value) return printPast(value, screen)
    if ('recall' in value) return printHistory(value, screen)
    if ('suites' in value) return printPackEvaluation(value, screen)
    if ('changes' in value) return printComparison(value, screen)
    if ('report' in value) return value.text ?? printProof(value.report, screen)
    if ('plan' in value) return printPlan(value.plan) + lines('', ENDS[value.state])
    if ('improvement' in value)
      return (
        printImprovement(value.improvement) +
        lines('', value.path === undefined ? 'Nothing was changed.' : `Kept in ${printableLine(value.path)}`)
      )
    if ('path' in value) return lines(`${count(value.cases, 'test')} in ${printableLine(value.path)}`)
    if ('agents' in value) return printOffline(value, screen)
    return printReport(value, screen)
  },
  toJson: (value) => ('report' in value ? value.report : 'plan' in value ? value.plan : value),
  isWaiting: (value) => 'state' in value && value.state === 'waiting',
})

type TestAnswer =
  | SuiteReport
  | Comparison
  | PackEvaluation
  | HistoryEvaluation
  | PastComparison
  | Similar
  | PlannedTest
  | { report: TestReport; text?: string }
  | OfflineReport
  | { improvement: Improvement; path?: string }
  | { path: string; cases: number }

/** A plan that was not carried out. */
interface PlannedTest {
  plan: TestPlan
  state: 'nothing' | 'planned' | 'waiting' | 'refused'
}

const ENDS = {
  nothing: 'Nothing has changed since the kept results.',
  planned: 'Nothing was run.',
  waiting: 'Nothing was run: use --yes to run it without a question.',
  refused: 'Nothing was run.',
}

/** A prompt that did not open its entry becomes an example with one key. */
async function offerTeaching(
  { cases }: TestReport,
  { isLibrary }: TestPlan,
  ask: Ask,
  { knowledge }: Loadout,
): Promise<Report<unknown>['findings'][number][]> {
  const findings: Report<unknown>['findings'][number][] = []
  const missed = cases.filter(({ expects, isRight }) => expects === 'fires' && isRight === false)
  const prompts = new Map(missed.map((each) => [JSON.stringify([each.skill, each.prompt]), each]))
  for (const { skill, kind, prompt } of [...prompts.values()].slice(0, MOST_OFFERED)) {
    if (kind === 'skill' && !isLibrary) continue
    const question = `${printableLine(skill)} was not opened for: ${shorten(prompt, 60)}\nTeach it as an example, so that the hook names it? [y/N] `
    if (!isYes(ask(question))) continue
    const items = [{ id: `${kind}:${skill}`, prompts: [prompt], negatives: [] }]
    findings.push(...(await knowledge.teach({ items, origin: 'hand', layers: knowledge.nameLayers({}) })).findings)
  }
  return findings
}

const MOST_OFFERED = 10
const MOST_COMMITS = 1000
const PACK_FLAGS = ['project', 'kind', 'offline', 'keep']
