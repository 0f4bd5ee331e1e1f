declare const LOADOUT_VERSION: string | undefined

/** Of the program, as the build wrote it down. */
export const VERSION = typeof LOADOUT_VERSION === 'string' ? LOADOUT_VERSION : 'development'
