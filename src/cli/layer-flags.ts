import type { Flags } from './command.ts'

/** Where the layers are, for every command that reads them. */
export const LAYER_FLAGS = {
  project: { kind: 'text', value: 'folder', summary: 'project folder (default: around the working folder)' },
  global: { kind: 'text', value: 'folder', summary: 'folder of the global layer (default: ~/.ai-loadout)' },
  org: { kind: 'text', value: 'index', summary: 'index of the org layer (default: $AI_LOADOUT_ORG)' },
  session: { kind: 'text', value: 'index', summary: 'index of the session layer (default: $AI_LOADOUT_SESSION)' },
} as const satisfies Flags
