import type { Phase } from '../../domain/routing/entry.ts'
import type { Strategy } from '../../domain/routing/strategy.ts'
import type { PlanTerms } from '../../domain/usage/usage-event.ts'
import { keepsTasks } from '../../infra/config-file.ts'
import { type Layers, projectOf } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'
import { realFolder } from '../../infra/packs/real-folder.ts'
import type { PlanRequest } from '../routing/plan.ts'
import type { KeptTask } from './record.ts'

/** The words of a task and how it was planned, for the log; nothing unless the user asked for it. */
export async function keepTask(
  machine: Machine,
  { task, ...request }: Pick<PlanRequest, 'task' | 'layers' | 'phase' | 'budget'> & TakenOf,
  strategy: Strategy,
): Promise<KeptTask | undefined> {
  if (!keepsTasks(machine) || task.length > LONGEST_KEPT) return undefined
  const { maskText } = await import('../context/mask-labels.ts')
  return keptTask(machine, { ...request, words: await maskText(task), strategy })
}

/** What of a plan is taken; default: all. */
type TakenOf = Pick<PlanTerms, 'most' | 'withoutCore'>

// A longer one is hardly a task, and half of one would be routed differently.
const LONGEST_KEPT = 8_000

/** The same for words in which nothing secret is left. */
export function keptTask(
  machine: Machine,
  request: {
    words: string
    layers: Layers
    strategy: Strategy
    phase?: Phase | undefined
    budget?: number | undefined
  } & TakenOf,
): KeptTask | undefined {
  const { words, layers, strategy, phase, budget, most, withoutCore } = request
  if (!keepsTasks(machine) || words.length > LONGEST_KEPT) return undefined
  const project = projectOf(machine, layers)
  const asked = {
    ...(project && { project: realFolder(machine, project.root) }),
    ...(strategy === 'keywords' ? {} : { strategy }),
    ...(phase === undefined ? {} : { phase }),
    ...(budget === undefined ? {} : { budget }),
    ...(most === undefined ? {} : { most }),
    ...(withoutCore === undefined ? {} : { withoutCore }),
  }
  return { words, asked }
}
