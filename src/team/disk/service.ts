import { setTimeout as sleep } from 'node:timers/promises'
import { createHttpApp, type HttpApp, HttpRefusal, serveHttp, servePage } from '../../machine/http.ts'
import { failWith, LoadoutError, retell } from '../../text/trouble.ts'
import { getDeep } from '../../text/values.ts'
import { VERSION } from '../../text/version.ts'
import { leastRole, mayUse, type Right } from '../rules/access.ts'
import { LARGEST_BATCH } from '../rules/batch.ts'
import { expiryOf, parseSnapshot } from '../rules/catalog.ts'
import { prometheusText } from '../rules/prometheus.ts'
import { CATALOG_PATH, CATALOG_ROUTES, LARGEST_CATALOG } from './catalog-routes.ts'
import { countInbox, publishWeek, removeOld } from './count.ts'
import { type Database, type Migration, madeFor, readSchema, requireFit, TROUBLE_TEXTS, troubleOf } from './database.ts'
import { PROPOSAL_ROUTES } from './proposal-routes.ts'
import { type Backend, type Route, USAGE_ROUTES } from './routes.ts'
import { addSignIn, type Provider } from './sign-in.ts'
import { aboutError, createLog, type Gauge, type Log, Telemetry } from './telemetry.ts'
import { type Caller, findCaller } from './tokens.ts'
import { callWebhook, type Webhook } from './webhook.ts'

const WATCHED = ['/live', '/ready', '/metrics']

/** Every route that needs a token. */
export const ROUTES: readonly Route[] = [...USAGE_ROUTES, ...CATALOG_ROUTES, ...PROPOSAL_ROUTES]

interface Service extends Omit<Backend, 'onBatch'> {
  log: Log
  telemetry: Telemetry
}

interface InstanceOptions {
  port: number
  /** The address to listen on. */
  listen: string
  /** The host names of requests that it accepts. */
  hosts: readonly string[] | undefined
  keepDays: number
  /** A machine that sends nothing for so long is silent. */
  silentDays: number
  /** Who knows the people of the team. */
  provider: Provider | undefined
  /** What it calls when something happens. */
  webhook: Webhook | undefined
  /** Where to send its own traces and metrics. */
  otlp: { endpoint: string | undefined; headers: Record<string, string> }
  signal: AbortSignal
  now(): Date
  onListening(url: string): void
}

/** Runs one instance of the team's server until the signal fires. Finishes running requests first. */
export async function runInstance(
  database: Database,
  migrations: readonly Migration[],
  log: Log,
  options: InstanceOptions,
): Promise<void> {
  const { port, listen, hosts, keepDays, silentDays, otlp, provider, webhook, signal, now, onListening } = options
  const telemetry = new Telemetry({ ...otlp, version: VERSION, log })
  const activeSince = () => new Date(now().getTime() - silentDays * 86_400_000)
  const service: Service = { database, migrations, now, activeSince, log, telemetry }
  const upkeep = startUpkeep(service, keepDays)
  const calling = callUntil(signal, service, webhook)
  try {
    const app = createService(service, provider, upkeep.wake)
    await serveHttp(app, { port, hostname: listen, hosts, watched: WATCHED }, signal, ({ url }) => {
      log('listening', { url })
      onListening(url)
    })
  } finally {
    await Promise.all([upkeep.stop(), calling])
    await telemetry.close()
    log('stopped')
  }
}

/** Writes to standard error: standard output is for results. */
export function processLog(now: () => Date): Log {
  return createLog((line) => process.stderr.write(line), now)
}

/** The team's server as an app: from a request to a reply, without a port. */
function createService(service: Service, provider: Provider | undefined, onBatch: () => void): HttpApp {
  const { log, telemetry } = service
  const app = createHttpApp({
    largestBody: (path) => (path === CATALOG_PATH ? LARGEST_CATALOG : LARGEST_BATCH),
    onError: (error) => log('error', aboutError(error)),
  })
  const backend: Backend = {
    ...service,
    onBatch: (events, result) => {
      telemetry.count('loadout.team.batches', 1, { result })
      if (result !== 'accepted') return
      telemetry.count('loadout.team.events', events)
      onBatch()
    },
  }
  servePage(app, 'team')
  addSignIn(app, backend, provider, log)
  for (const path of ['/live', '/health']) app.get(path, (context) => context.json({ status: 'ok' }))
  app.get('/metrics', async (context) =>
    context.text(prometheusText(telemetry.metrics(await readGauges(service))), 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    }),
  )
  app.get('/ready', async (context) => {
    await orRefuse(checkReady(service))
    return context.json({ status: 'ready', schema: madeFor(service.migrations) })
  })
  for (const { method, path, right, answer } of ROUTES) {
    app.on(method, path, async (context) => {
      const startMs = Date.now()
      const { req } = context
      const noted = { method, route: path, startMs, parent: req.header('traceparent') }
      let caller: Caller | undefined
      let status = 500
      let code: unknown
      try {
        caller = await orRefuse(requireCaller(service, req.header('authorization'), right))
        const read = { header: (name: string) => req.header(name), readBody: () => req.text() }
        const call = { backend, caller, params: req.param(), query: req.query(), ...read }
        const { json, status: given = 200 } = await orRefuse(answer(call))
        status = given
        code = getDeep(json, 'error', 'code')
        return context.json(json, given)
      } catch (error) {
        status = error instanceof HttpRefusal ? error.status : error instanceof LoadoutError ? 422 : 500
        code = error instanceof LoadoutError ? error.code : undefined
        if (status === 401) context.header('WWW-Authenticate', 'Bearer')
        if (status === 503) context.header('Retry-After', '30')
        throw error
      } finally {
        telemetry.noteRequest({ ...noted, status })
        const state = typeof code === 'string' ? code : undefined
        log('request', { method, route: path, status, code: state, ms: Date.now() - startMs, token: caller?.id })
      }
    })
  }
  return app
}

