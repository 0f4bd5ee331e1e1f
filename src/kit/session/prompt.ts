import { isAbsolute, join, relative } from 'node:path'
import { type HookCall, isTask, LONGEST_PROMPT } from '../../agents/rules/hook-call.ts'
import { type Codec, cached, signatureOf } from '../../machine/cache.ts'
import { attempt, describeTrouble, logLine } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject, type Project } from '../../machine/open-project.ts'
import { claimant, claimLine, readSession } from '../../machine/sessions.ts'
import { brokenLayers, type Knowledge, openStoredKnowledge } from '../../payloads/knowledge.ts'
import { loadPayloads } from '../../payloads/load.ts'
import { planTerms, planWith, strategyOf } from '../../payloads/plan.ts'
import { type LoadoutEntry, tokensOf } from '../../payloads/rules/loadout-index.ts'
import { type MatchResult, triggerOf } from '../../payloads/rules/match.ts'
import { rankedMatch } from '../../payloads/rules/ranked.ts'
import { hasIndex } from '../../project/has-index.ts'
import { type AnswerForm, answerForm } from '../../search/document.ts'
import { DamagedForm } from '../../search/saved-pages.ts'
import { type FamilyShares, SESSION_LENGTH, sessionLift, sharesOf } from '../../search/session-lift.ts'
import type { Strategy } from '../../search/strategy.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { keepTask, type RecordedEntry, recordTask } from '../../usage/record.ts'
import {
  formatClaim,
  heldAfter,
  keysOf,
  type Part,
  readState,
  recentShares,
  wonBy,
} from '../../usage/rules/session-state.ts'
import { type IndexItem, indexLine, payloadItem } from '../rules/index-line.ts'
import {
  blockLength,
  bodyDigest,
  digestOf,
  fenceDigest,
  type GivenPart,
  holdsPart,
  type Measure,
  measureIn,
  renderParts,
  withoutOwnText,
} from '../rules/session/session-text.ts'
import { type HookCatalog, keptItem, readCatalog, readReadablePacks } from './hook-catalog.ts'
import type { PackPointers } from './pack-pointers.ts'

const DEFAULT_TOKENS = 1_200

/** Of many weak matches, only a few are worth their place. */
const MOST_ENTRIES = 3
const MOST_POINTERS = 5

/** What a prompt needs and the session lacks: certain payloads as text; other payloads, packs and skills by name. */
export async function answerPrompt(machine: Machine, call: HookCall, budget = DEFAULT_TOKENS): Promise<string> {
  if (!isTask(call)) return ''
  if (call.prompt.length > LONGEST_PROMPT) {
    throw new LoadoutError('FILE_TOO_LARGE', `a prompt of ${call.prompt.length} characters is data, not a task`)
  }
  const task = withoutOwnText(call.prompt)
  if (task.trim() === '') return ''
  const log = (message: string) => logLine(machine, `${call.host.agent} ${call.event}`, message)
  const project = openProject(machine)
  const layers = { projectRoot: project }
  const strategy = attempt(log, 'the strategy is left out', () => strategyOf(machine, { layers }), 'ranked')
  const knowledge = openStoredKnowledge(machine, layers, true)
  for (const { code, message } of brokenLayers(knowledge)) log(`${code} ${message}`)
  const catalog = await openCatalog(machine, project, call.host.agent, knowledge, log)
  const packs = await openPacksFor(machine, project, { ...call, prompt: task }, log)
  const prompt: Prompt = { project, knowledge, catalog, packs, strategy, task }
  const plain = await find(machine, call, prompt, log)
  const files = await findFilesFor(machine, prompt, log)
  if (plain.found.length + files.length === 0) {
    await record(machine, prompt, [], [])
    return ''
  }

  const { host } = call
  const state = readState(readSession(machine, host.agent, call.session))
  const session = { recent: recentShares(state, SESSION_LENGTH), sure: plain.sure }
  const { found, about } = session.recent.length === 0 ? plain : await find(machine, call, prompt, log, session)
  const { tokens, characters, counts } = host.replyLimit
  const room = Math.min(Math.min(budget, tokens) * 4, characters)
  const reply = new Reply(state.given, call.prompt, room, measureIn(counts))
  const problems = takeFound(machine, prompt, reply, found)
  for (const file of files) if (reply.lineCount < MOST_POINTERS) reply.addPointer(file)
  const won = claim(machine, call, reply.parts, about)
  const given = reply.given.filter(({ part }) => won.includes(part))

  if (problems.length > 0) log(problems.join('; '))
  await record(machine, prompt, found, given)
  return renderParts(given)
}

interface Prompt {
  project: Project
  knowledge: Knowledge
  catalog: HookCatalog
  /** Undefined if no pack may be read. */
  packs: PackPointers | undefined
  strategy: Strategy
  task: string
}

