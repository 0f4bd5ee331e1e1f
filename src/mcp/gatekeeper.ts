import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

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
