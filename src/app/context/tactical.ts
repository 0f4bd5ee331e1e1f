import type { OptionalSlice } from '../../domain/context/advice/optional-slice.ts'
import { noteCandidates } from '../../domain/context/advice/tactical-slice.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { type BadLine, readNotes } from '../../infra/context/notes-file.ts'

export interface TacticalRequest {
  projectRoot: string
  /** Inside the project. */
  path: string
  task: string
  now: Date
}

/** What the notes of a project have to offer to a task. */
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
  const message = `${path}: line ${first.line} is no note (${first.problem})${more}`
  return [{ severity: 'warning', code: 'NOTES_JUNK_LINES', message, subject: path, hint: 'loadout note prune' }]
}
