/** Which project is meant. */
export const PROJECT_FLAG = {
  project: { kind: 'place', value: 'folder', summary: 'the project (default: the one around this folder)' },
} as const
