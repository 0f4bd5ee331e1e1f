/** Whose packs of a workspace are meant. */
export const WORKSPACE_FLAG = {
  project: { kind: 'place', value: 'folder', summary: 'the workspace (default: the one here)' },
} as const

export const PACK_ARGUMENT = { name: 'pack', summary: 'its name, or its folder', required: true } as const
