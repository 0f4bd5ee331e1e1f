import type { Deletion, Outcome } from '../loadout.ts'
import { count } from '../text/count.ts'
import { graphemes } from '../text/text-width.ts'
import { type Action, BINDINGS, type Binding, bindingsOf, matchingActions } from './keys.ts'
import type { Effect } from './message.ts'
import {
  type Asking,
  activeProject,
  type Model,
  SCREENS,
  type ScreenId,
  type Split,
  step,
  type Undo,
  type Updated,
} from './model.ts'
import {
  askSource,
  chooseAll,
  chooseOne,
  importChosen,
  importRows,
  readSource,
  setImportFilter,
} from './screens/import.ts'
import {
  currentSkill,
  markAll,
  markOne,
  nextGrouping,
  openSkill,
  selectedSkills,
  setFilter,
  switchFacet,
  switchScope,
  withPreview,
} from './screens/inventory.ts'
import { activeList } from './screens/lists.ts'
import { finishMerge, giveUpMerge, takeSide } from './screens/merge.ts'
import { editSetting, switchSetting } from './screens/settings.ts'
import { nextWay, setUp } from './screens/setup.ts'
import { partsOf, pickAgent, startToggle, toggle } from './screens/toggle.ts'
import { chooseAllUpdates, chooseUpdate, runUpdate } from './screens/update.ts'

/** What every action does. */
const ACTIONS: Record<Action, (model: Model) => Updated> = {
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

  'focus left': (model) => focusOn(model, 'list'),
  'focus right': (model) => focusOn(model, 'text'),
  mark: markOne,
  'mark all': markAll,
  'open skill': openSkill,
  'open facets': (model) => step({ ...model, overlay: { kind: 'facets', at: 0 } }),
  'switch facet': (model) => switchFacet(model, activeList(model).at),
  'next grouping': nextGrouping,
  filter: (model) => step({ ...model, inventory: { ...model.inventory, isFiltering: true, focus: 'list' } }),
  'filter import': (model) => step({ ...model, imports: { ...model.imports, isFiltering: true, focus: 'list' } }),
  'keep filter': (model) =>
    model.screen === 'import'
      ? step({ ...model, imports: { ...model.imports, isFiltering: false } })
      : step({ ...model, inventory: { ...model.inventory, isFiltering: false } }),
  'toggle claude': (model) => toggle(model, ['claude']),
  'toggle codex': (model) => toggle(model, ['codex']),
  'toggle all': (model) => toggle(model, model.inventory.value?.agents ?? []),
  'pick agent': pickAgent,
  'switch agent': switchAgent,
  'switch scope': switchScope,
  'show diff': showDiff,
  'show review': showReview,
  'allow skill': (model) => answerReview(model, model.review.value),
  'deny skill': (model) => answerReview(model, undefined),
  'adopt edit': adoptEdit,
  delete: confirmDelete,
  confirm,

  'open import': (model) => open(model, 'import'),
  'open doctor': (model) => open(model, 'doctor'),
  'open settings': (model) => open(model, 'settings'),
  'open profiles': (model) => open(model, 'profiles'),
  'open setup': (model) => open(model, 'setup'),
  'open sync': (model) => openSync(model, false),
  'open sync and push': (model) => openSync(model, true),
  'open update': openUpdate,
  'open merge': (model) => open(model, 'merge'),
  'open lists': (model) => open(model, 'lists'),
  'run sync': runSync,
  'run update': runUpdate,
  'take library': (model) => takeSide(model, 'library', false),
  'take other': (model) => takeSide(model, 'other', false),
  'take library everywhere': (model) => takeSide(model, 'library', true),
  'take other everywhere': (model) => takeSide(model, 'other', true),
  'finish merge': finishMerge,
  'give up merge': giveUpMerge,

  'ask source': askSource,
  choose: (model) => (model.screen === 'update' ? chooseUpdate(model) : chooseOne(model)),
  'choose all': (model) => (model.screen === 'update' ? chooseAllUpdates(model) : chooseAll(model)),
  'import chosen': importChosen,
  fix: (model) => step(model, { kind: 'examine', project: activeProject(model), fix: true }),
  'apply profile': applyProfile,
  'save profile': askProfile,
  answer,
  'switch setting': switchSetting,
  'edit setting': editSetting,
  'set up': setUp,
  'next way': nextWay,
}

