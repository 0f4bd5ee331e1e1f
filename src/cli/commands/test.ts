import { existsSync } from 'node:fs'
import type { Figures } from '../../lab/rules/cases.ts'
import type { Comparison as TaskComparison } from '../../lab/rules/proof.ts'
import {
  type Comparison,
  type HistoryEvaluation,
  type Improvement,
  type Loadout,
  type OfflineReport,
  type PackEvaluation,
  type Proven,
  STRATEGIES,
  type SuiteReport,
  type TestPlan,
  type TestReport,
} from '../../loadout.ts'
import { formatAmount, formatMoney } from '../../text/cost.ts'
import { failWith, type Report } from '../../text/trouble.ts'
import { groupBy } from '../../text/values.ts'
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
import { alignRows, count, grouped, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

export const test = defineCommand({
  name: 'test',
  aliases: { eval: ['--offline'], 'packs eval': ['--offline', '--kind', 'pack'] },
  summary: 'prove that a skill fires, helps, and still does, with your own agents',
  details: `loadout test notes runs the tests of a skill with each agent on this machine, in a home folder that has only this skill.
loadout test . does it for all skills of a folder. Tests are evals/*.json beside a skill, and its examples (loadout teach).
It says first what it would run and asks. A run can write only its own folder, and asks the model that you have.
--helps runs each task without and with the skill, and checks what its tests assert.

Without a model: --offline says whether a skill is listed, whether the hook would name it, and what competes with it.
A suite, a folder, a pack (pack:name) or nothing is asked of the search: how often the right entry comes first.
A suite has one question per line: {"query": "cut a release", "relevant": ["release-pipeline"]}.
loadout test --compare <old-index> <new-index> [suite] lists the questions whose answer changes.
loadout test --history 100 tests the file search with the last commits: the subject is the task, in the tree before it.
It exits with 1 when an expectation fails, and with 3 when it may not ask.`,
  args: [
    {
      name: 'what',
      summary: 'skills, a folder, a suite, pack:name, or with --compare two indexes',
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
    library: { kind: 'text', value: 'path', summary: 'what to search: a folder, an index, or documents, one per line' },
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
    const { project, strategy, library, min, history, compare, kind } = flags
    const [first, second, third] = what
    const only = (most: number) => {
      const extra = what[most]
      if (extra !== undefined) throw failWith('USAGE/unexpected', { word: extra, command: 'test' })
    }
    if (history !== undefined) {
      if (first !== undefined) throw failWith('USAGE/history-suite')
      if (!Number.isSafeInteger(history) || history < 1 || history > MOST_COMMITS) {
        throw failWith('USAGE/history', { most: MOST_COMMITS })
      }
      return knowledge.evaluateHistory({ project, commits: history })
    }
    const pack = kind === 'pack' ? first : /^pack:(.+)/.exec(first ?? '')?.[1]
    if (pack !== undefined || kind === 'pack') {
      if (pack === undefined || pack.trim() === '') throw failWith('USAGE/no-tested-pack')
      // A pack has its own suites: no other flag applies.
      const other = Object.keys(flags).find((key) => !PACK_FLAGS.includes(key))
      if (other !== undefined) throw failWith('USAGE/not-of-packs', { flag: nameOfKey(other) })
      only(2)
      return knowledge.evaluatePack({ pack, project, suite: second, write: flags.keep })
    }
    const layers = knowledge.nameLayers(flags)
    if (compare) {
      if (first === undefined || second === undefined)
        throw failWith('USAGE/needs', { flag: '--compare', what: 'two index files', command: 'test' })
      only(3)
      return knowledge.compare({ before: first, after: second, suite: third, strategy, layers })
    }
    if (flags.new !== undefined) return knowledge.addCases({ what, prompts: [flags.new], not: flags.not })
    const targets = flags.targets?.flatMap((names) => names.split(','))
    const isOfSearch = first === undefined || isSuite(first) || library !== undefined
    if (isOfSearch || (flags.offline && (/[/\\]|^\.+$/.test(first) || existsSync(first)))) {
      only(1)
      return knowledge.evaluate({ suite: first, library, strategy, min, project, layers })
    }
    if (flags.offline) return knowledge.testOffline({ what, agents: targets, limit: flags.limit, project, layers })

    const beside = flags.beside?.flatMap((names) => names.split(','))
    const request = { ...flags, what, agents: targets, beside }
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
    await offerTeaching(report, ask, loadout, plan.isLibrary)
    const text = flags.junit ? formatJUnit(report) : flags.github ? lines(annotations(report)) : undefined
    return { value: { report, text }, findings: more }
  },
  print: (value, screen) => {
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
  | Evaluation
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

function isSuite(word: string): boolean {
  return /\.(?:jsonl?|ya?ml)$/.test(word)
}

function printPlan({ agents, skills, cases, runs, estimate, unchanged, root }: TestPlan): string {
  const { tokens, money, maxCost } = estimate
  const price = money === undefined ? '' : `, ${formatMoney(money, tokens)}`
  const named = agents.map(({ label, version = '' }) => `${label} ${version}`.trim()).join(', ')
  const quiet = cases.filter(({ expects }) => expects === 'quiet').length
  return lines(
    `${count(runs, 'run')} of ${printableLine(named)}`,
    alignRows([
      [
        '  skills',
        `${skills.length === 1 ? printableLine(skills[0]!.name) : count(skills.length, 'skill')} from ${printableLine(root)}`,
      ],
      ['  prompts', `${cases.length - quiet} should open a skill, ${quiet} should not`],
      ['  cost', `about ${grouped(tokens)} tokens${price}; it ends at ${maxCost} US dollars`],
    ]),
    unchanged > 0 && `  ${count(unchanged, 'skill is', 'skills are')} as in the kept results`,
    'Each runs in a new home folder with only these skills, with your login and your model.',
  )
}

function printCommands({ commands }: TestPlan): string {
  return lines(
    'Tests of skills from other authors want to run:',
    commands.slice(0, MOST_LISTED).map((command) => `  ${printableLine(command)}`),
    commands.length > MOST_LISTED && `  and ${commands.length - MOST_LISTED} more`,
  )
}

function printProof({ cases, tasks, spent, kept, regressed }: TestReport, screen: Screen): string {
  const groups = groupBy(cases, ({ skill, agent, version = '', model = '' }) =>
    JSON.stringify([skill, agent, version, model]),
  )
  const shown = [...groups.values()].flatMap((rows) => {
    const [{ skill, agent, version = '', listed }] = rows as [Proven, ...Proven[]]
    const right = rows.filter(({ isRight }) => isRight === true).length
    const flaky = rows.filter(({ isFlaky }) => isFlaky).length
    const model = rows.find((row) => row.model !== undefined)?.model
    const heading = `${skill}  ${agent} ${version}${model === undefined ? '' : `, ${model}`}`
    const list = listed === undefined || listed === 'visible' ? '' : `; in its list: ${listed}`
    return [
      screen.strong(printableLine(heading)),
      `  ${right} of ${count(rows.length, 'prompt')} as expected${flaky > 0 ? `, ${flaky} flaky` : ''}${list}`,
      ...rows
        .filter(({ isRight, isFlaky }) => isRight !== true || isFlaky)
        .slice(0, MOST_LISTED)
        .flatMap(describeProven),
      '',
    ]
  })
  const { runs, tokens, dollars } = spent
  const cost = dollars === undefined ? '' : `, ${formatAmount(dollars)} USD`
  return lines(
    shown,
    tasks.flatMap((each) => describeTask(each, screen)),
    regressed.map(
      ({ skill, agent, prompt, before, since }) =>
        `Regressed: ${printableLine(skill)} in ${agent} since ${since} (as expected with ${before}): ${shorten(prompt, 50)}`,
    ),
    `${count(runs, 'run')}, ${grouped(tokens)} tokens${cost}`,
    kept.map((path) => `Kept in ${printableLine(path)}`),
  )
}

function describeProven({ prompt, expects, verdict, fired, of, others, isFlaky, interval, runs }: Proven): string[] {
  const wanted = expects === 'fires' ? 'should fire' : 'should stay quiet'
  const range = interval && of > 1 ? `, ${percent(interval[0])} to ${percent(interval[1])} of runs` : ''
  const other = Object.keys(others).length > 0 ? `; opened ${Object.keys(others).join(', ')}` : ''
  const trace = runs.find(({ calls }) => calls.length > 0)?.calls[0]
  const problem = runs.find((run) => run.problem !== undefined)?.problem
  const said =
    verdict === 'no result'
      ? (problem ?? 'not run')
      : `${isFlaky ? 'flaky: ' : ''}fired ${fired} of ${of}${range}${other}`
  return [
    `  ${shorten(prompt, 76)}`,
    ...wrap(printableLine(`${wanted}; ${said}`), 4),
    ...(trace === undefined ? [] : [`    called ${shorten(trace, 66)}`]),
  ]
}

function describeTask(
  { skill, prompt, agent, version = '', without, with: with_, difference, shows, unchecked }: TaskComparison,
  screen: Screen,
): string[] {
  const row = (name: string, { held, of, runs, turns, tokens, seconds }: TaskComparison['with']) => [
    `  ${name}`,
    `${held} of ${of}`,
    String(turns),
    tokens === undefined ? '\u2013' : grouped(tokens),
    String(seconds),
    String(runs),
  ]
  const range = `${percent(difference[0])} to ${percent(difference[1])}`
  const said = {
    helps: 'it helped in these runs',
    harms: 'it did harm in these runs',
    nothing: 'these runs do not show a difference',
  }[shows]
  return [
    screen.strong(printableLine(`${skill}  ${agent} ${version}`)),
    `  ${shorten(prompt, 76)}`,
    ...alignRows(
      [['', 'held', 'turns', 'tokens', 'seconds', 'runs'], row('without', without), row('with', with_)],
      [1, 2, 3, 4, 5],
    ),
    `  difference of what held: ${range} (95 %): ${said}`,
    ...(unchecked.length > 0 ? wrap(printableLine(`Not checked: ${unchecked.join('; ')}`), 2) : []),
    '',
  ]
}

function printImprovement({ skill, before, after, broken, isBetter }: Improvement): string {
  return lines(
    `${printableLine(skill)}: ${before.right} of ${before.of} prompts as expected now, ${after.right} with the proposed description`,
    ...wrap(printableLine(`- ${before.description}`), 2),
    ...wrap(printableLine(`+ ${after.description}`), 2),
    broken.map((prompt) => `  no longer as expected: ${shorten(prompt, 54)}`),
    !isBetter && 'It is not better.',
  )
}

function printOffline({ agents, cases }: OfflineReport, screen: Screen): string {
  const groups = groupBy(cases, ({ skill }) => skill)
  return lines(
    [...groups].flatMap(([skill, rows]) => [
      screen.strong(printableLine(skill)),
      ...(rows[0]?.listed ?? []).map(({ agent, state, why }) => {
        const version = agents.find((each) => each.agent === agent)?.version ?? ''
        return `  ${`${agent} ${version}`.trim()}: ${state}${why === '' || state === 'visible' ? '' : `, ${printableLine(why)}`}`
      }),
      ...rows.slice(0, MOST_LISTED).flatMap(({ prompt, expects, isNamed, place, rivals }) => [
        `  ${shorten(prompt, 76)}`,
        ...wrap(
          printableLine(
            `${expects === 'fires' ? 'should fire' : 'should stay quiet'}; ${isNamed ? 'the hook names it' : 'the hook does not name it'}${place === undefined ? '' : `, number ${place}`}${
              rivals.length === 0
                ? ''
                : `; competes with ${rivals
                    .slice(0, 3)
                    .map(({ id }) => id)
                    .join(', ')}`
            }`,
          ),
          4,
        ),
      ]),
      ...(rows.length > MOST_LISTED ? [`  and ${rows.length - MOST_LISTED} more: --json lists all`] : []),
      '',
    ]),
  )
}

/** A prompt that did not open its skill becomes an example with one key. */
async function offerTeaching(
  { cases }: TestReport,
  ask: Ask | undefined,
  loadout: Loadout,
  isLibrary: boolean,
): Promise<void> {
  if (ask === undefined || !isLibrary) return
  for (const { skill, prompt } of cases
    .filter(({ expects, isRight }) => expects === 'fires' && isRight === false)
    .slice(0, MOST_OFFERED)) {
    const question = `${printableLine(skill)} was not opened for: ${shorten(prompt, 60)}\nTeach it as an example, so that the hook names it? [y/N] `
    if (!isYes(ask(question))) continue
    const layers = loadout.knowledge.nameLayers({})
    await loadout.knowledge.teach({
      items: [{ id: `skill:${skill}`, prompts: [prompt], negatives: [] }],
      origin: 'hand',
      layers,
    })
  }
}

const MOST_OFFERED = 10

function annotations({ cases, regressed }: TestReport): string[] {
  const escaped = (text: string) => printableLine(text).replace(/[%\r\n]/g, (sign) => encodeURIComponent(sign))
  return [
    ...cases
      .filter(({ isRight }) => isRight !== true)
      .map(({ skill, agent, prompt, expects, verdict, fired, of }) => {
        const kind = verdict === 'no result' ? 'warning' : 'error'
        return `::${kind} title=${escaped(`${skill} in ${agent}`).replace(/[:,]/g, encodeURIComponent)}::${escaped(`${expects === 'fires' ? 'should fire' : 'should stay quiet'}, ${verdict} (${fired} of ${of}): ${prompt}`)}`
      }),
    ...regressed.map(
      ({ skill, agent, prompt, since, before }) =>
        `::error::${escaped(`${skill} in ${agent}: as expected with ${before}, not since ${since}: ${prompt}`)}`,
    ),
  ]
}

/** As CI servers read it. */
function formatJUnit({ cases, tasks }: TestReport): string {
  const escaped = (text: string) => printableLine(text).replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  const suites = [...groupBy(cases, ({ skill, agent, version = '' }) => `${skill} ${agent} ${version}`.trim())].map(
    ([name, rows]) => {
      const failed = rows.filter(({ isRight }) => isRight === false).length
      const silent = rows.filter(({ verdict }) => verdict === 'no result').length
      const shown = rows.map(({ prompt, expects, verdict, fired, of, isRight }) => {
        const said = `${expects === 'fires' ? 'should fire' : 'should stay quiet'}, ${verdict} (${fired} of ${of})`
        const inner =
          isRight === undefined
            ? `<skipped message="${escaped(said)}"/>`
            : isRight
              ? ''
              : `<failure message="${escaped(said)}"/>`
        return `    <testcase classname="${escaped(name)}" name="${escaped(prompt)}">${inner}</testcase>`
      })
      return `  <testsuite name="${escaped(name)}" tests="${rows.length}" failures="${failed}" skipped="${silent}">\n${shown.join('\n')}\n  </testsuite>`
    },
  )
  const compared = tasks.map(({ skill, prompt, shows }) => {
    const inner = shows === 'harms' ? '<failure message="worse with the skill"/>' : ''
    return `    <testcase classname="${escaped(skill)} tasks" name="${escaped(prompt)}">${inner}</testcase>`
  })
  const more =
    compared.length === 0
      ? []
      : [`  <testsuite name="tasks" tests="${compared.length}">\n${compared.join('\n')}\n  </testsuite>`]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${[...suites, ...more].join('\n')}\n</testsuites>\n`
}

type Evaluation = SuiteReport | Comparison | PackEvaluation | HistoryEvaluation

const MOST_COMMITS = 1000
const PACK_FLAGS = ['project', 'kind', 'offline', 'keep']

function printHistory({ tasks, files, chars, recall, misses }: HistoryEvaluation, screen: Screen): string {
  const share = (value: number | undefined) => (value === undefined ? '\u2013' : `${Math.round(value * 100)} %`)
  const row = (name: string, { first, five, all, lines: shown }: HistoryEvaluation['recall']['loadout']) => [
    `  ${name}`,
    ...[first, five, all, shown].map((value) => share(value).padStart(5)),
  ]
  const place = (rank: number | null) => (rank === null ? 'not found' : `place ${rank}`)
  return lines(
    `${count(tasks, 'commit')} tested, each in the tree before it \u00b7 ${files} files, ${grouped(chars)} characters`,
    '',
    alignRows([
      ['', '  R@1', '  R@5', ` R@${files}`, 'lines'],
      row('loadout', recall.loadout),
      row('plain BM25', recall.bm25),
    ]),
    '',
    `R@1, R@5, R@${files}: of the files that a commit changed, the share among the first 1, 5 and ${files}.`,
    'lines: of the lines that it changed, the share that is shown.',
    misses.length > 0 && ['', screen.strong(`${count(misses.length, 'commit')} with a file that was not found`)],
    misses.flatMap(({ commit, task, wanted, first }) => [
      `  ${commit}  ${printableLine(task)}`,
      ...wanted.map(({ path, rank }) => `    changed  ${printableLine(path)}  (${place(rank)})`),
      `    first    ${first.slice(0, 2).map(printableLine).join(', ')}`,
    ]),
  )
}

// --json lists the rest.
const MOST_TAKERS = 8
const MOST_LISTED = 20

function printReport(report: SuiteReport, screen: Screen): string {
  const { suite, strategy, documents, figures, takers, confusions, heldOut, withoutExamples } = report
  const shown = confusions.slice(0, MOST_LISTED)
  const rows: string[][] =
    withoutExamples === undefined
      ? [HEADINGS, figureRow(figures)]
      : [
          ['', ...HEADINGS],
          ['with examples', ...figureRow(figures)],
          ['without', ...figureRow(withoutExamples)],
        ]
  return lines(
    `${printableLine(suite)}  ${strategy}, ${count(documents, 'document')}`,
    heldOut !== undefined &&
      `  ${count(heldOut, 'question is', 'questions are')} examples, each left out while it was tested`,
    '',
    alignRows(
      rows.map((row) => row.map((cell) => `  ${cell}`)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8].slice(withoutExamples === undefined ? 0 : 1),
    ),
    '',
    strategy === 'ranked' && answersLine(figures),
    takers.length > 0 && [
      screen.strong('Wrong answers by document'),
      ...takers
        .slice(0, MOST_TAKERS)
        .map(({ taker, owner, times }) => `  ${printableLine(taker)}  ${times} of ${printableLine(owner)}`),
      '',
    ],
    shown.length > 0 && [
      screen.strong('Wrong answers by question'),
      ...shown.flatMap(({ query, expected, got, words, place }) => [
        `  ${printableLine(query)}`,
        `    ${got === null ? 'no answer' : `${printableLine(got)} [${words.map(printableLine).join(', ')}]`}${wanted(expected, place)}`,
      ]),
      confusions.length > shown.length ? `  … and ${confusions.length - shown.length} more: --json lists all` : '',
    ],
  )
}

function wanted(expected: readonly string[], place: number | null): string {
  if (expected.length === 0) return ', but nothing should match'
  return ` instead of ${expected.map(printableLine).join(' or ')}${place === null ? '' : ` (number ${place})`}`
}

function printComparison({ questions, before, after, changes }: Comparison, screen: Screen): string {
  const rows = [
    ['', ...HEADINGS],
    ['before', ...figureRow(before)],
    ['after', ...figureRow(after)],
  ]
  return lines(
    alignRows(
      rows.map((row) => row.map((cell) => `  ${cell}`)),
      [1, 2, 3, 4, 5, 6, 7, 8],
    ),
    '',
    changes
      .slice(0, MOST_LISTED)
      .flatMap((change) => [
        `  ${printableLine(change.query)}`,
        `    ${namesOf(change.before)}  →  ${namesOf(change.after)}`,
      ]),
    screen.strong(`${changes.length} of ${count(questions, 'question')} have another answer`),
  )
}

/** What an agent gets without asking. */
function answersLine({ positives, negatives, answered, r5, texts, rightTexts, falseTriggers, falseTexts }: Figures) {
  const per = (value: number) => `${value.toFixed(1)} %`
  return [
    ...(positives === 0
      ? []
      : [
          `  Of the questions with an answer, ${per(100 - answered)} get nothing, ${per(r5)} get the right one among five, ${per(texts)} load a text (${per(rightTexts)} of these are right).`,
        ]),
    ...(negatives === 0
      ? []
      : [
          `  Of the questions without an answer, ${per(100 - falseTriggers)} get nothing, ${per(falseTexts)} load a text.`,
        ]),
    '',
  ]
}

const HEADINGS = ['R@1', 'R@3', 'R@5', 'nDCG@5', 'MRR', 'answered', 'false', 'pairs']

function figureRow(figures: Figures): string[] {
  const { r1, r3, r5, ndcg5, mrr, answered, falseTriggers, pairViolations, negatives, pairs } = figures
  const some = (of: number, value: number) => (of === 0 ? '–' : value.toFixed(1))
  return [
    ...[r1, r3, r5, ndcg5, mrr, answered].map((value) => some(figures.positives, value)),
    some(negatives, falseTriggers),
    some(pairs, pairViolations),
  ]
}

function namesOf(ids: readonly string[]): string {
  return ids.slice(0, 3).map(printableLine).join(', ') || 'no answer'
}

function printPackEvaluation({ suites }: PackEvaluation, screen: Screen): string {
  return lines(
    ...suites.flatMap(({ suite, summary, written }) => [
      screen.strong(printableLine(suite)),
      `  ${count(summary.passed, 'case')} passed, ${summary.failed} failed`,
      `  precision ${percent(summary.precision)}, recall ${percent(summary.recall)}, warnings ${percent(summary.warningAccuracy)}`,
      written !== undefined && `  written to ${printableLine(written)}`,
    ]),
  )
}

function percent(share: number | null): string {
  return share === null ? '\u2013' : `${(share * 100).toFixed(1)} %`
}
