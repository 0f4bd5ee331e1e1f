import { describe, expect, it } from 'vitest'
import { BINDINGS, type Binding, type KeyPlace, keyPlace } from './keys.ts'
import type { Effect, Message } from './message.ts'
import {
  CANDIDATES,
  CHECKS,
  doneWith,
  importsOf,
  inventoryOf,
  MERGES,
  modelOf,
  operationOf,
  PREVIEW,
  PROJECT,
  placementOf,
  previewOf,
  SETTINGS,
  SKILLS,
  skillOf,
  syncOf,
  UPDATES,
} from './model.fixture.ts'
import { initialModel, type Model, type Overlay, type ScreenId } from './model.ts'
import { update } from './update.ts'

const NAMES = SKILLS.map(({ name }) => name)
const user = undefined

type Given = Partial<Model> & { list?: Partial<Model['inventory']> }

function start({ list = {}, ...values }: Given = {}): Model {
  return modelOf(values, list)
}

function press(model: Model, ...keys: string[]): { model: Model; effects: Effect[] } {
  return send(model, ...keys.map((name): Message => ({ kind: 'key', name })))
}

function send(model: Model, ...messages: Message[]): { model: Model; effects: Effect[] } {
  let now = model
  const effects: Effect[] = []
  for (const message of messages) {
    const next = update(now, message)
    now = next.model
    effects.push(...next.effects)
  }
  return { model: now, effects }
}

const type = (text: string): Message => ({ kind: 'text', text })
const paste = (text: string): Message => ({ kind: 'paste', text })

/** Where a place is found. */
const AT: Record<KeyPlace, Given> = {
  inventory: {},
  import: { screen: 'import' },
  sync: { screen: 'sync', sync: syncOf({ preview: PREVIEW }) },
  synced: { screen: 'sync' },
  update: { screen: 'update' },
  merge: { screen: 'merge' },
  lists: { screen: 'lists', size: { columns: 40, rows: 10 } },
  'import filter': { screen: 'import', imports: importsOf({ isFiltering: true, filter: 'l' }) },
  facets: { overlay: { kind: 'facets', at: 0 } },
  confirm: { overlay: { kind: 'confirm', question: 'Sure?', text: 'It is gone.', effect: { kind: 'load profiles' } } },
  doctor: { screen: 'doctor' },
  profiles: { screen: 'profiles' },
  settings: { screen: 'settings' },
  diff: { screen: 'diff' },
  review: { screen: 'review' },
  help: { screen: 'help' },
  setup: { screen: 'setup' },
  filter: { list: { isFiltering: true, filter: 'e' } },
  palette: { overlay: { kind: 'palette', query: '', at: 0 } },
  agents: { overlay: { kind: 'agents', at: 0 } },
  ask: { screen: 'profiles', overlay: { kind: 'ask', question: 'Name', text: 'wörk', asking: { for: 'profile' } } },
}

interface Row {
  action: Binding['action']
  place: KeyPlace
  /** Besides the parts that make the place. */
  given?: Given
  /** Parts of the model that must follow. */
  model?: Record<string, unknown>
  effects?: Effect[]
}

const at = (screen: keyof Model, value: number) => ({ [screen]: { at: value } })
const load = (project: string | undefined = user): Effect => ({ kind: 'load inventory', project })
const standing: Effect = { kind: 'load standing', project: user, fetch: false }
const preview = (name: string): Effect => ({ kind: 'load preview', name, project: user })

/** Lists and texts, and the part of the model where their cursor stands. */
const CURSORS: { place: KeyPlace; state: string; last: number; half: number }[] = [
  { place: 'import', state: 'imports', last: 2, half: 2 },
  { place: 'sync', state: 'sync', last: 28, half: 12 },
  { place: 'synced', state: 'sync', last: 25, half: 12 },
  { place: 'update', state: 'updates', last: 2, half: 2 },
  { place: 'merge', state: 'merges', last: 1, half: 1 },
  { place: 'lists', state: 'lists', last: 11, half: 5 },
  { place: 'facets', state: 'overlay', last: 10, half: 10 },
  { place: 'doctor', state: 'doctor', last: 2, half: 2 },
  { place: 'profiles', state: 'profiles', last: 1, half: 1 },
  { place: 'settings', state: 'settings', last: 3, half: 3 },
  { place: 'diff', state: 'diff', last: 25, half: 12 },
  { place: 'review', state: 'review', last: 25, half: 12 },
  { place: 'agents', state: 'overlay', last: 2, half: 2 },
]

function moves(place: KeyPlace, state: string, last: number, half: number): Row[] {
  const here = (value: number): Given => {
    const made = start(AT[place])
    return { [state]: { ...(made[state as keyof Model] as object), at: value } } as Given
  }
  return [
    { action: 'down', place, model: at(state as keyof Model, 1) },
    { action: 'down', place, given: here(last), model: at(state as keyof Model, last) },
    { action: 'up', place, given: here(1), model: at(state as keyof Model, 0) },
    { action: 'up', place, model: at(state as keyof Model, 0) },
    { action: 'top', place, given: here(last), model: at(state as keyof Model, 0) },
    { action: 'bottom', place, model: at(state as keyof Model, last) },
    { action: 'half down', place, model: at(state as keyof Model, half) },
    { action: 'half up', place, given: here(last), model: at(state as keyof Model, last - half) },
  ]
}

const OPENED: ScreenId[] = [
  'import',
  'sync',
  'update',
  'merge',
  'lists',
  'doctor',
  'profiles',
  'settings',
  'diff',
  'review',
]

