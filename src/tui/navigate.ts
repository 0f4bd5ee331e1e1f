import type { Effect } from './effect.ts'
import { activeProject, type Model, type ScreenId } from './model.ts'
import { setFilter } from './screens/inventory-state.ts'
import { type Step, step } from './step.ts'

/** Goes to a screen, and asks for what it shows. */
export function open(model: Model, screen: ScreenId): Step {
  const project = activeProject(model)
  const loading: Partial<Record<ScreenId, Effect>> = {
    inventory: { kind: 'load inventory', project },
    import: { kind: 'load candidates', project },
    doctor: { kind: 'examine', project, fix: false },
    profiles: { kind: 'load profiles' },
    settings: { kind: 'load settings' },
  }
  const effect = loading[screen]
  const next: Model = { ...model, screen, notice: undefined, problems: { ...model.problems, [screen]: undefined } }
  return effect === undefined ? step(next) : step(next, effect)
}

/** Opens the help, or goes back to where it was opened. */
export function toggleHelp(model: Model): Step {
  if (model.screen === 'help') return step({ ...model, screen: model.help.from })
  return step({ ...model, screen: 'help', help: { at: 0, from: model.screen } })
}

/** One step out: first close what is open, then stop what runs, then leave the screen, then drop the filter. */
export function back(model: Model): Step {
  const { inventory, screen, overlay, work } = model
  if (overlay !== undefined) return step({ ...model, overlay: undefined })
  if (work !== undefined) return step({ ...model, work: { ...work, what: 'stopping…' } }, { kind: 'cancel' })
  if (screen === 'help') return toggleHelp(model)
  // Without a library there is nothing to go back to.
  if (screen === 'setup' && inventory.value === undefined && model.problems.inventory === undefined) {
    return step(model, { kind: 'quit' })
  }
  if (screen !== 'inventory') return open(model, 'inventory')
  if (inventory.isFiltering) return setFilter({ ...model, inventory: { ...inventory, isFiltering: false } }, '')
  if (inventory.focus === 'details') return step({ ...model, inventory: { ...inventory, focus: 'list' } })
  return inventory.filter === '' ? step(model) : setFilter(model, '')
}
