import type { SkillPlace } from '../../skills/reading-rules.ts'

/** What becomes of a skill on its way to a model. */
export const FATES = ['visible', 'cut', 'dropped', 'shadowed', 'ambiguous', 'unreadable', 'hidden'] as const

export type Fate = (typeof FATES)[number]

export interface SkillSight {
  name: string
  scope: SkillPlace['scope']
  path: string
  fate: Fate
  why: string
  /** Of the description, as it was written and as it is listed; of the line, with its line end. */
  characters: { description: number; shown: number; line: number }
  /** Of the line, as the agent counts; an estimate where it counts columns. */
  tokens: number
}

export interface Sight {
  skills: SkillSight[]
  /** Of what comes with the agent's program. */
  own: { count: number; characters: number; tokens: number }
  /** In the listing's unit; absent when nothing is known of a limit. */
  used?: number
}