const ROWS: Row[] = [
  {
    action: 'toggle claude',
    place: 'inventory',
    model: { inventory: { pending: [{ skill: 'api-review', agent: 'claude', isDone: false }] } },
    effects: [{ kind: 'toggle', parts: [{ names: ['api-review'], agents: ['claude'] }], isOn: false, project: user }],
  },
  {
    action: 'toggle codex',
    place: 'inventory',
    effects: [{ kind: 'toggle', parts: [{ names: ['api-review'], agents: ['codex'] }], isOn: true, project: user }],
  },
  {
    action: 'toggle all',
    place: 'inventory',
    effects: [{ kind: 'toggle', parts: [{ names: ['api-review'], agents: ['codex'] }], isOn: true, project: user }],
  },
  {
    action: 'toggle all',
    place: 'inventory',
    given: { list: { at: 2 } },
    effects: [
      {
        kind: 'toggle',
        parts: [{ names: ['release-notes'], agents: ['claude', 'codex'] }],
        isOn: false,
        project: user,
      },
    ],
  },
  { action: 'pick agent', place: 'inventory', model: { overlay: { kind: 'agents', at: 0 } } },
  { action: 'filter', place: 'inventory', model: { inventory: { isFiltering: true, focus: 'list' } } },
  {
    action: 'open import',
    place: 'inventory',
    model: { screen: 'import' },
    effects: [{ kind: 'load candidates', project: user }],
  },
  {
    action: 'open sync',
    place: 'inventory',
    model: { screen: 'sync', sync: { result: undefined, preview: undefined }, work: { label: 'asking the remote' } },
    effects: [{ kind: 'preview sync', project: user, push: false }],
  },
  { action: 'open sync and push', place: 'inventory', effects: [{ kind: 'preview sync', project: user, push: true }] },
  {
    action: 'run sync',
    place: 'sync',
    given: { sync: syncOf({ preview: PREVIEW, push: true }) },
    model: { work: { label: 'syncing' } },
    effects: [{ kind: 'sync', project: user, push: true }],
  },
  {
    action: 'open update',
    place: 'inventory',
    model: { screen: 'update', updates: { value: undefined }, work: { label: 'asking the sources' } },
    effects: [{ kind: 'preview update' }],
  },
  { action: 'run update', place: 'update', effects: [{ kind: 'update', names: ['planning'] }] },
  {
    action: 'run update',
    place: 'update',
    given: { updates: { ...modelOf().updates, at: 2 } },
    model: { notice: { text: 'nothing here has news' } },
  },
  {
    action: 'run update',
    place: 'update',
    given: { updates: { ...modelOf().updates, at: 2, chosen: ['planning', 'brainstorm'] } },
    effects: [{ kind: 'update', names: ['planning', 'brainstorm'] }],
  },
  {
    action: 'run update',
    place: 'update',
    given: { updates: { ...modelOf().updates, value: { ...UPDATES, isDryRun: false } } },
    model: { screen: 'inventory' },
  },
  { action: 'choose', place: 'update', model: { updates: { chosen: ['planning'], at: 0 } } },
  {
    action: 'choose',
    place: 'update',
    given: { updates: { ...modelOf().updates, at: 2 } },
    model: { updates: { chosen: [] }, notice: { text: 'debugging is current' } },
  },
  { action: 'choose all', place: 'update', model: { updates: { chosen: ['planning', 'brainstorm'] } } },
  {
    action: 'open merge',
    place: 'inventory',
    model: { screen: 'merge' },
    effects: [{ kind: 'load merge', name: undefined }],
  },
  {
    action: 'take library',
    place: 'merge',
    effects: [{ kind: 'take side', name: 'planning', take: 'library', only: { path: 'SKILL.md', stretch: 1 } }],
  },
  {
    action: 'take other',
    place: 'merge',
    given: { merges: { ...modelOf().merges, at: 1 } },
    effects: [{ kind: 'take side', name: 'planning', take: 'other', only: { path: 'run.sh', stretch: undefined } }],
  },
  {
    action: 'take library everywhere',
    place: 'merge',
    effects: [{ kind: 'take side', name: 'planning', take: 'library', only: undefined }],
  },
  {
    action: 'take other everywhere',
    place: 'merge',
    effects: [{ kind: 'take side', name: 'planning', take: 'other', only: undefined }],
  },
  {
    action: 'finish merge',
    place: 'merge',
    model: { notice: { tone: 'alert', text: '2 places of planning wait: 1 or 2 decides' } },
  },
  {
    action: 'finish merge',
    place: 'merge',
    given: { merges: { ...modelOf().merges, list: MERGES.map((each) => ({ ...each, conflicts: [], places: [] })) } },
    effects: [{ kind: 'finish merge', name: 'planning', project: user }],
  },
  {
    action: 'give up merge',
    place: 'merge',
    model: { overlay: { kind: 'confirm', effect: { kind: 'give up merge', name: 'planning' } } },
  },
  {
    action: 'open lists',
    place: 'inventory',
    model: { screen: 'lists' },
    effects: [{ kind: 'load standing', project: user, fetch: false }],
  },
  { action: 'refresh', place: 'lists', effects: [{ kind: 'load standing', project: user, fetch: false }] },
  { action: 'refresh', place: 'sync', effects: [{ kind: 'preview sync', project: user, push: false }] },
  { action: 'refresh', place: 'update', effects: [{ kind: 'preview update' }] },
  { action: 'refresh', place: 'merge', effects: [{ kind: 'load merge', name: undefined }] },
  {
    action: 'mark',
    place: 'inventory',
    model: { inventory: { marked: ['api-review'], at: 0 } },
  },
  {
    action: 'mark',
    place: 'inventory',
    given: { list: { marked: ['api-review', 'sketch'] } },
    model: { inventory: { marked: ['sketch'] } },
  },
  { action: 'mark all', place: 'inventory', model: { inventory: { marked: NAMES } } },
  {
    action: 'mark all',
    place: 'inventory',
    given: { list: { filter: 'tag:release', marked: ['sketch'] } },
    model: { inventory: { marked: ['sketch', 'release-notes'] } },
  },
  {
    action: 'mark all',
    place: 'inventory',
    given: { list: { marked: NAMES } },
    model: { inventory: { marked: [] } },
  },
  { action: 'open skill', place: 'inventory', model: { inventory: { focus: 'text', isOpen: true } } },
  { action: 'open facets', place: 'inventory', model: { overlay: { kind: 'facets', at: 0 } } },
  { action: 'next grouping', place: 'inventory', model: { inventory: { grouping: 'state' } } },
  {
    action: 'switch facet',
    place: 'facets',
    given: { overlay: { kind: 'facets', at: 1 } },
    model: { inventory: { filter: 'state:edited' }, overlay: { kind: 'facets' } },
  },
  {
    action: 'switch facet',
    place: 'facets',
    given: { overlay: { kind: 'facets', at: 1 }, list: { filter: 'x state:edited y' } },
    model: { inventory: { filter: 'x y' } },
  },
  { action: 'back', place: 'facets', model: { overlay: undefined } },
  { action: 'confirm', place: 'confirm', model: { overlay: undefined }, effects: [{ kind: 'load profiles' }] },
  { action: 'back', place: 'confirm', model: { overlay: undefined } },
  { action: 'ask source', place: 'import', model: { overlay: { kind: 'ask', asking: { for: 'source' } } } },
  { action: 'filter import', place: 'import', model: { imports: { isFiltering: true } } },
  { action: 'keep filter', place: 'import filter', model: { imports: { isFiltering: false, filter: 'l' } } },
  { action: 'back', place: 'import filter', model: { imports: { isFiltering: false, filter: '' } } },
  { action: 'erase', place: 'import filter', model: { imports: { filter: '' } } },
  { action: 'erase all', place: 'import filter', model: { imports: { filter: '' } } },
  { action: 'down', place: 'import filter', model: { imports: { at: 1 } } },
  { action: 'up', place: 'import filter', model: { imports: { at: 0 } } },
  {
    action: 'edit setting',
    place: 'settings',
    given: { settings: { view: SETTINGS, at: 1 } },
    model: { overlay: { kind: 'ask', text: '~/.claude/skills', asking: { for: 'folder', agent: 'claude' } } },
  },
  {
    action: 'answer',
    place: 'ask',
    given: { overlay: { kind: 'ask', question: '', text: ' ~/x ', asking: { for: 'folder', agent: 'claude' } } },
    effects: [{ kind: 'set folder', agent: 'claude', path: '~/x' }],
  },
  {
    action: 'answer',
    place: 'ask',
    given: { overlay: { kind: 'ask', question: '', text: '~/lib', asking: { for: 'library' } } },
    effects: [{ kind: 'set up', way: 'repo', place: '~/lib' }],
  },
  {
    action: 'answer',
    place: 'ask',
    given: { overlay: { kind: 'ask', question: '', text: 'acme/skills', asking: { for: 'source' } } },
    model: { screen: 'import', imports: { source: 'acme/skills', found: undefined } },
    effects: [{ kind: 'load offers', source: 'acme/skills', project: user }],
  },
  ...(['import', 'update', 'merge'] as const).flatMap((place): Row[] => {
    const part = { import: 'imports', update: 'updates', merge: 'merges' }[place] as 'imports'
    const inText: Given = { [part]: { ...modelOf()[part], focus: 'text' as const } }
    return [
      { action: 'focus right', place, model: { [part]: { focus: 'text' } } },
      { action: 'focus left', place, given: inText, model: { [part]: { focus: 'list' } } },
      { action: 'back', place, given: inText, model: { screen: place, [part]: { focus: 'list' } } },
    ]
  }),
  {
    action: 'down',
    place: 'update',
    given: { updates: { ...modelOf().updates, focus: 'text' } },
    model: { updates: { at: 0, scroll: 1 } },
  },
  {
    action: 'bottom',
    place: 'merge',
    given: { merges: { ...modelOf().merges, focus: 'text' } },
    model: { merges: { at: 0, scroll: 32 } },
  },
  {
    action: 'open doctor',
    place: 'inventory',
    model: { screen: 'doctor' },
    effects: [{ kind: 'examine', project: user, fix: false }],
  },
  {
    action: 'switch scope',
    place: 'inventory',
    model: { scope: 'project', inventory: { isStale: true } },
    effects: [load(PROJECT)],
  },
  { action: 'undo', place: 'inventory', model: { notice: { text: 'nothing to undo' } } },
  { action: 'open settings', place: 'inventory', model: { screen: 'settings' }, effects: [{ kind: 'load settings' }] },
  { action: 'open profiles', place: 'inventory', model: { screen: 'profiles' }, effects: [{ kind: 'load profiles' }] },
  { action: 'open setup', place: 'inventory', model: { screen: 'setup' } },
  {
    action: 'show diff',
    place: 'inventory',
    model: { screen: 'diff', diff: { name: 'api-review', value: undefined, at: 0 } },
    effects: [{ kind: 'diff', name: 'api-review', project: user }],
  },
  { action: 'adopt edit', place: 'inventory', effects: [{ kind: 'adopt', name: 'api-review', project: user }] },
  {
    action: 'show review',
    place: 'inventory',
    model: { screen: 'review', review: { name: 'api-review', value: undefined, at: 0 } },
    effects: [{ kind: 'review', name: 'api-review', project: user }],
  },
  {
    action: 'show review',
    place: 'import',
    model: { screen: 'import', notice: { text: 'enter imports deploy; then v shows what it can do, and asks' } },
  },
  {
    action: 'show review',
    place: 'import',
    given: { imports: importsOf({ at: 0, candidates: CANDIDATES.map((each) => ({ ...each, state: 'same' })) }) },
    model: { screen: 'review', review: { name: 'deploy', value: undefined, at: 0 } },
    effects: [{ kind: 'review', name: 'deploy', project: user }],
  },
  {
    action: 'allow skill',
    place: 'review',
    effects: [{ kind: 'answer review', name: 'release-notes', shown: start().review.value }],
  },
  {
    action: 'deny skill',
    place: 'review',
    effects: [{ kind: 'answer review', name: 'release-notes', shown: undefined }],
  },
  { action: 'adopt edit', place: 'diff', effects: [{ kind: 'adopt', name: 'release-notes', project: user }] },
  {
    action: 'delete',
    place: 'inventory',
    model: { overlay: { kind: 'confirm', effect: { kind: 'delete', names: ['api-review'] } } },
  },
  {
    action: 'delete',
    place: 'inventory',
    given: { list: { marked: ['sketch', 'old-linter', 'api-review'] } },
    model: { overlay: { kind: 'confirm', effect: { kind: 'delete', names: ['api-review', 'sketch'] } } },
  },
  {
    action: 'toggle claude',
    place: 'inventory',
    given: { list: { marked: ['sketch', 'release-notes', 'api-review'] } },
    effects: [{ kind: 'toggle', parts: [{ names: ['sketch'], agents: ['claude'] }], isOn: true, project: user }],
  },
  {
    action: 'toggle all',
    place: 'inventory',
    given: { list: { marked: ['sketch', 'db-migrations'] } },
    effects: [
      {
        kind: 'toggle',
        parts: [
          { names: ['db-migrations'], agents: ['codex'] },
          { names: ['sketch'], agents: ['claude', 'codex'] },
        ],
        isOn: true,
        project: user,
      },
    ],
  },
  {
    action: 'toggle claude',
    place: 'inventory',
    given: { list: { marked: ['db-migrations', 'api-review'] } },
    effects: [
      {
        kind: 'toggle',
        parts: [{ names: ['api-review', 'db-migrations'], agents: ['claude'] }],
        isOn: false,
        project: user,
      },
    ],
  },
  { action: 'back', place: 'inventory', given: { list: { marked: NAMES } }, model: { inventory: { marked: [] } } },
  {
    action: 'focus left',
    place: 'inventory',
    given: { list: { focus: 'text' } },
    model: { inventory: { focus: 'list' } },
  },
  { action: 'focus right', place: 'inventory', model: { inventory: { focus: 'text' } } },
  { action: 'refresh', place: 'inventory', model: { inventory: { isStale: true } }, effects: [load()] },
  { action: 'refresh', place: 'import', effects: [{ kind: 'load candidates', project: user }] },
  { action: 'refresh', place: 'doctor', effects: [{ kind: 'examine', project: user, fix: false }] },
  { action: 'quit', place: 'inventory', effects: [{ kind: 'quit' }] },
  { action: 'back', place: 'inventory', model: { screen: 'inventory' } },
  { action: 'back', place: 'inventory', given: { list: { value: undefined } }, model: { screen: 'inventory' } },
  {
    action: 'back',
    place: 'doctor',
    given: { list: { value: undefined } },
    model: { screen: 'inventory' },
    effects: [load()],
  },
  {
    action: 'back',
    place: 'inventory',
    given: { list: { focus: 'text' } },
    model: { inventory: { focus: 'list' } },
  },
  { action: 'back', place: 'inventory', given: { list: { filter: 'rel' } }, model: { inventory: { filter: '' } } },

  {
    action: 'import chosen',
    place: 'import',
    model: { work: { label: 'importing' } },
    effects: [{ kind: 'import', names: ['deploy'], source: undefined, project: user }],
  },
  {
    action: 'import chosen',
    place: 'import',
    given: { imports: importsOf({ at: 2, candidates: CANDIDATES, chosen: ['deploy', 'lint'] }) },
    effects: [{ kind: 'import', names: ['deploy', 'lint'], source: undefined, project: user }],
  },
  {
    action: 'import chosen',
    place: 'import',
    given: { imports: importsOf({ at: 2, candidates: CANDIDATES, chosen: [] }) },
    model: { notice: { tone: 'alert', text: 'twice: two copies differ' }, work: undefined },
  },
  { action: 'import chosen', place: 'import', given: { imports: importsOf({ at: 0, candidates: [], chosen: [] }) } },
  { action: 'choose', place: 'import', model: { imports: { chosen: ['deploy'] } } },
  {
    action: 'choose',
    place: 'import',
    given: { imports: importsOf({ at: 0, candidates: CANDIDATES, chosen: ['deploy'] }) },
    model: { imports: { chosen: [] } },
  },
  {
    action: 'choose',
    place: 'import',
    given: { imports: importsOf({ at: 2, candidates: CANDIDATES, chosen: [] }) },
    model: { imports: { chosen: [] }, notice: { text: 'two copies differ' } },
  },
  { action: 'choose all', place: 'import', model: { imports: { chosen: ['deploy', 'lint'] } } },
  {
    action: 'choose all',
    place: 'import',
    given: { imports: importsOf({ at: 0, candidates: CANDIDATES, chosen: ['deploy', 'lint'] }) },
    model: { imports: { chosen: [] } },
  },
  { action: 'fix', place: 'doctor', effects: [{ kind: 'examine', project: user, fix: true }] },
  {
    action: 'apply profile',
    place: 'profiles',
    model: { work: { label: 'applying the profile' } },
    effects: [{ kind: 'apply profile', name: 'work', project: user }],
  },
  { action: 'apply profile', place: 'profiles', given: { profiles: { list: [], at: 0 } }, model: { work: undefined } },
  { action: 'save profile', place: 'profiles', model: { overlay: { kind: 'ask', text: '' } } },
  {
    action: 'switch setting',
    place: 'settings',
    given: { settings: { view: SETTINGS, at: 1 } },
    effects: [{ kind: 'switch agent', id: 'claude', isOn: false }],
  },
  { action: 'switch setting', place: 'settings', model: { overlay: { kind: 'ask', asking: { for: 'library' } } } },
  {
    action: 'switch setting',
    place: 'settings',
    given: { settings: { view: SETTINGS, at: 3 } },
    effects: [{ kind: 'switch action', name: 'import_auto_commit', isOn: false }],
  },
  { action: 'switch setting', place: 'settings', given: { settings: { view: undefined, at: 0 } } },

  {
    action: 'switch agent',
    place: 'agents',
    model: { overlay: { kind: 'agents' } },
    effects: [{ kind: 'toggle', parts: [{ names: ['api-review'], agents: ['claude'] }], isOn: false, project: user }],
  },
  {
    action: 'switch agent',
    place: 'agents',
    given: { overlay: { kind: 'agents', at: 2 } },
    model: { notice: { text: 'api-review supports only claude, codex' } },
  },
  { action: 'back', place: 'agents', model: { overlay: undefined } },
  { action: 'back', place: 'palette', model: { overlay: undefined } },
  { action: 'back', place: 'ask', model: { overlay: undefined, screen: 'profiles' } },
  { action: 'back', place: 'filter', model: { inventory: { isFiltering: false, filter: '' } } },
  { action: 'back', place: 'setup', model: { screen: 'inventory' }, effects: [load()] },
  { action: 'back', place: 'setup', given: { list: { value: undefined } }, effects: [{ kind: 'quit' }] },
  { action: 'keep filter', place: 'filter', model: { inventory: { isFiltering: false, filter: 'e' } } },
  {
    action: 'run action',
    place: 'palette',
    given: { overlay: { kind: 'palette', query: 'doctor', at: 0 } },
    model: { overlay: undefined, screen: 'doctor' },
    effects: [{ kind: 'examine', project: user, fix: false }],
  },
  {
    action: 'run action',
    place: 'palette',
    given: { overlay: { kind: 'palette', query: 'no such thing', at: 0 } },
    model: { overlay: { kind: 'palette' } },
  },
  {
    action: 'answer',
    place: 'ask',
    model: { overlay: undefined },
    effects: [{ kind: 'save profile', name: 'wörk', project: user }],
  },
  {
    action: 'answer',
    place: 'ask',
    given: { overlay: { kind: 'ask', question: 'Name', text: '  ', asking: { for: 'profile' } } },
    model: { overlay: undefined },
  },
  {
    action: 'set up',
    place: 'setup',
    model: { work: { label: 'setting up' } },
    effects: [{ kind: 'set up', way: 'new', place: '~/skills' }],
  },
  {
    action: 'set up',
    place: 'setup',
    given: { setup: { at: 1, place: ' https://example.org/skills.git ' } },
    effects: [{ kind: 'set up', way: 'clone', place: 'https://example.org/skills.git' }],
  },
  {
    action: 'set up',
    place: 'setup',
    given: { setup: { at: 2, place: '' } },
    model: { notice: { text: 'type where it is' }, work: undefined },
  },
  { action: 'next way', place: 'setup', model: { setup: { at: 1 } } },
  {
    action: 'next way',
    place: 'setup',
    given: { setup: { at: 2, place: 'x' } },
    model: { setup: { at: 0, place: 'x' } },
  },
  { action: 'erase', place: 'filter', model: { inventory: { filter: '' } } },
  {
    action: 'erase all',
    place: 'filter',
    given: { list: { isFiltering: true, filter: 'a b' } },
    model: { inventory: { filter: '' } },
  },
  {
    action: 'erase',
    place: 'palette',
    given: { overlay: { kind: 'palette', query: 'do', at: 3 } },
    model: { overlay: { query: 'd', at: 0 } },
  },
  {
    action: 'erase all',
    place: 'palette',
    given: { overlay: { kind: 'palette', query: 'do', at: 3 } },
    model: { overlay: { query: '', at: 0 } },
  },
  { action: 'erase', place: 'ask', model: { overlay: { text: 'wör' } } },
  { action: 'erase all', place: 'ask', model: { overlay: { text: '' } } },
  { action: 'erase', place: 'setup', given: { setup: { at: 0, place: '~/x' } }, model: { setup: { place: '~/' } } },
  { action: 'erase all', place: 'setup', given: { setup: { at: 0, place: '~/x' } }, model: { setup: { place: '' } } },

  { action: 'down', place: 'inventory', model: { inventory: { at: 1 } }, effects: [preview('db-migrations')] },
  { action: 'down', place: 'inventory', given: { list: { at: 5 } }, model: { inventory: { at: 5 } } },
  { action: 'up', place: 'inventory', model: { inventory: { at: 0 } } },
  {
    action: 'up',
    place: 'inventory',
    given: { list: { at: 3 } },
    model: { inventory: { at: 2 } },
    effects: [preview('release-notes')],
  },
  { action: 'top', place: 'inventory', given: { list: { at: 3 } }, model: { inventory: { at: 0 } } },
  { action: 'bottom', place: 'inventory', model: { inventory: { at: 5 } } },
  { action: 'half down', place: 'inventory', model: { inventory: { at: 5 } } },
  { action: 'half up', place: 'inventory', given: { list: { at: 5 } }, model: { inventory: { at: 0 } } },
  {
    action: 'down',
    place: 'filter',
    model: { inventory: { at: 1, isFiltering: true } },
    effects: [preview('sketch')],
  },
  {
    action: 'up',
    place: 'filter',
    given: { list: { isFiltering: true, filter: 'e', at: 1 } },
    model: { inventory: { at: 0 } },
  },
  { action: 'down', place: 'palette', model: { overlay: { at: 1 } } },
  {
    action: 'up',
    place: 'palette',
    given: { overlay: { kind: 'palette', query: '', at: 1 } },
    model: { overlay: { at: 0 } },
  },
  { action: 'down', place: 'setup', model: { setup: { at: 1 } } },
  { action: 'up', place: 'setup', given: { setup: { at: 1, place: '' } }, model: { setup: { at: 0 } } },
  { action: 'down', place: 'help', model: { help: { at: 1 } } },
  { action: 'up', place: 'help', given: { help: { at: 3, from: 'inventory' } }, model: { help: { at: 2 } } },
  { action: 'top', place: 'help', given: { help: { at: 3, from: 'inventory' } }, model: { help: { at: 0 } } },
  { action: 'bottom', place: 'help', model: { screen: 'help' } },
  { action: 'half down', place: 'help', model: { help: { at: 12 } } },
  { action: 'half up', place: 'help', given: { help: { at: 13, from: 'inventory' } }, model: { help: { at: 1 } } },
  ...CURSORS.flatMap(({ place, state, last, half }) => moves(place, state, last, half)),

  ...(['inventory', ...OPENED] as const).flatMap((place): Row[] => [
    { action: 'palette', place, model: { overlay: { kind: 'palette', query: '', at: 0 } } },
    { action: 'help', place, model: { screen: 'help', help: { at: 0, from: place } } },
  ]),
  { action: 'palette', place: 'help', model: { overlay: { kind: 'palette' } } },
  { action: 'help', place: 'help', given: { help: { at: 0, from: 'doctor' } }, model: { screen: 'doctor' } },
  { action: 'back', place: 'help', given: { help: { at: 0, from: 'doctor' } }, model: { screen: 'doctor' } },
  { action: 'palette', place: 'synced', model: { overlay: { kind: 'palette', query: '', at: 0 } } },
  { action: 'help', place: 'synced', model: { screen: 'help', help: { at: 0, from: 'sync' } } },
  { action: 'back', place: 'synced', model: { screen: 'inventory' }, effects: [load()] },
  ...OPENED.map((place): Row => ({ action: 'back', place, model: { screen: 'inventory' }, effects: [load()] })),
  ...(Object.keys(AT) as KeyPlace[])
    .filter((place) => place !== 'inventory')
    .map((place): Row => ({ action: 'quit', place, effects: [{ kind: 'quit' }] })),
]

