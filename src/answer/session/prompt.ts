import { isAbsolute, join, relative } from 'node:path'
import { type HookCall, isTask, LONGEST_PROMPT } from '../../agents/rules/hook-call.ts'
import { skillTool } from '../../agents/rules/hook-hosts.ts'
import { type CacheKey, type Codec, jsonCodec, signatureOf, stampAt } from '../../machine/cache.ts'
import { attemptOrLog, describeTrouble } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { isChanged, openStored } from '../../machine/ranking.ts'
import type { KeptPack } from '../../packs/pack-source.ts'
import { layerPlaces, type PlacedEntry, readKnowledge } from '../../payloads/knowledge.ts'
import { loadPayloads, Planner, planTerms, planWith } from '../../payloads/plan.ts'
import { tokensOf } from '../../payloads/rules/loadout-index.ts'
import { hasIndex } from '../../project/has-index.ts'
import {
  type FamilyShares,
  folderOf,
  SESSION_LENGTH,
  type Strategy,
  sessionLift,
  sharesOf,
} from '../../search/document.ts'
import { joinRankers, type Ranker } from '../../search/ranker.ts'
import { DamagedForm } from '../../search/saved-library.ts'
import { readTask, type Task } from '../../search/task.ts'
import { termsOf } from '../../search/tokens.ts'
import { isEveryday, isWorkWord } from '../../search/word-lists.ts'
import { harmlessLine } from '../../text/fence.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { failWith } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { keepTask, type RecordedEntry, recordTask } from '../../usage/record.ts'
import { type DeliveredPart, recentShares } from '../../usage/rules/session-state.ts'
import { find, type Hit, type Kept } from '../find.ts'
import { type IndexItem, indexLine, packLine, payloadItem, skillLine } from '../rules/index-line.ts'
import {
  bodyDigest,
  digestOf,
  fenceDigest,
  type GivenPart,
  isLine,
  linesOf,
  Reply,
  renderParts,
  withoutOwnText,
} from '../rules/session-text.ts'
import { Conversation } from './conversation.ts'

export const DEFAULT_TOKENS = 1_200

/** Of many weak matches, only a few are worth their place. */
const MOST_ENTRIES = 3
export const MOST_POINTERS = 5
/**
 * A hook interrupts: a skill or a pack that is rather not meant is not named. Words that tasks about any software have
 * say little, so that the certainty it needs depends on the number of other words: none, one, several. With 200 skills
 * and 50 packs, 20 of 100 everyday prompts named one at 0.5; bench/README.md has what is left. The rules of a project
 * are few.
 */
const LIKELY = [0.95, 0.7, 0.5] as const
/** What a prompt needs and the session lacks: certain payloads as text; other payloads, packs and skills by name. */
export async function answerPrompt(machine: Machine, call: HookCall, budget = DEFAULT_TOKENS): Promise<string> {
  if (!isTask(call)) return ''
  if (call.prompt.length > LONGEST_PROMPT) {
    throw failWith('FILE_TOO_LARGE/prompt', { prompt: call.prompt.length })
  }
  const task = readTask(withoutOwnText(call.prompt))
  return task.text.trim() === '' ? '' : new PromptAnswer(machine, call, task).give(budget)
}

class PromptAnswer extends Conversation {
  private readonly task: Task
  private readonly strategy: Strategy
  private catalog: HookCatalog | undefined
  private ranker: Ranker | undefined
  /** The packs that the prompt is about, by their sections; undefined if only their descriptions decide. */
  private packs: Hit[] | undefined

  constructor(machine: Machine, call: HookCall, task: Task) {
    super(machine, call)
    this.task = task
    const strategy = () => new Planner(machine).strategyOf({ layers: { projectRoot: this.project } })
    this.strategy = attemptOrLog(this.log, 'the strategy is left out', strategy, 'ranked')
  }

