import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import type { Knowledge } from '../../payloads/knowledge.ts'
import { placeOf } from '../../payloads/load.ts'
import { allEntries } from '../../payloads/rules/dispatch-table.ts'
import type { LoadoutEntry } from '../../payloads/rules/loadout-index.ts'
import type { Claim, Part } from '../../usage/rules/session-state.ts'
import { indexLine, packLine, skillLine } from '../rules/index-line.ts'
import {
  blockLength,
  digestOf,
  type GivenPart,
  type Measure,
  partsLength,
  pointerBlock,
  renderParts,
} from '../rules/session/session-text.ts'
import { entryItem, textPart } from './prompt.ts'
import { indexPart, indexRoom, type OfferedPack, offeredSkills } from './start-parts.ts'

export interface RebuildRequest {
  agent: string
  project: Project
  knowledge: Knowledge
  packs: readonly OfferedPack[]
  /** What the session received, in order. */
  claims: readonly Claim[]
  /** The parts of its start that it did not receive before. */
  fresh: readonly GivenPart[]
  /** The texts of packs that can be delivered again, by their digest. */
  packTexts: ReadonlyMap<string, string>
  /** Maximum characters of one reply. */
  room: number
  sizeOf: Measure
  /** Whether the agent still has a part, so that it need not be delivered. */
  isHeld(now: GivenPart, given: Part): boolean
  log: (message: string) => void
}

const LEFT_OUT = 'Loadout: given earlier in this session, and too long to be given again. Read what is still needed.\n'

/**
 * Everything that a session received, from the current sources: the same bytes, as long as those are unchanged.
 */
export function rebuild(machine: Machine, request: RebuildRequest): { text: string; given: GivenPart[] } {
  const sources = new Sources(machine, request)
  const replies = [
    [...request.fresh],
    ...startFirst(request.claims).map((claim) => claim.parts.flatMap((part) => sources.missing(part, claim) ?? [])),
  ]
  const lines: string[] = []
  const isTooLong = () => lengthOf(replies, lines, request.sizeOf) > request.room
  // Drops the newest first, and the start of a session only when nothing else is left.
  const added = replies.slice(1 + request.claims.filter(isStart).length)
  for (const from of [added, replies]) {
    while (isTooLong()) {
      const part = takeNewest(from)
      if (part === undefined) break
      lines.unshift(sources.lineFor(part))
    }
    while (isTooLong() && lines.length > 0) lines.pop()
  }
  return { text: replies.map(renderParts).join('') + pointerBlock(lines, LEFT_OUT), given: replies.flat() }
}

/** A session may have received something before its start event. */
function startFirst(claims: readonly Claim[]): Claim[] {
  return [...claims.filter(isStart), ...claims.filter((claim) => !isStart(claim))]
}

function isStart({ parts }: Claim): boolean {
  return parts.some(({ form }) => form === 'index')
}

function lengthOf(replies: readonly (readonly GivenPart[])[], lines: readonly string[], sizeOf: Measure): number {
  return replies.reduce((sum, parts) => sum + partsLength(parts, sizeOf), 0) + blockLength(lines, sizeOf, LEFT_OUT)
}

/** Removes the last text or pointer that is not part of the index from its reply. */
function takeNewest(replies: GivenPart[][]): GivenPart | undefined {
  for (const parts of replies.toReversed()) {
    const at = parts.findLastIndex(({ part }) => part.form !== 'index')
    if (at >= 0) return parts.splice(at, 1)[0]
  }
  return undefined
}

/** The sources of a session's parts, read on first use. */
class Sources {
  private readonly machine: Machine
  private readonly request: RebuildRequest
  private entries: Map<string, LoadoutEntry> | undefined
  private skills: Map<string, string> | undefined
  private readonly named = new Set<string>()

  constructor(machine: Machine, request: RebuildRequest) {
    this.machine = machine
    this.request = request
  }

  /** The current form of a part; undefined if the agent still has it, or it is gone or no longer allowed. */
  missing(part: Part, claim: Claim): GivenPart | undefined {
    // Places in files are shown again when a prompt needs them.
    if (part.form === 'file') return undefined
    if (part.form === 'pack') {
      const text = this.request.packTexts.get(part.sum)
      return text === undefined ? undefined : { part, text }
    }
    const now =
      part.form === 'text' ? this.text(part.id) : part.form === 'index' ? this.index(claim) : this.pointer(part)
    const name = part.form === 'index' ? 'the index' : part.id
    if (now === undefined) this.request.log(`${name} is gone, or no longer open: it was not given again`)
    else if (now.part.sum !== part.sum) this.request.log(`${name} has changed since it was given`)
    return now === undefined || this.request.isHeld(now, part) ? undefined : now
  }

  lineFor({ part, text }: GivenPart): string {
    if (part.form === 'pack') return `- what a knowledge pack said -> \`loadout replay ${part.audit ?? ''}\``
    const entry = part.form === 'text' ? this.entry(part.id) : undefined
    return entry === undefined ? text : this.entryLine(entry)
  }

  private text(id: string): GivenPart | undefined {
    const entry = this.entry(id)
    const part = entry && textPart(this.machine, placeOf(this.request.knowledge, entry))
    return part === undefined || 'problem' in part ? undefined : part
  }

  private index(claim: Claim): GivenPart | undefined {
    const { project, knowledge, packs, room, sizeOf, log } = this.request
    const given = new Set(claim.parts.flatMap((part) => (part.form === 'text' ? [part.id] : [])))
    return indexPart({ project, knowledge, packs, given, room: indexRoom(room), sizeOf, log })
  }

  private pointer(part: Part & { form: 'pointer' }): GivenPart | undefined {
    const line = this.pointerLine(part)
    // A pack was pointed to once for each of its sections.
    if (line !== undefined && this.named.has(line)) return undefined
    if (line !== undefined) this.named.add(line)
    const isShut = part.kind === 'pack' && this.request.packs.some(({ name, isOpen }) => name === part.id && !isOpen)
    // Hides even the name of a pack whose approval was revoked; one that was always waiting is still listed.
    if (line === undefined || (isShut && digestOf(line) !== part.sum)) return undefined
    return { part: { ...part, sum: digestOf(line) }, text: line }
  }

  private pointerLine({ kind, id }: Part & { form: 'pointer' }): string | undefined {
    const { packs, agent } = this.request
    if (kind === 'payload') {
      const entry = this.entry(id)
      return entry === undefined ? undefined : this.entryLine(entry)
    }
    if (kind === 'pack') {
      const pack = packs.find(({ name }) => name === id)
      return pack === undefined ? undefined : packLine(pack, pack.isOpen)
    }
    this.skills ??= new Map(offeredSkills(this.machine, agent).map((skill) => [skill.name, skillLine(skill)]))
    return this.skills.get(id)
  }

  private entry(id: string): LoadoutEntry | undefined {
    this.entries ??= new Map(allEntries(this.request.knowledge.table).map((entry) => [entry.id, entry]))
    return this.entries.get(id)
  }

  private entryLine(entry: LoadoutEntry): string {
    return indexLine(entryItem(placeOf(this.request.knowledge, entry), this.request.project.root))
  }
}
