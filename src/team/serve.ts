import type { Machine } from '../machine/machine.ts'
import { failWith } from '../text/trouble.ts'
import { readHeaders } from '../usage/rules/otlp.ts'
import {
  type Database,
  madeFor,
  migrateDown,
  migrateUp,
  openDatabase,
  readSchema,
  TROUBLE_TEXTS,
  troubleOf,
} from './disk/database.ts'
import { MIGRATIONS } from './disk/migrations.ts'
import { processLog, runInstance } from './disk/service.ts'
import { aboutError } from './disk/telemetry.ts'
import { addToken, createTeam, makeKey, readTeam, readVariable, reserveTokenFile } from './disk/tokens.ts'
import { startTryDatabase } from './disk/try-database.ts'
import { formatToken, keyPrint, parseRoles, parseToken, type Role } from './rules/access.ts'

export interface ServeRequest {
  /** `postgres://…` */
  database?: string
  /** Instead: a temporary PostgreSQL, removed afterwards. */
  isTry?: boolean
  port?: number
  listen?: string
  hosts?: readonly string[]
  keepDays?: number
  silentDays?: number
  otlp?: string
  /** The provider of OpenID Connect, and what its claims mean: `admin=platform,member=*`. */
  issuer?: string
  client?: string
  claim?: string
  roles?: string
  /** Called when a version is published, stopped or signed, or a token changes. */
  webhook?: string
  /** Where to write the first administrator's token. Default: `onFounded` gets it. */
  tokenFile?: string
  signal: AbortSignal
  /** `hosts`: the only accepted names. */
  onListening(url: string, hosts?: readonly string[]): void
  /** Receives the token of the first administrator, which is shown once. */
  onFounded(token: string): void
}

const USUAL_PORT = 8418
const FEWEST_DAYS = 32
const SILENT_DAYS = 30

/** Serves a team until the signal fires. */
export async function serveTeam(machine: Machine, request: ServeRequest): Promise<object> {
  const settings = withEnvironment(request, machine.env)
  const { port = USUAL_PORT, listen = '127.0.0.1', keepDays = 400, silentDays = SILENT_DAYS, otlp } = settings
  const hosts = settings.hosts?.map((name) => name.toLowerCase())
  const { isTry, signal } = request
  if (isTry && settings.database !== undefined) throw failWith('USAGE/try')
  if (listen !== '127.0.0.1' && hosts === undefined) throw failWith('USAGE/listen', { listen })
  const provider = providerOf(settings, machine.env)
  const webhook = webhookOf(settings.webhook, machine.env)
  if (keepDays < FEWEST_DAYS) throw failWith('USAGE/keep-days', { least: FEWEST_DAYS })
  const now = () => machine.now()
  const log = processLog(now)
  const tried = isTry ? await startTryDatabase() : undefined
  const database = openDatabase(tried?.url ?? requireAddress(settings.database), (error) =>
    log('database', aboutError(error)),
  )
  try {
    const fit = await orExplain(migrateUp(database, MIGRATIONS))
    log('database', { schema: (await readSchema(database)).version, fit })
    await ensureTeam(database, settings)
    const headers = readHeaders(machine.env.OTEL_EXPORTER_OTLP_HEADERS)
    await runInstance(database, MIGRATIONS, log, {
      ...{ port, listen, hosts, keepDays, silentDays, provider, webhook, signal, now },
      otlp: { endpoint: otlp, headers },
      onListening: (url) => request.onListening(url, hosts),
    })
  } finally {
    await database.end()
    await tried?.stop()
  }
  return {}
}

/** From the environment what no flag says. A secret belongs there or in a file: every user of the machine can see an argument. */
function withEnvironment(request: ServeRequest, env: Machine['env']): ServeRequest {
  const text = (name: string) => readVariable(env, `LOADOUT_TEAM_${name}`)
  const number = (name: string) => {
    const value = text(name)
    if (value === undefined || /^\d{1,9}$/.test(value)) return value === undefined ? undefined : Number(value)
    throw failWith('USAGE/environment', { name: `LOADOUT_TEAM_${name}`, value })
  }
  return {
    ...request,
    database: request.database ?? (request.isTry ? undefined : text('DATABASE')),
    port: request.port ?? number('PORT'),
    listen: request.listen ?? text('LISTEN'),
    hosts: request.hosts ?? text('HOST')?.split(','),
    keepDays: request.keepDays ?? number('KEEP_DAYS'),
    silentDays: request.silentDays ?? number('SILENT_DAYS'),
    otlp: request.otlp ?? text('OTLP'),
    issuer: request.issuer ?? text('OIDC_ISSUER'),
    client: request.client ?? text('OIDC_CLIENT'),
    claim: request.claim ?? text('OIDC_CLAIM'),
    roles: request.roles ?? text('OIDC_ROLES'),
    webhook: request.webhook ?? text('WEBHOOK'),
    tokenFile: request.tokenFile ?? text('TOKEN_FILE'),
  }
}