const bindings: readonly Binding[] = BINDINGS

describe('every key', () => {
  it('has a row in every place where it works', () => {
    const missing = bindings.flatMap(({ action, places, keys }) =>
      places
        .filter((place) => !ROWS.some((row) => row.action === action && row.place === place))
        .map((place) => `${keys.join(' ')} in ${place}: ${action}`),
    )
    expect(missing).toEqual([])
  })

  it('means one thing in one place', () => {
    const meanings = bindings.flatMap(({ keys, places }) =>
      places.flatMap((place) => keys.map((key) => `${place} ${key}`)),
    )
    expect(meanings.filter((each, index) => meanings.indexOf(each) !== index)).toEqual([])
  })

  const cases = ROWS.flatMap((row) => {
    const keys = bindings.filter(({ action, places }) => action === row.action && places.includes(row.place))
    return keys.flatMap((binding) => binding.keys).map((key) => [row.place, key, row.action, row] as const)
  })

  it.each(cases)('%s: %s does: %s', (place, key, _, { given = {}, model = {}, effects }) => {
    const base = AT[place]
    const before = start({ ...base, ...given, list: { ...base.list, ...given.list } })
    expect(keyPlace(before)).toBe(place)
    const after = press(before, key)
    expect(after.model).toMatchObject(model)
    if (effects !== undefined) expect(after.effects).toEqual(effects)
    else expect(after.effects.filter(({ kind }) => kind !== 'load preview')).toEqual([])
  })

  it.each(Object.keys(AT) as KeyPlace[])('does nothing in %s that is not in the table', (place) => {
    const before = start(AT[place])
    const known = new Set(bindings.filter(({ places }) => places.includes(place)).flatMap(({ keys }) => keys))
    for (const key of ['ctrl-z', 'F1', 'Z', 'insert', '技'].filter((each) => !known.has(each))) {
      expect(press(before, key)).toEqual({ model: before, effects: [] })
    }
  })
})

