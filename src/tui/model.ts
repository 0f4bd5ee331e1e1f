import type {
  CandidateView,
  Health,
  ImportResult,
  Inventory,
  MergeView,
  SavedProfile,
  SettingsView,
  SkillDiff,
  SkillPreview,
  SkillText,
  SyncResult,
  UpdateResult,
} from '../loadout.ts'
import { inHome } from '../text/paths.ts'
import type { Finding } from '../text/trouble.ts'
import type { Size } from './frame/line.ts'
import type { Attention, Effect, SyncPreview } from './message.ts'

export const SCREENS = [
  'inventory',
  'import',
  'sync',
  'update',
  'merge',
  'lists',
  'doctor',
  'profiles',
  'settings',
  'help',
  'diff',
  'review',
  'setup',
] as const
export type ScreenId = (typeof SCREENS)[number]

/** The state of the interface. */
export interface Model {
  size: Size
  screen: ScreenId
  /** The user's home folder, which is shown as `~`. */
  home: string
  /** The project that the program was started in. */
  project: string | undefined
  scope: 'user' | 'project'
  inventory: InventoryState
  /** For the status line; undefined until it is read. `wasAsked`: the remote was asked in this session. */
  attention: (Attention & { wasAsked: boolean }) | undefined
  imports: ImportState
  sync: SyncState
  updates: Split & { value: UpdateResult | undefined; findings: Finding[]; chosen: readonly string[] }
  merges: Split & { list: MergeView[] | undefined }
  lists: { at: number }
  doctor: { health: Health | undefined; at: number }
  profiles: { list: SavedProfile[] | undefined; at: number }
  settings: { view: SettingsView | undefined; at: number }
  /** `name`: the compared skill; set before the result arrives. */
  diff: { name: string; value: SkillDiff | undefined; at: number }
  /** `name`: the skill that is looked through; set before its sheet arrives. */
  review: { name: string; value: SkillPreview['review'] | undefined; at: number }
  setup: { at: number; place: string }
  /** `from`: the screen to return to. */
  help: { at: number; from: ScreenId }
  /** Why a screen has nothing to show, and what to do. */
  problems: Partial<Record<ScreenId, Notice>>
  /** A box over the screen. */
  overlay: Overlay | undefined
  /** The last success or failure, in one line. */
  notice: Notice | undefined
  /** Running work that takes long. */
  work: { label: string; done: number; total: number; what: string; ticks: number } | undefined
  /** What `u` undoes, the last change first. */
  undo: readonly Undo[]
}

/** A list, and beside or below it a text about the row under the cursor. */
export interface Split {
  at: number
  focus: 'list' | 'text'
  /** First line of the text that is shown. */
  scroll: number
}

export const GROUPINGS = ['none', 'state', 'tag', 'source', 'agent'] as const

export interface InventoryState extends Split {
  value: Inventory | undefined
  filter: string
  isFiltering: boolean
  grouping: (typeof GROUPINGS)[number]
  /** Names of skills for the next action. */
  marked: readonly string[]
  /** The text takes the whole screen. */
  isOpen: boolean
  preview: SkillText | undefined
  /** Placements that are being changed. */
  pending: readonly Pending[]
  /** The value is from an earlier run, until the current state is read. */
  isStale: boolean
}

/** Skills that can be imported: those in the agents' folders, or those of a source. */
export interface ImportState extends Split {
  candidates: CandidateView[] | undefined
  /** A folder or an address, and what was found there. */
  source: string | undefined
  found: ImportResult | undefined
  chosen: readonly string[]
  filter: string
  isFiltering: boolean
}

interface SyncState {
  push: boolean
  /** What it would do; undefined until that is known. */
  preview: SyncPreview | undefined
  result: SyncResult | undefined
  findings: Finding[]
  at: number
}

export interface Pending {
  skill: string
  agent: string
  /** Done; the inventory is being read again. */
  isDone: boolean
}

export interface Notice {
  tone: 'good' | 'alert' | 'plain'
  text: string
  hint?: string
}

/** What a typed answer is for. */
export type Asking = { for: 'profile' } | { for: 'source' } | { for: 'folder'; agent: string } | { for: 'library' }

export type Overlay =
  | { kind: 'palette'; query: string; at: number }
  | { kind: 'agents'; at: number }
  | { kind: 'facets'; at: number }
  | { kind: 'ask'; question: string; text: string; asking: Asking }
  | { kind: 'confirm'; question: string; text: string; effect: Effect }

export interface Undo {
  label: string
  effect: Effect
}

const TOP: Split = { at: 0, focus: 'list', scroll: 0 }

export function initialModel(
  size: Size,
  { home, project, scope }: { home: string; project: string | undefined; scope: Model['scope'] },
): Model {
  return {
    size,
    screen: 'inventory',
    home,
    project,
    scope,
    inventory: {
      ...TOP,
      value: undefined,
      filter: '',
      isFiltering: false,
      grouping: 'none',
      marked: [],
      isOpen: false,
      preview: undefined,
      pending: [],
      isStale: false,
    },
    attention: undefined,
    imports: {
      ...TOP,
      candidates: undefined,
      source: undefined,
      found: undefined,
      chosen: [],
      filter: '',
      isFiltering: false,
    },
    sync: { push: false, preview: undefined, result: undefined, findings: [], at: 0 },
    updates: { ...TOP, value: undefined, findings: [], chosen: [] },
    merges: { ...TOP, list: undefined },
    lists: { at: 0 },
    doctor: { health: undefined, at: 0 },
    profiles: { list: undefined, at: 0 },
    settings: { view: undefined, at: 0 },
    diff: { name: '', value: undefined, at: 0 },
    review: { name: '', value: undefined, at: 0 },
    setup: { at: 0, place: '' },
    help: { at: 0, from: 'inventory' },
    problems: {},
    overlay: undefined,
    notice: undefined,
    work: undefined,
    undo: [],
  }
}

/** The project for use cases; undefined in user scope. */
export function activeProject({ scope, project }: Model): string | undefined {
  return scope === 'project' ? project : undefined
}

/** Writes `~` for the home folder, in a path or a sentence. */
export function shortPath({ home }: Model, text: string): string {
  return inHome(text, home)
}

/** The result of a message: a new model, and effects to run. */
export interface Updated {
  model: Model
  effects: readonly Effect[]
}

export function step(model: Model, ...effects: readonly Effect[]): Updated {
  return { model, effects }
}
