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