describe('text', () => {
  const places: [place: KeyPlace, read: (model: Model) => unknown][] = [
    ['filter', ({ inventory }) => inventory.filter],
    ['palette', ({ overlay }) => (overlay?.kind === 'palette' ? overlay.query : undefined)],
    ['ask', ({ overlay }) => (overlay?.kind === 'ask' ? overlay.text : undefined)],
    ['setup', ({ setup }) => setup.place],
    ['import filter', ({ imports }) => imports.filter],
  ]
  const rows: [what: string, messages: Message[], text: string][] = [
    ['typed', [type('r'), type('e'), type('l')], 'rel'],
    ['typed in one piece', [type('rel no')], 'rel no'],
    ['letters that are keys elsewhere', [type('qjk/?:')], 'qjk/?:'],
    ['pasted', [paste('one two')], 'one two'],
    ['pasted with line ends', [paste('one\r\ntwo\nthree')], 'one two three'],
    ['pasted with controls', [paste('a\u001b[31mb\u0000\u0007c\u009bd')], 'a [31mb c d'],
    ['erased: an emoji of several', [type('a👨‍👩‍👧'), { kind: 'key', name: 'backspace' }], 'a'],
    ['erased: a letter with its accent', [type('xe\u0301'), { kind: 'key', name: 'backspace' }], 'x'],
    ['erased: a flag', [type('🇩🇪🇫🇷'), { kind: 'key', name: 'backspace' }], '🇩🇪'],
    [
      'erased beyond the beginning',
      [type('a'), { kind: 'key', name: 'backspace' }, { kind: 'key', name: 'backspace' }],
      '',
    ],
    ['erased as a whole', [type('one two'), { kind: 'key', name: 'ctrl-u' }], ''],
  ]
  describe.each(places)('in %s', (place, read) => {
    it.each(rows)('%s', (_, messages, text) => {
      const empty = press(start(AT[place]), 'ctrl-u').model
      expect(read(send(empty, ...messages).model)).toBe(text)
    })
  })

  it('a paste never becomes commands', () => {
    for (const place of [
      'inventory',
      'import',
      'doctor',
      'profiles',
      'settings',
      'diff',
      'sync',
      'help',
      'agents',
    ] as const) {
      const before = start(AT[place])
      const { model, effects } = send(before, paste('Dcxaq\r s'))
      expect(effects).toEqual([])
      expect(model).toEqual({
        ...before,
        notice: { tone: 'plain', text: expect.any(String), hint: model.notice?.hint },
      })
    }
  })

  it('typed fast is the same as typed slowly', () => {
    for (const text of ['/rel', '/rel q', 'jjk', 'jj/db', ':doctor', 'tjj', 'ij j', 'Pnwork', 'd?']) {
      const slow = send(start(), ...[...text].map(type))
      const fast = send(start(), type(text))
      expect(fast.model).toEqual(slow.model)
      const lasting = ({ effects }: typeof fast) => effects.filter(({ kind }) => kind !== 'load preview')
      expect(lasting(fast)).toEqual(lasting(slow))
    }
    expect(send(start(), type('/rel')).model.inventory).toMatchObject({ isFiltering: true, filter: 'rel' })
    expect(send(start(), type('jjj')).effects).toEqual([preview('sketch')])
    expect(send(start(), type('Pnwork')).model.overlay).toMatchObject({ kind: 'ask', text: 'work' })
  })
})

