import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { SENT_STAGES } from '../../src/team/rules/batch.ts'
import { pause, random } from '../team/chance.ts'

const ENTRIES = 400
const PARTS = 5
const TOKENS = 100

const logOf = (home: string) => join(home, '.local/state/loadout/usage.jsonl')

/**
 * Writes events while the machine sends, as agents do. They are spread over 50 days, so that nearly every event is a
 * separate row.
 */
export async function writeLog(home: string, events: number): Promise<void> {
  mkdirSync(dirname(logOf(home)), { recursive: true })
  const perPart = Math.ceil(events / PARTS)
  for (let done = 0; done < events; done += perPart) {
    const lines = Array.from({ length: Math.min(perPart, events - done) }, randomLine)
    appendFileSync(logOf(home), `${lines.join('\n')}\n`)
    await pause(random(50, 400))
  }
}

function randomLine(): string {
  const timestamp = new Date(Date.now() - random(0, 50 * 24) * 3_600_000).toISOString()
  const via = ['claude', 'codex', 'mcp'][random(0, 3)]
  const stage = ['planned', 'delivered', 'used'][random(0, 3)]
  const entry = { entryId: `entry-${random(0, ENTRIES)}`, kind: 'skill', via, stage }
  return JSON.stringify({ timestamp, taskHash: 'x', trigger: 't', mode: 'lazy', tokensEst: TOKENS, ...entry })
}

/** A digest of how often a machine's log has each entry, agent, stage and hour. */
function digestLog(home: string): string {
  const times = new Map<string, number>()
  for (const line of readFileSync(logOf(home), 'utf8').split('\n')) {
    if (line === '') continue
    const { timestamp, entryId, via, stage } = JSON.parse(line)
    const key = `${timestamp.slice(0, 13)} skill:${entryId} ${via} ${SENT_STAGES.indexOf(stage)}`
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  const lines = [...times].map(([key, count]) => `${key} ${count} ${count * TOKENS}`).sort()
  return createHash('md5').update(lines.join('\n')).digest('hex')
}

/** The same digest of what the database counted, by the identity of each machine. */
async function digestDatabase(database: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await database.query<{ name: string; digest: string }>(`
    WITH counted AS (
      SELECT machine, concat_ws(' ', to_char(hour, 'YYYY-MM-DD"T"HH24'), entry.text, agent.text, stage, sum(times), sum(tokens)) AS line
      FROM event JOIN label entry ON entry.id = entry JOIN label agent ON agent.id = agent
      GROUP BY machine, hour, entry.text, agent.text, stage
    )
    SELECT name, md5(string_agg(line, E'\\n' ORDER BY line COLLATE "C")) AS digest
    FROM counted JOIN machine ON machine.id = machine GROUP BY 1`)
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

/** The machines whose logs differ from the database. */
export async function differing(database: pg.Pool, homes: readonly string[]): Promise<string[]> {
  const stored = await digestDatabase(database)
  return homes.filter((home) => {
    const { machine } = JSON.parse(readFileSync(join(home, '.local/state/loadout/team/outbox.json'), 'utf8'))
    return stored.get(machine) !== digestLog(home)
  })
}