export function perform(model: Model, action: Action): Updated {
  return ACTIONS[action](model)
}

function move(model: Model, by: number): Updated {
  const list = activeList(model)
  return list.put(list.at + by)
}

function halfPage({ size }: Model): number {
  return Math.max(1, Math.floor(size.rows / 2))
}

/** Switches the agent under the cursor. The list of agents stays open. */
function switchAgent(model: Model): Updated {
  const { at } = activeList(model)
  return toggle(model, model.inventory.value?.agents.slice(at, at + 1) ?? [])
}

/** Runs the action that was chosen in the palette. An action of another screen only opens that screen. */
function runChosen(model: Model): Updated {
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

function refresh(model: Model): Updated {
  if (model.screen !== 'inventory') return open(model, model.screen)
  return open({ ...model, inventory: { ...model.inventory, isStale: true } }, 'inventory')
}

function openSync(model: Model, push: boolean): Updated {
  return open({ ...model, sync: { push, preview: undefined, result: undefined, findings: [], at: 0 } }, 'sync')
}

/** Runs the sync that the preview shows. */
function runSync(model: Model): Updated {
  const { push } = model.sync
  return step({ ...model, sync: { ...model.sync, at: 0 } }, { kind: 'sync', project: activeProject(model), push })
}

function openUpdate(model: Model): Updated {
  const updates = { at: 0, focus: 'list', scroll: 0, value: undefined, findings: [], chosen: [] } as const
  return open({ ...model, updates: { ...updates, findings: [] } }, 'update')
}

function askProfile(model: Model): Updated {
  const asking = { for: 'profile' } as const
  return step({ ...model, overlay: { kind: 'ask', question: 'Name of the profile', text: '', asking } })
}

function showDiff(model: Model): Updated {
  const name = currentSkill(model.inventory)?.name
  if (name === undefined) return step(model)
  const opened = open({ ...model, diff: { name, value: undefined, at: 0 } }, 'diff')
  return step(opened.model, { kind: 'diff', name, project: activeProject(model) })
}

function showReview(model: Model): Updated {
  const { imports, inventory, screen } = model
  const row = screen === 'import' ? importRows(imports)[imports.at] : undefined
  const name = (screen === 'import' ? row : currentSkill(inventory))?.name
  if (name === undefined) return step(model)
  if (row !== undefined && row.standing === undefined) {
    return step({
      ...model,
      notice: { tone: 'plain', text: `enter imports ${name}; then v shows what it can do, and asks` },
    })
  }
  const opened = open({ ...model, review: { name, value: undefined, at: 0 } }, 'review')
  return step(opened.model, { kind: 'review', name, project: activeProject(model) })
}

/** Answers only for a sheet that is on the screen. */
function answerReview(model: Model, shown: Model['review']['value']): Updated {
  const { name, value } = model.review
  return value === undefined ? step(model) : step(model, { kind: 'answer review', name, shown })
}

function adoptEdit(model: Model): Updated {
  const name = model.screen === 'diff' ? model.diff.name : currentSkill(model.inventory)?.name
  return name === undefined ? step(model) : step(model, { kind: 'adopt', name, project: activeProject(model) })
}

function applyProfile(model: Model): Updated {
  const profile = model.profiles.list?.[model.profiles.at]
  if (profile === undefined) return step(model)
  return step(model, { kind: 'apply profile', name: profile.name, project: activeProject(model) })
}

/** Asks before skills are deleted from the library: others use it too. */
function confirmDelete(model: Model): Updated {
  const skills = selectedSkills(model).filter(({ state }) => state !== 'orphaned')
  const [first] = skills
  if (first === undefined) return step(model)
  const names = skills.map(({ name }) => name)
  const what = skills.length === 1 ? first.name : count(skills.length, 'skill')
  const listed = skills.length === 1 ? '' : `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}. `
  const gone = skills.length === 1 ? 'it is gone' : 'they are gone'
  const text = `${listed}The library is shared: with the next push ${gone} for everybody who uses it. u undoes it.`
  const effect = { kind: 'delete', names, project: activeProject(model) } as const
  const question = `Delete ${what} from the library?`
  return step({ ...model, overlay: { kind: 'confirm', question, text, effect: { ...effect, names } } })
}

/** Runs the effect that the box asks about. */
function confirm(model: Model): Updated {
  const { overlay } = model
  const closed: Model = { ...model, overlay: undefined }
  return overlay?.kind === 'confirm' ? step(closed, overlay.effect) : step(closed)
}

/** Uses the text that was typed into a box. */
function answer(model: Model): Updated {
  const { overlay } = model
  const closed: Model = { ...model, overlay: undefined }
  return overlay?.kind === 'ask' ? take(closed, overlay.asking, overlay.text.trim()) : step(closed)
}

function take(model: Model, asking: Asking, text: string): Updated {
  switch (asking.for) {
    case 'profile':
      return text === ''
        ? step(model)
        : step(model, { kind: 'save profile', name: text, project: activeProject(model) })
    case 'source':
      return readSource(model, text)
    case 'folder':
      return step(model, { kind: 'set folder', agent: asking.agent, path: text })
    case 'library':
      return text === '' ? step(model) : step(model, { kind: 'set up', way: 'repo', place: text })
  }
}

/** Adds to the text that is being typed. Line ends and other controls become blanks: it is one line. */
export function typeText(model: Model, added: string): Updated {
  return putText(model, readText(model) + added.replace(/\p{Cc}+/gu, ' '))
}

/** Removes the last visible character. */
function eraseLast(model: Model): Updated {
  return putText(model, graphemes(readText(model)).slice(0, -1).join(''))
}

function eraseAll(model: Model): Updated {
  return putText(model, '')
}

function readText({ overlay, screen, setup, inventory, imports }: Model): string {
  if (overlay?.kind === 'palette') return overlay.query
  if (overlay?.kind === 'ask') return overlay.text
  if (screen === 'import') return imports.filter
  return screen === 'setup' ? setup.place : inventory.filter
}

function putText(model: Model, text: string): Updated {
  const { overlay, setup } = model
  if (overlay?.kind === 'palette') return step({ ...model, overlay: { ...overlay, query: text, at: 0 } })
  if (overlay?.kind === 'ask') return step({ ...model, overlay: { ...overlay, text } })
  if (model.screen === 'setup') return step({ ...model, setup: { ...setup, place: text } })
  return model.screen === 'import' ? setImportFilter(model, text) : setFilter(model, text)
}

/** Undoes the last change. */
function undo(model: Model): Updated {
  const [last, ...earlier] = model.undo
  if (last === undefined) return step({ ...model, notice: { tone: 'plain', text: 'nothing to undo' } })
  const next: Model = { ...model, undo: earlier, notice: { tone: 'plain', text: `undoing: ${last.label}` } }
  return last.effect.kind === 'toggle' ? startToggle(next, last.effect) : step(next, last.effect)
}

/** Remembers only real changes; an undo is not remembered. */
export function rememberToggle(model: Model, effect: Effect & { kind: 'toggle' }, { operations }: Outcome): Model {
  const names = [...new Set(operations.map(({ skill }) => skill))]
  const agentsOf = (name: string) => [...new Set(operations.flatMap((each) => (each.skill === name ? each.agent : [])))]
  if (effect.isUndo || names.length === 0) return model
  const parts = partsOf(names.map((name) => [name, agentsOf(name)]))
  const label = `${effect.isOn ? 'equip' : 'unequip'} ${names.length === 1 ? names[0] : count(names.length, 'skill')}`
  return push(model, { label, effect: { ...effect, parts, isOn: !effect.isOn, isUndo: true } })
}

export function rememberDeletions(model: Model, deletions: readonly Deletion[]): Model {
  const [only] = deletions
  if (only === undefined) return model
  const what = deletions.length === 1 ? only.name : count(deletions.length, 'skill')
  return push(model, { label: `delete ${what}`, effect: { kind: 'restore', deletions } })
}

function push(model: Model, last: Undo): Model {
  // Enough for the slips of a session.
  return { ...model, undo: [last, ...model.undo].slice(0, 20) }
}

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
function toggleHelp(model: Model): Updated {
  if (model.screen === 'help') return step({ ...model, screen: model.help.from })
  return step({ ...model, screen: 'help', help: { at: 0, from: model.screen } })
}

/** One step back: closes a box, or stops running work, or leaves the screen, or drops the filter; in this order. */
function back(model: Model): Updated {
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
function focusOn(model: Model, focus: Split['focus']): Updated {
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
