import { isAbsolute, join, relative } from 'node:path'
import { type HookCall, isTask, LONGEST_PROMPT } from '../../agents/rules/hook-call.ts'
import { type Codec, cached, signatureOf } from '../../machine/cache.ts'
import { attempt, describeTrouble, logLine } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject, type Project } from '../../machine/open-project.ts'
import { claimant, claimLine, readSession } from '../../machine/sessions.ts'
import { readKnowledge } from '../../payloads/knowledge.ts'
import { loadPayloads, type PlacedEntry, placeOf } from '../../payloads/load.ts'
import { planTerms, planWith, strategyOf } from '../../payloads/plan.ts'
import { tokensOf } from '../../payloads/rules/loadout-index.ts'
import { type MatchResult, triggerOf } from '../../payloads/rules/match.ts'
import { rankedMatch } from '../../payloads/rules/ranked.ts'
import { hasIndex } from '../../project/has-index.ts'
import type { AnswerForm } from '../../search/document.ts'
import type { Ranker } from '../../search/ranker.ts'
import { DamagedForm } from '../../search/saved-form.ts'
import { type FamilyShares, SESSION_LENGTH, sessionLift, sharesOf } from '../../search/session-lift.ts'
import type { Strategy } from '../../search/strategy.ts'
import { readTask, type Task } from '../../search/task.ts'
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
import { type IndexItem, indexLine, packLine, payloadItem, skillLine } from '../rules/index-line.ts'
import {
  blockLength,
  bodyDigest,
  digestOf,
  fenceDigest,
  type GivenPart,
  holdsPart,
  linesOf,
  type Measure,
  measureIn,
  renderParts,
  withoutOwnText,
} from '../rules/session/session-text.ts'
import { familyOf, type HookCatalog, type Kept, openCatalog, readCatalog } from './hook-catalog.ts'

const DEFAULT_TOKENS = 1_200

/** Of many weak matches, only a few are worth their place. */
const MOST_ENTRIES = 3
const MOST_POINTERS = 5
/** A hook interrupts: a skill or a pack that is rather not meant is not named. The rules of a project are few. */
const LIKELY = 0.5

/** What a prompt needs and the session lacks: certain payloads as text; other payloads, packs and skills by name. */
export async function answerPrompt(machine: Machine, call: HookCall, budget = DEFAULT_TOKENS): Promise<string> {
  if (!isTask(call)) return ''
  if (call.prompt.length > LONGEST_PROMPT) {
    throw new LoadoutError('FILE_TOO_LARGE', `a prompt of ${call.prompt.length} characters is data, not a task`)
  }
  const task = readTask(withoutOwnText(call.prompt))
  if (task.text.trim() === '') return ''
  const log = (message: string) => logLine(machine, `${call.host.agent} ${call.event}`, message)
  const project = openProject(machine)
  const layers = { projectRoot: project }
  const strategy = attempt(log, 'the strategy is left out', () => strategyOf(machine, { layers }), 'ranked')
  const opened = await openPrompt(machine, project, call.host.agent, log)
  opened.catalog.broken.forEach(log)
  const packs = await findPacksFor(machine, opened.catalog, task, log)
  const prompt: Prompt = { project, ...opened, packs, strategy, task }
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
  catalog: HookCatalog
  ranker: Ranker
  /** The packs that the prompt is about, by their sections; undefined if only their descriptions decide. */
  packs: readonly Pointer[] | undefined
  strategy: Strategy
  task: Task
}

type Pointer = GivenPart & { part: { form: 'pointer' }; confidence: number }

/** A match of a prompt: a payload to read, or the line of a pack or skill. */
type Found = (PlacedEntry & { match: MatchResult; form: AnswerForm }) | { pointer: Pointer }

/** The catalog from the start of the session. Builds it now if it is missing or damaged, or an index has changed. */
async function openPrompt(
  machine: Machine,
  project: Project,
  agent: string,
  log: (message: string) => void,
  isDamaged = false,
): Promise<Pick<Prompt, 'catalog' | 'ranker'>> {
  const catalog = isDamaged ? undefined : readCatalog(machine, project, agent)
  const ranker = catalog && openCatalog(machine, catalog)
  if (catalog !== undefined && ranker !== undefined) return { catalog, ranker }
  const { refreshCatalog } = await import('./start-parts.ts')
  return refreshCatalog(machine, project, agent, log, isDamaged ? 'damaged' : 'missing')
}

