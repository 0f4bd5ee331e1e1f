import { serveHttp } from '../../machine/http.ts'
import { VERSION } from '../../text/version.ts'
import type { Database } from './database.ts'
import type { Migration } from './migrate.ts'
import { createService, type Service, startUpkeep } from './service.ts'
import { createLog, type Log, Telemetry } from './telemetry.ts'

export interface InstanceOptions {
  port: number
  /** The address to listen on. */
  listen: string
  /** The names under which it is called from outside. */
  hosts: readonly string[] | undefined
  keepDays: number
  /** Where its own traces and metrics go. */
  otlp: { endpoint: string | undefined; headers: Record<string, string> }
  signal: AbortSignal
  now(): Date
  onListening(url: string): void
}

/** One instance of the team's server, until the signal fires. What it was doing is finished first. */
export async function runInstance(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
  options: InstanceOptions,
): Promise<void> {
  const { port, listen, hosts, keepDays, otlp, signal, now, onListening } = options
  const telemetry = new Telemetry({ ...otlp, version: VERSION, log })
  const service: Service = { database, migrations, now, log, telemetry }
  const upkeep = startUpkeep(service, keepDays)
  try {
    const app = createService(service, upkeep.wake)
    await serveHttp(app, { port, hostname: listen, hosts }, signal, ({ url }) => {
      log('listening', { url })
      onListening(url)
    })
  } finally {
    await upkeep.stop()
    await telemetry.close()
    log('stopped')
  }
}

/** Standard error: standard output is for what a person asked for. */
export function processLog(now: () => Date): Log {
  return createLog((line) => process.stderr.write(line), now)
}