/** A match of a prompt: a payload to read, or the line of a pack or skill. */
type Found = { match: MatchResult; form: AnswerForm } | { pointer: GivenPart & { part: { form: 'pointer' } } }

/** The catalog from the start of the session. Builds it now if it is missing or an index has changed. */
async function openCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  knowledge: Knowledge,
  log: (message: string) => void,
): Promise<HookCatalog> {
  const known = readCatalog(machine, project, agent)
  if (known !== undefined) return known
  const { refreshCatalog } = await import('./start-parts.ts')
  return refreshCatalog(machine, project, agent, knowledge, log).catalog
}

/** Compares the prompt with the cached sections of packs. */
async function openPacksFor(
  machine: Machine,
  project: Project,
  { host, prompt }: HookCall,
  log: (message: string) => void,
): Promise<PackPointers | undefined> {
  const readable = readReadablePacks(machine, project, host.agent)
  if (readable.length === 0) return undefined
  try {
    return (await import('./pack-pointers.ts')).openPackPointers(machine, readable, prompt)
  } catch (error) {
    log(`sections of packs are left out: ${describeTrouble(error)}`)
    return undefined
  }
}

/** The families of entries that the last prompts matched. They raise an entry, but never make it certain. */
interface Session {
  recent: readonly FamilyShares[]
  sure: ReadonlySet<string>
}

interface Finds {
  found: Found[]
  about: FamilyShares
  sure: Set<string>
}

/** Rebuilds a damaged catalog. */
async function find(
  machine: Machine,
  call: HookCall,
  prompt: Prompt,
  log: (message: string) => void,
  session?: Session,
): Promise<Finds> {
  try {
    return findFor(prompt, session)
  } catch (error) {
    if (!(error instanceof DamagedForm)) throw error
    const { refreshCatalog } = await import('./start-parts.ts')
    prompt.catalog = refreshCatalog(machine, prompt.project, call.host.agent, prompt.knowledge, log).catalog
    return findFor(prompt, session)
  }
}

/** Best first. Raises entries of the families of the last prompts. */
function findFor(prompt: Prompt, session?: Session): Finds {
  const { catalog, knowledge, packs, strategy, task } = prompt
  const familyOf = (_: string, kept: unknown) => keptItem(kept).family
  const lift = session && sessionLift(session.recent, familyOf)
  const hits = catalog.rank(task, { limit: MOST_POINTERS, ...(lift && { lift }) })
  const sure = new Set(hits.filter(({ confidence }) => answerForm(confidence) === 'text').map(({ id }) => id))
  const described = new Map<string, number>()
  const ranked = hits.flatMap((hit): Found[] => {
    const { kind, id, line, position } = keptItem(hit.kept)
    if (kind === 'pack' && packs?.asked.has(id)) {
      described.set(id, hit.confidence)
      return []
    }
    if (line !== undefined) {
      return [{ pointer: { part: { form: 'pointer', kind, id, sum: digestOf(line) }, text: line } }]
    }
    if (strategy === 'keywords' || position === undefined) return []
    const entry = knowledge.table.entryAt(position)
    return [{ match: rankedMatch(entry, hit), form: (session?.sure ?? sure).has(hit.id) ? 'text' : 'pointer' }]
  })
  const keywords = strategy === 'keywords' ? keywordMatches(prompt) : []
  const spoken = packs?.find(described).map((pointer): Found => ({ pointer })) ?? []
  return { found: [...keywords, ...spoken, ...ranked], about: sharesOf(hits, familyOf), sure }
}

/** A larger index takes longer than a user should wait at every prompt. */
const LARGEST_INDEX = 16 * 1024 * 1024

/** Places in the project's own files. Does not build a missing index: `context`, `search` and MCP do. */
async function findFilesFor(
  machine: Machine,
  { project, task }: Prompt,
  log: (message: string) => void,
): Promise<GivenPart[]> {
  if (!hasIndex(machine, project.root, LARGEST_INDEX)) return []
  try {
    const { filePointers } = await import('./file-pointers.ts')
    return await filePointers(machine, { project, task, limit: MOST_POINTERS })
  } catch (error) {
    log(`files are left out: ${describeTrouble(error)}`)
    return []
  }
}

/** Without core entries: they belong to the start of a session, even if they are loaded on demand. */
function keywordMatches({ knowledge, task }: Prompt): Found[] {
  const { onDemand } = planWith(knowledge, task, {})
  const matches = onDemand.filter(({ entry }) => entry.priority !== 'core').slice(0, MOST_ENTRIES)
  return matches.map((match) => ({ match, form: 'text' }))
}

