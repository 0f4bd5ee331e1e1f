import { type EntryId, entryId, parseEntryId } from '../../../domain/delivery/entry/entry-id.ts'
import type { Catalog, TrustedPack } from '../../../domain/packs/gates/catalog.ts'
import { PACK_FILE } from '../../../domain/packs/pack.ts'
import { normalizePackPath, packPathProblem } from '../../../domain/packs/pack-path.ts'
import type { LoadoutEntry } from '../../../domain/routing/entry.ts'
import type { Finding, Report } from '../../../domain/shared/finding.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { nearest } from '../../../domain/shared/nearest.ts'
import { DOCUMENT_FILE } from '../../../domain/skills/skill.ts'
import type { EntryKind } from '../../../domain/usage/usage-event.ts'
import type { Machine } from '../../../infra/machine.ts'
import type { Knowledge } from '../../routing/knowledge.ts'
import { openPacks } from './pack-shelf.ts'
import { openPayloads } from './payload-shelf.ts'
import { asFinding, type Shelf, type ShelfRequest, withoutRepeats } from './shelf.ts'
import { openSkills, type ShelvedSkill } from './skill-shelf.ts'

/** What an id means. `path` is one file of it. */
export type Located =
  | { kind: 'payload'; entry: LoadoutEntry; knowledge: Knowledge }
  | { kind: 'skill'; skill: ShelvedSkill; path: string | undefined }
  | { kind: 'pack'; pack: TrustedPack; catalog: Catalog; path: string | undefined }

type Finder = (asked: EntryId, id: string) => { located: Located | undefined; shelf: Shelf }

/** In the order in which a bare name is looked for. */
const FINDERS: Record<EntryKind, (machine: Machine, request: ShelfRequest) => Finder> = {
  payload: (machine, request) => {
    const shelf = openPayloads(machine, request)
    return ({ kind, name }, id) => {
      const entry = shelf.find(kind === undefined ? id : name)
      return { shelf, located: entry && { kind: 'payload', entry, knowledge: shelf.knowledge } }
    }
  },
  skill: (machine, request) => {
    const shelf = openSkills(machine, request)
    return ({ name, path }) => {
      const skill = shelf.find(name)
      return { shelf, located: skill && { kind: 'skill', skill, path: fileOf(path, DOCUMENT_FILE) } }
    }
  },
  pack: (machine, request) => {
    const shelf = openPacks(machine, request)
    return ({ name, path }) => {
      const pack = shelf.find(name)
      const { catalog } = shelf
      return { shelf, located: pack && { kind: 'pack', pack, catalog, path: fileOf(path, PACK_FILE) } }
    }
  },
}

/** One spelling of a path; the text that stands for the whole needs none. What may not be followed stays as it is. */
function fileOf(path: string | undefined, main: string): string | undefined {
  if (path === undefined || packPathProblem(path) !== undefined) return path
  const plain = normalizePackPath(path)
  return plain === main ? undefined : plain
}

const KINDS = Object.keys(FINDERS) as EntryKind[]

/** What an id means; of a bare name that several have, the first in order, with the others in a finding. */
export function locate(machine: Machine, request: ShelfRequest & { id: string }): Report<Located> {
  const asked = parseEntryId(request.id)
  const looked = lookIn(machine, request, asked, asked.kind === undefined ? KINDS : [asked.kind])
  const [found, ...others] = looked.found
  if (found !== undefined) {
    const also = others.length === 0 ? [] : [ambiguous(request.id, found, others)]
    return { value: found, findings: [...looked.findings, ...also] }
  }
  const rest = asked.kind === undefined ? [] : KINDS.filter((kind) => kind !== asked.kind)
  const shelves = [...looked.shelves, ...lookIn(machine, request, asked, rest).shelves]
  throw notFound(request.id, asked, shelves, looked.findings)
}

function lookIn(machine: Machine, request: ShelfRequest & { id: string }, asked: EntryId, kinds: readonly EntryKind[]) {
  const found: Located[] = []
  const shelves: Shelf[] = []
  const findings: Finding[] = []
  for (const kind of kinds) {
    try {
      const { located, shelf } = FINDERS[kind](machine, request)(asked, request.id)
      shelves.push(shelf)
      // A library may hold many that are broken; here only the one that was asked for matters.
      const isAbout = ({ subject }: Finding) => kind !== 'skill' || subject === undefined || subject === asked.name
      findings.push(...shelf.findings.filter(isAbout))
      if (located !== undefined) found.push(located)
    } catch (error) {
      findings.push(asFinding(error))
    }
  }
  return { found, shelves, findings: withoutRepeats(findings) }
}

/** The id that means only this one. */
export function idOf(located: Located): string {
  switch (located.kind) {
    case 'payload':
      return entryId('payload', located.entry.id)
    case 'skill':
      return entryId('skill', located.skill.name, located.path)
    case 'pack':
      return entryId('pack', located.pack.manifest.name, located.path)
  }
}

function ambiguous(id: string, found: Located, others: readonly Located[]): Finding {
  return {
    severity: 'info',
    code: 'DUPLICATE_ID',
    message: `"${shown(id)}" is also a ${others.map(({ kind }) => kind).join(' and a ')}; this is the ${found.kind}`,
    subject: id,
    hint: `say which: ${others.map(idOf).join(', ')}`,
  }
}

function notFound(id: string, asked: EntryId, shelves: readonly Shelf[], findings: readonly Finding[]): LoadoutError {
  const ids = new Map<string, string>()
  for (const { kind, names } of shelves) {
    for (const name of names) {
      const full = entryId(kind, name)
      for (const word of [full, name]) if (!ids.has(word)) ids.set(word, full)
    }
  }
  const close = nearest(id, [...ids.keys()]) ?? nearest(asked.name, [...ids.keys()])
  // What could not be opened at all, or is about this name; not every oddity of the others.
  const broken = findings.find(({ code, subject }) => /^LAYER_/.test(code) || [undefined, asked.name].includes(subject))
  const trouble = broken === undefined ? '' : `; ${broken.message}`
  const meant = close === undefined ? '' : `; did you mean ${ids.get(close)}?`
  return new LoadoutError(
    'ENTRY_NOT_FOUND',
    `there is no ${asked.kind ?? 'entry'} "${shown(asked.kind === undefined ? id : asked.name)}"${trouble}${meant}`,
    {
      hint: broken?.hint ?? 'loadout search <words> finds what there is',
    },
  )
}

function shown(id: string): string {
  return id.length > 80 ? `${id.slice(0, 79)}…` : id
}
