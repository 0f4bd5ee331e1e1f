import type { HookHost } from '../../agents/rules/hook-hosts.ts'
import { skillTool } from '../../agents/rules/hook-hosts.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import type { Knowledge } from '../../payloads/knowledge.ts'
import type { LoadoutEntry } from '../../payloads/rules/loadout-index.ts'
import type { DeliveredPart } from '../../usage/rules/session-state.ts'
import { indexLine, packLine, skillLine } from '../rules/index-line.ts'
import { digestOf, type GivenPart, type Measure } from '../rules/session-text.ts'
import { entryItem, textPart } from './prompt.ts'
import { indexPart, type OfferedPack, offeredSkills } from './start-parts.ts'

interface Sources {
  machine: Machine
  host: HookHost
  project: Project
  knowledge: Knowledge
  packs: readonly OfferedPack[]
  /** The largest reply that the agent reads whole, in its own unit. */
  room: number
  sizeOf: Measure
  log(message: string): void
}

/** What a session received, made again from the current sources: the same bytes, as long as those are unchanged. */
export class PartsNow {
  private readonly of: Sources
  // Read on first use.
  private skills: Map<string, string> | undefined
  private entries: Map<string, LoadoutEntry> | undefined

  constructor(sources: Sources) {
    this.of = sources
  }

  text(id: string): GivenPart | undefined {
    const entry = this.entry(id)
    const part = entry && textPart(this.of.machine, this.of.knowledge.place(entry))
    return part === undefined || 'problem' in part ? undefined : part
  }

  /** The index beside these parts. */
  index(parts: readonly DeliveredPart[]): GivenPart | undefined {
    const { project, knowledge, packs, room, sizeOf, log } = this.of
    const given = new Set(parts.flatMap((part) => (part.form === 'text' ? [part.id] : [])))
    return indexPart({ project, knowledge, packs, given, room: Math.floor(room / 4), sizeOf, log })
  }

  /** `named`: the lines that were made before; a pack was pointed to once for each of its sections. */
  pointer(part: DeliveredPart & { form: 'pointer' }, named = new Set<string>()): GivenPart | undefined {
    const line = this.pointerLine(part)
    if (line !== undefined && named.has(line)) return undefined
    if (line !== undefined) named.add(line)
    const isShut = part.kind === 'pack' && this.of.packs.some(({ name, isOpen }) => name === part.id && !isOpen)
    // Hides even the name of a pack whose approval was revoked; one that was always waiting is still listed.
    if (line === undefined || (isShut && digestOf(line) !== part.sum)) return undefined
    return { part: { ...part, sum: digestOf(line) }, text: line }
  }

  entry(id: string): LoadoutEntry | undefined {
    this.entries ??= new Map(this.of.knowledge.entries.map((entry) => [entry.id, entry]))
    return this.entries.get(id)
  }

  entryLine(entry: LoadoutEntry): string {
    return indexLine(entryItem(this.of.knowledge.place(entry), this.of.project.root))
  }

  private pointerLine({ kind, id }: DeliveredPart & { form: 'pointer' }): string | undefined {
    const { machine, host, packs } = this.of
    if (kind === 'payload') {
      const entry = this.entry(id)
      return entry === undefined ? undefined : this.entryLine(entry)
    }
    if (kind === 'pack') {
      const pack = packs.find(({ name }) => name === id)
      return pack === undefined ? undefined : packLine(pack, pack.isOpen)
    }
    this.skills ??= new Map(
      offeredSkills(machine, host.agent).map((skill) => [skill.name, skillLine(skill, skillTool(host))]),
    )
    return this.skills.get(id)
  }
}