  async give(budget: number): Promise<string> {
    const { machine, call, project } = this
    await this.open()
    this.catalog?.broken.forEach(this.log)
    this.packs = await this.findPacks()
    const plain = await this.find()
    const files = await this.findFiles()
    if (plain.hits.length + files.length === 0) {
      await this.record([], [])
      return ''
    }

    // The families of entries that the last prompts matched raise an entry, but never make it certain.
    const state = this.read()
    const recent = recentShares(state, SESSION_LENGTH)
    const { hits, about } = recent.length === 0 ? plain : await this.find({ recent, sure: plain.sure })
    const reply = new Reply(state.given, call.prompt, Math.min(budget * 4, this.room), this.sizeOf)
    const pointers: GivenPart[] = []
    let texts = 0
    for (const hit of hits) {
      const placed = placedIn(hit)
      if (placed === undefined) {
        pointers.push(this.pointerTo(hit))
        continue
      }
      if (reply.knows({ form: 'text', id: hit.name, sum: '', body: '' })) continue
      const text = hit.form === 'text' && texts < MOST_ENTRIES ? textPart(machine, placed) : undefined
      if (text !== undefined && 'problem' in text) this.log(text.problem)
      else if (text !== undefined && reply.add(text)) texts++
      // Names a payload that is not certain enough or does not fit.
      else pointers.push(pointerOf('payload', hit.name, indexLine(entryItem(placed, project.root))))
    }
    for (const pointer of pointers) reply.add(pointer)
    for (const file of files) if (reply.given.filter(isLine).length < MOST_POINTERS) reply.add(file)
    const isNothing = reply.given.length + about.length === 0
    const given = (!isNothing && this.win(reply.given, { about: about.length > 0 ? about : undefined })) || []
    await this.record(hits, given)
    return renderParts(given)
  }

  /** The catalog from the start of the session. Builds it now if it is missing or damaged, or an index has changed. */
  private async open(isDamaged = false): Promise<void> {
    const { machine, project, call } = this
    const { agent } = call.host
    this.catalog = isDamaged ? undefined : machine.cache.read(catalogKey(machine, project, agent), CATALOG.decode)
    const { segments = [] } = this.catalog ?? {}
    const rankers = segments.flatMap((key) => openStored(machine, key, { isAsStored: true })?.ranker ?? [])
    if (this.catalog !== undefined && rankers.length === segments.length) this.ranker = joinRankers(rankers)
    else {
      const { refreshCatalog } = await import('./start-parts.ts')
      const why = isDamaged ? 'damaged' : 'missing'
      Object.assign(this, refreshCatalog(machine, project, agent, this.log, why))
    }
  }

  /** Compares the prompt with the stored sections of packs. */
  private async findPacks(): Promise<Hit[] | undefined> {
    const { machine, catalog, task } = this
    if (catalog === undefined || catalog.readable.length === 0) return undefined
    try {
      const { likelyStored } = await import('../../packs/stored-sections.ts')
      return likelyStored(machine, catalog, task).map(({ pack: { kept }, section, confidence }): Hit => {
        const { name } = kept
        const title = section && (section.title || section.path)
        const why = (section?.terms ?? []).map((term) => ({ term, field: 'sections', weight: 1 }))
        return { kind: 'pack', id: `pack:${name}`, name, confidence, form: 'pointer', why, kept, section: title }
      })
    } catch (error) {
      this.log(`sections of packs are left out: ${describeTrouble(error)}`)
      return undefined
    }
  }

  /** Best first. Rebuilds damaged segments. */
  private async find(session?: { recent: readonly FamilyShares[]; sure: ReadonlySet<string> }) {
    try {
      return this.findOnce(session)
    } catch (error) {
      if (!(error instanceof DamagedForm)) throw error
      await this.open(true)
      return this.findOnce(session)
    }
  }

  private findOnce(session?: { recent: readonly FamilyShares[]; sure: ReadonlySet<string> }) {
    const { ranker, packs, strategy } = this
    const family = (_: string, kept: unknown) => familyOf(kept as Kept)
    const lift = session && sessionLift(session.recent, family)
    const found = ranker === undefined ? [] : find(ranker, this.task, { limit: MOST_POINTERS, lift })
    const sure = new Set(found.filter(({ form }) => form === 'text').map(({ id }) => id))
    // The sections of these packs decide.
    const asked = new Set(packs && this.catalog?.readable.map(({ kept }) => kept.name))
    // Out of the list of this session: "loadout session".
    const hidden = this.machine.env.LOADOUT_HIDDEN_SKILLS?.split(',') ?? []
    const ranked = found.flatMap((hit): Hit[] => {
      if (hit.kept.kind === 'payload') {
        const isUsable = strategy !== 'keywords' && !hit.kept.isUnread
        return isUsable ? [{ ...hit, form: (session?.sure ?? sure).has(hit.id) ? 'text' : 'pointer' }] : []
      }
      const isLeftOut = hit.kind === 'pack' ? asked.has(hit.name) : hidden.includes(hit.name)
      return isLeftOut ? [] : [hit]
    })
    const sureness = (hit: Hit) => (hit.kind === 'payload' ? 1 : hit.confidence)
    const others = [...(packs ?? []), ...ranked]
      .filter((hit) => isMeant(hit) && isThere(hit))
      .sort((a, b) => sureness(b) - sureness(a))
    const hits = [...(strategy === 'keywords' ? this.findByKeywords() : []), ...others]
    return { hits, about: sharesOf(found, family), sure }
  }