describe('the filter', () => {
  const shown = (filter: string) => send(start({ list: { isFiltering: true } }), type(filter)).model.inventory

  it.each<[filter: string, at: number]>([
    ['release', 0],
    ['RELEASE', 0],
    ['outdated', 0],
    ['writing release', 0],
    ['nothing fits this', 0],
  ])('%s', (filter, row) => {
    expect(shown(filter)).toMatchObject({ filter, at: row })
  })

  it('keeps the cursor on its skill, also when it is dropped', () => {
    const before = start({ list: { at: 2 } })
    const filtered = send(before, type('/rel'))
    expect(filtered.model.inventory.at).toBe(0)
    expect(press(filtered.model, 'escape').model.inventory).toMatchObject({ at: 2, filter: '', isFiltering: false })
  })

  it('goes to the first that fits when the skill under the cursor does not', () => {
    const { model, effects } = send(start({ list: { at: 3, scroll: 5 } }), type('/db'))
    expect(model.inventory).toMatchObject({ at: 0, scroll: 0 })
    expect(effects.at(-1)).toEqual(preview('db-migrations'))
  })

  it('that fits nothing leaves nothing to act on', () => {
    const { model } = send(start(), type('/zzz'))
    expect(press(model, 'enter', 'c', 'x', 'a', 't', 'e', 'E', 'D').effects).toEqual([])
  })
})

describe('toggling', () => {
  it.each<[what: string, list: Partial<Model['inventory']>, key: string, notice: string]>([
    [
      'an agent that is off',
      { value: inventoryOf(SKILLS, { agents: ['codex'] }) },
      'c',
      'claude is not enabled: p opens the settings',
    ],
    [
      'no agent at all',
      { value: inventoryOf(SKILLS, { agents: [] }) },
      'a',
      'no agent is enabled: p opens the settings',
    ],
    [
      'none to pick from',
      { value: inventoryOf(SKILLS, { agents: [] }) },
      't',
      'no agent is enabled: p opens the settings',
    ],
    ['a skill that is invalid', { at: 5 }, 'c', 'broken-one cannot be equipped'],
    [
      'what is being changed',
      { pending: [{ skill: 'api-review', agent: 'claude', isDone: false }] },
      'c',
      'api-review is still being changed',
    ],
  ])('%s', (_, list, key, notice) => {
    const { model, effects } = press(start({ list }), key)
    expect(effects).toEqual([])
    expect(model.notice?.text).toBe(notice)
  })

  it('an orphaned copy can be taken away', () => {
    expect(press(start({ list: { at: 4 } }), 'c').effects).toMatchObject([
      { kind: 'toggle', isOn: false, parts: [{ agents: ['claude'] }] },
    ])
  })

  it('two agents at once: each is shown as changing until it has been read', () => {
    const both = press(start({ list: { at: 3 } }), 'c', 'x')
    const [claude, codex] = both.effects as (Effect & { kind: 'toggle' })[]
    const outcome = (agent: string) => ({ operations: [operationOf('sketch', agent)], isDryRun: false })
    const changing = (model: Model) => model.inventory.pending.map(({ agent }) => agent)
    const first = send(both.model, doneWith({ of: 'toggle', value: outcome('claude'), effect: claude! }))
    expect(changing(first.model)).toEqual(['claude', 'codex'])
    const read = send(first.model, doneWith({ of: 'load inventory', value: inventoryOf(SKILLS) }))
    expect(changing(read.model)).toEqual(['codex'])
    const second = send(read.model, { kind: 'failed', effect: codex!, message: 'no', hint: undefined })
    expect(changing(second.model)).toEqual([])
  })
})