/** Undefined without a provider. Its secret is never an argument. */
function providerOf({ issuer, client, claim = 'groups', roles = '' }: ServeRequest, env: Machine['env']) {
  if (issuer === undefined) return undefined
  const given = parseRoles(roles)
  const isAddress = /^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(issuer) && URL.canParse(issuer)
  if (!isAddress || client === undefined || given === undefined) throw failWith('USAGE/provider')
  return { issuer, client, claim, roles: given, secret: readVariable(env, 'LOADOUT_TEAM_OIDC_SECRET') }
}

function webhookOf(url: string | undefined, env: Machine['env']) {
  if (url === undefined) return undefined
  const secret = readVariable(env, 'LOADOUT_TEAM_WEBHOOK_SECRET')
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '') || !secret) throw failWith('USAGE/webhook')
  return { url, secret }
}

function requireAddress(address: string | undefined): string {
  if (address) return address
  throw failWith('USAGE/no-database')
}

async function ensureTeam(database: Database, { tokenFile, onFounded }: ServeRequest): Promise<void> {
  if ((await orExplain(readTeam(database))) !== undefined) return
  const tell = tokenFile === undefined ? onFounded : reserveTokenFile(tokenFile)
  const key = makeKey()
  const founded = await orExplain(createTeam(database, key))
  if (founded !== undefined) tell(formatToken({ secret: founded.secret, key }))
}

/** Turns a problem of the database into an error with a hint. */
async function orExplain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble === undefined || !(error instanceof Error)) throw error
    // The message of a failed connection names host and port; pg never puts the password into it.
    const detail = error.message === '' && 'code' in error ? String(error.code) : error.message
    throw failWith(
      trouble === 'down' ? 'TEAM_DATABASE/down' : 'TEAM_DATABASE/broken',
      { problem: TROUBLE_TEXTS[trouble], detail },
      { cause: error },
    )
  }
}

export interface SchemaChange {
  before: number
  after: number
}

/** Migrates the schema up or down, without serving. */
export const migrateTeam = withDatabase(
  async (database, { to }: { database?: string; to?: number }): Promise<SchemaChange> => {
    const { version: before } = await readSchema(database)
    if (to !== undefined && to < before) await migrateDown(database, MIGRATIONS, to)
    else if (to !== undefined && to !== madeFor(MIGRATIONS)) {
      throw failWith('USAGE/schema', { to, before, newest: madeFor(MIGRATIONS) })
    } else await migrateUp(database, MIGRATIONS)
    return { before, after: (await readSchema(database)).version }
  },
)

/** Makes a token directly in the database, for an administrator who lost theirs. */
export const recoverToken = withDatabase(
  async (
    database,
    request: { database?: string; role: Role; group: string; key?: string },
  ): Promise<{ token: string }> => {
    const team = await readTeam(database)
    if (team === undefined) {
      throw failWith('TEAM_DATABASE/empty')
    }
    const key = (parseToken(request.key ?? '') ?? { key: request.key ?? '' }).key
    if (keyPrint(key) !== team.keyPrint) {
      throw failWith('TEAM_OTHER/key')
    }
    const secret = await addToken(database, { role: request.role, group: request.group, note: 'recovered', by: null })
    return { token: formatToken({ secret, key }) }
  },
)

/** A use case for the machine that can reach the team's database. */
function withDatabase<Request extends { database?: string }, T>(
  work: (database: Database, request: Request) => Promise<T>,
): (machine: Machine, request: Request) => Promise<T> {
  return async ({ env }, request) => {
    const address = requireAddress(request.database ?? readVariable(env, 'LOADOUT_TEAM_DATABASE'))
    const database = openDatabase(address, () => {})
    try {
      return await orExplain(work(database, request))
    } finally {
      await database.end()
    }
  }
}