  /** Without core entries: they belong to the start of a session, even if they are loaded on demand. */
  private findByKeywords(): Hit[] {
    const knowledge = readKnowledge(this.machine, { projectRoot: this.project }, true)
    const { onDemand } = planWith(knowledge, this.task.text, {})
    const matches = onDemand.filter(({ entry }) => entry.priority !== 'core').slice(0, MOST_ENTRIES)
    return matches.map(({ entry, score, matchedKeywords, matchedPatterns }): Hit => {
      const { id: name } = entry
      const kept: Kept = { kind: 'payload', name, placed: knowledge.place(entry) }
      const why = [...matchedKeywords, ...matchedPatterns].map((term) => ({ term, field: 'keywords', weight: 1 }))
      return { kind: 'payload', id: `payload:${name}`, name, confidence: score, form: 'text', why, kept }
    })
  }

  /** Certain places in the project's own files, without text. Does not build a missing index: other callers do. */
  private async findFiles(): Promise<GivenPart[]> {
    const { machine, project, task } = this
    // A larger index takes longer than a user should wait at every prompt.
    const isAtOnce = !hasIndex(machine, project.root, 16 * 1024 * 1024)
    const { paths, identifiers } = task.names
    if (isAtOnce && paths.length + identifiers.size === 0) return []
    try {
      const { pointIntoProject, pointerText } = await import('../own-files.ts')
      const pointers = await pointIntoProject(machine, { project, task, limit: MOST_POINTERS, isSure: true, isAtOnce })
      return pointers.map((pointer) => {
        const line = pointerText(pointer, (part) => harmlessLine(part, digestOf(part)).text)
        const text = isAtOnce ? `${line}  (first look: by name, without an index)` : line
        return { part: { form: 'file', path: pointer.path, sum: digestOf(line) }, text }
      })
    } catch (error) {
      this.log(`files are left out: ${describeTrouble(error)}`)
      return []
    }
  }

  /** The line of a pack or a skill. */
  private pointerTo({ name, kept, section }: Hit): GivenPart {
    if (kept.kind === 'skill') return pointerOf('skill', name, skillLine(kept, skillTool(this.call.host)))
    if (kept.kind !== 'pack') throw new Error(`the payload ${name} has no place`)
    // After a compaction the pack is named, without the section.
    const given = pointerOf('pack', name, packLine(kept, !this.catalog?.waiting.includes(name)))
    if (section === undefined) return given
    const text = packLine(kept, true, section)
    return { part: { ...given.part, section: digestOf(section) } as DeliveredPart, text }
  }

