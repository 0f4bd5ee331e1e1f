import type { SkillView } from '../loadout.ts'
import type { Style } from './frame/line.ts'

/** Every state has a sign and a word; colour only repeats them. */
export const SIGNS: Record<
  SkillView['state'] | 'absent' | 'unfit' | 'pending' | 'user',
  { sign: string; word: string; style?: Style }
> = {
  current: { sign: '●', word: 'current', style: 'good' },
  outdated: { sign: '↓', word: 'outdated', style: 'alert' },
  edited: { sign: '✎', word: 'edited', style: 'alert' },
  unmanaged: { sign: '?', word: 'a folder of yours', style: 'alert' },
  orphaned: { sign: '!', word: 'not in the library', style: 'alert' },
  unsupported: { sign: '!', word: 'no longer supported', style: 'alert' },
  broken: { sign: '!', word: 'broken', style: 'alert' },
  invalid: { sign: '✗', word: 'invalid in the library', style: 'alert' },
  inactive: { sign: '○', word: 'not equipped', style: 'faint' },
  absent: { sign: '○', word: 'not equipped', style: 'faint' },
  unfit: { sign: '–', word: 'not supported', style: 'faint' },
  user: { sign: 'u', word: 'your own copy is there as well', style: 'faint' },
  pending: { sign: '◌', word: 'changing…', style: 'accent' },
}

/** States that need attention in the list. */
export function needsAttention(state: SkillView['state']): boolean {
  return state !== 'current' && state !== 'inactive'
}
