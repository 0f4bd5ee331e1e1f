import { randomBytes } from 'node:crypto'
import { type HttpApp, isSameSecret, requireBearer } from '../machine/http.ts'

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

/**
 * Serves data only with the token of this start, and returns that token. The page without data needs none. No cookie:
 * a browser sends cookies to every port of a host, so another user's server would receive it.
 */
export function addGate(app: HttpApp): string {
  const token = randomBytes(32).toString('base64url')
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value)
    await next()
  })
  app.use(
    '/api/*',
    requireBearer((given) => isSameSecret(given, token), 'open the address that loadout web printed last'),
  )
  return token
}
