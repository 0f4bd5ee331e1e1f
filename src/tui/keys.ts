import type { Model, ScreenId } from './model.ts'

/** Where keys are read: a screen, a box over it, or the filter of the inventory. */
export type KeyPlace =
  | ScreenId
  | 'filter'
  | 'import filter'
  | 'synced'
  | 'palette'
  | 'agents'
  | 'facets'
  | 'ask'
  | 'confirm'

/** Places where letters are text, and only other keys do something. */
const TYPING = ['filter', 'import filter', 'palette', 'ask', 'setup'] as const
const OPENED = [
  'import',
  'sync',
  'synced',
  'update',
  'merge',
  'lists',
  'doctor',
  'profiles',
  'settings',
  'diff',
  'review',
  'help',
] as const
const WITHOUT_TEXT = ['inventory', ...OPENED] as const
const BOXES = ['agents', 'facets'] as const
const LISTS = [...WITHOUT_TEXT, ...BOXES] as const
/** Screens with a list and a text about its row. */
const SPLIT = ['inventory', 'import', 'update', 'merge'] as const
const CHOICES = ['import', 'update'] as const
const HERE = ['inventory'] as const

/** One key, or several with the same action. */
export interface Binding {
  keys: readonly string[]
  action: Action
  places: readonly KeyPlace[]
  /** What it does, for help and palette. */
  help: string
  /** A word or two for the footer; without it, the footer does not show the key. */
  label?: string
}

