import { basename, dirname } from 'node:path'
import { Config } from '../../agents/config.ts'
import { type CallableSkill, callableSkills, type SkillScan } from '../../agents/see.ts'
import { openExamples } from '../../examples/examples.ts'
import { learnFromUse } from '../../examples/learn.ts'
import { attemptOrLog } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { findFiles } from '../../machine/project-files.ts'
import { openSegment } from '../../machine/ranking.ts'
import { Packs } from '../../packs/catalog.ts'
import { cardSegments, keptPack } from '../../packs/pack-source.ts'
import { admit, type TrustedPack } from '../../packs/rules/gates/trust.ts'
import { isKnownType, PACK_TYPES } from '../../packs/rules/pack.ts'
import { isReadable, SectionIndexes } from '../../packs/sections.ts'
import { storeTerms } from '../../packs/stored-sections.ts'
import { brokenLayers, type Knowledge, readKnowledge } from '../../payloads/knowledge.ts'
import { payloadSegments } from '../../payloads/payload-source.ts'
import { joinRankers, type Ranker } from '../../search/ranker.ts'
import { withheldNames } from '../../skills/gate.ts'
import { skillSegment } from '../../skills/skill-source.ts'
import { harmlessLine } from '../../text/fence.ts'
import { fitInto } from '../../text/values.ts'
import { indexLine, orderItems, packItem } from '../rules/index-line.ts'
import { digestOf, type GivenPart, indexBlock, type Measure, Reply } from '../rules/session-text.ts'
import { contextSettings } from '../settings.ts'
import { CATALOG, catalogKey, entryItem, type HookCatalog, textPart } from './prompt.ts'

/** The texts that every session starts with, as far as they fit, and why others could not be read. */
export function coreParts(
  machine: Machine,
  knowledge: Knowledge,
  room: number,
  sizeOf: Measure,
): { parts: GivenPart[]; problems: string[] } {
  const problems: string[] = []
  const reply = new Reply(new Set(), '', room, sizeOf)
  const { lazyLoad, core } = knowledge.summary
  for (const placed of lazyLoad ? [] : core) {
    const part = textPart(machine, placed)
    if ('problem' in part) problems.push(part.problem)
    else reply.add(part)
  }
  return { parts: reply.given, problems }
}

interface IndexSources {
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
  const entries = knowledge.entries.filter(({ id }) => !given.has(id))
  const items = orderItems([
    ...entries.map((entry) => entryItem(knowledge.place(entry), folder)),
    ...packs.filter(({ isOpen }) => isOpen).map(packItem),
  ])
  const { preset, line } = attemptOrLog(log, 'control files are left out', () => controlPlane(project), {
    preset: 'generic',
    line: '',
  })
  if (items.length + given.size === 0 && preset === 'generic') return undefined
  const place = harmlessLine(folder, digestOf(folder)).text
  const heading = `Loadout: what can be loaded here. Read the file, or run the command, of a line that fits a task; paths start at ${place}.\n`
  const head = `${line}${items.length === 0 ? '' : heading}`
  const more = (left: number) => (left === 0 ? [] : [`- and ${left} more: \`loadout search "<words>"\` finds them`])
  const left = room - sizeOf(head) - sizeOf(indexBlock(more(items.length)))
  // Lines that could never fit are not written.
  const most = items.slice(0, Math.ceil(room / 10)).map(indexLine)
  const { fitting: lines } = fitInto(most, left / 4, (line) => Math.ceil(sizeOf(`${line}\n`) / 4), true)
  const text = items.length === 0 ? head : head + indexBlock([...lines, ...more(items.length - lines.length)])
  const named = Object.fromEntries(lines.map((each, at) => [`${items[at]?.kind}:${items[at]?.id}`, each]))
  return text === '' ? undefined : { part: { form: 'index', sum: digestOf(text) }, text, lines: named }
}

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
  const shown = names.slice(0, 6).map((name) => harmlessLine(name, digestOf(name), 80).text)
  return [...shown, ...(names.length > 6 ? [`${names.length - 6} more`] : [])].join(', ')
}

/** A pack that a session may know of. */
export interface OfferedPack {
  name: string
  description: string
  /** Whether it may be used; otherwise a person must approve it first. */
  isOpen: boolean
  pack: TrustedPack
}

