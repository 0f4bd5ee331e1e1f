import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { failWith, LoadoutError, report, type Told, toldOf } from '../text/trouble.ts'
import { packageFolder } from './package-folder.ts'

/** For a whole request. A client that sends more slowly gets no answer. */
const SLOWEST_MS = 30_000
const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

export type HttpEnv = { Bindings: HttpBindings }
export type HttpApp = Hono<HttpEnv>

export interface HttpOptions {
  /** In bytes, for the path of a request. */
  largestBody?: (path: string) => number
  /** Receives errors that the client did not cause: bugs, and broken connections. */
  onError(error: unknown): void
}

export interface HttpPlace {
  /** 0 for any free port. */
  port: number
  hostname?: string
  /**
   * The accepted values of `Host`, in lower case, with their ports. Default: this machine's loopback names with the
   * port of the connection, so that a foreign name that resolves to this machine is refused.
   */
  hosts?: readonly string[]
  /** Paths for programs that watch the server, which call it by its address. They show no content. */
  watched?: readonly string[]
}

/** A refused request, with the status of the answer. */
export class HttpRefusal extends LoadoutError {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 503

  constructor(status: HttpRefusal['status'], trouble: Told) {
    super(trouble.code, trouble.message, { hint: trouble.hint })
    this.status = status
  }
}

/**
 * The base of every HTTP server of Loadout: limits bodies, returns every error as JSON in the form of `--json`, and
 * forbids caches. The routes authorize: `requireBearer`.
 */
export function createHttpApp({ largestBody = () => 1024 * 1024, onError }: HttpOptions): HttpApp {
  const app = new Hono<HttpEnv>()
  app.onError((error, context) => answerError(error, context, onError))
  app.notFound(({ req }) => {
    throw new HttpRefusal(404, report('NOT_SERVED/path', { path: req.path }))
  })
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value)
    await next()
  })
  return app.use(checkBody, (context, next) => {
    const maxSize = largestBody(context.req.path)
    return bodyLimit({
      maxSize,
      onError: () => {
        throw new HttpRefusal(413, report('FILE_TOO_LARGE/request', { most: maxSize }))
      },
    })(context, next)
  })
}

/** Serves until the signal fires; checks host and origin first. Rejects when the port is not available. */
export async function serveHttp(
  app: HttpApp,
  { port, hostname = '127.0.0.1', hosts, watched = [] }: HttpPlace,
  signal: AbortSignal,
  onListening: (address: { url: string; port: number }) => void,
): Promise<void> {
  const unreadable = new HttpRefusal(400, report('USAGE/request'))
  const errorHandler = () =>
    Response.json({ error: toldOf(unreadable) }, { status: unreadable.status, headers: HEADERS })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler })
  const server = createServer({ requestTimeout: SLOWEST_MS }, (incoming, outgoing) => {
    const { url = '', headers, socket } = incoming
    const refusal = watched.includes(url)
      ? undefined
      : refuseOrigin(headers, hosts ?? LOOPBACK.map((name) => `${name}:${socket.localPort}`), hosts === undefined)
    if (refusal === undefined) void answer(incoming, outgoing)
    else
      outgoing
        .writeHead(refusal.status, { ...HEADERS, 'Content-Type': 'application/json', Connection: 'close' })
        .end(JSON.stringify({ error: toldOf(refusal) }))
  })
  await new Promise<void>((listening, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => listening())
  }).catch((error) => explainPort(error, port))
  const { port: taken } = server.address() as AddressInfo
  onListening({ url: `http://${hostname}:${taken}`, port: taken })
  await new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  })
  server.close()
  server.closeAllConnections()
}

/** Accepts requests with a known token, as `Authorization: Bearer …`. */
export function requireBearer(
  isKnown: (token: string, context: Context<HttpEnv>) => boolean | Promise<boolean>,
  hint: string,
): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const given = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
    if (given === undefined || !(await isKnown(given, context))) {
      context.header('WWW-Authenticate', 'Bearer')
      throw new HttpRefusal(401, report('NOT_SERVED/bearer', { hint }))
    }
    await next()
  }
}

