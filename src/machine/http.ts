import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { type Code, LoadoutError } from '../text/trouble.ts'

const LARGEST_BODY = 1024 * 1024
/** For a whole request. A client that sends it slower than this gets no answer. */
const SLOWEST_MS = 30_000
const HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

export type HttpEnv = { Bindings: HttpBindings }
export type HttpApp = Hono<HttpEnv>

export interface HttpOptions {
  largestBody?: number | undefined
  /** Takes errors that are not the client's: bugs, and connections that break. */
  onError(error: unknown): void
}

export interface HttpPlace {
  /** 0 for any that is free. */
  port: number
  hostname?: string | undefined
  /**
   * The values of `Host` that are served, in lower case, with their ports. Absent: this machine's loopback names with the
   * port of the connection, so that a name that somebody pointed at this machine reaches nothing.
   */
  hosts?: readonly string[] | undefined
}

/** A request that is refused, with the status of the answer. */
export class HttpRefusal extends LoadoutError {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 503

  constructor(status: HttpRefusal['status'], code: Code, message: string, options: { hint?: string } = {}) {
    super(code, message, options)
    this.status = status
  }
}

/**
 * What every HTTP server of Loadout starts from: bodies are bounded, every error is JSON in the form that `--json` prints,
 * and no answer is kept by a cache. Who may ask is for the routes: `requireBearer`.
 */
export function createHttpApp({ largestBody = LARGEST_BODY, onError }: HttpOptions): HttpApp {
  const app = new Hono<HttpEnv>()
  app.onError((error, context) => answerError(error, context, onError))
  app.notFound(({ req }) => {
    throw new HttpRefusal(404, 'NOT_SERVED', `${req.path} is not served here`)
  })
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value)
    await next()
  })
  return app.use(checkBody, bodyLimit({ maxSize: largestBody, onError: () => refuseBody(largestBody) }))
}

/** Serves until the signal fires; host and origin are checked before anything else. Rejects when the port cannot be had. */
export async function serveHttp(
  app: HttpApp,
  { port, hostname = '127.0.0.1', hosts }: HttpPlace,
  signal: AbortSignal,
  onListening: (address: { url: string; port: number }) => void,
): Promise<void> {
  const unreadable = new HttpRefusal(400, 'USAGE', 'this request cannot be read')
  const errorHandler = () => Response.json(errorBody(unreadable), { status: unreadable.status, headers: HEADERS })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler })
  const server = createServer({ requestTimeout: SLOWEST_MS }, (incoming, outgoing) => {
    const refusal = refuseOrigin(
      incoming.headers,
      hosts ?? loopbackHosts(incoming.socket.localPort),
      hosts === undefined,
    )
    if (refusal === undefined) void answer(incoming, outgoing)
    else
      outgoing
        .writeHead(refusal.status, { ...HEADERS, 'Content-Type': 'application/json', Connection: 'close' })
        .end(JSON.stringify(errorBody(refusal)))
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

function loopbackHosts(port: number | undefined): string[] {
  return LOOPBACK.map((name) => `${name}:${port}`)
}

/** Lets through who has a token that the server knows, as `Authorization: Bearer …`. */
export function requireBearer(
  isKnown: (token: string, context: Context<HttpEnv>) => boolean | Promise<boolean>,
  hint: string,
): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    const given = /^bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
    if (given === undefined || !(await isKnown(given, context))) {
      context.header('WWW-Authenticate', 'Bearer')
      throw new HttpRefusal(401, 'TOKEN_NEEDED', 'the bearer token is missing or wrong', { hint })
    }
    await next()
  }
}

/** Takes as long however much of it is right. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Why a request is refused that was not sent to this server by a program or by one of its own pages: the browser of a
 * foreign page names the page's origin, and a name that was made to point here is another host.
 */
export function refuseOrigin(
  { host = '', origin }: { host?: string | undefined; origin?: string | undefined },
  hosts: readonly string[],
  isLoopback = true,
): HttpRefusal | undefined {
  if (!hosts.includes(host.toLowerCase())) return new HttpRefusal(403, 'NOT_SERVED', 'this host is not served here')
  const schemes = isLoopback ? ['http'] : ['http', 'https']
  const origins = hosts.flatMap((name) => schemes.map((scheme) => `${scheme}://${name}`))
  if (origin === undefined || origins.includes(origin.toLowerCase())) return undefined
  return new HttpRefusal(403, 'NOT_SERVED', 'requests of other web pages are not served')
}

const BODILESS = ['GET', 'HEAD', 'OPTIONS']
const REFUSED = ['TRACE', 'TRACK', 'CONNECT']

const checkBody: MiddlewareHandler<HttpEnv> = async ({ env: { incoming } }, next) => {
  const { method = 'GET', headers } = incoming
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (REFUSED.includes(method) || (hasBody && BODILESS.includes(method))) {
    throw new HttpRefusal(400, 'USAGE', 'this request cannot be read')
  }
  await next()
}

function refuseBody(most: number): never {
  throw new HttpRefusal(413, 'FILE_TOO_LARGE', `a request has at most ${most} bytes`)
}

function answerError(error: Error, context: Context<HttpEnv>, onError: (error: unknown) => void): Response {
  const status = statusOf(error)
  if (status === 500) onError(error)
  // What is left of the request is not even received.
  if (status === 413) context.header('Connection', 'close')
  return context.json(errorBody(error), status)
}

function errorBody(error: Error) {
  if (error instanceof LoadoutError) return { error: { code: error.code, message: error.message, hint: error.hint } }
  return { error: { code: 'UNEXPECTED', message: `Unexpected error: ${error.message}. This is a bug in Loadout.` } }
}

/** 409: a person must answer first. 422: what is asked for cannot be done. */
function statusOf(error: Error) {
  if (error instanceof HttpRefusal) return error.status
  if (!(error instanceof LoadoutError)) return 500
  if (error.code === 'USAGE') return 400
  if (error.code === 'APPROVAL_NEEDED' || error.code === 'CONFIRMATION_NEEDED') return 409
  return error.code.endsWith('_NOT_FOUND') ? 404 : 422
}

function explainPort(error: NodeJS.ErrnoException, port: number): never {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES' && error.code !== 'ERR_SOCKET_BAD_PORT') throw error
  const why = error.code === 'EADDRINUSE' ? 'is taken' : 'cannot be used'
  throw new LoadoutError('USAGE', `the port ${port} ${why}`, { hint: '--port 0 takes any that is free', cause: error })
}