  private async record(hits: readonly Hit[], given: readonly GivenPart[]): Promise<void> {
    const { machine, project, strategy, task } = this
    const entries = hits.map((hit): RecordedEntry => {
      const { kind, name } = hit
      const placed = placedIn(hit)
      const tokens = placed === undefined ? estimateTokens(this.pointerTo(hit).text) : tokensOf(placed.entry)
      return { id: name, kind, trigger: triggerOf(hit, strategy), mode: 'lazy', tokens, layer: placed?.layer }
    })
    const delivered = entries.flatMap((entry) => {
      const found = given.find(({ part }) => part.form === 'text' && part.id === entry.id)
      if (entry.kind !== 'payload' || found?.part.form !== 'text') return []
      return [{ ...entry, tokens: estimateTokens(found.text), version: found.part.sum }]
    })
    const listed = linesOf(given)
    recordTask(machine, {
      task: task.text,
      named: Object.keys(listed).length > 0 ? { listed } : undefined,
      kept: await keepTask(machine, task.text, () => {
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
}

/** Whether a hook would interrupt for this. */
export function isMeant({ kind, name, why, confidence }: Pick<Hit, 'kind' | 'name' | 'why' | 'confidence'>): boolean {
  const isTelling = (word: string) => termsOf(word).some((term) => !isWorkWord(term) && !isEveryday(term))
  // The words of a pair are among them by themselves.
  const words = why.filter(({ term }) => term !== name && !term.includes(' ') && isTelling(term))
  return kind === 'payload' || confidence >= (LIKELY[words.length] ?? LIKELY[2])
}

/** Not gone since the session began. A pack whose KNOWLEDGE.md changed says something else of itself now. */
function isThere({ kept }: Hit): boolean {
  if (kept.kind === 'skill') return stampAt(kept.file) !== undefined
  return kept.kind === 'payload' || !isChanged(kept)
}

function placedIn({ kept }: Hit): PlacedEntry | undefined {
  return kept.kind === 'payload' ? kept.placed : undefined
}

/** The word that made a payload match, for the log. */
function triggerOf(hit: Hit, strategy: Strategy): string {
  const keywords = placedIn(hit)?.entry.keywords ?? []
  const terms = hit.why.map(({ term }) => term)
  const said = strategy === 'keywords' ? terms[0] : keywords.find((keyword) => terms.includes(keyword.toLowerCase()))
  return hit.kind === 'payload' ? (said ?? 'ranked') : 'ranked'
}

/** The family of an entry: its id, plugin or path without the last part. Empty without one. */
function familyOf({ name, ...rest }: Kept): string {
  const path = rest.kind === 'payload' ? (rest.placed?.entry.path ?? '') : ''
  return folderOf(name) || name.slice(0, Math.max(0, name.indexOf(':'))) || folderOf(path)
}

/** What the prompts of a session are compared with, as it was when the session began. */
export interface HookCatalog {
  /** Payloads that a task may load, packs, and skills that the agent can call. */
  segments: CacheKey[]
  /** The descriptions of the packs alone. */
  cards: CacheKey
  /** What is wrong with layers, for the log. */
  broken: string[]
  /** The packs that a person has to approve first. */
  waiting: string[]
  /** The packs that may be read, so that prompts are compared with their sections too, and where these are stored. */
  readable: { kept: KeptPack; root: string; sections: CacheKey[] }[]
  /** Which of these contain which terms. */
  terms: CacheKey
}

/** Kept while the indexes and the approvals are unchanged; other changes count from the next start of a session. */
export function catalogKey(machine: Machine, project: Project, agent: string): CacheKey {
  const indexes = layerPlaces(machine, { projectRoot: project }).map(({ path }) => path)
  const { state, isSettled } = signatureOf([...indexes, machine.approvals.path], machine.now())
  return { kind: 'hook-catalogs', version: 10, name: [agent, project.root], state, isSettled }
}

export const CATALOG = jsonCodec((json): json is HookCatalog => {
  return (
    isRecord(json) &&
    [json.segments, json.broken, json.waiting, json.readable].every(Array.isArray) &&
    isRecord(json.cards) &&
    isRecord(json.terms)
  )
})

/** A line that names an entry. */
function pointerOf(kind: Hit['kind'], id: string, text: string): GivenPart {
  return { part: { form: 'pointer', kind, id, sum: digestOf(text) }, text }
}

/**
 * The text of a payload, ready for delivery; or why it is not available. Read and fenced once, while its file is
 * unchanged.
 */
export function textPart(machine: Machine, placed: PlacedEntry): GivenPart | { problem: string } {
  const { layer, root } = placed
  const { id, path } = placed.entry
  const file = signatureOf([join(root, path)], machine.now())
  const state = JSON.stringify([file.state, layer, path])
  // Increase the version when the fence of a payload changes.
  const key = { ...file, kind: 'payloads', version: 4, name: [...file.name, id], state }
  return machine.cache.keep(key, partCodec(id), () => {
    const { contents, findings } = loadPayloads([placed.entry], () => placed)
    const text = contents[0]?.text
    if (text === undefined) return { problem: findings[0]?.message ?? `${id} was not loaded` }
    return { part: { form: 'text', id, sum: fenceDigest(text), body: bodyDigest(text) }, text }
  })
}

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
  const file = join(root, entry.path)
  const inside = relative(folder, file)
  const isOutside = inside === '' || inside.startsWith('..') || isAbsolute(inside)
  const item = payloadItem(entry, isOutside ? file : inside)
  return tokens > 0 ? { ...item, tokens } : item
}
