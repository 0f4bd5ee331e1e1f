import type { Machine } from '../machine/machine.ts'
import { openProject, type Project } from '../machine/open-project.ts'
import { openPacks } from '../packs/pack-shelf.ts'
import type { Layers } from '../payloads/layers.ts'
import { openPayloads } from '../payloads/payload-shelf.ts'
import { openSkills } from '../skills/skill-shelf.ts'
import type { Finding } from '../text/trouble.ts'

/** Where to look for entries. */
export interface ShelfRequest {
  layers: Layers
  /** The project folder of the payloads, packs and skills. Default: that of the layers, or the current one. */
  project?: string | undefined
}

/** The project of the packs and skills, even if its layer is omitted. */
export function projectOf(machine: Machine, { project, layers }: ShelfRequest): Project {
  return openProject(machine, project ?? (layers.projectRoot || undefined))
}

/** Opens everything of one kind. */
export const SHELVES = {
  payload: (machine: Machine, { layers, project }: ShelfRequest) =>
    openPayloads(machine, { ...layers, projectRoot: layers.projectRoot ?? project }),
  pack: (machine: Machine, request: ShelfRequest) => openPacks(machine, projectOf(machine, request)),
  skill: (machine: Machine, request: ShelfRequest) => openSkills(machine, projectOf(machine, request)),
}

/** Two kinds may report the same file. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ message }, at) => findings.findIndex((other) => other.message === message) === at)
}
