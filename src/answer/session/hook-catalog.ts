import { approvalsPath } from '../../machine/approvals.ts'
import { type CacheKey, jsonCodec, readCached, signatureOf, writeCached } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { openStored } from '../../machine/ranking.ts'
import type { KeptPack } from '../../packs/pack-source.ts'
import { layerPlaces } from '../../payloads/layers.ts'
import type { KeptPayload } from '../../payloads/payload-source.ts'
import { joinRankers, type Ranker } from '../../search/ranker.ts'
import { folderOf } from '../../search/session-lift.ts'
import type { KeptSkill } from '../../skills/skill-source.ts'
import { isRecord } from '../../text/values.ts'

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
  readable: ReadablePack[]
  /** Which of these contain which terms. */
  terms: CacheKey
}

/** A pack that may be read, so that prompts are compared with its sections too. */
interface ReadablePack {
  name: string
  description: string
  root: string
  /** Where its sections are stored. */
  sections: CacheKey
}

export type Kept = KeptPayload | KeptPack | KeptSkill

/** The family of an entry: its id, plugin or path without the last part. Empty without one. */
export function familyOf(kept: unknown): string {
  const { name, ...rest } = kept as Kept
  const path = rest.kind === 'payload' ? (rest.placed?.entry.path ?? '') : ''
  return folderOf(name) || name.slice(0, Math.max(0, name.indexOf(':'))) || folderOf(path)
}

/** Kept while the indexes and the approvals are unchanged; other changes count from the next start of a session. */
export function writeCatalog(machine: Machine, project: Project, agent: string, catalog: HookCatalog): void {
  const key = keyOf(machine, project, agent)
  const known = readCached(machine, key, CODEC.decode)
  // Most sessions begin as the last one did, and a write takes longer than a read.
  if (JSON.stringify(known) !== JSON.stringify(catalog)) writeCached(machine, key, CODEC.encode(catalog)!)
}

/** Undefined before the first session, or after a change of an index. */
export function readCatalog(machine: Machine, project: Project, agent: string): HookCatalog | undefined {
  return readCached(machine, keyOf(machine, project, agent), CODEC.decode)
}

/** Undefined if a segment is missing. Damage that ranking finds is a DamagedForm. */
export function openCatalog(machine: Machine, { segments }: HookCatalog): Ranker | undefined {
  const rankers = segments.flatMap((key) => openStored(machine, key, { isAsStored: true })?.ranker ?? [])
  return rankers.length === segments.length ? joinRankers(rankers) : undefined
}

const CODEC = jsonCodec((json): json is HookCatalog => {
  return (
    isRecord(json) &&
    [json.segments, json.broken, json.waiting, json.readable].every(Array.isArray) &&
    isRecord(json.cards) &&
    isRecord(json.terms)
  )
})

function keyOf(machine: Machine, project: Project, agent: string): CacheKey {
  const indexes = layerPlaces(machine, { projectRoot: project }).map(({ path }) => path)
  const { state, isSettled } = signatureOf([...indexes, approvalsPath(machine)], machine.now())
  return { kind: 'hook-catalogs', version: 8, name: [agent, project.root], state, isSettled }
}
