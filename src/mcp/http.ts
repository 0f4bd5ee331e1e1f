import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import { tell } from './tool.ts'

const ENDPOINT = '/mcp'
const LARGEST_BODY = 1024 * 1024
/** Of the whole request: who sends slower than this sends nothing we wait for. */
const SLOWEST_MS = 30_000

export interface HttpPlace {
  /** 0 for any that is free. */
  port: number
  token: string
}

/** Serves clients of this machine, until the signal fires. Rejects when the port cannot be had. */
export async function serveHttp(
  factory: McpServerFactory,
  { port, token }: HttpPlace,
  signal: AbortSignal,
  onListening: (url: string, token: string) => void,
): Promise<void> {
  const handler = createMcpHandler(factory, { onerror: ({ message }) => tell(message) })
  const server = createServer({ requestTimeout: SLOWEST_MS }, (request, response) => {
    const { port } = server.address() as AddressInfo
    const refusal = checkRequest(request.headers, { port, token })
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.message)
    if (request.url !== ENDPOINT) return refuse(response, 404, `everything is at ${ENDPOINT}`)
    answer(handler.fetch, request, response).catch((error: Error) => {
      tell(error.message)
      if (response.headersSent) response.destroy()
      else refuse(response, 400, 'this request cannot be read')
    })
  })
  await new Promise<void>((listening, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => listening())
  })
  onListening(`http://127.0.0.1:${(server.address() as AddressInfo).port}${ENDPOINT}`, token)
  await new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true })
    if (signal.aborted) done()
  })
  await handler.close()
  server.close()
  server.closeAllConnections()
}

type Fetch = (request: Request) => Promise<Response>

async function answer(fetch: Fetch, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const body = await readBody(request)
  if (body === undefined) return refuse(response, 413, `a request has at most ${LARGEST_BODY} bytes`)
  const reply = await fetch(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
      signal: gone.signal,
      ...(body.length > 0 ? { body } : {}),
    }),
  )
  response.writeHead(reply.status, Object.fromEntries(reply.headers))
  if (reply.body === null) response.end()
  else await pipeline(Readable.fromWeb(reply.body), response).catch(() => response.destroy())
}

/** Undefined when it is too long: the rest is not even received. */
async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > LARGEST_BODY) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'text/plain', connection: 'close' }
  const asked = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  response.writeHead(status, { ...headers, ...asked }).end(`${message}\n`)
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Why a request is refused. */
export interface Refusal {
  status: 401 | 403
  message: string
}

/**
 * Whether a request comes from a program of this machine that was given the token. A web page has neither: its browser
 * names the page's origin, and a name that was made to point here is another host.
 */
export function checkRequest(
  headers: IncomingHttpHeaders,
  { port, token }: { port: number; token: string },
): Refusal | undefined {
  const hosts = LOOPBACK.map((name) => `${name}:${port}`)
  if (!hosts.includes((headers.host ?? '').toLowerCase()))
    return { status: 403, message: 'this host is not served here' }
  const { origin } = headers
  if (origin !== undefined && !hosts.some((host) => origin.toLowerCase() === `http://${host}`)) {
    return { status: 403, message: 'requests of web pages are not served' }
  }
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (given === undefined || !isSame(given, token))
    return { status: 401, message: 'the bearer token is missing or wrong; the server shows it when it starts' }
  return undefined
}

/** Takes as long however much of it is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
