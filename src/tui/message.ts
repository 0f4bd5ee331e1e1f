import type { Deletion, MergeView, SkillPreview, SyncResult } from '../loadout.ts'
import type { Code, Finding } from '../text/trouble.ts'
import type { Size } from './frame/line.ts'
import type { CALLS } from './run-effect.ts'

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
  | { kind: 'failed'; effect: Effect; message: string; hint?: string; code?: Code }
  | ({ kind: 'done'; findings: Finding[] } & Done)

/** What a sync would do, and how the text of each skill would change, in the library or in an installed copy. */
export interface SyncPreview extends SyncResult {
  diffs: { skill: string; where: string; text: string }[]
}

/** The result of an effect. */
export type Done = {
  [K in keyof typeof CALLS]: {
    of: K
    effect: Effect & { kind: K }
    value: Awaited<ReturnType<(typeof CALLS)[K]>>['value']
  }
}[keyof typeof CALLS]

/** Everything that the status line shows. */
export type Attention = Extract<Done, { of: 'load standing' }>['value']

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

export function longLabel(effect: Effect): string | undefined {
  if (effect.kind !== 'toggle') return LONG[effect.kind]
  const pairs = effect.parts.reduce((sum, { names, agents }) => sum + names.length * agents.length, 0)
  // Fewer are done before a user could read the label.
  return pairs < 10 ? undefined : effect.isOn ? 'equipping' : 'unequipping'
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
