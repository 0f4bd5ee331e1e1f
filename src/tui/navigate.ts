import type { Effect } from './message.ts'
import { activeProject, type Model, type ScreenId, type Split, step, type Updated } from './model.ts'
import { readSource } from './screens/import.ts'
import { setFilter, withPreview } from './screens/inventory.ts'

/** Opens a screen and loads what it shows. */
export function open(model: Model, screen: ScreenId): Updated {
  const project = activeProject(model)
  const { source } = model.imports
  const loading: Partial<Record<ScreenId, Effect>> = {
    inventory: { kind: 'load inventory', project },
    import: source === undefined ? { kind: 'load candidates', project } : { kind: 'load offers', source, project },
    sync: { kind: 'preview sync', project, push: model.sync.push },
    update: { kind: 'preview update' },
    merge: { kind: 'load merge', name: undefined },
    lists: { kind: 'load standing', project, fetch: false },
    doctor: { kind: 'examine', project, fix: false },
    profiles: { kind: 'load profiles' },
    settings: { kind: 'load settings' },
  }
  const effect = loading[screen]
  const next: Model = { ...model, screen, notice: undefined, problems: { ...model.problems, [screen]: undefined } }
  return effect === undefined ? step(next) : step(next, effect)
}

/** Opens the help, or goes back to where it was opened. */
export function toggleHelp(model: Model): Updated {
  if (model.screen === 'help') return step({ ...model, screen: model.help.from })
  return step({ ...model, screen: 'help', help: { at: 0, from: model.screen } })
}

/** One step back: closes a box, or stops running work, or leaves the screen, or drops the filter; in this order. */
export function back(model: Model): Updated {
  const { inventory, screen, overlay, work, imports } = model
  if (overlay !== undefined) return step({ ...model, overlay: undefined })
  if (work !== undefined) return step({ ...model, work: { ...work, what: 'stopping…' } }, { kind: 'cancel' })
  if (screen === 'help') return toggleHelp(model)
  // Without a library there is nothing to go back to.
  if (screen === 'setup' && inventory.value === undefined && model.problems.inventory === undefined) {
    return step(model, { kind: 'quit' })
  }
  if (screen === 'import' && (imports.isFiltering || imports.filter !== '')) {
    return step({ ...model, imports: { ...imports, filter: '', isFiltering: false, at: 0 } })
  }
  if (isInText(model)) return focusOn(model, 'list')
  if (screen === 'import' && imports.source !== undefined) return readSource(model, '')
  if (screen !== 'inventory') return open(model, 'inventory')
  if (inventory.isFiltering) return setFilter({ ...model, inventory: { ...inventory, isFiltering: false } }, '')
  if (inventory.filter !== '') return setFilter(model, '')
  return step(inventory.marked.length === 0 ? model : { ...model, inventory: { ...inventory, marked: [] } })
}

/** The screens whose list has a text beside or below it. */
const SPLITS = { inventory: 'inventory', import: 'imports', update: 'updates', merge: 'merges' } as const

/** Goes to the list or to the text of a screen that has both. */
export function focusOn(model: Model, focus: Split['focus']): Updated {
  const { screen } = model
  if (!(screen in SPLITS)) return step(model)
  const part = SPLITS[screen as keyof typeof SPLITS]
  const next: Model = { ...model, [part]: { ...model[part], focus } }
  if (part !== 'inventory') return step(next)
  return withPreview({ ...next, inventory: { ...next.inventory, isOpen: false } })
}

function isInText(model: Model): boolean {
  const { screen } = model
  return screen in SPLITS && model[SPLITS[screen as keyof typeof SPLITS]].focus === 'text'
}
