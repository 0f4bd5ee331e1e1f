import { type Action, BINDINGS, type Binding, bindingsOf } from './keys.ts'
import { activeProject, type Model, SCREENS } from './model.ts'
import { back, open, toggleHelp } from './navigate.ts'
import { chooseAll, chooseOne, importChosen } from './screens/import-state.ts'
import { currentSkill, pickAgent, switchScope, toggle, withPreview } from './screens/inventory-state.ts'
import { activeList } from './screens/lists.ts'
import { matchingActions } from './screens/palette-state.ts'
import { switchSetting } from './screens/settings-state.ts'
import { nextWay, setUp } from './screens/setup-state.ts'
import { type Step, step } from './step.ts'
import { eraseAll, eraseLast } from './text-entry.ts'
import { undo } from './undo.ts'

/** What every action does. */
const ACTIONS: Record<Action, (model: Model) => Step> = {
  up: (model) => move(model, -1),
  down: (model) => move(model, 1),
  top: (model) => activeList(model).put(0),
  bottom: (model) => activeList(model).put(activeList(model).count - 1),
  'half up': (model) => move(model, -halfPage(model)),
  'half down': (model) => move(model, halfPage(model)),

  quit: (model) => step(model, { kind: 'quit' }),
  back,
  help: toggleHelp,
  palette: (model) => step({ ...model, overlay: { kind: 'palette', query: '', at: 0 } }),
  'run action': runChosen,
  undo,
  refresh,
  erase: eraseLast,
  'erase all': eraseAll,

  'focus left': (model) => step({ ...model, inventory: { ...model.inventory, focus: 'list' } }),
  'focus right': (model) => withPreview({ ...model, inventory: { ...model.inventory, focus: 'details' } }),
  filter: (model) => step({ ...model, inventory: { ...model.inventory, isFiltering: true, focus: 'list' } }),
  'keep filter': (model) => step({ ...model, inventory: { ...model.inventory, isFiltering: false } }),
  'toggle claude': (model) => toggle(model, ['claude']),
  'toggle codex': (model) => toggle(model, ['codex']),
  'toggle all': (model) => toggle(model, model.inventory.value?.agents ?? []),
  'pick agent': pickAgent,
  'switch agent': switchAgent,
  'switch scope': switchScope,
  'show diff': showDiff,
  'adopt edit': adoptEdit,
  delete: deleteCurrent,

  'open import': (model) => open(model, 'import'),
  'open doctor': (model) => open(model, 'doctor'),
  'open settings': (model) => open(model, 'settings'),
  'open profiles': (model) => open(model, 'profiles'),
  'open setup': (model) => open(model, 'setup'),
  'run sync': (model) => runSync(model, false),
  'run sync and push': (model) => runSync(model, true),

  choose: chooseOne,
  'choose all': chooseAll,
  'import chosen': importChosen,
  fix: (model) => step(model, { kind: 'examine', project: activeProject(model), fix: true }),
  'apply profile': applyProfile,
  'save profile': (model) => step({ ...model, overlay: { kind: 'ask', question: 'Name of the profile', text: '' } }),
  answer: saveProfile,
  'switch setting': switchSetting,
  'set up': setUp,
  'next way': nextWay,
}

export function perform(model: Model, action: Action): Step {
  return ACTIONS[action](model)
}

function move(model: Model, by: number): Step {
  const list = activeList(model)
  return list.put(list.at + by)
}

function halfPage({ size }: Model): number {
  return Math.max(1, Math.floor(size.rows / 2))
}

/** For the agent under the cursor of the list of agents, which stays open for the next one. */
function switchAgent(model: Model): Step {
  const { at } = activeList(model)
  return toggle(model, model.inventory.value?.agents.slice(at, at + 1) ?? [])
}

/** What was chosen from the palette. An action of another screen opens that screen, where it can be seen and done. */
function runChosen(model: Model): Step {
  const { overlay } = model
  const action = overlay?.kind === 'palette' ? matchingActions(overlay.query)[overlay.at]?.action : undefined
  if (action === undefined) return step(model)
  const closed: Model = { ...model, overlay: undefined }
  if (bindingsOf(model.screen).some((each) => each.action === action)) return perform(closed, action)
  const bindings: readonly Binding[] = BINDINGS
  const places = bindings.filter((each) => each.action === action).flatMap((each) => each.places)
  if (places.includes('inventory')) return perform({ ...closed, screen: 'inventory' }, action)
  const screen = SCREENS.find((each) => places.includes(each))
  return screen === undefined ? step(closed) : open(closed, screen)
}

function refresh(model: Model): Step {
  if (model.screen !== 'inventory') return open(model, model.screen)
  return open({ ...model, inventory: { ...model.inventory, isStale: true } }, 'inventory')
}

function runSync(model: Model, push: boolean): Step {
  const opened = open({ ...model, sync: { result: undefined, findings: [], at: 0 } }, 'sync')
  return step(opened.model, { kind: 'sync', project: activeProject(model), push })
}

function showDiff(model: Model): Step {
  const name = currentSkill(model.inventory)?.name
  if (name === undefined) return step(model)
  const opened = open({ ...model, diff: { name, value: undefined, at: 0 } }, 'diff')
  return step(opened.model, { kind: 'diff', name, project: activeProject(model) })
}

function adoptEdit(model: Model): Step {
  const name = model.screen === 'diff' ? model.diff.name : currentSkill(model.inventory)?.name
  return name === undefined ? step(model) : step(model, { kind: 'adopt', name, project: activeProject(model) })
}

function deleteCurrent(model: Model): Step {
  const name = currentSkill(model.inventory)?.name
  return name === undefined ? step(model) : step(model, { kind: 'delete', name, project: activeProject(model) })
}

function applyProfile(model: Model): Step {
  const profile = model.profiles.list?.[model.profiles.at]
  if (profile === undefined) return step(model)
  return step(model, { kind: 'apply profile', name: profile.name, project: activeProject(model) })
}

function saveProfile(model: Model): Step {
  const name = model.overlay?.kind === 'ask' ? model.overlay.text.trim() : ''
  const closed: Model = { ...model, overlay: undefined }
  return name === '' ? step(closed) : step(closed, { kind: 'save profile', name, project: activeProject(model) })
}
