import type { Machine } from '../machine/machine.ts'
import type { Report } from '../text/trouble.ts'
import { buildContext, type Context, type ContextRequest } from './context.ts'

/** The bundle that a task would get. A preview, so it is recorded only as planned. */
export function planContext(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  return buildContext(machine, { ...request, isOnlyPlanned: true })
}