describe('undo', () => {
  const toggled = (agents: string[], changed: string[], isUndo?: true) => {
    const effect = {
      kind: 'toggle' as const,
      parts: [{ names: ['sketch'], agents }],
      isOn: true,
      project: user,
      isUndo,
    }
    const value = { operations: changed.map((agent) => operationOf('sketch', agent)), isDryRun: false }
    return doneWith({ of: 'toggle', value, effect })
  }

  it('takes back what was really changed', () => {
    const { model } = send(start(), toggled(['claude', 'codex'], ['codex']))
    expect(model.notice?.text).toBe('sketch equipped for codex   (u undoes)')
    const undone = press(model, 'u')
    const effect = {
      kind: 'toggle',
      parts: [{ names: ['sketch'], agents: ['codex'] }],
      isOn: false,
      project: user,
      isUndo: true,
    }
    expect(undone.effects).toEqual([effect])
    expect(undone.model).toMatchObject({ undo: [], inventory: { pending: [{ skill: 'sketch', agent: 'codex' }] } })
  })

  it('forgets what changed nothing, and what was itself taken back', () => {
    expect(send(start(), toggled(['claude'], [])).model).toMatchObject({ undo: [], notice: { text: 'nothing to do' } })
    const taken = send(start(), toggled(['claude'], ['claude'], true)).model
    expect(taken).toMatchObject({ undo: [], notice: { text: 'sketch equipped for claude' } })
  })

  it('goes from the last to the first, and ends', () => {
    const deletion = { name: 'old', library: '/library', folder: 'skills/old', isDryRun: false }
    const { model } = send(start(), toggled(['claude'], ['claude']), doneWith({ of: 'delete', value: [deletion] }))
    const { model: end, effects } = press(model, 'u', 'u', 'u')
    expect(effects.map(({ kind }) => kind)).toEqual(['restore', 'toggle'])
    expect(effects[0]).toEqual({ kind: 'restore', deletions: [deletion] })
    expect(end.notice?.text).toBe('nothing to undo')
  })

  it('takes back at once what was deleted at once', () => {
    const deletions = ['a', 'b'].map((name) => ({ name, library: '/l', folder: `skills/${name}`, isDryRun: false }))
    const { model } = send(start(), doneWith({ of: 'delete', value: deletions }))
    expect(model.notice?.text).toBe('deleted 2 skills from the library   (u undoes)')
    const { model: undone, effects } = press(model, 'u')
    expect(effects).toEqual([{ kind: 'restore', deletions }])
    expect(undone.notice?.text).toBe('undoing: delete 2 skills')
    const { model: back } = send(undone, doneWith({ of: 'restore', value: { names: ['a', 'b'] } }))
    expect(back.notice?.text).toBe('2 skills are back in the library')
  })

  it('remembers twenty', () => {
    const many = Array.from({ length: 25 }, () => toggled(['claude'], ['claude']))
    expect(send(start(), ...many).model.undo).toHaveLength(20)
  })
})

describe('work', () => {
  const syncing = () => press(start(), 's').model

  it('shows how far it is, and that it lives', () => {
    const { model } = send(syncing(), { kind: 'progress', done: 2, total: 9, what: 'api-review' }, { kind: 'tick' })
    expect(model.work).toEqual({ label: 'asking the remote', done: 2, total: 9, what: 'api-review', ticks: 1 })
  })

  it('late signs of it change nothing', () => {
    const idle = start()
    expect(update(idle, { kind: 'tick' }).model).toBe(idle)
    expect(update(idle, { kind: 'progress', done: 1, total: 2, what: '' }).model).toBe(idle)
  })

  it.each<[what: string, model: () => Model]>([
    ['sync', syncing],
    ['sync, from the inventory', () => ({ ...syncing(), screen: 'inventory' })],
    ['import', () => press(start(AT.import), 'enter').model],
    ['a profile', () => press(start(AT.profiles), 'enter').model],
    ['the setup', () => press(start(AT.setup), 'enter').model],
    ['the setup without a library', () => press(start({ screen: 'setup', list: { value: undefined } }), 'enter').model],
  ])('is stopped by escape: %s', (_, make) => {
    const before = make()
    const { model, effects } = press(before, 'escape')
    expect(effects).toEqual([{ kind: 'cancel' }])
    expect(model.screen).toBe(before.screen)
    expect(model.work?.what).toBe('stopping…')
  })

  it('is not begun while other work runs', () => {
    for (const [place, key] of [
      ['inventory', 's'],
      ['inventory', 'S'],
      ['import', 'enter'],
      ['profiles', 'enter'],
      ['setup', 'enter'],
    ] as const) {
      const busy = start({ ...AT[place], work: { label: 'sync', done: 0, total: 0, what: '', ticks: 4 } })
      const { model, effects } = press(busy, key)
      expect(effects).toEqual([])
      expect(model).toEqual({ ...busy, notice: expect.objectContaining({ tone: 'plain' }) })
    }
  })

  it('is over when it is stopped, and the screen says so', () => {
    const effect: Effect = { kind: 'preview sync', project: user, push: false }
    const { model } = send(syncing(), { kind: 'failed', effect, message: 'stopped', hint: undefined })
    expect(model).toMatchObject({
      work: undefined,
      problems: { sync: { text: 'stopped' } },
      sync: { result: undefined },
    })
  })

  it('goes on when something else fails', () => {
    const { model } = send(syncing(), { kind: 'failed', effect: preview('api-review'), message: 'no', hint: undefined })
    expect(model.work?.label).toBe('asking the remote')
  })
})

describe('a failure', () => {
  const EFFECTS: Effect[] = [
    preview('api-review'),
    { kind: 'toggle', parts: [{ names: ['sketch'], agents: ['claude'] }], isOn: true, project: user },
    { kind: 'load candidates', project: user },
    { kind: 'import', names: ['deploy'], source: undefined, project: user },
    { kind: 'sync', project: user, push: false },
    { kind: 'examine', project: user, fix: true },
    { kind: 'delete', names: ['sketch'], project: user },
    { kind: 'diff', name: 'old-linter', project: user },
    { kind: 'adopt', name: 'sketch', project: user },
    { kind: 'load profiles' },
    { kind: 'save profile', name: 'x', project: user },
    { kind: 'apply profile', name: 'x', project: user },
    { kind: 'load settings' },
    { kind: 'switch agent', id: 'claude', isOn: false },
    { kind: 'switch action', name: 'x', isOn: true },
    { kind: 'set up', way: 'clone', place: 'x' },
  ]
  const screens: ScreenId[] = ['inventory', ...OPENED, 'help', 'setup']
  it.each(screens)('is reported on %s, and leaves everything else as it was', (screen) => {
    for (const effect of EFFECTS) {
      const before = start({ screen })
      const { model, effects } = send(before, { kind: 'failed', effect, message: 'it broke', hint: 'mend it' })
      expect(effects).toEqual([])
      const { problems: _, ...rest } = model
      const { problems: __, ...unchanged } = before
      expect(rest).toEqual({ ...unchanged, notice: { tone: 'alert', text: 'it broke', hint: 'mend it' } })
    }
  })

  it.each<[effect: Effect, screen: ScreenId]>([
    [{ kind: 'load candidates', project: user }, 'import'],
    [{ kind: 'sync', project: user, push: false }, 'sync'],
    [{ kind: 'examine', project: user, fix: false }, 'doctor'],
    [{ kind: 'load profiles' }, 'profiles'],
    [{ kind: 'load settings' }, 'settings'],
    [{ kind: 'diff', name: 'x', project: user }, 'diff'],
    [{ kind: 'review', name: 'x', project: user }, 'review'],
  ])('of %j is why its screen is empty, until that is opened again', (effect, screen) => {
    const failed = send(start(), { kind: 'failed', effect, message: 'it broke', hint: undefined }).model
    expect(failed.problems[screen]?.text).toBe('it broke')
    const keys: Partial<Record<ScreenId, string>> = {
      import: 'i',
      sync: 's',
      doctor: 'd',
      profiles: 'P',
      settings: 'p',
      diff: 'e',
      review: 'v',
    }
    expect(press(failed, keys[screen]!).model.problems[screen]).toBeUndefined()
  })
})

