import type { Machine } from '../machine/machine.ts'
import { openRanking } from '../machine/ranking.ts'
import { Packs } from '../packs/catalog.ts'
import type { PackDetails } from '../packs/pack-source.ts'
import { type SectionFound, SectionIndexes } from '../packs/sections.ts'
import type { PayloadDetails } from '../payloads/payload-source.ts'
import type { FilePointer } from '../project/rules/file-pointer.ts'
import { RANKED_LIMIT, type RankDocument, roundScore } from '../search/document.ts'
import { readTask } from '../search/task.ts'
import type { SkillDetails } from '../skills/skill-source.ts'
import { type Finding, failWith, LoadoutError } from '../text/trouble.ts'
import { nearest, sortedBy } from '../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from '../usage/rules/usage-event.ts'
import { find, type Hit, type Kept } from './find.ts'
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

export interface SearchRequest extends SourceRequest {
  query: string
  limit?: number
  /** Default: all. */
  kinds?: readonly string[]
}

/** Searches all knowledge and the project's own files. */
export async function searchAll(machine: Machine, request: SearchRequest): Promise<FullSearchResult> {
  const { kinds = [], query, limit = 5 } = request
  const task = readTask(query)
  const value = searchKnowledge(machine, request)
  const project = projectOf(machine, request)
  // A folder outside of git may be a whole home folder: its files are searched only on request.
  const isFileAsked = kinds.includes('file') || (kinds.length === 0 && project.repository !== undefined)
  const files = isFileAsked ? await pointIntoProject(machine, { task, project, limit }) : []
  let sections: readonly SectionFound[] = []
  try {
    const isAsked = kinds.length === 0 || kinds.includes('pack')
    const packs = isAsked ? new Packs(machine, { project }).all : []
    sections = new SectionIndexes(machine).search(packs, task, Math.min(limit, 5))
  } catch (error) {
    // A search for packs reports what is wrong with them.
    if (!(error instanceof LoadoutError)) throw error
  }
  return { ...value, sections, files }
}

/** Payloads, packs by their metadata, and skills, opened once as one library: their confidences are comparable. */
export function openKnowledge(machine: Machine, request: SourceRequest, kinds: readonly EntryKind[] = ENTRY_KINDS) {
  const { sources, findings } = openSources(machine, request, kinds)
  // Ties go by kind.
  const segments = sortedBy(sources, ({ kind }) => kind).flatMap((source) => source.segments)
  const ranking = openRanking(machine, segments)
  const read: Finding[] = []
  return {
    sources,
    /** The entries that a prompt would get, best first. */
    ask: (prompt: string, limit: number): Hit[] => find(ranking, prompt, { limit }),
    /** With their examples. */
    documents: (): (RankDocument & { kept: Kept })[] =>
      segments.flatMap(({ readDocuments }) =>
        readDocuments(read).map((document) => ({ ...document, kept: document.kept as Kept })),
      ),
    findings: () => withoutRepeats([...findings, ...ranking.findings, ...read]),
  }
}

/** Searches payloads, packs and skills; best first. */
export function searchKnowledge(machine: Machine, request: SearchRequest): SearchResult {
  const { query, limit = RANKED_LIMIT * 2, kinds = [] } = request
  if (!Number.isSafeInteger(limit) || limit < 1) throw failWith('USAGE/limit', { limit })
  const known: readonly string[] = [...ENTRY_KINDS, 'file']
  const unknown = kinds.find((kind) => !known.includes(kind))
  if (unknown !== undefined) {
    const close = nearest(unknown, known)
    const meant = close === undefined ? '' : `; did you mean ${close}?`
    throw failWith('USAGE/kind', { kind: unknown.slice(0, 80), meant, kinds: known.join(', ') })
  }
  const asked = kinds.length === 0 ? ENTRY_KINDS : ENTRY_KINDS.filter((kind) => kinds.includes(kind))
  const { sources, ask, findings } = openKnowledge(machine, request, asked)
  const hits = ask(query, limit).flatMap(({ id, kind, name, confidence, why }) => {
    const details = sources.find((source) => source.kind === kind)?.describe(name)
    // As it is shown: the last digits of a logarithm differ between versions of Node.
    const weights = why.map((each) => ({ ...each, weight: roundScore(each.weight) }))
    const shown = { confidence: roundScore(confidence), why: weights }
    return details === undefined ? [] : [{ kind, id, ...details, ...shown } as SearchHit]
  })
  machine.report(...findings())
  return { query, known: Object.fromEntries(sources.map(({ kind, names }) => [kind, names.length])), hits }
}
