export type Priority = 'core' | 'domain' | 'manual'

export const PRIORITIES: readonly Priority[] = ['core', 'domain', 'manual']

/** The phases of an agent's loop in which a payload wants to be loaded. */
export interface Triggers {
  task: boolean
  plan: boolean
  edit: boolean
}

export type Phase = keyof Triggers

export const PHASES: readonly Phase[] = ['task', 'plan', 'edit']

export const DEFAULT_TRIGGERS: Triggers = { task: true, plan: true, edit: false }

/** One row of a dispatch index: what a payload is about and what it costs, without its text. */
export interface LoadoutEntry {
  id: string
  /** Relative to the root of the layer that holds the index. */
  path: string
  keywords: string[]
  /** Named intents such as `ci_pipeline`; one word of the name is enough to match. */
  patterns: string[]
  priority: Priority
  summary: string
  triggers: Triggers
  tokens_est: number
  lines: number
}

/** Found by what a task says. Anything that is neither core nor manual counts as such. */
export function isDomain({ priority }: Pick<LoadoutEntry, 'priority'>): boolean {
  return priority !== 'core' && priority !== 'manual'
}
