import type { Effect } from './effect.ts'
import type { Message } from './message.ts'
import type { Model } from './model.ts'
import { update } from './update.ts'

/** The model as it is now, and who wants to know when it changes. */
export interface Store {
  read(): Model
  subscribe(listener: () => void): () => void
  dispatch(message: Message): void
}

/** Effects go out after the model has changed, in the order in which they were asked for. */
export function createStore(initial: Model, run: (effect: Effect) => void): Store {
  let model = initial
  const listeners = new Set<() => void>()
  return {
    read: () => model,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispatch(message) {
      const { model: next, effects } = update(model, message)
      const isChanged = next !== model
      model = next
      if (isChanged) for (const listener of listeners) listener()
      for (const effect of effects) run(effect)
    },
  }
}
