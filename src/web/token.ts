import { randomBytes } from 'node:crypto'
import { type HttpApp, isSameSecret, requireBearer } from '../machine/http.ts'

/**
 * Serves data only with the token of this start, and returns that token. The page without data needs none. No cookie:
 * a browser sends cookies to every port of a host, so another user's server would receive it.
 */
export function requireToken(app: HttpApp): string {
  const token = randomBytes(32).toString('base64url')
  app.use(
    '/api/*',
    requireBearer((given) => isSameSecret(given, token), 'open the address that loadout web printed last'),
  )
  return token
}
