import type { Machine } from '../machine/machine.ts'
import { requireParts } from '../machine/settings.ts'
import { type Finding, failWith, report, retell } from '../text/trouble.ts'
import { appendNote, type BadLine, type Pruning, pruneNotes, readNotes } from './disk/notes-file.ts'
import {
  isExpired,
  LONGEST_NOTE,
  LONGEST_TAG,
  latestRecords,
  MOST_TAGS,
  makeRecord,
  newestFirst,
  noteCandidates,
  parseTtl,
  type TacticalRecord,
} from './rules/advice/note-records.ts'
import { type Candidate, type Trail, toWarning } from './rules/bundle.ts'

export interface ProjectRequest {
  project?: string
}

export interface AddedNote {
  /** Inside the project. */
  path: string
  record: TacticalRecord
}

export async function addNote(
  machine: Machine,
  request: ProjectRequest & {
    text: string
    tags?: readonly string[]
    class?: string
    ttl?: string
  },
): Promise<AddedNote> {
  const { projectRoot, path, findings } = openNotes(machine, request)
  const { text, tags = [], class: kind = 'note', ttl = '7d' } = request
  const lifetime = parseTtl(ttl)
  if (lifetime === undefined) throw failWith('USAGE/note-ttl', { ttl })
  if (text.length > LONGEST_NOTE) throw failWith('USAGE/long-note', { length: text.length, most: LONGEST_NOTE })
  if (tags.length > MOST_TAGS) throw failWith('USAGE/note-tags', { tags: tags.length, most: MOST_TAGS })
  if ([...tags, kind].some((word) => word.length > LONGEST_TAG)) throw failWith('USAGE/note-tag', { most: LONGEST_TAG })
  const now = machine.now()
  const expiresAt = new Date(now.getTime() + lifetime)
  const content = { text, class: kind, tags }
  const record = makeRecord({ content, capturedAt: now, expiresAt, source: 'loadout note' })
  if (record.content.text === '') throw failWith('USAGE/empty-note')
  await appendNote(machine, projectRoot, path, record)
  machine.report(...findings)
  return { path, record }
}

export interface NoteList {
  path: string
  notes: (TacticalRecord & { isExpired: boolean })[]
  /** How many expired notes are not shown. */
  hidden: number
}

/** The notes, newest first; with `all` including expired ones. */
export function listNotes(machine: Machine, request: ProjectRequest & { all?: boolean }): NoteList {
  const { projectRoot, path, findings } = openNotes(machine, request)
  const { records, badLines, failure } = readNotes(projectRoot, path)
  if (failure !== undefined) throw retell(failure, { hint: 'loadout note prune' })
  const now = machine.now()
  const all = latestRecords(records)
    .latest.sort(newestFirst)
    .map((record) => ({ ...record, isExpired: isExpired(record, now) }))
  const notes = request.all ? all : all.filter((note) => !note.isExpired)
  findings.push(...badLineWarnings(badLines, path))
  machine.report(...findings)
  return { path, notes, hidden: all.length - notes.length }
}

export interface NotePruning extends Pruning {
  path: string
  isDryRun: boolean
}

export async function pruneProjectNotes(
  machine: Machine,
  request: ProjectRequest & { dryRun?: boolean },
): Promise<NotePruning> {
  const { projectRoot, path } = openNotes(machine, request)
  const isDryRun = request.dryRun ?? false
  const pruning = await pruneNotes(machine, projectRoot, path, machine.now(), isDryRun)
  return { ...pruning, path, isDryRun }
}

function openNotes(machine: Machine, { project }: ProjectRequest) {
  const { root: projectRoot, settings } = machine.openProject(project)
  requireParts(settings, 'tactical')
  const { tactical } = settings
  const path = tactical?.path ?? '.loadout/notes.jsonl'
  return { projectRoot, path, findings: tactical === undefined ? [report('LEFT_OUT/notes-unused', { path })] : [] }
}

/** The notes of a project for a task. `path` is inside the project. */
export function readTacticalSlice(root: string, path: string, task: string, now: Date, trail: Trail): Candidate[] {
  const { records, badLines, failure } = readNotes(root, path)
  const { candidates, omitted } = noteCandidates(records, task, now)
  trail.omitted.push(...omitted)
  if (failure === undefined) trail.adviceWarnings.push(...badLineWarnings(badLines, path).map(toWarning))
  else {
    const { code, message: reason } = failure
    trail.adviceWarnings.push(`notes: ${reason}`)
    trail.degraded.push({ source: 'tactical', code, reason })
  }
  return candidates
}

function badLineWarnings(badLines: readonly BadLine[], path: string): Finding[] {
  const [first] = badLines
  if (first === undefined) return []
  const more = badLines.length === 1 ? '' : `, and ${badLines.length - 1} more`
  return [report('FILE_UNREADABLE/notes-line', { path, ...first, more }, { subject: path })]
}
