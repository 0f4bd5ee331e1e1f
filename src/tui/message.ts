import type {
  Adoption,
  CandidateView,
  Deletion,
  Health,
  ImportResult,
  Inventory,
  Outcome,
  SavedProfile,
  SettingsView,
  SkillDiff,
  SkillText,
  SyncResult,
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
  /** Somebody waits: time for the sign of life to move. */
  | { kind: 'tick' }
  | { kind: 'failed'; effect: Effect; message: string; hint: string | undefined; code?: Code | undefined }
  | ({ kind: 'done'; findings: Finding[] } & Done)

export type Done =
  | { of: 'load inventory'; value: Inventory }
  | { of: 'load preview'; value: SkillText }
  | { of: 'toggle'; value: Outcome; effect: Effect & { kind: 'toggle' } }
  | { of: 'load candidates'; value: CandidateView[] }
  | { of: 'import'; value: ImportResult }
  | { of: 'sync'; value: SyncResult }
  | { of: 'examine'; value: Health }
  | { of: 'delete'; value: Deletion }
  | { of: 'restore'; value: { name: string } }
  | { of: 'diff'; value: SkillDiff }
  | { of: 'adopt'; value: Adoption }
  | { of: 'load profiles'; value: SavedProfile[] }
  | { of: 'save profile'; value: SavedProfile }
  | { of: 'apply profile'; value: Outcome }
  | { of: 'load settings'; value: SettingsView }
  | { of: 'set up'; value: { library: string; skills: number } }
