/** Where a part of a bundle comes from. An earlier class governs, and is never displaced by a later one. */
export const SOURCE_CLASSES = ['control_plane', 'task', 'tactical', 'adapter'] as const
export type SourceClass = (typeof SOURCE_CLASSES)[number]
