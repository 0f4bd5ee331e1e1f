import type { BundleInput } from './build-bundle.ts'
import type { Candidate, Omission } from './bundle.ts'

type Facts = Readonly<Record<string, string | number | boolean | null>>

/** The bundle input with every label changed: names, reasons, warnings; not the texts of its files. */
export function mapLabels(input: BundleInput, change: (label: string) => string): BundleInput {
  const { intent, slices } = input
  const facts = (given: Facts, key: (name: string) => string = (name) => name): Facts =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [key(name), typeof value === 'string' ? change(value) : value]),
    )
  const candidate = (each: Candidate): Candidate => ({
    ...each,
    path: change(each.path),
    selectedBy: change(each.selectedBy),
    reason: change(each.reason),
    provenance: facts(each.provenance),
    ...(each.sections && {
      sections: each.sections.map((section) => ({ ...section, reason: change(section.reason) })),
    }),
    ...(each.tests && { tests: each.tests.map(change) }),
  })
  return {
    ...input,
    intent: {
      ...intent,
      key: change(intent.key),
      matched: intent.matched.map(change),
      scores: Object.fromEntries(Object.entries(intent.scores).map(([key, score]) => [change(key), score])),
    },
    controlPlane: input.controlPlane.map((each) => ({
      ...each,
      path: change(each.path),
      summary: facts(each.summary, change),
    })),
    slices: {
      control_plane: slices.control_plane.map(candidate),
      task: slices.task.map(candidate),
      tactical: slices.tactical.map(candidate),
      adapter: slices.adapter.map(candidate),
    },
    omitted: input.omitted.map((each): Omission => ({ ...each, path: change(each.path), detail: change(each.detail) })),
    warnings: input.warnings.map(change),
    adviceWarnings: input.adviceWarnings.map(change),
    degraded: input.degraded.map((each) => ({ ...each, source: change(each.source), reason: change(each.reason) })),
    missing: input.missing.map(change),
    sourceAnchors: input.sourceAnchors.map(change),
  }
}

/** Every label of a bundle, each once. */
export function labelsOf(input: BundleInput): string[] {
  const labels = new Set<string>()
  mapLabels(input, (label) => {
    labels.add(label)
    return label
  })
  return [...labels]
}
