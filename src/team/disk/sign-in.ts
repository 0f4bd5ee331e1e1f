import type { HttpApp } from '../../machine/http.ts'
import { failWith } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import { type Role, roleOf } from '../rules/access.ts'
import { type Backend, withAudit } from './routes.ts'
import { aboutError, type Log } from './telemetry.ts'
import { addToken } from './tokens.ts'

/** The provider that knows the people of a team, and what its claims mean. */
export interface Provider {
  issuer: string
  client: string
  secret?: string
  /** The claim that lists what a person is. */
  claim: string
  /** The value of the claim that each role needs; `*` for everybody whom the provider lets in. */
  roles: Partial<Record<Role, string>>
}
const COOKIE = 'loadout_sign_in'

/**
 * Lets people sign in with OpenID Connect: a code with PKCE, then a token of the team that expires. Nothing of the provider is
 * kept. Without a provider the page takes tokens only.
 */
export function addSignIn(app: HttpApp, backend: Backend, provider: Provider | undefined, log: Log): void {
  app.get('/sign-in/offered', (context) => context.json({ isOffered: provider !== undefined }))
  if (provider === undefined) return
  let opened: ReturnType<typeof openProvider> | undefined
  const open = () => {
    // Discovered again after a failure: a provider may start later than this server.
    opened ??= openProvider(provider).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const back = (request: Request) => {
    const { host, hostname } = new URL(request.url)
    const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
    return { origin: `${isLoopback ? 'http' : 'https'}://${host}`, cookie: isLoopback ? '' : '; Secure' }
  }
  app.get('/sign-in', async (context) => {
    const { origin, cookie } = back(context.req.raw)
    try {
      const { oidc, config } = await open()
      const check = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() }
      const address = oidc.buildAuthorizationUrl(config, {
        redirect_uri: `${origin}/sign-in/done`,
        scope: 'openid profile email',
        state: check.state,
        nonce: check.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(check.verifier),
        code_challenge_method: 'S256',
      })
      const value = Buffer.from(JSON.stringify(check)).toString('base64url')
      context.header(
        'Set-Cookie',
        `${COOKIE}=${value}; HttpOnly; SameSite=Lax; Path=/sign-in; Max-Age=${10 * 60}${cookie}`,
      )
      return context.redirect(address.href)
    } catch (error) {
      log('sign-in', { ...aboutError(error), step: 'provider' })
      return context.redirect('/?refused=provider')
    }
  })
  app.get('/sign-in/done', async (context) => {
    const { origin } = back(context.req.raw)
    context.header('Set-Cookie', `${COOKIE}=; HttpOnly; SameSite=Lax; Path=/sign-in; Max-Age=0`)
    try {
      const { oidc, config } = await open()
      const { state, nonce, verifier } = readCheck(context.req.header('cookie'))
      const { search } = new URL(context.req.url)
      const answer = await oidc.authorizationCodeGrant(config, new URL(`${origin}/sign-in/done${search}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims: Readonly<Record<string, unknown>> = answer.claims() ?? {}
      const role = roleOf(claims[provider.claim], provider.roles)
      if (role === undefined) return context.redirect('/?refused=role')
      const person = String(claims.email ?? claims.preferred_username ?? claims.sub).slice(0, 100)
      const secret = await withAudit(backend, async (connection, note) => {
        const made = await addToken(connection, {
          ...{ role, group: 'everyone', note: '', by: null, person, hours: 12, isSession: true },
        })
        await note({ actor: person, action: 'person signed in', about: { role } })
        return made
      })
      // A browser keeps what follows the # to itself.
      return context.redirect(`/#token=${secret}`)
    } catch (error) {
      log('sign-in', { ...aboutError(error), step: 'answer' })
      return context.redirect('/?refused=answer')
    }
  })
}

async function openProvider({ issuer, client, secret }: Provider) {
  const oidc = await import('openid-client')
  const address = new URL(issuer)
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname)
  // The signature is checked although the connection is: a proxy in between may be mistaken for the provider.
  const execute = [oidc.enableNonRepudiationChecks, ...(isLoopback ? [oidc.allowInsecureRequests] : [])]
  return { oidc, config: await oidc.discovery(address, client, secret, undefined, { execute, timeout: 10 }) }
}

/** What this browser was given at the start: an answer that another browser asked for has other values. */
function readCheck(cookies: string | undefined): { state: string; nonce: string; verifier: string } {
  const value = new RegExp(`(?:^|; )${COOKIE}=([\\w-]{1,1000})`).exec(cookies ?? '')?.[1] ?? ''
  const json: unknown = value === '' ? {} : JSON.parse(Buffer.from(value, 'base64url').toString())
  const { state, nonce, verifier } = isRecord(json) ? json : {}
  if (typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string') {
    return { state, nonce, verifier }
  }
  throw failWith('TEAM_TOKEN_REFUSED')
}
