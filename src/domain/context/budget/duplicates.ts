import { sha256 } from '../../shared/digest.ts'
import type { Candidate, Omission } from '../candidate.ts'
import type { Slices } from './assemble.ts'

/**
 * The same path, or the same text, is shown once: where it comes first. Notes and adapters are not held against each
 * other: what one of them says must not depend on whether the other is there.
 */
export function dropDuplicates(slices: Slices): { slices: Slices; duplicates: Omission[] } {
  const grounds = new Map<string, string>()
  const advice = { tactical: new Map<string, string>(), adapter: new Map<string, string>() }
  const duplicates: Omission[] = []
  const kept = mapSlices(slices, (candidate) => {
    const { path, sourceClass } = candidate
    const keys = identitiesOf(candidate)
    const own = sourceClass === 'tactical' || sourceClass === 'adapter' ? advice[sourceClass] : grounds
    const first = keys.map((key) => grounds.get(key) ?? own.get(key)).find((known) => known !== undefined)
    if (first !== undefined) {
      duplicates.push({ path, sourceClass, reason: 'duplicate', detail: `the same as ${first}` })
      return undefined
    }
    for (const key of keys) own.set(key, path)
    return candidate
  })
  return { slices: kept, duplicates }
}

/** Texts are compared only where the whole was read: long files may begin alike. */
function identitiesOf({ path, sha256: digest, text, charsTotal }: Candidate): string[] {
  return [
    `path ${path}`,
    ...(digest === null ? [] : [`bytes ${digest}`]),
    ...(charsTotal === text.length ? [`text ${sha256(text.trim())}`] : []),
  ]
}

export function mapSlices(slices: Slices, change: (candidate: Candidate) => Candidate | undefined): Slices {
  const changed = (each: keyof Slices) => slices[each].flatMap((candidate) => change(candidate) ?? [])
  return {
    control_plane: changed('control_plane'),
    task: changed('task'),
    tactical: changed('tactical'),
    adapter: changed('adapter'),
  }
}
