import { scanForSecrets } from '../../src/machine/secret-scanner.ts'
import { type Detection, detectContent } from '../../src/text/sensitive/detect.ts'
import type { Sample } from './corpus.ts'

export interface Found {
  ours: readonly Detection[]
  theirs: readonly Detection[]
}

export async function detectBoth(text: string): Promise<Found> {
  return { ours: detectContent(text), theirs: await scanForSecrets(text) }
}

/** A value is found if it would be masked completely; an injection, if any part would be masked. */
export function isFound({ kind, start, end }: Sample, detections: readonly Detection[]): boolean {
  const near = detections.filter((each) => each.start < end && each.end > start).sort((a, b) => a.start - b.start)
  if (kind.contentClass === 'prompt_injection') return near.length > 0
  let covered = start
  for (const each of near) if (each.start <= covered) covered = Math.max(covered, each.end)
  return covered >= end
}