/** Compares the prompt with the stored sections of packs. */
async function findPacksFor(
  machine: Machine,
  catalog: HookCatalog,
  task: Task,
  log: (message: string) => void,
): Promise<Prompt['packs']> {
  if (catalog.readable.length === 0) return undefined
  try {
    const { packPointers } = await import('./pack-pointers.ts')
    return packPointers(machine, catalog, task)
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

/** Rebuilds damaged segments. */
async function find(
  machine: Machine,
  call: HookCall,
  prompt: Prompt,
  log: (message: string) => void,
  session?: Session,
): Promise<Finds> {
  try {
    return findFor(machine, prompt, session)
  } catch (error) {
    if (!(error instanceof DamagedForm)) throw error
    Object.assign(prompt, await openPrompt(machine, prompt.project, call.host.agent, log, true))
    return findFor(machine, prompt, session)
  }
}

/** Best first. Raises entries of the families of the last prompts. */
function findFor(machine: Machine, prompt: Prompt, session?: Session): Finds {
  const { catalog, ranker, packs, strategy, task } = prompt
  const family = (_: string, kept: unknown) => familyOf(kept)
  const lift = session && sessionLift(session.recent, family)
  const hits = ranker.rank(task, { limit: MOST_POINTERS, lift })
  const sure = new Set(hits.filter(({ form }) => form === 'text').map(({ id }) => id))
  // The sections of these packs decide.
  const asked = new Set(packs && catalog.readable.map(({ name }) => name))
  const ranked = hits.flatMap((hit): Found[] => {
    // As the sources stored it.
    const kept = hit.kept as Kept
    if (kept.kind === 'payload') {
      if (strategy === 'keywords' || kept.isUnread || kept.placed === undefined) return []
      const form = (session?.sure ?? sure).has(hit.id) ? 'text' : 'pointer'
      return [{ ...kept.placed, match: rankedMatch(kept.placed.entry, hit), form }]
    }
    const { kind, name } = kept
    if ((asked.has(name) && kind === 'pack') || hit.confidence < LIKELY) return []
    const line = kind === 'pack' ? packLine(kept, !catalog.waiting.includes(name)) : skillLine(kept)
    const part = { form: 'pointer', kind, id: name, sum: digestOf(line) } as const
    return [{ pointer: { part, text: line, confidence: hit.confidence } }]
  })
  const keywords = strategy === 'keywords' ? keywordMatches(machine, prompt) : []
  const spoken = (packs ?? []).map((pointer): Found => ({ pointer }))
  const sureness = (each: Found) => ('pointer' in each ? each.pointer.confidence : 1)
  const found = [...spoken, ...ranked].sort((a, b) => sureness(b) - sureness(a))
  return { found: [...keywords, ...found], about: sharesOf(hits, family), sure }
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
function keywordMatches(machine: Machine, { project, task }: Prompt): Found[] {
  const knowledge = readKnowledge(machine, { projectRoot: project }, true)
  const { onDemand } = planWith(knowledge, task.text, {})
  const matches = onDemand.filter(({ entry }) => entry.priority !== 'core').slice(0, MOST_ENTRIES)
  return matches.map((match) => ({ ...placeOf(knowledge, match.entry), match, form: 'text' }))
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
function takeFound(machine: Machine, { project }: Prompt, reply: Reply, found: readonly Found[]): string[] {
  const problems: string[] = []
  const pointers: GivenPart[] = []
  let texts = 0
  for (const each of found) {
    if ('pointer' in each) {
      pointers.push(each.pointer)
      continue
    }
    const { entry } = each
    if (reply.isKnown({ form: 'text', id: entry.id, sum: '', body: '' })) continue
    const text = each.form === 'text' && texts < MOST_ENTRIES ? textPart(machine, each) : undefined
    if (text !== undefined && 'problem' in text) problems.push(text.problem)
    else if (text !== undefined && (reply.has(text) || reply.addText(text))) texts++
    else {
      const line = indexLine(entryItem(each, project.root))
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
  const line = formatClaim({ by, parts, about: about.length > 0 ? about : undefined })
  const won = wonBy(readState(claimLine(machine, host.agent, session, line)), by) ?? []
  const keys = new Set(won.flatMap(keysOf))
  return parts.filter((part) => keysOf(part).every((key) => keys.has(key)))
}

async function record(
  machine: Machine,
  { project, strategy, task: { text: task } }: Prompt,
  found: readonly Found[],
  given: readonly GivenPart[],
): Promise<void> {
  const entries = found.map((each): RecordedEntry => {
    if ('pointer' in each) {
      const { part, text } = each.pointer
      return { id: part.id, kind: part.kind, trigger: 'ranked', mode: 'lazy', tokens: estimateTokens(text) }
    }
    const { entry, layer, match } = each
    const { mode } = match
    return { id: entry.id, kind: 'payload', trigger: triggerOf(match), mode, tokens: tokensOf(entry), layer }
  })
  const delivered = entries.flatMap((entry) => {
    const found = given.find(({ part }) => part.form === 'text' && part.id === entry.id)
    if (entry.kind !== 'payload' || found?.part.form !== 'text') return []
    return [{ ...entry, tokens: estimateTokens(found.text), version: found.part.sum }]
  })
  const listed = linesOf(given)
  recordTask(machine, {
    task,
    named: Object.keys(listed).length > 0 ? { listed } : undefined,
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
export function textPart(machine: Machine, { entry, layer, root }: PlacedEntry): GivenPart | { problem: string } {
  const { id, path } = entry
  const file = signatureOf([join(root, path)], machine.now())
  const state = JSON.stringify([file.state, layer, path])
  const key = { ...file, kind: 'payloads', version: FENCE_VERSION, name: [...file.name, id], state }
  return cached(machine, key, partCodec(id), () => {
    const { contents, findings } = loadPayloads({ layerOf: () => layer, rootOf: () => root }, [entry])
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
export function entryItem({ entry, root }: PlacedEntry, folder: string): IndexItem {
  const tokens = tokensOf(entry)
  const item = payloadItem(entry, shownPath(folder, join(root, entry.path)))
  return tokens > 0 ? { ...item, tokens } : item
}

function shownPath(folder: string, file: string): string {
  const inside = relative(folder, file)
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? file : inside
}
