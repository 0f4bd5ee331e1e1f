import type { Machine } from '../machine/machine.ts'
import { openProject, type Project } from '../machine/open-project.ts'
import { openPacks, type PackSource } from '../packs/pack-source.ts'
import type { Layers } from '../payloads/layers.ts'
import { openPayloads, type PayloadSource } from '../payloads/payload-source.ts'
import { openSkills, type SkillSource } from '../skills/skill-source.ts'
import { asFinding, type Finding } from '../text/trouble.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'

/** Where to look for entries. */
export interface SourceRequest {
  layers: Layers
  /** The project folder of the payloads, packs and skills. Default: that of the layers, or the current one. */
  project?: string
}

/** The project of the packs and skills, even if its layer is omitted. */
export function projectOf(machine: Machine, { project, layers }: SourceRequest): Project {
  return openProject(machine, project ?? (layers.projectRoot || undefined))
}

interface Sources {
  payload: PayloadSource
  pack: PackSource
  skill: SkillSource
}

/** Opens everything of one kind. */
export const SOURCES: { [Kind in EntryKind]: (machine: Machine, request: SourceRequest) => Sources[Kind] } = {
  payload: (machine, { layers, project }) =>
    openPayloads(machine, { ...layers, projectRoot: layers.projectRoot ?? project }),
  pack: (machine, request) => openPacks(machine, projectOf(machine, request)),
  skill: (machine, request) => openSkills(machine, projectOf(machine, request)),
}

/** A source that cannot be opened becomes a finding. */
export function openSources(
  machine: Machine,
  request: SourceRequest,
  kinds: readonly EntryKind[] = ENTRY_KINDS,
): { sources: Sources[EntryKind][]; findings: Finding[] } {
  const findings: Finding[] = []
  const sources = kinds.flatMap((kind): Sources[EntryKind][] => {
    try {
      const source = SOURCES[kind](machine, request)
      findings.push(...source.findings)
      return [source]
    } catch (error) {
      findings.push(asFinding(error))
      return []
    }
  })
  return { sources, findings }
}

/** Two kinds may report the same file. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ message }, at) => findings.findIndex((other) => other.message === message) === at)
}
