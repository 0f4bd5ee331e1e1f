import type { Deletion } from '../loadout.ts'

/** Something to be done outside: by a use case, or with the program itself. A value, so that updates stay pure. */
export type Effect =
  | { kind: 'load inventory'; project: string | undefined }
  | { kind: 'load preview'; name: string; project: string | undefined }
  | { kind: 'toggle'; names: string[]; agents: string[]; isOn: boolean; project: string | undefined; isUndo?: true }
  | { kind: 'load candidates'; project: string | undefined }
  | { kind: 'import'; names: string[]; project: string | undefined }
  | { kind: 'sync'; project: string | undefined; push: boolean }
  | { kind: 'examine'; project: string | undefined; fix: boolean }
  | { kind: 'delete'; name: string; project: string | undefined }
  | { kind: 'restore'; deletion: Deletion }
  | { kind: 'diff'; name: string; project: string | undefined }
  | { kind: 'adopt'; name: string; project: string | undefined }
  | { kind: 'load profiles' }
  | { kind: 'save profile'; name: string; project: string | undefined }
  | { kind: 'apply profile'; name: string; project: string | undefined }
  | { kind: 'load settings' }
  | { kind: 'switch agent'; id: string; isOn: boolean }
  | { kind: 'switch action'; name: string; isOn: boolean }
  | { kind: 'set up'; way: 'new' | 'clone' | 'repo'; place: string }
  | { kind: 'cancel' }
  | { kind: 'quit' }

/** Work that may take long: it is shown while it runs, and can be stopped. */
export const LONG: readonly Effect['kind'][] = ['sync', 'import', 'set up', 'apply profile']

/** What changes nothing outside: nobody need wait for it when the program ends. */
export const READS: readonly Effect['kind'][] = [
  'load inventory',
  'load preview',
  'load candidates',
  'load profiles',
  'load settings',
  'diff',
  'cancel',
  'quit',
]