describe('the inventory', () => {
  const read = (model: Model, names: string[], scope: 'user' | 'project' = 'user') =>
    send(
      model,
      doneWith({
        of: 'load inventory',
        value: inventoryOf(
          names.map((name) => skillOf({ name })),
          { scope },
        ),
      }),
    )

  it('replaces what was known from an earlier run', () => {
    const { model, effects } = read(start({ list: { isStale: true, preview: undefined } }), ['a', 'b'])
    expect(model.inventory).toMatchObject({ isStale: false, at: 0 })
    expect(model.inventory.value?.skills).toHaveLength(2)
    expect(effects).toEqual([preview('a'), standing])
  })

  it.each<[what: string, at: number, names: string[], row: number]>([
    ['the same', 2, NAMES, 2],
    ['one came before it', 2, ['aaa', ...NAMES], 3],
    ['one before it went', 2, NAMES.slice(1), 1],
    ['it went', 2, NAMES.filter((name) => name !== 'release-notes'), 2],
    ['it was the last and went', 5, NAMES.slice(0, -1), 4],
    ['all went', 3, [], 0],
  ])('keeps the cursor where it belongs: %s', (_, at_, names, row) => {
    expect(read(start({ list: { at: at_, scroll: 0 } }), names).model.inventory.at).toBe(row)
  })

  it('keeps the cursor also under a filter', () => {
    const { model } = read(start({ list: { filter: 'e', at: 4 } }), ['sketch', 'release-notes'])
    expect(model.inventory.at).toBe(1)
  })

  it('keeps the text of a skill that is still there, and asks for it anew', () => {
    const before = start({ list: { scroll: 3, focus: 'text' } })
    const { model, effects } = read(before, NAMES)
    expect(model.inventory).toMatchObject({ scroll: 3, preview: before.inventory.preview })
    expect(effects).toEqual([preview('api-review'), standing])
  })

  it('of another scope comes too late', () => {
    const before = start({ scope: 'project' })
    expect(read(before, ['a'], 'user')).toEqual({ model: before, effects: [] })
    const failure: Message = { kind: 'failed', effect: load(), message: 'no', hint: undefined }
    expect(send(before, failure)).toEqual({ model: before, effects: [] })
  })

  it('keeps the list of agents within its bounds', () => {
    const before = start({ overlay: { kind: 'agents', at: 2 } })
    const { model } = send(
      before,
      doneWith({ of: 'load inventory', value: inventoryOf(SKILLS, { agents: ['claude'] }) }),
    )
    expect(model.overlay).toEqual({ kind: 'agents', at: 0 })
  })

  it('that cannot be read says why, and is read again', () => {
    const failure: Message = {
      kind: 'failed',
      effect: load(),
      message: 'the library /x does not exist',
      hint: 'loadout init --clone <url> or --repo <folder> names another',
    }
    const { model } = send(start({ list: { isStale: true } }), failure)
    expect(model).toMatchObject({
      screen: 'inventory',
      problems: { inventory: { tone: 'alert', text: 'the library /x does not exist' } },
    })
    expect(model.inventory).toMatchObject({ value: undefined, isStale: false })
    for (const key of ['c', 'x', 'a', 't', 'e', 'E', 'D', 'enter', 'j', 'G'])
      expect(press(model, key).effects).toEqual([])
    expect(press(model, 'd').model.screen).toBe('doctor')
    expect(press(model, 'L', 'escape').model.screen).toBe('inventory')
    expect(press(model, 'r').effects).toEqual([load()])
    expect(read(press(model, 'r').model, NAMES).model).toMatchObject({
      problems: { inventory: undefined },
      inventory: { isStale: false },
    })
  })

  it('without a library begins with the setup', () => {
    const failure: Message = {
      kind: 'failed',
      effect: load(),
      message: 'there is no library yet',
      hint: 'loadout init --new <folder> makes one; …',
      code: 'CONFIG_NOT_FOUND',
    }
    const { model } = send(
      initialModel({ columns: 80, rows: 24 }, { home: '/home/me', project: undefined, scope: 'user' }),
      failure,
    )
    expect(model).toMatchObject({ screen: 'setup', notice: undefined })
    const typed = send(model, { kind: 'key', name: 'down' }, paste('https://example.org/s.git\n'), {
      kind: 'key',
      name: 'enter',
    })
    expect(typed.effects).toEqual([{ kind: 'set up', way: 'clone', place: 'https://example.org/s.git' }])
    const ready = send(typed.model, doneWith({ of: 'set up', value: { library: '/s', skills: 3 } }))
    expect(ready.model).toMatchObject({
      screen: 'inventory',
      work: undefined,
      notice: { text: 'library /s: 3 skills' },
    })
    expect(ready.effects).toEqual([load()])
  })

  it('shows a text only for the skill under the cursor', () => {
    const before = start({ list: { at: 1, preview: undefined } })
    const late = send(before, doneWith({ of: 'load preview', value: previewOf('api-review') }))
    expect(late.model.inventory.preview).toBeUndefined()
    const right = send(before, doneWith({ of: 'load preview', value: previewOf('db-migrations') }))
    expect(right.model.inventory.preview?.skill.name).toBe('db-migrations')
  })

  it('scrolls its details to their end and not beyond', () => {
    const markdown = Array.from({ length: 50 }, (_, line) => `line ${line}`).join('\n\n')
    const before = start({ list: { focus: 'text', preview: previewOf('api-review', markdown) } })
    const end = press(before, 'G').model
    expect(end.inventory.scroll).toBeGreaterThan(70)
    expect(press(end, 'j').model.inventory.scroll).toBe(end.inventory.scroll)
    expect(press(end, 'j', 'k').model.inventory.scroll).toBe(end.inventory.scroll - 1)
    const taller = send(end, { kind: 'resized', size: { columns: 80, rows: 60 } }, { kind: 'key', name: 'k' }).model
    expect(taller.inventory.scroll).toBeLessThan(end.inventory.scroll - 30)
  })
})

describe('the scope', () => {
  it('switches to the project and back', () => {
    const there = press(start(), 'tab')
    expect(there.model).toMatchObject({
      scope: 'project',
      notice: { text: 'project scope: ~/shop   (tab switches)' },
    })
    expect(there.effects).toEqual([load(PROJECT)])
    const back = press(there.model, 'tab')
    expect(back.model).toMatchObject({
      scope: 'user',
      notice: { text: 'user scope: your own skills   (tab switches)' },
    })
    expect(back.effects).toEqual([load()])
  })

  it('stays where there is no project', () => {
    const { model, effects } = press(start({ project: undefined }), 'tab')
    expect(effects).toEqual([])
    expect(model).toMatchObject({
      scope: 'user',
      notice: { text: 'no project here: a git repository with .claude or .codex' },
    })
  })

  it('says for which folders keys work', () => {
    const skill = skillOf({ name: 'sketch', placements: [placementOf('claude')] })
    const project = start({
      scope: 'project',
      list: { value: inventoryOf([skill], { scope: 'project', project: PROJECT }) },
    })
    expect(press(project, 'c').effects).toMatchObject([{ isOn: true, project: PROJECT }])
    expect(press(project, 'D', 'y').effects).toMatchObject([{ project: PROJECT }])
    for (const key of ['i', 's', 'd', 'e', 'E', 'r']) {
      expect(press(project, key).effects).toMatchObject([{ project: PROJECT }])
    }
  })
})