/** Collects a reply: parts that fit, and that neither the session nor the prompt contains. */
class Reply {
  readonly given: GivenPart[] = []
  private readonly known: Set<string>
  private readonly prompt: string
  private readonly room: number
  private readonly sizeOf: Measure
  private texts = 0
  private lines: string[] = []

  constructor(known: ReadonlySet<string>, prompt: string, room: number, sizeOf: Measure) {
    this.known = new Set(known)
    this.prompt = prompt
    this.room = room
    this.sizeOf = sizeOf
  }

  get lineCount(): number {
    return this.lines.length
  }

  get parts(): Part[] {
    return this.given.map(({ part }) => part)
  }

  isKnown(part: Part): boolean {
    return keysOf(part).some((key) => this.known.has(key))
  }

  has(given: GivenPart): boolean {
    return this.isKnown(given.part) || holdsPart(this.prompt, given)
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
    if (this.has(pointer) || this.texts + blockLength(lines, this.sizeOf) > this.room) return
    this.lines = lines
    this.add(pointer)
  }

  private add(given: GivenPart): void {
    this.given.push(given)
    for (const key of heldAfter(given.part)) this.known.add(key)
  }
}

/** Best first. Names a payload that is not certain enough or does not fit. Reports what could not be read. */
function takeFound(machine: Machine, { project, knowledge }: Prompt, reply: Reply, found: readonly Found[]): string[] {
  const problems: string[] = []
  const pointers: GivenPart[] = []
  let texts = 0
  for (const each of found) {
    if ('pointer' in each) {
      pointers.push(each.pointer)
      continue
    }
    const { entry } = each.match
    if (reply.isKnown({ form: 'text', id: entry.id, sum: '', body: '' })) continue
    const text = each.form === 'text' && texts < MOST_ENTRIES ? textPart(machine, knowledge, entry) : undefined
    if (text !== undefined && 'problem' in text) problems.push(text.problem)
    else if (text !== undefined && (reply.has(text) || reply.addText(text))) texts++
    else {
      const line = indexLine(entryItem(knowledge, entry, project.root))
      pointers.push({ part: { form: 'pointer', kind: 'payload', id: entry.id, sum: digestOf(line) }, text: line })
    }
  }
  for (const pointer of pointers) reply.addPointer(pointer)
  return problems
}

/** Written before delivery, then read back: of two hooks at once, the first line wins a part. */
function claim(machine: Machine, { host, session }: HookCall, parts: readonly Part[], about: FamilyShares): Part[] {
  if (parts.length + about.length === 0) return []
  const by = claimant()
  const line = formatClaim({ by, parts, ...(about.length > 0 && { about }) })
  const won = wonBy(readState(claimLine(machine, host.agent, session, line)), by) ?? []
  const keys = new Set(won.flatMap(keysOf))
  return parts.filter((part) => keysOf(part).every((key) => keys.has(key)))
}

async function record(
  machine: Machine,
  { project, knowledge, strategy, task }: Prompt,
  found: readonly Found[],
  given: readonly GivenPart[],
): Promise<void> {
  const entries = found.map((each): RecordedEntry => {
    if ('pointer' in each) {
      const { part, text } = each.pointer
      return { id: part.id, kind: part.kind, trigger: 'ranked', mode: 'lazy', tokens: estimateTokens(text) }
    }
    const { entry, mode } = each.match
    const layer = knowledge.layerOf(entry)
    return { id: entry.id, kind: 'payload', trigger: triggerOf(each.match), mode, tokens: tokensOf(entry), layer }
  })
  const delivered = entries.flatMap((entry) => {
    const found = given.find(({ part }) => part.form === 'text' && part.id === entry.id)
    if (entry.kind !== 'payload' || found?.part.form !== 'text') return []
    return [{ ...entry, tokens: estimateTokens(found.text), version: found.part.sum }]
  })
  recordTask(machine, {
    task,
    kept: await keepTask(machine, task, () => {
      const asked = { layers: { projectRoot: project }, most: MOST_ENTRIES, withoutCore: true as const }
      return planTerms(machine, asked, strategy)
    }),
    project,
    steps: [
      { stage: 'planned', entries },
      { stage: 'delivered', entries: delivered },
    ],
  })
}

/**
 * The text of a payload, ready for delivery; or why it is not available. Read and fenced once, while its file is
 * unchanged.
 */
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

// Increase it when the fence of a payload changes.
const FENCE_VERSION = 4

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

/** A payload as a line of an index, its file relative to this folder. */
export function entryItem(knowledge: Knowledge, entry: LoadoutEntry, folder: string): IndexItem {
  const tokens = tokensOf(entry)
  const item = payloadItem(entry, shownPath(folder, join(knowledge.rootOf(entry), entry.path)))
  return tokens > 0 ? { ...item, tokens } : item
}

function shownPath(folder: string, file: string): string {
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside
}
