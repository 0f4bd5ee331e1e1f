import type { Machine } from '../machine/machine.ts'
import { openProject, type Project } from '../machine/open-project.ts'
import type { Source } from '../machine/ranking.ts'
import { openPacks, type PackSource } from '../packs/pack-source.ts'
import type { Catalog } from '../packs/rules/gates/catalog.ts'
import type { TrustedPack } from '../packs/rules/gates/trust.ts'
import { normalizePackPath, PACK_FILE, packPathProblem } from '../packs/rules/pack.ts'
import { listPacks } from '../packs/show.ts'
import type { Knowledge, Layers } from '../payloads/knowledge.ts'
import { openPayloads, type PayloadSource } from '../payloads/payload-source.ts'
import type { LoadoutEntry, Priority } from '../payloads/rules/loadout-index.ts'
import { openSkills, type SkillSource, type UsableSkill } from '../skills/skill-source.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, failWith, type LoadoutError, report, retell } from '../text/trouble.ts'
import { isRecord, nearest } from '../text/values.ts'
import { type EntryId, entryId, type NamedKind, parseEntryId } from '../usage/rules/entry-id.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'
import { type AdapterView, listAdapters } from './adapters.ts'

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
export function listLoadable(machine: Machine, request: SourceRequest): Loadable {
  const findings: Finding[] = []
  const open = <T>(list: () => T, otherwise: T): T => {
    try {
      return list()
    } catch (error) {
      findings.push(asFinding(error))
      return otherwise
    }
  }
  const namedIn = ({ names, describe }: Source): Named[] =>
    names.map((name) => ({ name, summary: describe(name)?.summary ?? '' }))
  const value: Loadable = {
    payloads: open(() => {
      const source = SOURCES.payload(machine, request)
      findings.push(...source.findings)
      return source.knowledge.entries.map(({ id, summary, priority, tokens_est: tokens }) => {
        return { id, summary, priority, tokens }
      })
    }, []),
    packs: open(() => {
      const source = SOURCES.pack(machine, request)
      return namedIn(source).filter(({ name }) => source.describe(name)?.admission === 'admitted')
    }, []),
    disclosure: open(() => listPacks(machine.quiet(), { project: projectOf(machine, request) }).disclosure, ''),
    skills: open(() => {
      const source = SOURCES.skill(machine, request)
      findings.push(...source.findings)
      return namedIn(source)
    }, []),
  }
  machine.report(...withoutRepeats(findings))
  return value
}

/** What an id refers to. `path` is one file of it. */
export type Located =
  | { kind: 'payload'; entry: LoadoutEntry; knowledge: Knowledge }
  | { kind: 'skill'; skill: UsableSkill; path: string | undefined }
  | { kind: 'pack'; pack: TrustedPack; catalog: Catalog; path: string | undefined }
  | { kind: 'adapter'; adapter: AdapterView }

export type LocatedAs<Kind extends NamedKind> = Extract<Located, { kind: Kind }>

/** Kinds with a text. */
export const READABLE = ['payload', 'skill', 'pack'] as const

export type LocatedText = LocatedAs<(typeof READABLE)[number]>

interface Names {
  kind: NamedKind
  names: readonly string[]
  findings: readonly Finding[]
}

type Finder = (asked: EntryId, id: string) => { located: Located | undefined; source: Names }

const FINDERS: Record<NamedKind, (machine: Machine, request: SourceRequest) => Finder> = {
  payload: (machine, request) => {
    const source = SOURCES.payload(machine, request)
    return ({ kind, name }, id) => {
      const entry = source.find(kind === undefined ? id : name)
      return { source, located: entry && { kind: 'payload', entry, knowledge: source.knowledge } }
    }
  },
  skill: (machine, request) => {
    const source = SOURCES.skill(machine, request)
    return ({ name, path }) => {
      const refusal = source.withheld.get(name)
      if (refusal !== undefined) throw refusal
      const skill = source.find(name)
      return { source, located: skill && { kind: 'skill', skill, path: fileOf(path, DOCUMENT_FILE) } }
    }
  },
  pack: (machine, request) => {
    const source = SOURCES.pack(machine, request)
    return ({ name, path }) => {
      const pack = source.find(name)
      const { catalog } = source
      return { source, located: pack && { kind: 'pack', pack, catalog, path: fileOf(path, PACK_FILE) } }
    }
  },
  adapter: (machine, request) => {
    const value = listAdapters(machine, { project: projectOf(machine, request).root })
    const source: Names = { kind: 'adapter', names: value.adapters.map(({ id }) => id), findings: [] }
    return ({ name }) => {
      const adapter = value.adapters.find(({ id }) => id === name)
      return { source, located: adapter && { kind: 'adapter', adapter } }
    }
  },
}

/** A normalised path; undefined for the main file. A path that must not be followed stays unchanged. */
function fileOf(path: string | undefined, main: string): string | undefined {
  if (path === undefined || packPathProblem(path) !== undefined) return path
  const plain = normalizePackPath(path)
  return plain === main ? undefined : plain
}

