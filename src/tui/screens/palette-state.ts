import { type Action, BINDINGS, type Binding, isTypingPlace } from '../keys.ts'

// Moving the cursor from a list of actions would move only that cursor.
const MOVES: readonly Action[] = [
  'up',
  'down',
  'top',
  'bottom',
  'half up',
  'half down',
  'palette',
  'back',
  'focus left',
  'focus right',
  'switch agent',
]

/** Every action once, as far as it fits what was typed. */
export function matchingActions(query: string): Binding[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const seen = new Set<string>()
  const bindings: readonly Binding[] = BINDINGS
  return bindings.filter(({ action, help, places }) => {
    if (seen.has(action) || MOVES.includes(action) || places.every(isTypingPlace)) return false
    seen.add(action)
    const text = `${action} ${help}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
