import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import type { Source } from '../machine/ranking.ts'
import { openPacks, type PackSource } from '../packs/pack-source.ts'
import { normalizePackPath, PACK_FILE, packPathProblem } from '../packs/rules/pack.ts'
import { listPacks } from '../packs/show.ts'
import type { Layers } from '../payloads/knowledge.ts'
import { openPayloads, type PayloadSource } from '../payloads/payload-source.ts'
import type { Priority } from '../payloads/rules/loadout-index.ts'
import { openSkills, type SkillSource } from '../skills/skill-source.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { asFinding, type Finding, failWith, type LoadoutError, report, retell } from '../text/trouble.ts'
import { isRecord, nearest } from '../text/values.ts'
import { type EntryId, entryId, type NamedKind, parseEntryId } from '../usage/rules/entry-id.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'
import { type AdapterSource, openAdapters } from './adapters.ts'

/** Where to look for entries. */
export interface SourceRequest {
  layers: Layers
  /** The project folder of the payloads, packs and skills. Default: that of the layers, or the current one. */
  project?: string
}

/** The project of the packs and skills, even if its layer is omitted. */
export function projectOf(machine: Machine, { project, layers }: SourceRequest): Project {
  return machine.openProject(project ?? (layers.projectRoot || undefined))
}

interface Sources {
  payload: PayloadSource
  pack: PackSource
  skill: SkillSource
  adapter: AdapterSource
}

/** Opens everything of one kind. */
const OPEN: { [Kind in NamedKind]: (machine: Machine, request: SourceRequest) => Sources[Kind] } = {
  payload: (machine, { layers, project }) =>
    openPayloads(machine, { ...layers, projectRoot: layers.projectRoot ?? project }),
  pack: (machine, request) => openPacks(machine, projectOf(machine, request)),
  skill: (machine, request) => openSkills(machine, projectOf(machine, request)),
  adapter: (machine, request) => openAdapters(machine, projectOf(machine, request)),
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
      const source = OPEN[kind](machine, request)
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
      const source = OPEN.payload(machine, request)
      findings.push(...source.findings)
      return source.knowledge.entries.map(({ id, summary, priority, tokens_est: tokens }) => {
        return { id, summary, priority, tokens }
      })
    }, []),
    packs: open(() => {
      const source = OPEN.pack(machine, request)
      return namedIn(source).filter(({ name }) => source.gate(name) === undefined)
    }, []),
    disclosure: open(() => listPacks(machine.quiet(), { project: projectOf(machine, request) }).disclosure, ''),
    skills: open(() => {
      const source = OPEN.skill(machine, request)
      findings.push(...source.findings)
      return namedIn(source)
    }, []),
  }
  machine.report(...withoutRepeats(findings))
  return value
}

interface LocatedAs<Kind extends NamedKind> {
  kind: Kind
  name: string
  /** One file of it. */
  path: string | undefined
  entry: NonNullable<ReturnType<Sources[Kind]['find']>>
  source: Sources[Kind]
}

/** What an id refers to, among entries of these kinds. */
export type Located<Kind extends NamedKind = NamedKind> = Extract<
  { [Each in NamedKind]: LocatedAs<Each> }[NamedKind],
  { kind: Kind }
>

/** Kinds with a text. */
export const READABLE = ['payload', 'skill', 'pack'] as const

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
  /**
   * `isPayloadEnough`: other kinds are asked only if there is no payload of the name. `isRead`: throws for an entry that
   * may not be read now.
   */
  request: SourceRequest & { id: string; kinds: readonly Kind[]; isPayloadEnough?: boolean; isRead?: boolean },
): Located<Kind> {
  const { id, kinds } = request
  const asked = parseEntryId(id)
  const isUsable = (kind: NamedKind | undefined): kind is Kind => kinds.some((each) => each === kind)
  if (asked.kind !== undefined && !isUsable(asked.kind)) {
    const usable = kinds.map((each) => entryId(each, asked.name)).join(', ')
    throw failWith('USAGE/wrong-kind', { kind: asked.kind, id: shown(id), usable })
  }
  const looked = lookIn(machine, request, asked, asked.kind === undefined ? kinds : [asked.kind])
  const [found, ...others] = looked.found.filter((each): each is Located<Kind> => isUsable(each.kind))
  if (found !== undefined) {
    const kindsFound = [found, ...others].map(({ kind }) => kind)
    if (others.length > 0 && found.kind !== 'payload') throw ambiguousName(id, kindsFound)
    const refusal = request.isRead ? found.source.gate(found.name) : undefined
    if (refusal !== undefined) throw refusal
    machine.report(...looked.findings)
    if (others.length > 0) {
      const ids = others.map((each) => entryId(each.kind, each.name, each.path))
      const facts = { others: others.map(({ kind }) => kind).join(' and a '), others2: ids.join(', ') }
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
  request: SourceRequest & { id: string; isPayloadEnough?: boolean },
  asked: EntryId,
  kinds: readonly NamedKind[],
) {
  const found: Located[] = []
  const sources: Sources[NamedKind][] = []
  const findings: Finding[] = []
  for (const kind of kinds) {
    if (request.isPayloadEnough && found[0]?.kind === 'payload') break
    // The id of a payload may contain slashes.
    const name = kind === 'payload' && asked.kind === undefined ? request.id : asked.name
    try {
      const source = OPEN[kind](machine, request)
      const entry = source.find(name)
      const refusal = entry === undefined ? source.gate(name) : undefined
      if (refusal !== undefined) throw refusal
      sources.push(source)
      // A library may contain many broken skills; here only the requested one matters.
      const isAbout = ({ subject }: Finding) => kind !== 'skill' || subject === undefined || subject === name
      findings.push(...source.findings.filter(isAbout))
      const main = kind === 'skill' ? DOCUMENT_FILE : PACK_FILE
      const path = kind === 'skill' || kind === 'pack' ? fileOf(asked.path, main) : undefined
      if (entry !== undefined) found.push({ kind, name, path, entry, source } as Located)
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

/** For a name that several kinds have: lists the unambiguous ids. */
export function ambiguousName(id: string, kinds: readonly NamedKind[]): LoadoutError {
  const { name, path } = parseEntryId(id)
  const named = kinds.map((kind) => (kind === 'adapter' ? 'an adapter' : `a ${kind}`)).join(' and ')
  const ids = kinds.map((kind) => entryId(kind, name, path)).join(', ')
  return failWith('AMBIGUOUS_NAME/kinds', { id: shown(id), named, kinds: ids })
}

function notFound(
  id: string,
  asked: EntryId,
  sources: readonly Sources[NamedKind][],
  findings: readonly Finding[],
): LoadoutError {
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
