import type { Machine } from '../machine/machine.ts'
import { openProject, type Project } from '../machine/open-project.ts'
import type { Source } from '../machine/ranking.ts'
import { openPacks, type PackSource } from '../packs/pack-source.ts'
import { listPacks } from '../packs/show.ts'
import type { Layers } from '../payloads/layers.ts'
import { openPayloads, type PayloadSource } from '../payloads/payload-source.ts'
import { allEntries } from '../payloads/rules/dispatch-table.ts'
import type { LoadoutEntry, Priority } from '../payloads/rules/loadout-index.ts'
import { openSkills, type SkillSource } from '../skills/skill-source.ts'
import { asFinding, type Finding, type Report } from '../text/trouble.ts'
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

interface Named {
  name: string
  summary: string
}

export interface Loadable {
  /** In merged order. */
  payloads: { id: string; summary: string; priority: Priority; tokens: number }[]
  /** Those that may be read now. */
  packs: Named[]
  /** The fenced list of all packs for a model, including those that wait for an approval. */
  disclosure: string
  skills: Named[]
}

/** Everything that an agent can load, without its text. If one kind fails, the others are still listed. */
export function listLoadable(machine: Machine, request: SourceRequest): Report<Loadable> {
  const findings: Finding[] = []
  const open = <T>(list: () => T, otherwise: T): T => {
    try {
      return list()
    } catch (error) {
      findings.push(asFinding(error))
      return otherwise
    }
  }
  const value = {
    payloads: open(() => {
      const shelf = SOURCES.payload(machine, request)
      findings.push(...shelf.findings)
      return allEntries(shelf.knowledge.table).map(describePayload)
    }, []),
    packs: open(() => {
      const shelf = SOURCES.pack(machine, request)
      return namedOn(shelf).filter(({ name }) => shelf.describe(name)?.admission === 'admitted')
    }, []),
    disclosure: open(() => listPacks(machine, { project: projectOf(machine, request) }).value.disclosure, ''),
    skills: open(() => {
      const shelf = SOURCES.skill(machine, request)
      findings.push(...shelf.findings)
      return namedOn(shelf)
    }, []),
  }
  return { value, findings: withoutRepeats(findings) }
}

function describePayload({ id, summary, priority, tokens_est: tokens }: LoadoutEntry) {
  return { id, summary, priority, tokens }
}

function namedOn({ names, describe }: Source): Named[] {
  return names.map((name) => ({ name, summary: describe(name)?.summary ?? '' }))
}
