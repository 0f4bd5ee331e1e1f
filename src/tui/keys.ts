import type { Model, ScreenId } from './model.ts'

/** Where keys are read: a screen, a box over it, or the filter of the inventory. */
export type Place = ScreenId | 'filter' | 'palette' | 'agents' | 'ask'

/** Places where letters are text, and only other keys do something. */
const TYPING = ['filter', 'palette', 'ask', 'setup'] as const
const WITHOUT_TEXT = ['inventory', 'import', 'sync', 'doctor', 'profiles', 'settings', 'diff', 'help'] as const
const OPENED = ['import', 'sync', 'doctor', 'profiles', 'settings', 'diff', 'help'] as const
const LISTS = [...WITHOUT_TEXT, 'agents'] as const
const HERE = ['inventory'] as const

/** One key, or several that do the same. */
export interface Binding {
  keys: readonly string[]
  action: Action
  places: readonly Place[]
  /** What it does, as help and palette say it. */
  help: string
  /** The same in a word or two: it is also named in the footer. */
  label?: string
}

/** The only place where keys have a meaning: update, footer, help and palette all read it. */
export const BINDINGS = [
  { keys: ['c'], action: 'toggle claude', places: HERE, label: 'claude', help: 'Equip for Claude, or take it away' },
  { keys: ['x'], action: 'toggle codex', places: HERE, label: 'codex', help: 'Equip for Codex, or take it away' },
  { keys: ['t'], action: 'pick agent', places: HERE, label: 'agent…', help: 'Choose an agent to equip for' },
  { keys: ['i'], action: 'open import', places: HERE, label: 'import', help: 'Import skills from the agents’ folders' },
  { keys: ['s'], action: 'run sync', places: HERE, label: 'sync', help: 'Sync: update the library and the copies' },
  { keys: ['d'], action: 'open doctor', places: HERE, label: 'doctor', help: 'Ask the doctor what needs action' },
  { keys: ['/'], action: 'filter', places: HERE, label: 'filter', help: 'Filter by name, description, tag or state' },
  { keys: ['tab'], action: 'switch scope', places: HERE, label: 'scope', help: 'Switch between user and project' },
  { keys: ['a'], action: 'toggle all', places: HERE, label: 'all', help: 'Equip for all agents, or take it from all' },
  { keys: ['u'], action: 'undo', places: HERE, label: 'undo', help: 'Undo the last change' },
  { keys: ['p'], action: 'open settings', places: HERE, label: 'settings', help: 'Open the settings' },
  { keys: ['P'], action: 'open profiles', places: HERE, label: 'profiles', help: 'Open the profiles' },
  { keys: ['e'], action: 'show diff', places: HERE, help: 'Show how installed copies differ from the library' },
  { keys: ['E'], action: 'adopt edit', places: HERE, help: 'Adopt the edit of an installed copy into the library' },
  { keys: ['D'], action: 'delete', places: HERE, help: 'Delete the skill from the library' },
  { keys: ['S'], action: 'run sync and push', places: HERE, help: 'Sync, and push the library to its remote' },
  { keys: ['L'], action: 'open setup', places: HERE, help: 'Set up another library' },
  { keys: ['h', 'left'], action: 'focus left', places: HERE, help: 'Go to the list' },
  { keys: ['l', 'right'], action: 'focus right', places: HERE, help: 'Go to the details' },

  { keys: ['enter'], action: 'import chosen', places: ['import'], label: 'import', help: 'Import what is chosen' },
  { keys: ['space'], action: 'choose', places: ['import'], label: 'choose', help: 'Choose the skill, or leave it' },
  { keys: ['a'], action: 'choose all', places: ['import'], label: 'choose all', help: 'Choose all skills, or none' },
  { keys: ['f'], action: 'fix', places: ['doctor'], label: 'fix what is safe', help: 'Fix what can be fixed safely' },
  {
    keys: ['enter'],
    action: 'apply profile',
    places: ['profiles'],
    label: 'apply',
    help: 'Equip what the profile says',
  },
  {
    keys: ['n'],
    action: 'save profile',
    places: ['profiles'],
    label: 'new',
    help: 'Save what is equipped as a profile',
  },
  {
    keys: ['space', 'enter'],
    action: 'switch setting',
    places: ['settings'],
    label: 'switch',
    help: 'Switch on or off',
  },
  { keys: ['E'], action: 'adopt edit', places: ['diff'], label: 'adopt', help: 'Adopt the edit into the library' },
  {
    keys: ['enter', 'space'],
    action: 'switch agent',
    places: ['agents'],
    label: 'switch',
    help: 'Equip, or take away',
  },

  { keys: ['enter'], action: 'keep filter', places: ['filter'], label: 'keep', help: 'Keep the filter' },
  { keys: ['enter'], action: 'run action', places: ['palette'], label: 'do it', help: 'Do it' },
  { keys: ['enter'], action: 'answer', places: ['ask'], label: 'save', help: 'Save under this name' },
  { keys: ['tab'], action: 'next way', places: ['setup'], label: 'other way', help: 'Go to the next way' },
  { keys: ['enter'], action: 'set up', places: ['setup'], label: 'go on', help: 'Set up the library' },
  { keys: ['backspace'], action: 'erase', places: TYPING, help: 'Erase the last character' },
  { keys: ['ctrl-u'], action: 'erase all', places: TYPING, help: 'Erase everything' },
  { keys: ['down', 'ctrl-n'], action: 'down', places: ['filter', 'palette', 'setup'], help: 'Go down in the list' },
  { keys: ['up', 'ctrl-p'], action: 'up', places: ['filter', 'palette', 'setup'], help: 'Go up in the list' },

  { keys: ['j', 'down'], action: 'down', places: LISTS, help: 'Go down' },
  { keys: ['k', 'up'], action: 'up', places: LISTS, help: 'Go up' },
  { keys: ['g', 'home'], action: 'top', places: LISTS, help: 'Go to the top' },
  { keys: ['G', 'end'], action: 'bottom', places: LISTS, help: 'Go to the bottom' },
  { keys: ['ctrl-d', 'pagedown'], action: 'half down', places: LISTS, help: 'Go half a page down' },
  { keys: ['ctrl-u', 'pageup'], action: 'half up', places: LISTS, help: 'Go half a page up' },
  { keys: ['r'], action: 'refresh', places: ['inventory', 'import', 'doctor'], help: 'Read again what is shown' },
  { keys: [':', 'ctrl-k'], action: 'palette', places: WITHOUT_TEXT, help: 'Find an action by its name' },
  { keys: ['?'], action: 'help', places: WITHOUT_TEXT, label: 'help', help: 'Open or close this help' },
  { keys: ['escape', 'q'], action: 'back', places: OPENED, label: 'back', help: 'Stop what runs, or go back' },
  { keys: ['escape', 'q', 't'], action: 'back', places: ['agents'], label: 'close', help: 'Close the list of agents' },
  { keys: ['escape'], action: 'back', places: ['filter'], label: 'drop', help: 'Drop the filter' },
  { keys: ['escape'], action: 'back', places: ['palette', 'ask'], label: 'close', help: 'Close the box' },
  { keys: ['escape'], action: 'back', places: ['setup'], label: 'leave', help: 'Stop what runs, or leave the setup' },
  { keys: ['escape'], action: 'back', places: HERE, help: 'Stop what runs, leave the details, drop the filter' },
  { keys: ['q'], action: 'quit', places: HERE, label: 'quit', help: 'Quit' },
  { keys: ['ctrl-c'], action: 'quit', places: [...LISTS, ...TYPING], help: 'Quit from everywhere' },
] as const satisfies readonly (Omit<Binding, 'action'> & { action: string })[]

export type Action = (typeof BINDINGS)[number]['action']

/** Where the next key goes. */
export function placeOf({ overlay, screen, inventory }: Model): Place {
  if (overlay !== undefined) return overlay.kind
  return screen === 'inventory' && inventory.isFiltering ? 'filter' : screen
}

/** Whether letters are text now, and not keys. */
export function isTyping(model: Model): boolean {
  return isTypingPlace(placeOf(model))
}

export function isTypingPlace(place: Place): boolean {
  return TYPING.some((each) => each === place)
}

export function bindingsOf(place: Place): Binding[] {
  const bindings: readonly Binding[] = BINDINGS
  return bindings.filter(({ places }) => places.includes(place))
}

export function actionFor(place: Place, key: string): Action | undefined {
  return bindingsOf(place).find(({ keys }) => keys.includes(key))?.action
}
