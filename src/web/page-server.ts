import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { Loadout } from '../loadout.ts'
import { type HttpEnv, HttpRefusal } from '../machine/http.ts'
import { failWith, type Report } from '../text/trouble.ts'

/** The input of every route. */
export interface PageServer {
  /** The project of the server. */
  project: string | undefined
  /** Opens Loadout for one request, so that findings of other requests do not mix in. */
  open(): Loadout
}

type Asked = Context<HttpEnv>

/** The answer of a use case, as `--json` prints it. */
export function answer<T>(context: Asked, { value, findings }: Report<T>): Response {
  return context.json(Array.isArray(value) ? value : { ...value, findings })
}

/** The project of a request: the server's for `project`, none for the user's own skills. */
export function scopeOf(
  context: Asked,
  server: PageServer,
  scope: unknown = context.req.query('scope'),
): string | undefined {
  return scope === 'project' ? requireProject(server) : undefined
}

function requireProject({ project }: PageServer): string {
  if (project !== undefined) return project
  throw failWith('NOT_A_FOLDER/web')
}

/** A whole number from the query; undefined if absent. */
export function numberIn(context: Asked, name: string): number | undefined {
  const text = context.req.query(name)
  if (text === undefined || text === '') return undefined
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw failWith('USAGE/number', { name })
}

/** All values of a repeated query parameter. */
export function namesIn(context: Asked, name: string): string[] {
  return context.req.queries(name) ?? []
}

/** The body of a changing request: a JSON object, because a form on a foreign page cannot send JSON. */
export async function bodyOf(context: Asked): Promise<Record<string, unknown>> {
  const isJson = /^application\/json\b/i.test(context.req.header('content-type') ?? '')
  const body: unknown = isJson ? await context.req.json().catch(() => undefined) : undefined
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw failWith('USAGE/body')
}

export function listIn(body: Record<string, unknown>, name: string): string[] {
  const value = body[name] ?? []
  if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string')) return value
  throw failWith('USAGE/list', { name })
}

/** Empty if it is absent. */
export function textIn(body: Record<string, unknown>, name: string): string {
  const value = body[name] ?? ''
  if (typeof value === 'string') return value
  throw failWith('USAGE/text', { name })
}

export function flagIn(body: Record<string, unknown>, name: string): boolean {
  return body[name] === true
}

/**
 * Plans a change, or applies it if the plan is still the one that the user confirmed: another page or a command may
 * have changed something meanwhile.
 */
export async function planOrDo<T extends object>(
  context: Asked,
  body: Record<string, unknown>,
  run: (dryRun: boolean) => Promise<Report<T>>,
  partsOf: (value: T) => unknown,
): Promise<Response> {
  const planned = await run(true)
  const plan = createHash('sha256')
    .update(JSON.stringify(partsOf(planned.value)))
    .digest('hex')
  if (body.dryRun === true) return context.json({ ...planned.value, findings: planned.findings, plan })
  if (body.plan !== plan) {
    throw new HttpRefusal(409, failWith('CONFIRMATION_NEEDED/changed'))
  }
  return answer(context, await run(false))
}
