import * as z from 'zod'
import type { ContextBundle } from '../../domain/context/bundle.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { cap } from '../cap.ts'

const item = z.object({ path: z.string(), why: z.string() })

/** What is told about a bundle besides its text. */
export const BUNDLE_FIELDS = {
  tokens: z.number(),
  files: z.array(item),
  omitted: z.array(item),
  warnings: z.array(z.string()),
}

const MOST_OMITTED = 40
export const MOST_WARNINGS = 40

/** Every part with the reason why it is there, and why the others are not. */
export function describeBundle({ files, omitted, warnings, estimate }: ContextBundle, findings: readonly Finding[]) {
  const left = cap(omitted, MOST_OMITTED, 'omitted are')
  const told = cap([...warnings, ...findings.map(tellFinding)], MOST_WARNINGS, 'warnings are')
  return {
    tokens: estimate.tokens,
    files: files.map(({ path, reason }) => ({ path, why: reason })),
    omitted: left.shown.map(({ path, reason, detail }) => ({ path, why: `${reason}: ${detail}` })),
    warnings: [...told.shown, ...told.cut, ...left.cut],
  }
}

export function tellFinding({ message, hint }: Finding): string {
  return hint === undefined ? message : `${message}: ${hint}`
}
