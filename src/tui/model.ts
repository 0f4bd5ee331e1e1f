import type {
  CandidateView,
  Health,
  Inventory,
  SavedProfile,
  SettingsView,
  SkillDiff,
  SkillText,
  SyncResult,
} from '../loadout.ts'
import type { Finding } from '../text/trouble.ts'
import type { Effect } from './effect.ts'
import type { Size } from './frame/line.ts'

export const SCREENS = [
  'inventory',
  'import',
  'sync',
  'doctor',
  'profiles',
  'settings',
  'help',
  'diff',
  'setup',
] as const
export type ScreenId = (typeof SCREENS)[number]

/** Everything that can be seen, and nothing else. */
export interface Model {
  size: Size
  screen: ScreenId
  /** The project that the program was started in. */
  project: string | undefined
  scope: 'user' | 'project'
  inventory: InventoryState
  imports: { at: number; candidates: CandidateView[] | undefined; chosen: readonly string[] }
  sync: { result: SyncResult | undefined; findings: Finding[]; at: number }
  doctor: { health: Health | undefined; at: number }
  profiles: { list: SavedProfile[] | undefined; at: number }
  settings: { view: SettingsView | undefined; at: number }
  /** `name`: the skill that is compared, also before there is an answer. */
  diff: { name: string; value: SkillDiff | undefined; at: number }
  setup: { at: number; place: string }
  /** `from`: the screen that it was opened from. */
  help: { at: number; from: ScreenId }
  /** Why a screen has nothing to show, and what to do. */
  problems: Partial<Record<ScreenId, Notice>>
  /** A box over the screen. */
  overlay: Overlay | undefined
  /** What was last done or went wrong, in one line. */
  notice: Notice | undefined
  /** Long work that is under way. */
  work: { label: string; done: number; total: number; what: string; ticks: number } | undefined
  /** What `u` takes back, the last thing first. */
  undo: readonly Undo[]
}

export interface InventoryState {
  value: Inventory | undefined
  at: number
  filter: string
  isFiltering: boolean
  focus: 'list' | 'details'
  /** First line of the details that is shown. */
  scroll: number
  preview: SkillText | undefined
  /** Placements that are being changed. */
  pending: readonly Pending[]
  /** From an earlier run, while the present state is being read. */
  isStale: boolean
}

export interface Pending {
  skill: string
  agent: string
  /** It is done, and will be seen when the inventory has been read again. */
  isDone: boolean
}

export interface Notice {
  tone: 'good' | 'alert' | 'plain'
  text: string
  hint?: string | undefined
}

export type Overlay =
  | { kind: 'palette'; query: string; at: number }
  | { kind: 'agents'; at: number }
  | { kind: 'ask'; question: string; text: string }

export interface Undo {
  label: string
  effect: Effect
}

export function initialModel(size: Size, project: string | undefined, scope: Model['scope']): Model {
  return {
    size,
    screen: 'inventory',
    project,
    scope,
    inventory: {
      value: undefined,
      at: 0,
      filter: '',
      isFiltering: false,
      focus: 'list',
      scroll: 0,
      preview: undefined,
      pending: [],
      isStale: false,
    },
    imports: { at: 0, candidates: undefined, chosen: [] },
    sync: { result: undefined, findings: [], at: 0 },
    doctor: { health: undefined, at: 0 },
    profiles: { list: undefined, at: 0 },
    settings: { view: undefined, at: 0 },
    diff: { name: '', value: undefined, at: 0 },
    setup: { at: 0, place: '' },
    help: { at: 0, from: 'inventory' },
    problems: {},
    overlay: undefined,
    notice: undefined,
    work: undefined,
    undo: [],
  }
}

/** The project that use cases are asked about: none in user scope. */
export function activeProject({ scope, project }: Model): string | undefined {
  return scope === 'project' ? project : undefined
}
