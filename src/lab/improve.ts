import { tryClient, usableClients } from '../agents/try-client.ts'
import type { Machine } from '../machine/machine.ts'
import { TestedSkills } from '../skills/tested-skills.ts'
import { failWith } from '../text/trouble.ts'
import { type Proven, type RunRequest, runTest } from './prove.ts'
import { descriptionPrompt, readDescription } from './rules/judge.ts'

/** A description that the user's agent wrote, beside the one there is. */
export interface Improvement {
  skill: string
  before: { description: string; right: number; of: number }
  after: { description: string; right: number; of: number }
  /** Cases that were right and are not with the new one. */
  broken: string[]
  isBetter: boolean
}

/** Asks the user's agent for a better description, and runs the same cases with it. Changes nothing. */
export async function proposeDescription(machine: Machine, request: RunRequest): Promise<Improvement> {
  const { skills } = new TestedSkills(machine, request.what ?? [])
  const [skill, second] = skills
  if (skill === undefined || second !== undefined) throw failWith('USAGE/one-skill')
  const [client] = usableClients(machine, request.agents)
  if (client === undefined) throw failWith('NOT_SEEN/none')
  const ask = { ...request, agents: [client.agent.id], keep: false, changed: false, helps: false }
  const { cases: before } = await runTest(machine, ask)
  const missed = before.filter(({ expects, isRight }) => expects === 'fires' && isRight === false)
  const wrong = before.filter(({ expects, isRight }) => expects === 'quiet' && isRight === false)
  const prompts = (rows: readonly Proven[]) => rows.map(({ prompt }) => prompt)
  const { name, description } = skill
  const right = prompts(before.filter(({ expects, isRight }) => expects === 'fires' && isRight === true))
  const prompt = descriptionPrompt({ name, description, missed: prompts(missed), wrong: prompts(wrong), right })
  const { signal, model, turns = 5, seconds = 120, maxCost } = request
  const asked = { client, prompt, skills: [], model, turns, seconds, dollars: maxCost, signal }
  const answer = await tryClient(machine.quiet(), asked, (trial) => trial.answer)
  const proposed = readDescription(answer)
  if (proposed === undefined)
    throw failWith('BAD_JSON/description', { agent: client.agent.label, answer: answer.slice(0, 200) })
  const { cases: after } = await runTest(machine.quiet(), { ...ask, describedAs: proposed })
  const sum = (rows: readonly Proven[]) => ({
    right: rows.filter(({ isRight }) => isRight === true).length,
    of: rows.length,
  })
  const broken = after.filter(
    (row) => row.isRight !== true && before.some((each) => each.prompt === row.prompt && each.isRight === true),
  )
  return {
    skill: name,
    before: { description, ...sum(before) },
    after: { description: proposed, ...sum(after) },
    broken: prompts(broken),
    isBetter: broken.length === 0 && sum(after).right > sum(before).right,
  }
}