/** The only definition of keys: update, footer, help and palette read it. */
export const BINDINGS = [
  { keys: ['c'], action: 'toggle claude', places: HERE, label: 'claude', help: 'Equip for Claude, or take it away' },
  { keys: ['x'], action: 'toggle codex', places: HERE, label: 'codex', help: 'Equip for Codex, or take it away' },
  { keys: ['t'], action: 'pick agent', places: HERE, label: 'agent…', help: 'Choose an agent to equip for' },
  { keys: ['u'], action: 'undo', places: HERE, label: 'undo', help: 'Undo the last change' },
  {
    keys: ['i'],
    action: 'open import',
    places: HERE,
    label: 'import',
    help: 'Import: agents’ folders, a folder, an address',
  },
  {
    keys: ['s'],
    action: 'open sync',
    places: HERE,
    label: 'sync',
    help: 'Sync: show what it would change, then do it',
  },
  {
    keys: ['/'],
    action: 'filter',
    places: HERE,
    label: 'find',
    help: 'Find: letters of the name, words, tag:x state:x',
  },
  {
    keys: ['space'],
    action: 'mark',
    places: HERE,
    label: 'mark',
    help: 'Mark the skill: actions are about what is marked',
  },
  { keys: ['d'], action: 'open doctor', places: HERE, label: 'doctor', help: 'Ask the doctor what needs action' },
  {
    keys: ['U'],
    action: 'open update',
    places: HERE,
    label: 'update',
    help: 'Update imported skills from their sources',
  },
  { keys: ['enter'], action: 'open skill', places: HERE, label: 'open', help: 'Open the skill on the whole screen' },
  {
    keys: ['f'],
    action: 'open facets',
    places: HERE,
    label: 'only…',
    help: 'Show only a state, an agent, a tag or a source',
  },
  { keys: ['tab'], action: 'switch scope', places: HERE, label: 'scope', help: 'Switch between user and project' },
  { keys: ['a'], action: 'toggle all', places: HERE, label: 'all', help: 'Equip for all agents, or take it from all' },
  { keys: ['p'], action: 'open settings', places: HERE, label: 'settings', help: 'Open the settings' },
  { keys: ['P'], action: 'open profiles', places: HERE, label: 'profiles', help: 'Open the profiles' },
  { keys: ['*'], action: 'mark all', places: HERE, help: 'Mark all that the filter shows, or none of them' },
  { keys: ['o'], action: 'next grouping', places: HERE, help: 'Group by state, tag, source or agent' },
  { keys: ['e'], action: 'show diff', places: HERE, help: 'Show how installed copies differ from the library' },
  {
    keys: ['v'],
    action: 'show review',
    places: ['inventory', 'import'],
    help: 'Review what the skill can do, and answer',
  },
  { keys: ['E'], action: 'adopt edit', places: HERE, help: 'Adopt the edit of an installed copy into the library' },
  { keys: ['D'], action: 'delete', places: HERE, help: 'Delete from the shared library, after a question' },
  { keys: ['S'], action: 'open sync and push', places: HERE, help: 'Sync, and push the library to its remote' },
  { keys: ['m'], action: 'open merge', places: HERE, help: 'Decide merges where both sides changed' },
  { keys: ['b'], action: 'open lists', places: HERE, help: 'Show how full the agents’ lists of skills are' },
  { keys: ['L'], action: 'open setup', places: HERE, help: 'Set up another library' },

  { keys: ['enter'], action: 'import chosen', places: ['import'], label: 'import', help: 'Import what is chosen' },
  {
    keys: ['f'],
    action: 'ask source',
    places: ['import'],
    label: 'from…',
    help: 'Import from a folder, archive or git address',
  },
  { keys: ['/'], action: 'filter import', places: ['import'], label: 'find', help: 'Find skills to import' },
  { keys: ['enter'], action: 'run update', places: ['update'], label: 'update', help: 'Update what is chosen' },
  { keys: ['space'], action: 'choose', places: CHOICES, label: 'choose', help: 'Choose the skill, or leave it' },
  { keys: ['*', 'a'], action: 'choose all', places: CHOICES, label: 'all', help: 'Choose all that is shown, or none' },
  { keys: ['enter'], action: 'back', places: ['synced'], help: 'Go back to the skills' },
  { keys: ['enter'], action: 'run sync', places: ['sync'], label: 'sync now', help: 'Do what is shown' },
  { keys: ['1'], action: 'take library', places: ['merge'], label: 'left', help: 'Take the library’s text here' },
  { keys: ['2'], action: 'take other', places: ['merge'], label: 'right', help: 'Take the other text here' },
  { keys: ['L'], action: 'take library everywhere', places: ['merge'], help: 'Take the library’s text everywhere' },
  { keys: ['O'], action: 'take other everywhere', places: ['merge'], help: 'Take the other text everywhere' },
  {
    keys: ['enter'],
    action: 'finish merge',
    places: ['merge'],
    label: 'finish',
    help: 'Bring the merged skill into the library',
  },
  {
    keys: ['D'],
    action: 'give up merge',
    places: ['merge'],
    label: 'give up',
    help: 'Give the merge up, after a question',
  },
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
  { keys: ['e'], action: 'edit setting', places: ['settings'], label: 'edit path', help: 'Type another path' },
  { keys: ['E'], action: 'adopt edit', places: ['diff'], label: 'adopt', help: 'Adopt the edit into the library' },
  { keys: ['y'], action: 'allow skill', places: ['review'], label: 'allow', help: 'Allow what is shown' },
  { keys: ['n'], action: 'deny skill', places: ['review'], label: 'never', help: 'Never install it on this machine' },
  {
    keys: ['enter', 'space'],
    action: 'switch agent',
    places: ['agents'],
    label: 'switch',
    help: 'Equip, or take away',
  },

  {
    keys: ['enter', 'space'],
    action: 'switch facet',
    places: ['facets'],
    label: 'switch',
    help: 'Show only these, or all again',
  },
  { keys: ['y'], action: 'confirm', places: ['confirm'], label: 'yes', help: 'Do it' },
  { keys: ['n', 'escape', 'q'], action: 'back', places: ['confirm'], label: 'no', help: 'Leave it' },

  {
    keys: ['enter'],
    action: 'keep filter',
    places: ['filter', 'import filter'],
    label: 'keep',
    help: 'Keep the filter',
  },
  { keys: ['enter'], action: 'run action', places: ['palette'], label: 'do it', help: 'Do it' },
  { keys: ['enter'], action: 'answer', places: ['ask'], label: 'go on', help: 'Take what was typed' },
  { keys: ['tab'], action: 'next way', places: ['setup'], label: 'other way', help: 'Go to the next way' },
  { keys: ['enter'], action: 'set up', places: ['setup'], label: 'go on', help: 'Set up the library' },
  { keys: ['backspace'], action: 'erase', places: TYPING, help: 'Erase the last character' },
  { keys: ['ctrl-u'], action: 'erase all', places: TYPING, help: 'Erase everything' },
  {
    keys: ['down', 'ctrl-n'],
    action: 'down',
    places: ['filter', 'import filter', 'palette', 'setup'],
    help: 'Go down in the list',
  },
  {
    keys: ['up', 'ctrl-p'],
    action: 'up',
    places: ['filter', 'import filter', 'palette', 'setup'],
    help: 'Go up in the list',
  },

  { keys: ['j', 'down'], action: 'down', places: LISTS, help: 'Go down' },
  { keys: ['k', 'up'], action: 'up', places: LISTS, help: 'Go up' },
  { keys: ['g', 'home'], action: 'top', places: LISTS, help: 'Go to the top' },
  { keys: ['G', 'end'], action: 'bottom', places: LISTS, help: 'Go to the bottom' },
  { keys: ['ctrl-d', 'pagedown'], action: 'half down', places: LISTS, help: 'Go half a page down' },
  { keys: ['ctrl-u', 'pageup'], action: 'half up', places: LISTS, help: 'Go half a page up' },
  { keys: ['h', 'left'], action: 'focus left', places: SPLIT, help: 'Go to the list' },
  { keys: ['l', 'right'], action: 'focus right', places: SPLIT, help: 'Go to the text, to scroll it' },
  {
    keys: ['r'],
    action: 'refresh',
    places: ['inventory', 'import', 'doctor', 'sync', 'update', 'merge', 'lists'],
    help: 'Read again what is shown',
  },
  { keys: [':', 'ctrl-k'], action: 'palette', places: WITHOUT_TEXT, help: 'Find an action by its name' },
  { keys: ['?'], action: 'help', places: WITHOUT_TEXT, label: 'help', help: 'Open or close this help' },
  { keys: ['escape', 'q'], action: 'back', places: OPENED, label: 'back', help: 'Stop what runs, or go back' },
  { keys: ['escape', 'q', 't'], action: 'back', places: ['agents'], label: 'close', help: 'Close the list of agents' },
  { keys: ['escape', 'q', 'f'], action: 'back', places: ['facets'], label: 'close', help: 'Close the list' },
  { keys: ['escape'], action: 'back', places: ['filter', 'import filter'], label: 'drop', help: 'Drop the filter' },
  { keys: ['escape'], action: 'back', places: ['palette', 'ask'], label: 'close', help: 'Close the box' },
  { keys: ['escape'], action: 'back', places: ['setup'], label: 'leave', help: 'Stop what runs, or leave the setup' },
  { keys: ['escape'], action: 'back', places: HERE, help: 'Stop what runs, leave the text, drop filter and marks' },
  { keys: ['q'], action: 'quit', places: HERE, label: 'quit', help: 'Quit' },
  { keys: ['ctrl-c'], action: 'quit', places: [...LISTS, ...TYPING, 'confirm'], help: 'Quit from everywhere' },
] as const satisfies readonly (Omit<Binding, 'action'> & { action: string })[]

export type Action = (typeof BINDINGS)[number]['action']

/** Where the next key goes. */
export function keyPlace({ overlay, screen, inventory, imports, sync }: Model): KeyPlace {
  if (overlay !== undefined) return overlay.kind
  if (screen === 'import' && imports.isFiltering) return 'import filter'
  if (screen === 'sync' && sync.result !== undefined) return 'synced'
  return screen === 'inventory' && inventory.isFiltering ? 'filter' : screen
}

/** Whether letters are text now, not keys. */
export function isTyping(model: Model): boolean {
  return isTypingPlace(keyPlace(model))
}

export function isTypingPlace(place: KeyPlace): boolean {
  return TYPING.some((each) => each === place)
}

export function bindingsOf(place: KeyPlace): Binding[] {
  const bindings: readonly Binding[] = BINDINGS
  return bindings.filter(({ places }) => places.includes(place))
}

export function actionFor(place: KeyPlace, key: string): Action | undefined {
  return bindingsOf(place).find(({ keys }) => keys.includes(key))?.action
}

// From the palette, these would only move its own cursor, or do nothing.
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

/** The actions that match the typed words, each once. */
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

/** The name of a key in footer and help. */
export function keyName(key: string): string {
  return key === 'escape' ? 'esc' : key
}
