import { Config } from '../agents/config.ts'
import { AGENTS } from '../agents/rules/agents.ts'
import { seeAgent } from '../agents/see.ts'
import { type SearchHit, searchKnowledge } from '../answer/search.ts'
import { isMeant, MOST_POINTERS } from '../answer/session/prompt.ts'
import type { SourceRequest } from '../answer/sources.ts'
import type { Machine } from '../machine/machine.ts'
import { isAsExpected } from '../skills/rules/test-results.ts'
import { readResults, TestedSkills } from '../skills/tested-skills.ts'
import { report } from '../text/trouble.ts'
import { casesOf, type ProofCase } from './prove.ts'

export interface OfflineRequest extends Omit<SourceRequest, 'project'> {
  what: readonly string[]
  agents?: readonly string[]
  limit?: number
  project?: string
}

/** What can be known about prompts without a model. */
export interface OfflineReport {
  agents: { agent: string; label: string; version?: string }[]
  cases: OfflineCase[]
}

export interface OfflineCase extends Pick<ProofCase, 'skill' | 'prompt' | 'expects'> {
  /** What the list of each agent says of the skill. */
  listed: { agent: string; state: string; why: string; canFire: boolean; firedBefore?: string }[]
  /** Whether the hook would name it for this prompt, and its place among all entries. */
  isNamed: boolean
  place?: number
  /** Other entries for the same prompt, the most likely first. */
  rivals: { id: string; confidence: number; words: string[] }[]
}

const LISTED = ['visible', 'undescribed', 'cut', 'ambiguous', 'named']

/** Says for each case whether the skill is in an agent's list, whether the hook would name it, and what competes. */
export function testOffline(machine: Machine, request: OfflineRequest): OfflineReport {
  const { project } = request
  const tested = new TestedSkills(machine, request.what)
  const { cases, findings } = casesOf(machine, tested, { limit: request.limit ?? 1_000, helps: false })
  const config = new Config(machine)
  const named = request.agents ?? AGENTS.filter((agent) => config.isFound(agent)).map(({ id }) => id)
  const seen = named.map((agent) => seeAgent(machine.quiet(), { agent, project }))
  const results = new Map(tested.skills.map(({ name }) => [name, readResults(tested.root, name).rows]))
  const asked = cases.map(({ skill, prompt, expects, counts }): OfflineCase => {
    const asked = { layers: request.layers, project, query: prompt, limit: MOST_POINTERS + counts.length }
    const { hits } = searchKnowledge(machine, asked)
    const nameOf = ({ id, kind }: SearchHit) => (id.startsWith(`${kind}:`) ? id.slice(kind.length + 1) : id)
    const isOwn = (hit: SearchHit) => hit.kind === 'skill' && counts.includes(nameOf(hit))
    const isLikely = (hit: SearchHit) => isMeant({ ...hit, name: nameOf(hit) })
    const at = hits.findIndex(isOwn)
    const listed = seen.map(({ agent, skills, program }) => {
      const found = skills.find(({ name }) => name === skill)
      const state = found?.fate ?? 'not installed'
      const canFire = LISTED.includes(state)
      const before = results.get(skill)?.findLast(({ agent: id, version, cases: known }) => {
        const outcome = known.find((each) => each.prompt === prompt)
        return id === agent && version !== program?.version && outcome?.expects === 'fires' && isAsExpected(outcome)
      })
      return { agent, state, why: found?.why ?? '', canFire, firedBefore: canFire ? undefined : before?.version }
    })
    return {
      skill,
      prompt,
      expects,
      listed,
      isNamed: hits.slice(0, MOST_POINTERS).filter(isLikely).some(isOwn),
      place: at < 0 ? undefined : at + 1,
      rivals: hits
        .filter((hit) => !isOwn(hit) && isLikely(hit))
        .map(({ id, confidence, why }) => ({
          id,
          confidence: Math.round(confidence * 100) / 100,
          words: why.slice(0, 4).map(({ term }) => term),
        })),
    }
  })
  const lost = asked.flatMap(({ skill, prompt, expects, listed }) =>
    listed.flatMap(({ agent, state, why, firedBefore }) => {
      if (expects !== 'fires' || firedBefore === undefined) return []
      const facts = { skill, agent, prompt: prompt.slice(0, 70), before: firedBefore, state, why }
      return [report('BELOW_THRESHOLD/cannot-fire', facts, { subject: skill })]
    }),
  )
  machine.report(...findings, ...lost)
  return {
    agents: seen.map(({ agent, label, program }) => ({ agent, label, version: program?.version })),
    cases: asked,
  }
}
