import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { attempt, compareText, isRecord, sha256 } from '../text/values.ts'
import { readJson, readText, removeFile } from './files.ts'
import { namesIn, removeOrphans } from './leftovers.ts'
import type { Machine } from './machine.ts'
import { programVersion } from './package-folder.ts'
import { PRIVATE_FILE, type Records } from './records.ts'
import { asRecord, badConfig } from './rules/settings-shape.ts'

/** What Loadout delivered, complete enough to give it again or to say what has changed. Contains none of its text. */
export interface AuditRecord {
  kind: 'bundle' | 'packs'
  question: { task: string }
  /** What was delivered, in order: digests of it and of what it was read from. */
  parts: readonly object[]
  /** Of all that was delivered, if it has one: the id of the record begins it. Otherwise the content gives the id. */
  digest?: string
}

const FOLDER = 'audit'
const FORMAT = 2

/** Earlier versions wrote other formats into these. */
const EARLIER = ['context', 'packs/audit', 'packs/records']

const ID_LENGTH = 16

/**
 * Records a delivery, then notes its id elsewhere. A failure is a finding and does not stop the delivery. Not flushed:
 * there is one for every answer, and a record torn by a power cut does not match its sum. The folder has many files, so
 * only the first write of a process removes the leftovers of killed writers.
 */
export function writeAudit(
  machine: Machine,
  audit: AuditRecord,
  note?: (id: string) => void,
): { id: string | undefined; findings: Finding[] } {
  if (machine.persist === false) return { id: undefined, findings: [] }
  try {
    const record = { ...audit, version: programVersion() }
    const sum = sha256(JSON.stringify(record))
    const id = idOf(record, sum)
    const text = `${JSON.stringify({ format: FORMAT, sum, record })}\n`
    if (!isWritten(pathOf(machine.records, id), text)) machine.records.write(`${FOLDER}/${id}.json`, text, false)
    const folder = machine.records.path(FOLDER)
    if (!swept.has(folder)) removeOrphans(folder)
    swept.add(folder)
    note?.(id)
    return { id, findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { message: problem, hint } = error
    return { id: undefined, findings: [report('NOT_RECORDED/context', { problem, hint })] }
  }
}

const swept = new Set<string>()

/** Whether the same record already exists. */
function isWritten(path: string, text: string): boolean {
  return attempt(
    () =>
      (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o777) % 0o1000 === PRIVATE_FILE && readText(path) === text,
    false,
  )
}

function idOf({ digest }: { digest?: string }, sum: string): string {
  return (digest ?? sum).slice(0, ID_LENGTH)
}

/**
 * The record with this id, or with an unambiguous beginning of it. Throws for one that another version wrote, and for
 * one that does not match its sum: so what remains has the shape of its kind.
 */
export function readAudit<T extends AuditRecord>(machine: Machine, typed: string): { id: string; record: T } {
  const id = findId(machine.records, typed)
  const path = pathOf(machine.records, id)
  const json = readJson(path)
  if (!isRecord(json) || typeof json.format !== 'number') throw failWith('CONTEXT_CHANGED/record-changed', { path })
  if (json.format !== FORMAT) throw failWith('CONTEXT_CHANGED/record-version', { path })
  const { record, sum } = json
  if (!isRecord(record) || sha256(JSON.stringify(record)) !== sum || idOf(record, sum) !== id)
    throw failWith('CONTEXT_CHANGED/record-changed', { path })
  return { id, record: record as unknown as T }
}

function findId(records: Records, typed: string): string {
  const start = typed.toLowerCase().slice(0, ID_LENGTH)
  const startingIn = (folder: string) =>
    start === '' ? [] : idsIn(records, folder).filter((id) => id.startsWith(start))
  const found = startingIn(FOLDER)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  if (only !== undefined) {
    const more = found.length > MOST_LISTED ? [`${found.length - MOST_LISTED} more`] : []
    throw failWith('ENTRY_NOT_FOUND/record-start', {
      typed,
      found: found.length,
      what: [...found.slice(0, MOST_LISTED), ...more].join(', '),
    })
  }
  for (const folder of EARLIER) {
    const [old] = startingIn(folder)
    if (old !== undefined)
      throw failWith('CONTEXT_CHANGED/record-version', { path: records.path(`${folder}/${old}.json`) })
  }
  throw failWith('ENTRY_NOT_FOUND/audit-not-found', { typed })
}

const MOST_LISTED = 8

/** The most recently written records of a kind, the newest first. Skips other files. */
export function newestAudits<T extends AuditRecord>(
  machine: Machine,
  kind: T['kind'],
  most: number,
): { id: string; at: Date; record: T }[] {
  const written = idsIn(machine.records, FOLDER).flatMap((id) => {
    const stat = statSync(pathOf(machine.records, id), { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ id, at: stat.mtime }]
  })
  const newest: { id: string; at: Date; record: T }[] = []
  for (const { id, at } of written.sort((a, b) => b.at.getTime() - a.at.getTime() || compareText(a.id, b.id))) {
    if (newest.length >= most) break
    try {
      const { record } = readAudit<T>(machine, id)
      if (record.kind === kind) newest.push({ id, at, record })
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
    }
  }
  return newest
}

export interface PruneRequest {
  /** Default: `audit.keep_days` of `config.json`, or 90. */
  days?: number
  isDry?: boolean
}

/** The removed records: their number and total size. */
export interface PrunedAudits {
  removed: number
  bytes: number
  kept: number
  days: number
  isDry: boolean
}
const DAY = 24 * 60 * 60 * 1000

/** Removes the records that were not delivered again for a number of days, those of earlier versions too. */
export function pruneAudits(machine: Machine, { days: asked, isDry = false }: PruneRequest): PrunedAudits {
  if (asked !== undefined && !isDays(asked)) {
    throw failWith('USAGE/days', { asked })
  }
  const days = asked ?? keptDays(machine)
  const before = machine.now().getTime() - days * DAY
  const pruned: PrunedAudits = { removed: 0, bytes: 0, kept: 0, days, isDry }
  for (const folder of [FOLDER, ...EARLIER].map((place) => machine.records.path(place))) {
    for (const name of namesIn(folder).filter((each) => each.endsWith('.json'))) {
      const path = join(folder, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat === undefined || !stat.isFile()) continue
      if (stat.mtimeMs >= before) {
        pruned.kept++
        continue
      }
      if (!isDry) removeFile(path)
      pruned.removed++
      pruned.bytes += stat.size
    }
  }
  return pruned
}

function keptDays(machine: Machine): number {
  const path = machine.config.path
  const audit = asRecord(machine.config.read().audit ?? {}, path, '"audit"')
  const days = audit.keep_days ?? 90
  if (typeof days === 'number' && isDays(days)) return days
  throw badConfig(path, '"audit.keep_days" must be a whole number of days')
}

function isDays(days: number): boolean {
  return Number.isSafeInteger(days) && days >= 0
}

function idsIn(records: Records, folder: string): string[] {
  const names = namesIn(records.path(folder))
  return names.flatMap((name) => /^([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []).sort(compareText)
}

function pathOf(records: Records, id: string): string {
  return records.path(`${FOLDER}/${id}.json`)
}
