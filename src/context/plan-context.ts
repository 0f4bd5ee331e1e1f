import type { Machine } from '../machine/machine.ts'
import type { Report } from '../text/trouble.ts'
import { buildContext, type Context, type ContextRequest } from './context.ts'

/** The bundle that a task would get. Nobody gets it yet, so it is noted as planned only. */
export function planContext(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  return buildContext(machine, { ...request, isOnlyPlanned: true })
}
