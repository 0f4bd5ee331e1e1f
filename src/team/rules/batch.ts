import { parseInstant } from '../../text/instant.ts'
import { parseForeignJson } from '../../text/json.ts'
import { isRecord } from '../../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from '../../usage/rules/usage-event.ts'

/** Raise it when a server of the previous version could no longer read a batch: it needs rows in format 1. */
export const formatOf = (rows: readonly SentRow[]) => (rows.length === 0 ? 2 : 1)
/** The formats that this server accepts: a machine may be offline for months, and return with an old program. */
export const ACCEPTED_FORMATS: readonly number[] = [1, 2]

export const MOST_ROWS = 500
/** In bytes. `MOST_ROWS` rows of the longest texts are below it. */
export const LARGEST_BATCH = 512 * 1024

/**
 * `installed` reports once a day which version of a skill an agent has, and at each start of a session the tokens of its
 * line in the agent's list; the others come from the usage log.
 */
export const SENT_STAGES = ['installed', 'planned', 'delivered', 'used'] as const

export type SentStage = (typeof SENT_STAGES)[number]

/** Everything that a machine sends about its usage. Equal events of one hour are one row. */
export interface SentRow {
  kind: EntryKind
  id: string
  /** `cli`, `mcp`, or the agent. */
  agent: string
  stage: SentStage
  /** Digest of the installed version, if known. */
  version?: string
  /** Day and hour in UTC: `2026-11-17T10`. */
  hour: string
  /** Only when the project's `loadout.json` says so. */
  project?: string
  /** The sum over all `times`. */
  tokens: number
  times: number
}

export interface Batch {
  format: number
  team: string
  machine: string
  /** 1, 2, 3, … for each machine: the server takes each number once. */
  sequence: number
  /** A pseudonym. */
  person: string
  /** The version of the program. */
  client: string
  /** It completes the list of all installed skills, which began so many batches before it. */
  listed?: number
  rows: SentRow[]
}

const ID = /^[0-9a-f]{32}$/

/** The form of each text. A name cannot contain a path, a sentence or a line of code. */
export const SENT_TEXTS = {
  id: /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/,
  agent: /^[a-z0-9][a-z0-9_-]{0,31}$/,
  version: /^[0-9a-f]{7,64}$/,
  hour: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])$/,
  project: /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u,
} as const

/** The bytes of a batch, with its keys in a fixed order, so that a repeated batch has the same bytes. */
export function formatBatch({ format, team, machine, sequence, person, client, listed, rows }: Batch): string {
  return JSON.stringify({ format, team, machine, sequence, person, client, listed, rows: rows.map(formatRow) })
}

function formatRow({ kind, id, agent, stage, version, hour, project, tokens, times }: SentRow) {
  return { kind, id, agent, stage, version, hour, project, tokens, times }
}

/** The largest number of a machine's batch, as the database has room for. */
export const MOST_BATCHES = 2 ** 31 - 1

/** Reads a batch, or says what is wrong with it. Drops fields that this version does not know. */
export function parseBatch(text: string): { batch: Batch } | { problem: string; format?: number } {
  const { value: json, problem } = parseForeignJson(text)
  if (problem !== undefined || !isRecord(json)) return { problem: problem ?? 'it is not an object' }
  const { format, team, machine, sequence, person, client, listed, rows } = json
  if (typeof format !== 'number' || !Number.isInteger(format)) return { problem: '"format" is missing' }
  if (!ACCEPTED_FORMATS.includes(format)) return { problem: `format ${format} is not accepted`, format }
  if (!isText(team, ID)) return { problem: '"team" is not an id' }
  if (!isText(machine, ID)) return { problem: '"machine" is not an id' }
  if (!isWhole(sequence, 1, MOST_BATCHES)) return { problem: `"sequence" is not a number from 1 to ${MOST_BATCHES}` }
  if (!isText(person, ID)) return { problem: '"person" is not a pseudonym' }
  if (!isText(client, /^[\w.+-]{1,40}$/)) return { problem: '"client" is not a version' }
  if (listed !== undefined && !isWhole(listed, 0, sequence - 1))
    return { problem: '"listed" is not a number of batches' }
  if (!Array.isArray(rows) || (rows.length === 0 && listed === undefined)) return { problem: '"rows" is empty' }
  if (rows.length > MOST_ROWS) return { problem: `"rows" has more than ${MOST_ROWS} rows` }
  const parsed: SentRow[] = []
  for (const [at, row] of rows.entries()) {
    const read = parseRow(row)
    if (typeof read === 'string') return { problem: `rows[${at}]: ${read}` }
    parsed.push(read)
  }
  return { batch: { format, team, machine, sequence, person, client, listed, rows: parsed } }
}

function parseRow(row: unknown): SentRow | string {
  if (!isRecord(row)) return 'it is not an object'
  const { tokens, times, version, project } = row
  const kind = ENTRY_KINDS.find((each) => each === row.kind)
  const stage = SENT_STAGES.find((each) => each === row.stage)
  const { id, agent, hour } = row
  if (kind === undefined) return '"kind" is unknown'
  if (stage === undefined) return '"stage" is unknown'
  if (!isText(id, SENT_TEXTS.id)) return '"id" is not the name of an entry'
  if (!isText(agent, SENT_TEXTS.agent)) return '"agent" is not the name of an agent'
  if (!isText(hour, SENT_TEXTS.hour) || !isHour(hour)) return '"hour" is not an hour such as 2026-11-17T10'
  if (version !== undefined && !isText(version, SENT_TEXTS.version)) return '"version" is not a digest'
  if (project !== undefined && !isText(project, SENT_TEXTS.project)) return '"project" is not a name'
  if (!isWhole(tokens, 0, 1_000_000_000)) return '"tokens" is not a number'
  if (!isWhole(times, 1, 1_000_000)) return '"times" is not a number from 1'
  return {
    ...{ kind, id, agent, stage },
    version,
    hour,
    project,
    ...{ tokens, times },
  }
}

/** Not every month has 31 days. */
function isHour(hour: string): boolean {
  return parseInstant(`${hour}:00Z`) !== undefined
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

export function isWhole(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to
}

const HOUR = 3_600

/** A smaller difference may be the duration of the request. */
const TOLERATED_S = HOUR / 2

/**
 * How many hours to add to the rows of a machine with a wrong clock. Rows and request have the time of the same clock,
 * so its difference to the server's clock is the error.
 */
export function hoursOff(machineSeconds: number | undefined, serverSeconds: number): number {
  if (machineSeconds === undefined || !Number.isFinite(machineSeconds)) return 0
  const off = serverSeconds - machineSeconds
  return Math.abs(off) < TOLERATED_S ? 0 : Math.max(-MOST_HOURS, Math.min(MOST_HOURS, Math.round(off / HOUR)))
}

// A century.
const MOST_HOURS = 876_600
