import type { Report } from '../../../domain/shared/trouble.ts'
import type { Machine } from '../../../infra/machine.ts'
import { buildContext, type Context, type ContextRequest } from '../../context/context.ts'

/** The bundle that a task would get. Nobody gets it yet, so it is noted as planned only. */
export function planContext(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  return buildContext(machine, { ...request, isOnlyPlanned: true })
}
