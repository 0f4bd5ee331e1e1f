import type { Machine } from '../machine/machine.ts'
import { openProject, type Project } from '../machine/open-project.ts'
import type { Layers } from '../payloads/layers.ts'
import type { RankDocument } from '../search/document.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'

/** Where entries are looked for. */
export interface ShelfRequest {
  layers: Layers
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

/** The project whose packs and skills are meant, also where its layer is left out. */
export function projectOf(machine: Machine, { project, layers }: ShelfRequest): Project {
  return openProject(machine, project ?? (layers.projectRoot || undefined))
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
