import type { Flags } from './command.ts'

/** Where the layers are, for every command that reads them. */
export const LAYER_FLAGS = {
  project: { kind: 'text', value: 'folder', summary: 'project folder (default: around the working folder)' },
  global: { kind: 'text', value: 'folder', summary: 'folder of the global layer (default: ~/.ai-loadout)' },
  org: { kind: 'text', value: 'index', summary: 'index of the org layer (default: $AI_LOADOUT_ORG)' },
  session: { kind: 'text', value: 'index', summary: 'index of the session layer (default: $AI_LOADOUT_SESSION)' },
} as const satisfies Flags

/** Which installs a command is about. */
export const SCOPE_FLAGS = {
  project: { kind: 'place', value: 'folder', summary: 'the skills of a project (default: of the user)' },
} as const

export const TARGET_FLAG = {
  target: { kind: 'list', value: 'a,b|all', summary: 'only these agents (default: all that are enabled)' },
} as const

export const DRY_RUN_FLAG = {
  'dry-run': { kind: 'switch', summary: 'only say what would be done' },
} as const

/** Whether a change of the library becomes a commit; the configuration says so otherwise. */
export const COMMIT_FLAGS = {
  commit: { kind: 'switch', summary: 'commit the change' },
  'no-commit': { kind: 'switch', summary: 'leave the change uncommitted' },
} as const

export function commitChoice(flags: { commit?: boolean; 'no-commit'?: boolean }): boolean | undefined {
  if (flags['no-commit']) return false
  return flags.commit
}

/** Names as a person writes them after a command. */
export function namesIn(words: string | undefined): string[] {
  return (words ?? '').split(' ').filter((name) => name !== '')
}

/** Whose packs of a workspace are meant. */
export const WORKSPACE_FLAG = {
  project: { kind: 'place', value: 'folder', summary: 'the workspace (default: the one here)' },
} as const

export const PACK_ARGUMENT = { name: 'pack', summary: 'its name, or its folder', required: true } as const

/** Which project is meant. */
export const PROJECT_FLAG = {
  project: { kind: 'place', value: 'folder', summary: 'the project (default: the one around this folder)' },
} as const
