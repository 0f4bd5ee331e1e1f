import { failWith } from '../text/trouble.ts'
import { attempt } from '../text/values.ts'

export interface Posting {
  method?: 'GET' | 'POST'
  /** The bytes to send. */
  body?: string
  headers?: Readonly<Record<string, string>>
  milliseconds?: number
}

export interface Reply {
  status: number
  /** Undefined when the reply is not JSON. */
  json: unknown
}
/**
 * The only HTTP client. Does not follow redirects: the content and the token go only to the address that the user
 * configured. Throws `UNREACHABLE` without a reply.
 */
export async function callHttp(address: string, posting: Posting): Promise<Reply> {
  const { method = 'POST', body, headers = {}, milliseconds = 30_000 } = posting
  try {
    const reply = await fetch(address, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(milliseconds),
    })
    const bytes = await readReply(reply, 64 * 1024 * 1024)
    return { status: reply.status, json: attempt(() => JSON.parse(bytes.toString('utf8')), undefined) }
  } catch (error) {
    throw failWith('UNREACHABLE', { host: hostOf(address), reason: reasonOf(error) }, { cause: error })
  }
}

export interface Page {
  status: number
  /** The media type, in lower case, without parameters. */
  type: string
  /** Where a redirect leads. */
  location: string | undefined
  bytes: Buffer
}

/** Gets a public page as bytes, with nothing of the user's. Like `callHttp`, follows no redirect. */
export async function getPage(address: string, limits: { milliseconds: number; most: number }): Promise<Page> {
  try {
    const signal = AbortSignal.timeout(limits.milliseconds)
    const reply = await fetch(address, {
      redirect: 'manual',
      signal,
      headers: { accept: 'text/markdown, text/html, */*' },
    })
    const [type = ''] = (reply.headers.get('content-type') ?? '').toLowerCase().split(';')
    const location = reply.headers.get('location') ?? undefined
    return { status: reply.status, type: type.trim(), location, bytes: await readReply(reply, limits.most) }
  } catch (error) {
    throw failWith('UNREACHABLE', { host: hostOf(address), reason: reasonOf(error) }, { cause: error })
  }
}

async function readReply(reply: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of reply.body ?? []) {
    size += chunk.length
    if (size > most) throw new Error('its reply is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Without the user, password and query that an address may contain. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'the server'
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it takes too long'
  const { cause } = error
  return cause instanceof Error ? ('code' in cause && String(cause.code)) || cause.message : error.message
}
