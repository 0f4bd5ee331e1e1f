import type { Machine } from '../machine/machine.ts'
import { rebuildIndex } from '../payloads/index-build.ts'
import { Planner, type TaskPlan } from '../payloads/plan.ts'
import { buildContext, type Context } from './answer.ts'
import { createSample, removeSample, type SampleFile } from './disk/sample-folder.ts'

export interface SampleTour {
  context: Context
  /** The result of routing alone: most entries are not needed. */
  plan: TaskPlan
  /** What an agent would find without a selection. */
  everything: { rules: number; packs: number; files: number; tokens: number }
  /** Where the sample is, and its date; undefined if it was removed. */
  kept?: { project: string; home: string; now: string }
}

/** The date at which the notes and tickets of the sample are current. */
const NOW = new Date('2026-03-03T09:00:00Z')

/** Shows the main function on a temporary workspace. Touches nothing outside a new temporary folder. */
export async function showSample(
  machine: Machine,
  { task = 'the release workflow fails when publishing the docs', keep = false }: { task?: string; keep?: boolean },
): Promise<SampleTour> {
  const { folder, sample, files } = createSample(machine)
  try {
    const tour = await walkThrough(sample, files, task)
    if (!keep) return tour
    const kept = { project: sample.cwd, home: sample.home, now: NOW.toISOString() }
    return { ...tour, kept }
  } finally {
    if (!keep) removeSample(folder)
  }
}

async function walkThrough(sample: Machine, files: readonly SampleFile[], task: string): Promise<SampleTour> {
  rebuildIndex(sample, { layer: 'global' })
  rebuildIndex(sample, {})
  const { value: plan } = await new Planner(sample).plan({ task, layers: {}, strategy: 'keywords' })
  sample.report(...plan.findings)
  const context = await buildContext(sample, { task, project: sample.cwd, now: NOW })
  return { context, plan, everything: countAll(files, plan.knownEntries) }
}

/** Settings and logs of Loadout do not count as knowledge. */
const OWN = /(?:loadout\.json|usage\.jsonl|evals\/.*)$/

function countAll(all: readonly SampleFile[], rules: number): SampleTour['everything'] {
  const known = all.filter(({ path }) => !OWN.test(path))
  const packs = known.filter(({ path }) => path.endsWith('/KNOWLEDGE.md')).length
  const files = known.filter(({ path }) => /^project\/[^.]/.test(path)).length
  const characters = known.reduce((sum, file) => sum + file.characters, 0)
  return { rules, packs, files, tokens: Math.ceil(characters / 4) }
}