/**
 * What an id refers to, among the kinds that the caller supports. A bare name means a payload first, with the others in
 * a finding. Without a payload only one kind may have the name; otherwise the error lists the choices.
 */
export function locate<Kind extends NamedKind>(
  machine: Machine,
  request: SourceRequest & { id: string; kinds: readonly Kind[] },
): LocatedAs<Kind> {
  const { id, kinds } = request
  const asked = parseEntryId(id)
  const isUsable = (kind: NamedKind | undefined): kind is Kind => kinds.some((each) => each === kind)
  if (asked.kind !== undefined && !isUsable(asked.kind)) {
    const usable = kinds.map((each) => entryId(each, asked.name)).join(', ')
    throw failWith('USAGE/wrong-kind', { kind: asked.kind, id: shown(id), usable })
  }
  const looked = lookIn(machine, request, asked, asked.kind === undefined ? kinds : [asked.kind])
  const [found, ...others] = looked.found.filter((each): each is LocatedAs<Kind> => isUsable(each.kind))
  if (found !== undefined) {
    const kindsFound = [found, ...others].map(({ kind }) => kind)
    if (others.length > 0 && found.kind !== 'payload') throw ambiguousName(id, kindsFound)
    machine.report(...looked.findings)
    if (others.length > 0) {
      const facts = { others: others.map(({ kind }) => kind).join(' and a '), others2: others.map(idOf).join(', ') }
      machine.report(report('DUPLICATE_ID/also-named', { id: shown(id), ...facts }, { subject: id }))
    }
    return found
  }
  const refused = looked.findings.find(isWithheld)
  if (refused !== undefined) throw retell(refused)
  const rest = asked.kind === undefined ? [] : kinds.filter((kind) => kind !== asked.kind)
  const sources = [...looked.sources, ...lookIn(machine, request, asked, rest).sources]
  throw notFound(id, asked, sources, looked.findings)
}

function lookIn(
  machine: Machine,
  request: SourceRequest & { id: string },
  asked: EntryId,
  kinds: readonly NamedKind[],
) {
  const found: Located[] = []
  const sources: Names[] = []
  const findings: Finding[] = []
  for (const kind of kinds) {
    try {
      const { located, source } = FINDERS[kind](machine, request)(asked, request.id)
      sources.push(source)
      // A library may contain many broken skills; here only the requested one matters.
      const isAbout = ({ subject }: Finding) => kind !== 'skill' || subject === undefined || subject === asked.name
      findings.push(...source.findings.filter(isAbout))
      if (located !== undefined) found.push(located)
    } catch (error) {
      findings.push({ ...asFinding(error), ...(isWithheld(error) && { subject: asked.name }) })
    }
  }
  return { found, sources, findings: withoutRepeats(findings) }
}

/** The id names a skill that may not be used on this machine. */
export function isWithheld(trouble: unknown): boolean {
  return isRecord(trouble) && trouble.code === 'QUARANTINED'
}

/** The unambiguous id. */
export function idOf(located: Located): string {
  switch (located.kind) {
    case 'payload':
      return entryId('payload', located.entry.id)
    case 'skill':
      return entryId('skill', located.skill.name, located.path)
    case 'pack':
      return entryId('pack', located.pack.manifest.name, located.path)
    case 'adapter':
      return entryId('adapter', located.adapter.id)
  }
}

/** For a name that several kinds have: lists the unambiguous ids. */
export function ambiguousName(id: string, kinds: readonly NamedKind[]): LoadoutError {
  const { name, path } = parseEntryId(id)
  const named = kinds.map((kind) => (kind === 'adapter' ? 'an adapter' : `a ${kind}`)).join(' and ')
  const ids = kinds.map((kind) => entryId(kind, name, path)).join(', ')
  return failWith('AMBIGUOUS_NAME/kinds', { id: shown(id), named, kinds: ids })
}

function notFound(id: string, asked: EntryId, sources: readonly Names[], findings: readonly Finding[]): LoadoutError {
  const ids = new Map<string, string>()
  for (const { kind, names } of sources) {
    for (const name of names) {
      const full = entryId(kind, name)
      for (const word of [full, name]) if (!ids.has(word)) ids.set(word, full)
    }
  }
  const close = nearest(id, [...ids.keys()]) ?? nearest(asked.name, [...ids.keys()])
  // Only findings about layers or about this name.
  const broken = findings.find(({ code, subject }) => /^LAYER_/.test(code) || [undefined, asked.name].includes(subject))
  const kind = asked.kind ?? 'entry'
  const name = shown(asked.kind === undefined ? id : asked.name)
  const trouble = broken === undefined ? '' : `; ${broken.message}`
  const hint = broken?.hint ?? 'loadout search <words> finds what there is'
  return failWith('ENTRY_NOT_FOUND/named', { kind, name, trouble, close: close && ids.get(close), hint })
}

function shown(id: string): string {
  return id.length > 80 ? `${id.slice(0, 79)}…` : id
}
