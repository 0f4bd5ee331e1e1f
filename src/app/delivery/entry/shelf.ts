import type { RankDocument } from '../../../domain/routing/rank/document.ts'
import type { Finding } from '../../../domain/shared/finding.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import type { EntryKind } from '../../../domain/usage/usage-event.ts'
import type { ResolveOptions } from '../../../infra/layers.ts'

/** Where entries are looked for. */
export interface ShelfRequest {
  layers: ResolveOptions
  /** The folder of a project, whose payloads, packs and skills are meant; default: that of the layers, or the one here. */
  project?: string | undefined
}

/** Everything of one kind, for whoever searches. */
export interface Shelf<Details extends { summary: string } = { summary: string }> {
  kind: EntryKind
  names: readonly string[]
  /** The files that decide what the documents say. */
  paths: readonly string[]
  /** What the ranker reads of each, under its name. What cannot be read is told, and ranked by the rest. */
  documents(findings: Finding[]): RankDocument[]
  /** What a hit tells about the one of this name; undefined when there is none. */
  describe(name: string): Details | undefined
  findings: readonly Finding[]
}

export function projectOf({ project, layers }: ShelfRequest): string | undefined {
  return project ?? (layers.projectRoot || undefined)
}

/** Two kinds may stumble over the same file. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ message }, at) => findings.findIndex((other) => other.message === message) === at)
}

/** What one kind cannot give is no reason to withhold the others. */
export function asFinding(error: unknown): Finding {
  if (!(error instanceof LoadoutError)) throw error
  const { code, message, hint } = error
  return { severity: 'warning', code, message, ...(hint === undefined ? {} : { hint }) }
}