/** Takes constant time, however much of the token is right. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Why a request is refused unless a program or a page of this server sent it: a browser on a foreign page sends that
 * page's origin, and a foreign name that resolves to this machine is another host.
 */
export function refuseOrigin(
  { host = '', origin }: { host?: string; origin?: string },
  hosts: readonly string[],
  isLoopback = true,
): HttpRefusal | undefined {
  if (!hosts.includes(host.toLowerCase())) return new HttpRefusal(403, report('NOT_SERVED/host'))
  const schemes = isLoopback ? ['http'] : ['http', 'https']
  const origins = hosts.flatMap((name) => schemes.map((scheme) => `${scheme}://${name}`))
  if (origin === undefined || origins.includes(origin.toLowerCase())) return undefined
  return new HttpRefusal(403, report('NOT_SERVED/other-page'))
}

const BODILESS = ['GET', 'HEAD', 'OPTIONS']
const REFUSED = ['TRACE', 'TRACK', 'CONNECT']

const checkBody: MiddlewareHandler<HttpEnv> = async ({ env: { incoming } }, next) => {
  const { method = 'GET', headers } = incoming
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (REFUSED.includes(method) || (hasBody && BODILESS.includes(method))) {
    throw new HttpRefusal(400, report('USAGE/request'))
  }
  await next()
}

function answerError(error: Error, context: Context<HttpEnv>, onError: (error: unknown) => void): Response {
  const status = statusOf(error)
  if (status === 500) onError(error)
  // The rest of the request is not received.
  if (status === 413) context.header('Connection', 'close')
  const told = error instanceof LoadoutError ? error : report('UNEXPECTED/request', { detail: error.message })
  return context.json({ error: toldOf(told) }, status)
}

/** 409: a person must decide first. 422: the request cannot be fulfilled. */
function statusOf(error: Error) {
  if (error instanceof HttpRefusal) return error.status
  if (!(error instanceof LoadoutError)) return 500
  if (error.code === 'USAGE') return 400
  if (error.code === 'APPROVAL_NEEDED' || error.code === 'CONFIRMATION_NEEDED') return 409
  return error.code.endsWith('_NOT_FOUND') ? 404 : 422
}

function explainPort(error: NodeJS.ErrnoException, port: number): never {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES' && error.code !== 'ERR_SOCKET_BAD_PORT') throw error
  const why = error.code === 'EADDRINUSE' ? 'is already in use' : 'cannot be used'
  throw failWith('USAGE/port-taken', { port, why }, { cause: error })
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A page may only load its own files and call its own server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * A page without data: one document for all screens, and its files, whose names change with their content. Serves only
 * names that the build wrote, and never joins a requested path. Before the routes: its headers are for all of them.
 */
export function servePage(app: HttpApp, document: 'index' | 'team'): void {
  // Beside the built program; for the sources in the folder of the build.
  const beside = join(import.meta.dirname, 'web')
  const folder = existsSync(beside) ? beside : join(packageFolder(), 'dist/web')
  const names = new Set(readdirSync(join(folder, 'assets')))
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) context.header(name, value)
    await next()
  })
  app.get('/assets/:name', (context) => {
    const name = context.req.param('name')
    const type = TYPES[extname(name)]
    if (!names.has(name) || type === undefined) throw new HttpRefusal(404, report('NOT_SERVED/file'))
    context.header('Cache-Control', 'private, max-age=31536000, immutable')
    return context.body(readFileSync(join(folder, 'assets', name)), 200, { 'Content-Type': type })
  })
  const path = document === 'index' ? '/:screen{[a-z-]+}?' : '/'
  app.get(path, (context) => context.html(readFileSync(join(folder, `${document}.html`), 'utf8')))
}
