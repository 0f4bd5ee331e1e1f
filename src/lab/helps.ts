import type { UsableClient, Work } from '../agents/try-client.ts'
import { readJudgement } from '../text/json-parts.ts'
import { attempt } from '../text/values.ts'
import { matchesPattern } from './disk/suites.ts'
import type { Assertion } from './rules/cases.ts'
import { judgePrompt } from './rules/judge.ts'
import { type Comparison, compareSides, type Side } from './rules/proof.ts'
import { type Ran, type Runner, tokensOf } from './runner.ts'
import { filesOf, type TestCase, type Tested } from './tested.ts'

interface TaskRun {
  client: UsableClient
  each: TestCase
  /** Of a library or a folder, where the files of the task lie. */
  root: string
  entries: readonly Tested[]
  times: number
  /** Its assertions may run commands. */
  runsCommands: boolean
}

/** The same task without and with the entry that its case is about. */
export async function compareTask(runner: Runner, asked: TaskRun): Promise<Comparison> {
  const { client, each, entries, times, root, runsCommands } = asked
  const unchecked = new Set<string>()
  const sides: Side[] = []
  for (const those of [entries.filter(({ name }) => name !== each.skill), entries]) {
    const side = { held: 0, of: 0, runs: 0, turns: 0, tokens: 0, seconds: 0 }
    for (let at = 0; at < times; at++) {
      const holds: boolean[] = []
      const claims: string[] = []
      let left = ''
      const ran = await runner.run(
        { client, prompt: each.prompt, entries: those, files: filesOf(each.task, root), edits: true },
        async (trial, work) => {
          for (const assertion of each.task?.assertions ?? []) {
            const isTrue = await check(assertion, trial, work, runsCommands)
            if (typeof isTrue === 'boolean') holds.push(isTrue)
            else if (assertion.kind === 'judge') claims.push(assertion.text)
            else unchecked.add(isTrue)
          }
          left = claims.length > 0 ? describeWork(work) : ''
        },
      )
      if (ran.problem !== undefined) {
        unchecked.add(ran.problem)
        continue
      }
      if (claims.length > 0) {
        const prompt = judgePrompt({ task: each.prompt, answer: ran.answer, files: left, claims })
        const verdicts = readJudgement((await runner.run({ client, prompt, entries: [] })).answer, claims.length)
        if (verdicts === undefined) unchecked.add('the judge gave no answer in its form')
        holds.push(...(verdicts ?? []))
      }
      side.of += holds.length
      side.held += holds.filter((isTrue) => isTrue).length
      side.runs++
      side.turns += ran.calls.length + 1
      side.tokens += tokensOf(ran) ?? 0
      side.seconds += ran.seconds
    }
    const mean = (sum: number) => (side.runs === 0 ? 0 : Math.round((sum / side.runs) * 10) / 10)
    const tokens = side.tokens === 0 ? undefined : mean(side.tokens)
    sides.push({ ...side, turns: mean(side.turns), tokens, seconds: mean(side.seconds) })
  }
  const [without, with_] = sides as [Side, Side]
  return {
    skill: each.skill,
    prompt: each.prompt,
    agent: client.agent.id,
    version: client.version,
    without,
    with: with_,
    ...compareSides(without, with_),
    unchecked: [...unchecked, ...(each.task?.notRun ?? [])],
  }
}

/** Whether an assertion holds, as far as that can be seen without a model; or why it was not checked. */
async function check(assertion: Assertion, trial: Ran, work: Work, runsCommands: boolean): Promise<boolean | string> {
  const { kind, text } = assertion
  const answer = trial.answer.toLowerCase()
  switch (kind) {
    case 'says':
      return answer.includes(text.toLowerCase())
    case 'says not':
      return !answer.includes(text.toLowerCase())
    case 'file':
      return work.files.includes(text.replace(/^\.\//, ''))
    case 'tool':
      return trial.calls.some(({ tool, input }) => `${tool} ${JSON.stringify(input)}`.includes(text))
    case 'matches':
      return matchesPattern(text, trial.answer) ?? `the pattern ${text.slice(0, 40)} is not valid, or takes too long`
    case 'command':
      return runsCommands ? (await work.run(text)) === assertion.exit : 'commands of a skill from outside'
    case 'judge':
      return ''
  }
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
