import { graphemes } from '../text/text-width.ts'
import { perform, typeText } from './actions.ts'
import { actionFor, isTyping, keyPlace } from './keys.ts'
import { type Effect, longLabel, type Message } from './message.ts'
import { type Model, step, type Updated } from './model.ts'
import { received } from './received.ts'

/** The whole behaviour of the interface, as a pure function. */
export function update(model: Model, message: Message): Updated {
  switch (message.kind) {
    case 'text':
      return typed(model, message.text)
    case 'paste':
      return pasted(model, message.text)
    case 'key':
      return withProgress(model, pressed(model, message.name))
    case 'resized':
      return step({ ...model, size: message.size })
    case 'progress': {
      const { done, total, what } = message
      return step(model.work === undefined ? model : { ...model, work: { ...model.work, done, total, what } })
    }
    case 'tick':
      return step(model.work === undefined ? model : { ...model, work: { ...model.work, ticks: model.work.ticks + 1 } })
    default:
      return withProgress(model, received(model, message))
  }
}

/** Fast typing arrives in one piece: every character is a key, until one of them opens a text field. */
function typed(model: Model, text: string): Updated {
  if (isTyping(model)) return typeText(model, text)
  const [first, ...others] = graphemes(text)
  if (first === undefined) return step(model)
  const pressedFirst = update(model, { kind: 'key', name: first === ' ' ? 'space' : first })
  if (others.length === 0) return pressedFirst
  const rest = typed(pressedFirst.model, others.join(''))
  return step(rest.model, ...withoutPassing(pressedFirst.effects, rest.effects), ...rest.effects)
}

/** Drops previews of skills that the cursor only passed. */
function withoutPassing(effects: readonly Effect[], later: readonly Effect[]): readonly Effect[] {
  const isPassed = later.some(({ kind }) => kind === 'load preview')
  return isPassed ? effects.filter(({ kind }) => kind !== 'load preview') : effects
}

/** Pasted letters are text, never keys. */
function pasted(model: Model, text: string): Updated {
  if (isTyping(model)) return typeText(model, text)
  const hint = model.screen === 'inventory' ? '/ opens the filter' : undefined
  return step({ ...model, notice: { tone: 'plain', text: 'there is nothing to paste into here', hint } })
}

function pressed(model: Model, key: string): Updated {
  const action = actionFor(keyPlace(model), key)
  return action === undefined ? step(model) : perform({ ...model, notice: undefined }, action)
}

/** Shows long work at once. While it runs, no other long work can start. */
function withProgress(before: Model, { model, effects }: Updated): Updated {
  const label = effects.map(longLabel).find((each) => each !== undefined)
  if (label === undefined) return { model, effects }
  if (model.work !== undefined) {
    const text = 'something else is still running   (esc stops it)'
    return step({ ...before, notice: { tone: 'plain', text } })
  }
  return { model: { ...model, work: { label, done: 0, total: 0, what: '', ticks: 0 } }, effects }
}
