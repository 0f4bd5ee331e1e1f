import { LoadoutError } from '../shared/loadout-error.ts'
import { nearest } from '../shared/nearest.ts'
import type { SkillStatus } from './placement.ts'

/** A name that cannot be used: there is none, or there is one that is broken. */
export function missing(name: string, status: SkillStatus | undefined, statuses: readonly SkillStatus[]): LoadoutError {
  const known = statuses.filter(({ registered }) => registered !== undefined).map((each) => each.name)
  return notUsable(name, status?.problems ?? [], known)
}

export function notUsable(name: string, problems: readonly string[], known: readonly string[]): LoadoutError {
  if (problems.length > 0) {
    return new LoadoutError('INVALID_SKILL', `${name} cannot be used: ${problems.join('; ')}`, {
      hint: 'repair it in the library; loadout validate tells when it is right',
    })
  }
  const close = nearest(name, known)
  return new LoadoutError(
    'SKILL_NOT_FOUND',
    `the library has no skill "${name}"${close === undefined ? '' : `; did you mean ${close}?`}`,
    { hint: 'loadout inventory lists the skills' },
  )
}
