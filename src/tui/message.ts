import type {
  Adoption,
  CandidateView,
  Deletion,
  Health,
  ImportResult,
  Inventory,
  LibraryStanding,
  ListingRoom,
  MergeResult,
  MergeView,
  Outcome,
  SavedProfile,
  SettingsView,
  SkillDiff,
  SkillText,
  SyncResult,
  UpdateResult,
} from '../loadout.ts'
import type { Code, Finding } from '../text/trouble.ts'
import type { Effect } from './effect.ts'
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
  | { kind: 'failed'; effect: Effect; message: string; hint: string | undefined; code?: Code | undefined }
  | ({ kind: 'done'; findings: Finding[] } & Done)

/** What a sync would do, and how the text of each skill would change, in the library or in an installed copy. */
export interface SyncPreview extends SyncResult {
  diffs: { skill: string; where: string; text: string }[]
}

/** Everything that the status line shows. */
export interface Attention {
  library: LibraryStanding | undefined
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
  | { of: 'adopt'; value: Adoption }
  | { of: 'load profiles'; value: SavedProfile[] }
  | { of: 'save profile'; value: SavedProfile }
  | { of: 'apply profile'; value: Outcome }
  | { of: 'load settings'; value: SettingsView }
  | { of: 'set up'; value: { library: string; skills: number } }