describe('the palette', () => {
  const choose = (query: string, values: Given = {}) =>
    send(start({ ...values, overlay: { kind: 'palette', query: '', at: 0 } as Overlay }), type(query), {
      kind: 'key',
      name: 'enter',
    })

  it.each<[query: string, from: ScreenId, screen: ScreenId, effects: Effect['kind'][]]>([
    ['settings', 'inventory', 'settings', ['load settings']],
    ['settings', 'doctor', 'settings', ['load settings']],
    ['import chosen', 'inventory', 'import', ['load candidates']],
    ['import chosen', 'import', 'import', ['import']],
    ['fix', 'inventory', 'doctor', ['examine']],
    ['switch between', 'doctor', 'inventory', ['load inventory']],
    ['read again', 'doctor', 'doctor', ['examine']],
    ['adopt', 'diff', 'diff', ['adopt']],
    ['quit', 'profiles', 'profiles', ['quit']],
    ['help', 'doctor', 'help', []],
  ])('%s, from %s', (query, from, screen, kinds) => {
    const { model, effects } = choose(query, { screen: from })
    expect(model).toMatchObject({ overlay: undefined, screen })
    expect(effects.map(({ kind }) => kind)).toEqual(kinds)
  })

  it('goes back to the first row with every letter', () => {
    const { model } = press(start(AT.palette), 'down', 'down')
    expect(send(model, type('o')).model.overlay).toMatchObject({ at: 0, query: 'o' })
  })
})

describe('an outcome', () => {
  const stored: [what: string, message: Message, model: Record<string, unknown>, effects: Effect['kind'][]][] = [
    [
      'candidates',
      doneWith({ of: 'load candidates', value: CANDIDATES.slice(0, 1) }),
      { imports: importsOf({ at: 0, candidates: CANDIDATES.slice(0, 1), chosen: [] }) },
      [],
    ],
    [
      'an import',
      doneWith({
        of: 'import',
        value: {
          imported: [{ name: 'deploy', from: [], folder: '', targets: [], review: [] }],
          unchanged: [],
          refused: [],
          leftOut: [],
          adopted: [],
          isDryRun: false,
        },
        effect: { kind: 'import', names: ['deploy'], source: undefined, project: user },
      }),
      { work: undefined, notice: { text: '1 imported: deploy' } },
      ['load inventory', 'load candidates'],
    ],
    [
      'a sync',
      doneWith({ of: 'sync', value: { operations: [], isDryRun: false, steps: [], head: 'x' } }),
      { work: undefined, sync: { result: { head: 'x' }, at: 0 }, notice: { text: 'synced' } },
      ['load inventory'],
    ],
    [
      'a health',
      doneWith({ of: 'examine', value: { checks: CHECKS.slice(0, 1), fixed: [] } }),
      { doctor: { at: 0 } },
      [],
    ],
    [
      'what was fixed',
      doneWith({ of: 'examine', value: { checks: [], fixed: ['a'] } }),
      { notice: { text: '1 problem fixed' } },
      ['load inventory'],
    ],
    [
      'a skill that is back',
      doneWith({ of: 'restore', value: { names: ['old'] } }),
      { notice: { text: 'old is back in the library' } },
      ['load inventory'],
    ],
    ['profiles', doneWith({ of: 'load profiles', value: [] }), { profiles: { list: [], at: 0 } }, []],
    [
      'a saved profile',
      doneWith({ of: 'save profile', value: { name: 'w', profile: {}, place: 'library', isDryRun: false } }),
      { notice: { text: 'profile w saved' } },
      ['load profiles'],
    ],
    [
      'an applied profile',
      doneWith({ of: 'apply profile', value: { operations: [operationOf('sketch', 'claude')], isDryRun: false } }),
      { work: undefined, undo: [], notice: { text: 'sketch equipped for claude' } },
      ['load inventory'],
    ],
    [
      'settings',
      doneWith({ of: 'load settings', value: { ...SETTINGS, actions: [], agents: [] } }),
      { settings: { at: 0 } },
      [],
    ],
    [
      'an approval',
      doneWith({ of: 'answer review', value: [], effect: { kind: 'answer review', name: 'sketch', shown: [] } }),
      { screen: 'inventory', notice: { text: 'sketch may be installed' } },
      ['load inventory'],
    ],
    [
      'a denial',
      doneWith({ of: 'answer review', value: [], effect: { kind: 'answer review', name: 'sketch', shown: undefined } }),
      { notice: { text: 'sketch will not be installed' } },
      ['load inventory'],
    ],
    [
      'an adoption',
      doneWith({
        of: 'adopt',
        value: { name: 'sketch', from: '', diff: '', isMerged: false, conflicts: [], operations: [], isDryRun: false },
      }),
      { screen: 'inventory', notice: { text: 'the edit of sketch is in the library now' } },
      ['load inventory'],
    ],
    [
      'a finding that needs action',
      doneWith(
        {
          of: 'adopt',
          value: {
            name: 'sketch',
            from: '',
            diff: '',
            isMerged: false,
            conflicts: [],
            operations: [],
            isDryRun: false,
          },
        },
        [
          { severity: 'warning', code: 'BACKED_UP', message: 'kept' },
          { severity: 'error', code: 'REPO_NOT_FOUND', message: 'gone', hint: 'look' },
        ],
      ),
      { notice: { tone: 'alert', text: 'gone', hint: 'look' } },
      ['load inventory'],
    ],
  ]
  it.each(stored)('%s', (_, message, model, effects) => {
    const before = start({
      screen: message.kind === 'done' && message.of === 'adopt' ? 'diff' : 'inventory',
      imports: importsOf({ at: 2, candidates: CANDIDATES, chosen: ['deploy'] }),
      doctor: { health: undefined, at: 2 },
      profiles: { list: undefined, at: 1 },
      settings: { view: SETTINGS, at: 2 },
    })
    const after = send(before, message)
    expect(after.model).toMatchObject(model)
    expect(after.effects.map(({ kind }) => kind)).toEqual(effects)
  })

  it('nothing is answered before the sheet is on the screen', () => {
    const asked = start({ screen: 'review', review: { name: 'sketch', value: undefined, at: 0 } })
    expect(press(asked, 'y').effects).toEqual([])
    expect(press(asked, 'n').effects).toEqual([])
  })

  it('a difference is shown only if it is the one that was asked for', () => {
    const asked = press(start({ list: { at: 2 } }), 'e').model
    const late = send(asked, doneWith({ of: 'diff', value: { name: 'other', differences: [] } }))
    expect(late.model.diff.value).toBeUndefined()
    const right = send(asked, doneWith({ of: 'diff', value: { name: 'release-notes', differences: [] } }))
    expect(right.model.diff.value?.name).toBe('release-notes')
  })
})

it('a new size is only a new size', () => {
  const before = start()
  expect(send(before, { kind: 'resized', size: { columns: 40, rows: 10 } })).toEqual({
    model: { ...before, size: { columns: 40, rows: 10 } },
    effects: [],
  })
})

it('a notice goes with the next key that does something', () => {
  const before = start({ notice: { tone: 'plain', text: 'user scope' } })
  expect(press(before, 'ctrl-z').model.notice?.text).toBe('user scope')
  expect(press(before, 'j').model.notice).toBeUndefined()
})
