import type { Machine } from '../machine/machine.ts'
import { openRanking } from '../machine/ranking.ts'
import { Packs } from '../packs/catalog.ts'
import type { PackDetails } from '../packs/pack-source.ts'
import { type SectionFound, searchSections } from '../packs/sections.ts'
import type { PayloadDetails } from '../payloads/payload-source.ts'
import type { FilePointer } from '../project/rules/file-pointer.ts'
import { RANKED_LIMIT } from '../search/document.ts'
import { readTask, type Task } from '../search/task.ts'
import type { SkillDetails } from '../skills/skill-source.ts'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { nearest, sortedBy } from '../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'
import { find, type Hit } from './find.ts'
import { pointIntoProject } from './own-files.ts'
import { openSources, projectOf, type SourceRequest, withoutRepeats } from './sources.ts'

/** A hit, with what its source says about it. */
export type SearchHit = Pick<Hit, 'id' | 'confidence' | 'why'> &
  (({ kind: 'payload' } & PayloadDetails) | ({ kind: 'pack' } & PackDetails) | ({ kind: 'skill' } & SkillDetails))

export interface SearchResult {
  query: string
  /** How many of each kind were searched; undefined for a kind that was not requested. */
  known: Partial<Record<EntryKind, number>>
  hits: SearchHit[]
}

/** Knowledge, the sections of approved packs that contain the words, and their places in the project's own files. */
export interface FullSearchResult extends SearchResult {
  sections: readonly SectionFound[]
  files: readonly FilePointer[]
}

/** For `kinds`: files of the project, besides all kinds of entries. */
const FILE = 'file'
const KINDS = [...ENTRY_KINDS, FILE]
const MOST_FILES = 5

/** Searches all knowledge and the project's own files. */
export async function searchAll(machine: Machine, request: SearchRequest): Promise<FullSearchResult> {
  const { kinds = [], query, limit = MOST_FILES } = request
  const task = readTask(query)
  const value = searchKnowledge(machine, request)
  const project = projectOf(machine, request)
  // A folder outside of git may be a whole home folder: its files are searched only on request.
  const isAsked = kinds.includes(FILE) || (kinds.length === 0 && project.repository !== undefined)
  const files = isAsked ? await pointIntoProject(machine, { task, project, limit }) : []
  return { ...value, sections: sectionsFor(machine, task, request), files }
}

const MOST_SECTIONS = 5

function sectionsFor(machine: Machine, task: Task, request: SearchRequest): SectionFound[] {
  const { kinds = [], limit = MOST_SECTIONS } = request
  if (kinds.length > 0 && !kinds.includes('pack')) return []
  try {
    const packs = new Packs(machine, { project: projectOf(machine, request) })
    return searchSections(machine, packs.all, task, Math.min(limit, MOST_SECTIONS))
  } catch (error) {
    // A search for packs reports what is wrong with them.
    if (error instanceof LoadoutError) return []
    throw error
  }
}

export interface SearchRequest extends SourceRequest {
  query: string
  limit?: number
  /** Default: all. */
  kinds?: readonly string[]
}

/**
 * Searches payloads, packs by their metadata, and skills; best first. The ranker sees them as one library, so that
 * their confidences are comparable; ties go by kind.
 */
export function searchKnowledge(machine: Machine, request: SearchRequest): SearchResult {
  const limit = requireLimit(request.limit)
  const { sources, findings } = openSources(machine, request, readKinds(request.kinds))
  const ranking = openRanking(
    machine,
    sortedBy(sources, ({ kind }) => kind).flatMap(({ segments }) => segments),
  )
  const hits = find(ranking, request.query, { limit }).flatMap(({ id, kind, name, confidence, why }) => {
    const details = sources.find((source) => source.kind === kind)?.describe(name)
    return details === undefined ? [] : [{ kind, id, ...details, confidence, why } as SearchHit]
  })
  const known = Object.fromEntries(sources.map(({ kind, names }) => [kind, names.length]))
  machine.report(...withoutRepeats([...findings, ...ranking.findings]))
  return { query: request.query, known, hits }
}

function requireLimit(limit = RANKED_LIMIT * 2): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return limit
  throw failWith('USAGE/limit', { limit })
}

function readKinds(asked: readonly string[] = []): readonly EntryKind[] {
  for (const kind of asked) requireKind(kind)
  return asked.length === 0 ? ENTRY_KINDS : ENTRY_KINDS.filter((kind) => asked.includes(kind))
}

function requireKind(kind: string): void {
  if (KINDS.some((each) => each === kind)) return
  const close = nearest(kind, KINDS)
  const meant = close === undefined ? '' : `; did you mean ${close}?`
  throw failWith('USAGE/kind', { kind: kind.slice(0, 80), meant, kinds: KINDS.join(', ') })
}
