import { basename, dirname } from 'node:path'
import { type CallableSkill, callableSkills } from '../../agents/callable-skills.ts'
import { findLibrary } from '../../agents/config.ts'
import { contextSettings } from '../../context/settings.ts'
import { openExamples } from '../../examples/examples.ts'
import { learnFromUse } from '../../examples/learn.ts'
import { readText } from '../../machine/files.ts'
import { attempt } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Project, realFolder } from '../../machine/open-project.ts'
import { findFiles } from '../../machine/project-files.ts'
import { openCatalog } from '../../packs/catalog.ts'
import { type ReadableSections, readableSections } from '../../packs/index-sections.ts'
import { admit } from '../../packs/rules/gates/admission.ts'
import { isKnownType, PACK_TYPES } from '../../packs/rules/pack.ts'
import type { Knowledge } from '../../payloads/knowledge.ts'
import { payloadDocument } from '../../payloads/ranking.ts'
import { allEntries } from '../../payloads/rules/dispatch-table.ts'
import { isDomain } from '../../payloads/rules/loadout-index.ts'
import type { RankDocument } from '../../search/document.ts'
import { folderOf } from '../../search/session-lift.ts'
import { withheldNames } from '../../skills/gate.ts'
import { rankedSkill } from '../../skills/ranked-skill.ts'
import { harmlessLine } from '../../text/fence.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { fitLines, type IndexItem, indexLine, orderItems, packItem } from '../rules/index-line.ts'
import { digestOf, type GivenPart, indexBlock, type Measure } from '../rules/session/session-text.ts'
import { type CatalogItem, type HookCatalog, storeCatalog } from './hook-catalog.ts'
import { entryItem, textPart } from './prompt.ts'

/** The texts that every session starts with, as far as they fit, and why others could not be read. */
export function coreParts(
  machine: Machine,
  knowledge: Knowledge,
  room: number,
  sizeOf: Measure,
): { parts: GivenPart[]; problems: string[] } {
  const parts: GivenPart[] = []
  const problems: string[] = []
  let left = room
  for (const position of knowledge.lazyLoad ? [] : knowledge.table.core) {
    const part = textPart(machine, knowledge, knowledge.table.entryAt(position))
    if ('problem' in part) problems.push(part.problem)
    else if (sizeOf(part.text) <= left && !parts.some((other) => isSameBody(other, part))) {
      parts.push(part)
      left -= sizeOf(part.text)
    }
  }
  return { parts, problems }
}

function isSameBody({ part: a }: GivenPart, { part: b }: GivenPart): boolean {
  return a.form === 'text' && b.form === 'text' && a.body === b.body
}

export interface IndexSources {
  project: Project
  knowledge: Knowledge
  packs: readonly OfferedPack[]
  /** Entries whose text the session has. */
  given: ReadonlySet<string>
  /** Its maximum size. */
  room: number
  sizeOf: Measure
  log: (message: string) => void
}

/** What can be loaded, one line each, and the control files; undefined if there is neither. */
export function indexPart(sources: IndexSources): GivenPart | undefined {
  const { project, knowledge, packs, given, room, sizeOf, log } = sources
  const folder = project.root
  const entries = allEntries(knowledge.table).filter(({ id }) => !given.has(id))
  const items = orderItems([
    ...entries.map((entry) => entryItem(knowledge, entry, folder)),
    ...packs.filter(({ isOpen }) => isOpen).map(packItem),
  ])
  const { preset, line } = attempt(log, 'control files are left out', () => controlPlane(project), NO_CONTROL)
  if (items.length + given.size === 0 && preset === 'generic') return undefined
  const head = `${line}${items.length === 0 ? '' : headingFor(folder)}`
  const more = (left: number) => (left === 0 ? [] : [`- and ${left} more: \`loadout search "<words>"\` finds them`])
  const left = room - sizeOf(head) - sizeOf(indexBlock(more(items.length)))
  // Lines that could never fit are not written.
  const most = items.slice(0, Math.ceil(room / SHORTEST_LINE)).map(indexLine)
  const { lines } = fitLines(most, left / 4, (text) => Math.ceil(sizeOf(text) / 4))
  const text = items.length === 0 ? head : head + indexBlock([...lines, ...more(items.length - lines.length)])
  return text === '' ? undefined : { part: { form: 'index', sum: digestOf(text) }, text }
}

const SHORTEST_LINE = 10

/** A share of the reply. */
export function indexRoom(room: number): number {
  return Math.floor(room / 4)
}

function headingFor(folder: string): string {
  const place = harmlessLine(folder, digestOf(folder)).text
  return `Loadout: what can be loaded here. Read the file, or run the command, of a line that fits a task; paths start at ${place}.\n`
}

const MOST_NAMED = 6
const NO_CONTROL = { preset: 'generic', line: '' }

/** The control files of a task. */
function controlPlane(project: Project): { preset: string; line: string } {
  const { root } = project
  const { preset, controlPlane } = contextSettings(project)
  const places = controlPlane.map((item) => {
    const { files } = findFiles(root, [item.pattern], { mostFiles: item.take })
    return { pattern: item.pattern, isMissing: item.isRequired && files.length === 0, files }
  })
  const found = places.flatMap(({ files }) => files.map(({ path }) => path))
  const missing = places.filter(({ isMissing }) => isMissing).map(({ pattern }) => pattern)
  if (found.length + missing.length === 0) return { preset, line: '' }
  const there = found.length === 0 ? '' : `Control files: ${harmlessNames(found)}. `
  const lacking = missing.length === 0 ? '' : `Required and missing: ${harmlessNames(missing)}. `
  const line = `${there}${lacking}\`loadout context "<task>"\` bundles them with what a task needs.\n`
  return { preset, line: `Loadout: ${line}` }
}

function harmlessNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => harmlessLine(name, digestOf(name), 80).text)
  return [...shown, ...(names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : [])].join(', ')
}

/** A pack that a session may know of. */
export interface OfferedPack {
  name: string
  description: string
  /** Whether it may be used; otherwise a person must approve it first. */
  isOpen: boolean
  /** Set if the pack may be read. */
  sections?: ReadableSections
}

/** The packs of this machine, without the built-in one: it is about Loadout, not about the user's work. */
function offeredPacks(machine: Machine, project: Project): OfferedPack[] {
  const { catalog } = openCatalog(machine, { project })
  return catalog.entries.flatMap(({ pack }) => {
    const { verdict } = admit(pack, { isExplicit: false, isConfirmed: false })
    const { name, description, type } = pack.manifest
    const isOffered = verdict === 'admitted' || verdict === 'approval-needed'
    if (!isOffered || pack.scope === 'built-in' || !isKnownType(type, PACK_TYPES)) return []
    const sections = readableSections(machine, pack)
    return [{ name, description, isOpen: verdict === 'admitted', ...(sections && { sections }) }]
  })
}

export function packPointer(pack: OfferedPack): CatalogItem & { line: string } {
  const item = packItem(pack)
  const shown: IndexItem = pack.isOpen
    ? item
    : { ...item, when: ['a person has to approve it first'], where: `loadout packs show ${pack.name}` }
  return {
    kind: 'pack',
    id: pack.name,
    family: familyOf(pack.name),
    line: indexLine({ ...shown, id: `pack ${pack.name}` }),
  }
}

/** The skills that an agent can call, without those that a person denied or has yet to approve. */
export function offeredSkills(machine: Machine, agent: string): CallableSkill[] {
  const withheld = withheldNames(machine)
  return callableSkills(machine, agent).filter(
    ({ name, file }) => !withheld.has(name) && !withheld.has(basename(dirname(file))),
  )
}

export function skillPointer({ name, description, file }: CallableSkill): CatalogItem & { line: string } {
  const item: IndexItem = {
    id: `skill ${name}`,
    kind: 'skill',
    summary: description,
    when: [],
    where: file,
    rank: 0,
    reach: 0,
  }
  return { kind: 'skill', id: name, family: familyOf(name), line: indexLine(item) }
}

/** Stores everything that later prompts may match: payloads that a task may load, packs, skills. */
function writeCatalog(machine: Machine, project: Project, agent: string, sources: CatalogSources): HookCatalog {
  const { knowledge, packs, skills, log } = sources
  const entries = allEntries(knowledge.table)
  const payloads = entries.flatMap((entry, position) => {
    if (!isDomain(entry)) return []
    const findings: Finding[] = []
    const document = payloadDocument(knowledge, entry, findings)
    // Never point to a file that cannot be read.
    for (const { message } of findings) log(`left out: ${message}`)
    const item: CatalogItem = { kind: 'payload', id: entry.id, family: familyOf(entry.id, entry.path), position }
    return findings.length > 0 ? [] : [{ item, document }]
  })
  const offered = packs.map((pack) => {
    const { name, description } = pack
    return { item: packPointer(pack), document: { id: name, name, description } }
  })
  const callable = skills.map((skill) => ({ item: skillPointer(skill), document: skillDocument(skill) }))
  const all = [...payloads, ...offered, ...callable]
  const examples = openExamples(machine, { project: project.root, library: sources.library }, 'here')
  const taught = all.map(({ item, document }) => ({ item, document: examples.into(item.kind, document) }))
  const readable = packs.flatMap(({ name, description, sections }) =>
    sections ? { name, description, sections: sections.place } : [],
  )
  return storeCatalog(machine, project, agent, taught, readable)
}

interface CatalogSources {
  knowledge: Knowledge
  packs: readonly OfferedPack[]
  skills: readonly CallableSkill[]
  /** The skill library, which also contains examples. */
  library: string | undefined
  log: (message: string) => void
}

/** Without the text of SKILL.md if it cannot be read. */
function skillDocument({ name, description, file }: CallableSkill): RankDocument {
  try {
    return rankedSkill({ name, description }, readText(file))
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return rankedSkill({ name, description }, '')
  }
}

/** The id, the plugin or the path of an entry without its last part. */
function familyOf(id: string, path = ''): string {
  return folderOf(id) || id.slice(0, Math.max(0, id.indexOf(':'))) || folderOf(path)
}

/**
 * Finds packs and skills, and stores them for later prompts. If one kind fails, the rest is still useful.
 */
export function refreshCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  knowledge: Knowledge,
  log: (message: string) => void,
): { packs: OfferedPack[]; catalog: HookCatalog } {
  const packs = attempt(log, 'packs are left out', () => offeredPacks(machine, project), [])
  const skills = attempt(log, 'skills are left out', () => offeredSkills(machine, agent), [])
  const library = attempt(log, 'the library is left out', () => findLibrary(machine), undefined)
  learnHere(machine, project, knowledge, { pack: packs, skill: skills })
  return { packs, catalog: writeCatalog(machine, project, agent, { knowledge, packs, skills, library, log }) }
}

/** Learns from earlier sessions for the prompts of this one. Skips payloads of other projects. */
function learnHere(
  machine: Machine,
  project: Project,
  { table }: Knowledge,
  named: Record<'pack' | 'skill', readonly { name: string; description: string }[]>,
): void {
  const root = realFolder(machine, project.root)
  learnFromUse(machine, ({ kind, id, project: place }) => {
    if (kind !== 'payload') return named[kind].find(({ name }) => name === id)?.description
    return place === root ? allEntries(table).find((entry) => entry.id === id)?.summary : undefined
  })
}
