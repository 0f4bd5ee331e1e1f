import { Config } from '../agents/config.ts'
import { AGENTS } from '../agents/rules/agents.ts'
import { seeAgent } from '../agents/see.ts'
import type { Hit } from '../answer/find.ts'
import { openKnowledge } from '../answer/search.ts'
import { isMeant, MOST_POINTERS } from '../answer/session/prompt.ts'
import type { SourceRequest } from '../answer/sources.ts'
import type { Machine } from '../machine/machine.ts'
import { isAsExpected } from '../skills/rules/test-results.ts'
import { readResults } from '../skills/tested-skills.ts'
import { report } from '../text/trouble.ts'
import { compareText, sortedBy } from '../text/values.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'
import { casesOf, openTested, type TestCase, type TestedRequest } from './tested.ts'

export interface OfflineRequest extends SourceRequest, Pick<TestedRequest, 'what'> {
  agents?: readonly string[]
  limit?: number
}

/** What can be known about prompts without a model. */
export interface OfflineReport {
  agents: { agent: string; label: string; version?: string }[]
  cases: OfflineCase[]
}

export interface OfflineCase extends Pick<TestCase, 'skill' | 'prompt' | 'expects'> {
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
  const { project, agents, limit = 1_000 } = request
  const tested = openTested(machine, request)
  const { cases, findings } = casesOf(tested, { limit, helps: false })
  const config = new Config(machine)
  const isListed = tested.entries.some(({ kind }) => kind === 'skill')
  const named = isListed ? (agents ?? AGENTS.filter((agent) => config.isFound(agent)).map(({ id }) => id)) : []
  const seen = named.map((agent) => seeAgent(machine.quiet(), { agent, project }))
  const results = new Map(tested.entries.map(({ name }) => [name, readResults(tested.root, name).rows]))
  const kinds = new Set(tested.entries.map(({ kind }) => kind))
  const everything = openKnowledge(machine, request)
  const asked = cases.map(({ skill, prompt, expects, counts }): OfflineCase => {
    const hits = everything.ask(prompt, MOST_POINTERS + counts.length)
    const isOwn = ({ kind, name }: Hit) => kinds.has(kind) && counts.includes(name)
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
      isNamed: hits.slice(0, MOST_POINTERS).filter(isMeant).some(isOwn),
      place: at < 0 ? undefined : at + 1,
      rivals: hits
        .filter((hit) => !isOwn(hit) && isMeant(hit))
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
  machine.report(...findings, ...everything.findings(), ...lost)
  return {
    agents: seen.map(({ agent, label, program }) => ({ agent, label, version: program?.version })),
    cases: asked,
  }
}

export interface Similar {
  /** How many entries were tested. */
  asked: number
  /** Those that are in a pair, with the number of examples: without any, only the description distinguishes an entry. */
  entries: { id: string; kind: EntryKind; examples: number }[]
  pairs: SimilarPair[]
}

/** Two entries, and the questions of one that the other also matches. */
interface SimilarPair {
  a: string
  b: string
  /** 0 to 1: the confidence of the wrong one relative to the right one. */
  strength: number
  questions: { of: string; question: string; words: string[] }[]
}

const MOST_QUESTIONS = 3

/** Which entries match the same questions: each is tested with the examples of every other, or its description. */
export function similarEntries(machine: Machine, request: SourceRequest): Similar {
  const everything = openKnowledge(machine, request)
  const entries = sortedBy(everything.documents(), ({ id }) => id)
  const pairs = new Map<string, SimilarPair>()
  const asked = entries.slice(0, 2_000)
  for (const { id: tested, examples = [], description, name } of asked) {
    const questions = examples.length > 0 ? examples.slice(0, MOST_QUESTIONS) : [description || name]
    for (const question of questions.map((text) => text.slice(0, 300))) {
      const hits = everything.ask(question, 4)
      const own = hits.find(({ id }) => id === tested)?.confidence ?? 0
      for (const { id, confidence, why } of hits) {
        const strength = own === 0 ? 1 : Math.min(1, confidence / own)
        // A rival with less than half the confidence of the entry itself does not count.
        if (id === tested || strength < 0.5) continue
        const [a, b] = [tested, id].sort(compareText) as [string, string]
        const pair = pairs.get(`${a} ${b}`) ?? { a, b, strength: 0, questions: [] }
        pair.strength = Math.max(pair.strength, Math.round(strength * 100) / 100)
        if (pair.questions.length < MOST_QUESTIONS * 2) {
          pair.questions.push({ of: tested, question, words: why.slice(0, 5).map(({ term }) => term) })
        }
        pairs.set(`${a} ${b}`, pair)
      }
    }
  }
  const strongest = [...pairs.values()]
    .sort(
      (x, y) => y.strength - x.strength || y.questions.length - x.questions.length || compareText(x.a + x.b, y.a + y.b),
    )
    .slice(0, 400)
  const inPair = new Set(strongest.flatMap(({ a, b }) => [a, b]))
  machine.report(...everything.findings())
  return {
    asked: asked.length,
    entries: entries
      .filter(({ id }) => inPair.has(id))
      .map(({ kept, id, examples = [] }) => ({ id, kind: kept.kind, examples: examples.length })),
    pairs: strongest,
  }
}
