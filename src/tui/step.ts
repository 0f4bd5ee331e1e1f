import type { Effect } from './effect.ts'
import type { Model } from './model.ts'

/** What follows from a message: a new model, and what is to be done outside. */
export interface Step {
  model: Model
  effects: readonly Effect[]
}

export function step(model: Model, ...effects: readonly Effect[]): Step {
  return { model, effects }
}
