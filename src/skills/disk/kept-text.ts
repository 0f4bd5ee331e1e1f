import { basename, dirname } from 'node:path'
import { exists, isFolder } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { realOrSame } from '../../machine/open-project.ts'
import type { RecordFile } from '../../machine/records.ts'
import { failWith, retell } from '../../text/trouble.ts'
import { isRecord, isTextList, sha256 } from '../../text/values.ts'
import { type Locked, type TextKind, versionKey } from '../rules/lock.ts'
import { keepVersion, versionPlace } from './registry.ts'
import { copyFile, copyTree, listTree, treeProblem } from './tree.ts'

/** The cached version of a pack (a folder) or a rule (a file); with `from`, puts it there first. */
export function keptText(machine: Machine, kind: TextKind, row: Locked, from?: string): string {
  // A folder may be a skill and a pack, and is kept in another form as a skill.
  const key = sha256(`${kind} ${versionKey(row)}`)
  const place = versionPlace(machine, key, row.name)
  if (from === undefined || exists(place)) return place
  const problem = isFolder(from) ? treeProblem(listTree(from).files) : undefined
  if (problem !== undefined) {
    throw retell(problem, { message: `the ${kind} ${row.name} cannot be installed: ${problem.message}` })
  }
  keepVersion(machine, key, row.name, (stage) => copyText(from, stage))
  return place
}

/** Copies a folder or a file to a new path. */
export function copyText(from: string, to: string): void {
  if (isFolder(from)) copyTree(from, to)
  else copyFile(dirname(from), basename(from), to, false)
}

/** The digests of what Loadout has put at each path of a project. */
export type TextRecords = Record<string, readonly string[]>

const RECORD: RecordFile<Record<string, TextRecords>> = {
  place: 'project-texts.json',
  empty: {},
  parse(json, path) {
    const isOfProject = (each: unknown): each is TextRecords => isRecord(each) && Object.values(each).every(isTextList)
    const isWhole = (each: unknown): each is Record<string, TextRecords> =>
      isRecord(each) && Object.values(each).every(isOfProject)
    if (isWhole(json)) return json
    throw failWith('BAD_JSON/file', { path, problem: 'does not list digests by path' })
  },
  format: (value) => `${JSON.stringify(value, null, 1)}\n`,
  broken: (_problem, cause) => cause,
}

// More versions of one text are not in use at a time.
const MOST_DIGESTS = 8

export function knownTexts(machine: Machine, project: string): TextRecords {
  return machine.records.read(RECORD)[realOrSame(project)] ?? {}
}

export async function rememberTexts(machine: Machine, project: string, placed: TextRecords): Promise<void> {
  const root = realOrSame(project)
  const rows = Object.entries(placed).filter(([, digests]) => digests.length > 0)
  const next = Object.fromEntries(rows.map(([path, digests]) => [path, [...new Set(digests)].slice(-MOST_DIGESTS)]))
  if (JSON.stringify(next) === JSON.stringify(knownTexts(machine, project))) return
  await machine.records.change(RECORD, 'install', ({ [root]: _, ...others }) =>
    Object.keys(next).length === 0 ? others : { ...others, [root]: next },
  )
}
