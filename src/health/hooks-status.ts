import { type HookStatuses, type HookStatusRequest, judgeHooks } from '../agents/hooks-status.ts'
import type { Machine } from '../machine/machine.ts'
import { brokenLayers, readKnowledge } from '../payloads/knowledge.ts'

/** Whether the hooks are installed and can run, and whether they can read the layers. */
export function statusOfHooks(machine: Machine, request: HookStatusRequest): HookStatuses {
  const { hooks, findings, project } = judgeHooks(machine, request)
  const layers = brokenLayers(readKnowledge(machine, { projectRoot: project }, true))
  machine.report(...findings, ...layers)
  return { hooks }
}
