import { isAbsolute, join, relative } from 'node:path'
import { type HookCall, isTask, LONGEST_PROMPT } from '../../agents/rules/hook-call.ts'
import { type Codec, cached, signatureOf } from '../../machine/cache.ts'
import { attempt, logLine } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject, type Project } from '../../machine/open-project.ts'
import { claimant, claimLine, readSession } from '../../machine/sessions.ts'
import { brokenLayers, type Knowledge } from '../../payloads/knowledge.ts'
import { loadPayloads } from '../../payloads/load.ts'
import { noteOf, planByStrategy, planTerms, strategyOf, type TaskPlan } from '../../payloads/plan.ts'
import { type LoadoutEntry, tokensOf } from '../../payloads/rules/loadout-index.ts'
import type { MatchResult } from '../../payloads/rules/match.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { keepTask, type NotedEntry, recordTask } from '../../usage/record.ts'
import { formatClaim, keysOf, type Part, readState, wonBy } from '../../usage/rules/session-state.ts'
import { type IndexItem, indexLine, payloadItem } from '../rules/index-line.ts'
import {
  blockLength,
  bodyDigest,
  digestOf,
  fenceDigest,
  type GivenPart,
  type Measure,
  measureIn,
  renderParts,
} from '../rules/session/session-text.ts'
import { pointersFor } from './hook-catalog.ts'

const DEFAULT_TOKENS = 1_200

/** Of many that fit a little, few are worth their place. */
const MOST_ENTRIES = 3

/** What this prompt newly needs: small payloads whole, larger ones, packs and skills by name. Nothing twice in a session. */
export async function answerPrompt(machine: Machine, call: HookCall, budget = DEFAULT_TOKENS): Promise<string> {
  if (!isTask(call)) return ''
  if (call.prompt.length > LONGEST_PROMPT) {
    throw new LoadoutError('FILE_TOO_LARGE', `a prompt of ${call.prompt.length} characters is data, not a task`)
  }
  const log = (message: string) => logLine(machine, `${call.host.agent} ${call.event}`, message)
  const project = openProject(machine)
  const layers = { projectRoot: project }
  const strategy = attempt(log, 'the strategy is left out', () => strategyOf(machine, { layers }), 'ranked')
  const request = { task: call.prompt, layers, strategy, isHook: true }
  const { value: plan, knowledge } = await planByStrategy(machine, request)
  for (const { code, message } of brokenLayers(plan)) log(`${code} ${message}`)
  const named = pointersFor(machine, project, call.host.agent, call.prompt)
  // The core is for the start of a session, in whatever way it is loaded.
  const matches = plan.onDemand.filter(({ entry }) => entry.priority !== 'core').slice(0, MOST_ENTRIES)
  if (matches.length + named.length === 0) {
    await record(machine, project, call, plan, { matches, named, given: [] })
    return ''
  }

  const state = readState(readSession(machine, call.host.agent, call.session))
  const { host } = call
  const { tokens, characters, counts } = host.replyLimit
  const room = Math.min(Math.min(budget, tokens) * 4, characters)
  const choice = new Choice(state.given, room, measureIn(counts))
  const problems = takePayloads(machine, project, choice, knowledge, matches)
  for (const pointer of named) choice.addPointer(pointer)
  const won = claim(machine, call, choice.parts)
  const given = choice.given.filter(({ part }) => won.includes(part))

  if (problems.length > 0) log(problems.join('; '))
  await record(machine, project, call, plan, { matches, named, given })
  return renderParts(given)
}

/** What goes into one reply, as long as there is room and the session does not have it. */
class Choice {
  readonly given: GivenPart[] = []
  private readonly known: Set<string>
  private readonly room: number
  private readonly sizeOf: Measure
  private texts = 0
  private lines: string[] = []

  constructor(known: ReadonlySet<string>, room: number, sizeOf: Measure) {
    this.known = new Set(known)
    this.room = room
    this.sizeOf = sizeOf
  }

  get parts(): Part[] {
    return this.given.map(({ part }) => part)
  }

  isKnown(part: Part): boolean {
    return keysOf(part).some((key) => this.known.has(key))
  }

  addText(text: GivenPart): boolean {
    const size = this.sizeOf(text.text)
    if (size + this.texts + blockLength(this.lines, this.sizeOf) > this.room) return false
    this.texts += size
    this.add(text)
    return true
  }

  addPointer(pointer: GivenPart): void {
    const lines = [...this.lines, pointer.text]
    if (this.isKnown(pointer.part) || this.texts + blockLength(lines, this.sizeOf) > this.room) return
    this.lines = lines
    this.add(pointer)
  }

  private add(given: GivenPart): void {
    this.given.push(given)
    for (const key of keysOf(given.part)) this.known.add(key)
  }
}

