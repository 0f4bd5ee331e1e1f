import type { ContextBundle } from '../../domain/context/bundle.ts'
import { estimateTokens } from '../../domain/routing/tokens.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import type { Machine } from '../../infra/machine.ts'
import type { Project } from '../../infra/open-project.ts'
import { keptTask, recordTask } from '../usage/record.ts'
import type { ContextRequest } from './context.ts'
import type { TaskSlice } from './task-slice.ts'

/** Notes what routing and packs offered, and what of it has a place in the bundle. */
export function recordDelivery(
  machine: Machine,
  { files }: ContextBundle,
  { project, request, slice }: { project: Project; request: ContextRequest; slice: TaskSlice },
): Finding[] {
  const { task } = request
  const delivered = files.flatMap(({ path, excerpt }) => {
    const entry = slice.planned.get(path)
    return entry === undefined ? [] : [{ ...entry, tokens: estimateTokens(excerpt) }]
  })
  return recordTask(machine, {
    task,
    // Nothing secret is left in it: it was masked before anything else.
    kept: keptTask(machine, { words: task, layers: { projectRoot: project }, strategy: slice.strategy }),
    steps: [
      { stage: 'planned', entries: [...slice.planned.values()] },
      { stage: 'delivered', entries: request.isOnlyPlanned ? [] : delivered },
    ],
  })
}