/** The packs of this machine, without the built-in one: it is about Loadout, not about the user's work. */
export function offeredPacks(machine: Machine, project: Project): OfferedPack[] {
  return new Packs(machine, { project }).all.flatMap((pack) => {
    const { verdict } = admit(pack, { isExplicit: false, isConfirmed: false })
    const { name, description, type } = pack.manifest
    const isOffered = verdict === 'admitted' || verdict === 'approval-needed'
    if (!isOffered || pack.scope === 'built-in' || !isKnownType(type, PACK_TYPES)) return []
    return [{ name, description, isOpen: verdict === 'admitted', pack }]
  })
}

/** The skills that an agent can call, without those that a person denied or has yet to approve. */
export function offeredSkills(machine: Machine, agent: string, scan?: SkillScan): CallableSkill[] {
  const withheld = withheldNames(machine)
  return callableSkills(machine, agent, scan).filter(
    ({ name, file }) => !withheld.has(name) && !withheld.has(basename(dirname(file))),
  )
}

/**
 * Finds packs and skills, and indexes what changed for later prompts. If one kind fails, the rest is still useful.
 */
export function refreshCatalog(
  machine: Machine,
  project: Project,
  agent: string,
  log: (message: string) => void,
  why: 'start' | 'missing' | 'damaged',
  scan?: SkillScan,
): { knowledge: Knowledge; packs: OfferedPack[]; catalog: HookCatalog; ranker: Ranker } {
  const knowledge = readKnowledge(machine, { projectRoot: project }, true)
  const packs = attemptOrLog(log, 'packs are left out', () => offeredPacks(machine, project), [])
  const skills = attemptOrLog(log, 'skills are left out', () => offeredSkills(machine, agent, scan), [])
  const library = attemptOrLog(log, 'the library is left out', () => new Config(machine).library, undefined)
  learnHere(machine, project, knowledge, { pack: packs, skill: skills })
  const examples = openExamples({ project: project.root, library }, machine.records)
  const cards = cardSegments(
    packs.map(({ pack }) => pack),
    examples,
  ).offered
  const segments = [
    payloadSegments(knowledge, machine.records).byTask,
    cards,
    skillSegment([agent, project.root], skills, examples, true),
  ]
  const opened = segments.map((segment) => openSegment(machine, segment, why === 'damaged'))
  // Never points to a file that cannot be read.
  for (const { message } of opened.flatMap(({ findings }) => findings)) log(`left out: ${message}`)
  const readable = packs.flatMap(({ pack }) => (isReadable(pack) ? [pack] : []))
  // Missing indexes of packs are built when a session begins. At a prompt, a user waits.
  const find = () => new SectionIndexes(machine).stored(readable, why === 'start')
  const keys = attemptOrLog(log, 'sections of packs are left out', find, [])
  const catalog: HookCatalog = {
    segments: opened.map(({ key }) => key),
    cards: opened[1]!.key,
    broken: brokenLayers(knowledge).map(({ code, message }) => `${code} ${message}`),
    waiting: packs.filter(({ isOpen }) => !isOpen).map(({ name }) => name),
    terms: storeTerms(machine, [agent, project.root], keys),
    readable: keys.map((sections, at) => {
      const pack = readable[at]!
      return { kept: keptPack(pack), root: pack.root, sections }
    }),
  }
  const key = catalogKey(machine, project, agent)
  const known = machine.cache.read(key, CATALOG.decode)
  // Most sessions begin as the last one did, and a write takes longer than a read.
  if (JSON.stringify(known) !== JSON.stringify(catalog)) machine.cache.write(key, CATALOG.encode(catalog)!)
  return { knowledge, packs, catalog, ranker: joinRankers(opened.map(({ ranker }) => ranker)) }
}

/** Learns from earlier sessions for the prompts of this one. Skips payloads of other projects. */
function learnHere(
  machine: Machine,
  project: Project,
  { entries }: Knowledge,
  named: Record<'pack' | 'skill', readonly { name: string; description: string }[]>,
): void {
  const root = machine.realFolder(project.root)
  learnFromUse(machine, ({ kind, id, project: place }) => {
    if (kind !== 'payload') return named[kind].find(({ name }) => name === id)?.description
    return place === root ? entries.find((entry) => entry.id === id)?.summary : undefined
  })
}