/** Best first; what does not fit is named. Tells what could not be read. */
function takePayloads(
  machine: Machine,
  { root }: Project,
  choice: Choice,
  knowledge: Knowledge,
  matches: readonly MatchResult[],
): string[] {
  const problems: string[] = []
  for (const { entry } of matches) {
    if (choice.isKnown({ form: 'text', id: entry.id, sum: '', body: '' })) continue
    const text = textPart(machine, knowledge, entry)
    if ('problem' in text) problems.push(text.problem)
    else if (!choice.isKnown(text.part) && !choice.addText(text)) {
      const line = indexLine(entryItem(knowledge, entry, root))
      choice.addPointer({ part: { form: 'pointer', kind: 'payload', id: entry.id, sum: digestOf(line) }, text: line })
    }
  }
  return problems
}

/** Written before it is given, then read back: of two hooks at once, the first line has a part. */
function claim(machine: Machine, { host, session }: HookCall, parts: readonly Part[]): Part[] {
  if (parts.length === 0) return []
  const by = claimant()
  const won = wonBy(readState(claimLine(machine, host.agent, session, formatClaim({ by, parts }))), by) ?? []
  const keys = new Set(won.flatMap(keysOf))
  return parts.filter((part) => keysOf(part).every((key) => keys.has(key)))
}

interface Outcome {
  matches: readonly MatchResult[]
  named: readonly GivenPart[]
  given: readonly GivenPart[]
}

async function record(
  machine: Machine,
  project: Project,
  { prompt: task }: HookCall,
  plan: TaskPlan,
  { matches, named, given }: Outcome,
): Promise<void> {
  const payloads = matches.map((match) => noteOf(plan, match, tokensOf(match.entry)))
  const others = named.flatMap(({ part, text }): NotedEntry[] =>
    part.form === 'pointer'
      ? [{ id: part.id, kind: part.kind, trigger: 'ranked', mode: 'lazy', tokens: estimateTokens(text) }]
      : [],
  )
  const delivered = payloads.flatMap((entry) => {
    const found = given.find(({ part }) => part.form === 'text' && part.id === entry.id)
    return found === undefined ? [] : [{ ...entry, tokens: estimateTokens(found.text) }]
  })
  recordTask(machine, {
    task,
    kept: await keepTask(machine, task, () => {
      const asked = { layers: { projectRoot: project }, most: MOST_ENTRIES, withoutCore: true as const }
      return planTerms(machine, asked, plan.strategy)
    }),
    steps: [
      { stage: 'planned', entries: [...payloads, ...others] },
      { stage: 'delivered', entries: delivered },
    ],
  })
}

/** The text of a payload, ready to be given; or why it cannot be. Read and fenced once, while its file stays as it is. */
export function textPart(machine: Machine, knowledge: Knowledge, entry: LoadoutEntry): GivenPart | { problem: string } {
  const { id, path } = entry
  const layer = knowledge.layerOf(entry)
  const file = signatureOf([join(knowledge.rootOf(entry), path)], machine.now())
  const state = JSON.stringify([file.state, layer, path])
  const key = { ...file, kind: 'payloads', version: FENCE_VERSION, name: [...file.name, id], state }
  return cached(machine, key, partCodec(id), () => {
    const { contents, findings } = loadPayloads(knowledge, [entry])
    const text = contents[0]?.text
    if (text === undefined) return { problem: findings[0]?.message ?? `${id} was not loaded` }
    return { part: { form: 'text', id, sum: fenceDigest(text), body: bodyDigest(text) }, text }
  })
}

// Raise it when a change of the fence gives other text for the same payload.
const FENCE_VERSION = 3

/** Two digests on a line of their own, then the text. */
function partCodec(id: string): Codec<GivenPart | { problem: string }> {
  return {
    encode(value) {
      if ('problem' in value || value.part.form !== 'text') return undefined
      return new TextEncoder().encode(`${value.part.sum} ${value.part.body}\n${value.text}`)
    },
    decode(bytes) {
      const stored = new TextDecoder().decode(bytes)
      const end = stored.indexOf('\n')
      const [sum = '', body = ''] = stored.slice(0, end).split(' ')
      return { part: { form: 'text', id, sum, body }, text: stored.slice(end + 1) }
    },
  }
}

/** A payload as a line of an index, its file as somebody in this folder writes it. */
export function entryItem(knowledge: Knowledge, entry: LoadoutEntry, folder: string): IndexItem {
  const tokens = tokensOf(entry)
  const item = payloadItem(entry, shownPath(folder, join(knowledge.rootOf(entry), entry.path)))
  return tokens > 0 ? { ...item, tokens } : item
}

function shownPath(folder: string, file: string): string {
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside
}