/** Throws unless the database is reachable, writable, and of a schema that this program knows. */
async function checkReady({ database, migrations }: Pick<Backend, 'database' | 'migrations'>): Promise<void> {
  const fit = requireFit(await readSchema(database), madeFor(migrations))
  if (fit === 'behind') throw failWith('TEAM_DATABASE/schema')
  const { rows } = await database.query<{ isReadOnly: boolean }>(
    `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
  )
  if (rows[0]?.isReadOnly) throw Object.assign(new Error('read-only'), { code: '25006' })
}

/** What an alert needs to know. A database that does not answer is a figure too. */
async function readGauges({ database, activeSince, now }: Service): Promise<Gauge[]> {
  const gauge = (name: string, description: string, value: number): Gauge => ({
    ...{ name: `loadout.team.${name}`, description, value },
  })
  try {
    const { rows } = await database.query<{ waiting: number; active: number; silent: number; text: string | null }>(
      `SELECT (SELECT count(*)::int FROM inbox) AS waiting,
         (SELECT count(*)::int FROM machine WHERE left_at IS NULL AND seen >= $1) AS active,
         (SELECT count(*)::int FROM machine WHERE left_at IS NULL AND seen < $1) AS silent,
         (SELECT text FROM catalog_snapshot) AS text`,
      [activeSince()],
    )
    const { waiting = 0, active = 0, silent = 0, text } = rows[0] ?? {}
    const catalog = text ? parseSnapshot(text) : undefined
    return [
      gauge('database.up', 'Whether the database answers.', 1),
      gauge('batches.waiting', 'Batches that are accepted and not counted yet.', waiting),
      gauge('machines.active', 'Machines that send.', active),
      gauge('machines.silent', 'Machines that have not sent for a long time.', silent),
      ...(catalog
        ? [
            gauge(
              'catalog.expires.seconds',
              'Time until the signed catalog expires.',
              Math.round((Date.parse(expiryOf(catalog)) - now().getTime()) / 1000),
            ),
          ]
        : []),
    ]
  } catch (error) {
    if (troubleOf(error) === undefined) throw error
    return [gauge('database.up', 'Whether the database answers.', 0)]
  }
}

async function requireCaller(
  { database, migrations }: Pick<Service, 'database' | 'migrations'>,
  authorization: string | undefined,
  right: Right,
): Promise<Caller> {
  const secret = /^bearer +([A-Za-z0-9_-]{32})$/i.exec(authorization ?? '')?.[1]
  const caller = secret === undefined ? undefined : await findCaller(database, secret)
  if (caller === undefined) {
    throw new HttpRefusal(401, failWith('TEAM_TOKEN_REFUSED/token'))
  }
  requireFit({ version: caller.oldest, oldest: caller.oldest }, madeFor(migrations))
  if (mayUse(caller.role, right)) return caller
  throw new HttpRefusal(403, failWith('TEAM_ROLE/right', { least: leastRole(right), role: caller.role }))
}

/** A temporary database problem gets its own error; the client then tries again later. */
async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof HttpRefusal) throw error
    if (error instanceof LoadoutError && error.code === 'TEAM_DATABASE') {
      throw new HttpRefusal(503, retell(error, { hint: undefined }))
    }
    const trouble = troubleOf(error)
    if (trouble === undefined) throw error
    throw new HttpRefusal(503, failWith('TEAM_DATABASE/later', { problem: TROUBLE_TEXTS[trouble] }))
  }
}

/** Apart from counting: an address that hangs must not hold up anything else. */
async function callUntil(signal: AbortSignal, { database, log }: Service, webhook: Webhook | undefined): Promise<void> {
  while (webhook !== undefined && !signal.aborted) {
    const hasCalled = await callWebhook(database, webhook, log).catch((error) => {
      log('webhook', { ...aboutError(error), database: troubleOf(error) })
      return false
    })
    if (!hasCalled) await sleep(COUNT_MS, undefined, { signal }).catch(() => {})
  }
}

const COUNT_MS = 2_000

/**
 * Counts new batches, publishes weeks that are over and removes old data, until it is stopped. Every instance tries; a lock in the database admits one
 * at a time.
 */
function startUpkeep(service: Service, keepDays: number): { wake(): void; stop(): Promise<void> } {
  const { database, migrations, now, log } = service
  let isStopped = false
  let wake = () => {}
  let nextUpkeep = 0
  const work = async () => {
    while (!isStopped) {
      try {
        while (!isStopped && (await countInbox(database, madeFor(migrations))) > 0);
        while (!isStopped && (await publishWeek(database, madeFor(migrations), now(), false)));
        if (Date.now() >= nextUpkeep) {
          const removed = await removeOld(database, keepDays)
          if (removed.length > 0) log('removed', { partitions: removed.join(' ') })
          nextUpkeep = Date.now() + 3_600_000
        }
      } catch (error) {
        log('not counted', { ...aboutError(error), database: troubleOf(error) })
      }
      if (isStopped) return
      await new Promise<void>((go) => {
        const timer = setTimeout(go, COUNT_MS)
        wake = () => {
          clearTimeout(timer)
          // More batches may follow at once: count them together.
          setTimeout(go, 50)
        }
      })
    }
  }
  const working = work()
  return {
    wake: () => wake(),
    stop: () => {
      isStopped = true
      wake()
      return working
    },
  }
}
