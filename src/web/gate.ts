import { randomBytes } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { type HttpEnv, HttpRefusal, isSameSecret } from '../machine/http.ts'

/** The page may only load its own files and call its own server. */
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

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export interface Gate {
  check: MiddlewareHandler<HttpEnv>
  /** The token of the next address to open. */
  token(): string
}

/**
 * Admits the browser that opens the address with the token, and recognises it by a cookie afterwards. A token works once;
 * then the server prints the next one. All secrets end with the server.
 */
export function createGate(onOpened: (next: string) => void): Gate {
  const session = makeSecret()
  let token = makeSecret()
  const check: MiddlewareHandler<HttpEnv> = async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value)
    // Browsers send a cookie to every port of a host, so each server uses its own cookie name.
    const cookie = `loadout-${context.env.incoming.socket.localPort}`
    const given = context.req.path === '/' ? context.req.query('token') : undefined
    if (given !== undefined && isSameSecret(given, token)) {
      token = makeSecret()
      setCookie(context, cookie, session, { httpOnly: true, sameSite: 'Strict', path: '/' })
      onOpened(token)
      return next()
    }
    if (isSameSecret(getCookie(context, cookie) ?? '', session)) return next()
    if (context.req.method === 'GET' && !context.req.path.startsWith('/api/')) return context.html(CLOSED, 401)
    throw new HttpRefusal(401, 'TOKEN_NEEDED', 'this browser has not opened the page', { hint: HINT })
  }
  return { check, token: () => token }
}

const HINT = 'open the address that loadout web printed last; each address opens the page once'

const CLOSED = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Loadout</title>
<h1>This address does not open the page</h1>
<p>It is an old one, it was used already, or it is not complete. Each address opens the page once, in one browser.</p>
<p>Open the address that <code>loadout web</code> printed last, or start <code>loadout web</code> again.</p>
</html>
`

/** 256 bits. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}
