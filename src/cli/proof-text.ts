import type { Comparison as TaskComparison } from '../lab/rules/proof.ts'
import type { Improvement, OfflineReport, Proven, TestPlan, TestReport } from '../loadout.ts'
import { formatAmount, formatMoney } from '../text/cost.ts'
import { groupBy } from '../text/values.ts'
import { alignRows, count, grouped, lines, percent, printableLine, type Screen, shorten, wrap } from './screen.ts'

const MOST_LISTED = 20

export function printPlan({ agents, skills, cases, runs, estimate, unchanged, root }: TestPlan): string {
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

export function printCommands({ commands }: TestPlan): string {
  return lines(
    'Tests of skills from other authors want to run:',
    commands.slice(0, MOST_LISTED).map((command) => `  ${printableLine(command)}`),
    commands.length > MOST_LISTED && `  and ${commands.length - MOST_LISTED} more`,
  )
}

export function printProof({ cases, tasks, spent, kept, regressed }: TestReport, screen: Screen): string {
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
  const pointers = [...new Set(runs.flatMap((run) => run.pointers))]
  const problem = runs.find((run) => run.problem !== undefined)?.problem
  const said =
    verdict === 'no result'
      ? (problem ?? 'not run')
      : `${isFlaky ? 'flaky: ' : ''}fired ${fired} of ${of}${range}${other}`
  return [
    `  ${shorten(prompt, 76)}`,
    ...wrap(printableLine(`${wanted}; ${said}`), 4),
    ...(pointers.length === 0 ? [] : wrap(printableLine(`the hook named ${pointers.slice(0, 5).join(', ')}`), 4)),
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

export function printImprovement({ skill, before, after, broken, isBetter }: Improvement): string {
  return lines(
    `${printableLine(skill)}: ${before.right} of ${before.of} prompts as expected now, ${after.right} with the proposed description`,
    ...wrap(printableLine(`- ${before.description}`), 2),
    ...wrap(printableLine(`+ ${after.description}`), 2),
    broken.map((prompt) => `  no longer as expected: ${shorten(prompt, 54)}`),
    !isBetter && 'It is not better.',
  )
}

export function printOffline({ agents, cases }: OfflineReport, screen: Screen): string {
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

export function annotations({ cases, regressed }: TestReport): string[] {
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
export function formatJUnit({ cases, tasks }: TestReport): string {
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
