import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { requireParts } from '../machine/settings.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
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
import type { OptionalSlice } from './rules/bundle.ts'

const DEFAULT_PATH = '.loadout/notes.jsonl'
const DEFAULT_TTL = '7d'
const DEFAULT_CLASS = 'note'

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
  const { text, tags = [], class: kind = DEFAULT_CLASS, ttl = DEFAULT_TTL } = request
  const lifetime = parseTtl(ttl)
  if (lifetime === undefined) throw badNote(`--ttl ${ttl} is not a duration`, 'use 90m, 12h, 7d or 2w, at most a year')
  if (text.length > LONGEST_NOTE) {
    throw badNote(`the note has ${text.length} characters, more than ${LONGEST_NOTE}`, 'shorten it')
  }
  if (tags.length > MOST_TAGS) throw badNote(`${tags.length} tags are too many`, `give at most ${MOST_TAGS}`)
  if ([...tags, kind].some((word) => word.length > LONGEST_TAG)) {
    throw badNote('a tag or the class is too long', `use at most ${LONGEST_TAG} characters`)
  }
  const now = machine.now()
  const expiresAt = new Date(now.getTime() + lifetime)
  const record = makeRecord({
    content: { text, class: kind, tags },
    capturedAt: now,
    expiresAt,
    source: 'loadout note',
  })
  if (record.content.text === '') throw badNote('the note is empty', 'loadout note add "<text>"')
  await appendNote(machine, projectRoot, path, record)
  machine.report(...findings)
  return { path, record }
}

function badNote(message: string, hint: string): LoadoutError {
  return new LoadoutError('BAD_NOTE', message, { hint })
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
  if (failure !== undefined) throw new LoadoutError(failure.code, failure.message, { hint: 'loadout note prune' })
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
  const { root: projectRoot, settings } = openProject(machine, project)
  requireParts(settings, 'tactical')
  const { tactical } = settings
  const path = tactical?.path ?? DEFAULT_PATH
  const findings: Finding[] = tactical === undefined ? [unused(path)] : []
  return { projectRoot, path, findings }
}

function unused(path: string): Finding {
  return report('NOTES_UNUSED/unused', { path })
}

export interface TacticalRequest {
  projectRoot: string
  /** Inside the project. */
  path: string
  task: string
  now: Date
}

/** The notes of a project for a task. */
export function readTacticalSlice({ projectRoot, path, task, now }: TacticalRequest): OptionalSlice {
  const { records, badLines, failure } = readNotes(projectRoot, path)
  const { candidates, omitted } = noteCandidates(records, task, now)
  if (failure === undefined) return { candidates, omitted, warnings: badLineWarnings(badLines, path), degraded: [] }
  const warning: Finding = {
    severity: 'warning',
    code: failure.code,
    message: `notes: ${failure.message}`,
    subject: path,
  }
  const degraded = [{ source: 'tactical', code: failure.code, reason: failure.message }]
  return { candidates, omitted, warnings: [warning], degraded }
}

export function badLineWarnings(badLines: readonly BadLine[], path: string): Finding[] {
  const [first] = badLines
  if (first === undefined) return []
  const more = badLines.length === 1 ? '' : `, and ${badLines.length - 1} more`
  return [report('NOTES_UNREADABLE/line', { path, line: first.line, problem: first.problem, more }, { subject: path })]
}
