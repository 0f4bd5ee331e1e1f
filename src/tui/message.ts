import type {
  Adoption,
  CandidateView,
  Deletion,
  Health,
  ImportResult,
  Inventory,
  ListingRoom,
  MergeResult,
  MergeView,
  Outcome,
  SavedProfile,
  SettingsView,
  SkillDiff,
  SkillPreview,
  SkillText,
  SyncResult,
  SyncState,
  UpdateResult,
} from '../loadout.ts'
import type { Code, Finding } from '../text/trouble.ts'
import type { Size } from './frame/line.ts'

/** What has happened: a key, a new size, or the outcome of an effect. */
export type Message =
  | { kind: 'key'; name: string }
  /** Typed, one character or many. */
  | { kind: 'text'; text: string }
  | { kind: 'paste'; text: string }
  | { kind: 'resized'; size: Size }
  | { kind: 'progress'; done: number; total: number; what: string }
  /** Moves the progress sign while the user waits. */
  | { kind: 'tick' }
  | { kind: 'failed'; effect: Effect; message: string; hint: string | undefined; code?: Code }
  | ({ kind: 'done'; findings: Finding[] } & Done)

/** What a sync would do, and how the text of each skill would change, in the library or in an installed copy. */
export interface SyncPreview extends SyncResult {
  diffs: { skill: string; where: string; text: string }[]
}

/** Everything that the status line shows. */
export interface Attention {
  library: SyncState | undefined
  rooms: ListingRoom[]
}

export type Done =
  | { of: 'load inventory'; value: Inventory }
  | { of: 'load standing'; value: Attention; effect: Effect & { kind: 'load standing' } }
  | { of: 'load preview'; value: SkillText }
  | { of: 'toggle'; value: Outcome; effect: Effect & { kind: 'toggle' } }
  | { of: 'load candidates'; value: CandidateView[] }
  | { of: 'load offers'; value: ImportResult; effect: Effect & { kind: 'load offers' } }
  | { of: 'import'; value: ImportResult; effect: Effect & { kind: 'import' } }
  | { of: 'preview sync'; value: SyncPreview }
  | { of: 'sync'; value: SyncResult }
  | { of: 'preview update'; value: UpdateResult }
  | { of: 'update'; value: UpdateResult }
  | { of: 'load merge'; value: MergeView[] }
  | { of: 'take side'; value: MergeView[] }
  | { of: 'finish merge'; value: MergeResult }
  | { of: 'give up merge'; value: MergeResult }
  | { of: 'examine'; value: Health }
  | { of: 'delete'; value: Deletion[] }
  | { of: 'restore'; value: { names: readonly string[] } }
  | { of: 'diff'; value: SkillDiff }
  | { of: 'review'; value: Pick<SkillPreview, 'skill' | 'review'> }
  | { of: 'answer review'; value: unknown; effect: Effect & { kind: 'answer review' } }
  | { of: 'adopt'; value: Adoption }
  | { of: 'load profiles'; value: SavedProfile[] }
  | { of: 'save profile'; value: SavedProfile }
  | { of: 'apply profile'; value: Outcome }
  | { of: 'load settings'; value: SettingsView }
  | { of: 'set up'; value: { library: string; skills: number } }

type ConflictPlace = Pick<MergeView['places'][number], 'path' | 'stretch'>

/** Skills to equip for agents, or to remove from them. */
export interface TogglePart {
  names: string[]
  agents: string[]
}

/** Work for a use case, or for the program itself. A value, so that updates stay pure. */
export type Effect =
  | { kind: 'load inventory'; project: string | undefined }
  /**
   * The state of the library relative to its remote, and how full the agents' lists are; `fetch` asks the remote first.
   */
  | { kind: 'load standing'; project: string | undefined; fetch: boolean }
  | { kind: 'load preview'; name: string; project: string | undefined }
  | { kind: 'toggle'; parts: TogglePart[]; isOn: boolean; project: string | undefined; isUndo?: true }
  | { kind: 'load candidates'; project: string | undefined }
  /** The skills in a folder or at an address. */
  | { kind: 'load offers'; source: string; project: string | undefined }
  | { kind: 'import'; names: string[]; source: string | undefined; project: string | undefined }
  | { kind: 'preview sync'; project: string | undefined; push: boolean }
  | { kind: 'sync'; project: string | undefined; push: boolean }
  | { kind: 'preview update' }
  | { kind: 'update'; names: string[] }
  | { kind: 'load merge'; name: string | undefined }
  | { kind: 'take side'; name: string; take: 'library' | 'other'; only: ConflictPlace | undefined }
  | { kind: 'finish merge'; name: string; project: string | undefined }
  | { kind: 'give up merge'; name: string }
  | { kind: 'examine'; project: string | undefined; fix: boolean }
  | { kind: 'delete'; names: string[]; project: string | undefined }
  | { kind: 'restore'; deletions: readonly Deletion[] }
  | { kind: 'diff'; name: string; project: string | undefined }
  | { kind: 'review'; name: string; project: string | undefined }
  /** Undefined: never. */
  | { kind: 'answer review'; name: string; shown: SkillPreview['review'] | undefined }
  | { kind: 'adopt'; name: string; project: string | undefined }
  | { kind: 'load profiles' }
  | { kind: 'save profile'; name: string; project: string | undefined }
  | { kind: 'apply profile'; name: string; project: string | undefined }
  | { kind: 'load settings' }
  | { kind: 'switch agent'; id: string; isOn: boolean }
  | { kind: 'switch action'; name: string; isOn: boolean }
  | { kind: 'set folder'; agent: string; path: string }
  | { kind: 'set up'; way: 'new' | 'clone' | 'repo'; place: string }
  | { kind: 'cancel' }
  | { kind: 'quit' }

/** Work that may take long and can be stopped, with the label that is shown meanwhile. */
const LONG: Partial<Record<Effect['kind'], string>> = {
  'preview sync': 'asking the remote',
  sync: 'syncing',
  'preview update': 'asking the sources',
  update: 'updating',
  'load offers': 'looking for skills',
  import: 'importing',
  'set up': 'setting up',
  'apply profile': 'applying the profile',
}

// Fewer are done before a user could read the label.
const MANY = 10

export function longLabel(effect: Effect): string | undefined {
  if (effect.kind !== 'toggle') return LONG[effect.kind]
  const pairs = effect.parts.reduce((sum, { names, agents }) => sum + names.length * agents.length, 0)
  return pairs < MANY ? undefined : effect.isOn ? 'equipping' : 'unequipping'
}

/** Effects that change nothing outside: the program can end without waiting for them. */
export const READS: readonly Effect['kind'][] = [
  'load inventory',
  'load preview',
  'load candidates',
  'load profiles',
  'load settings',
  'load merge',
  'diff',
  'review',
  'cancel',
  'quit',
]
