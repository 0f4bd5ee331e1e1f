declare const LOADOUT_VERSION: string | undefined

/** The version of the program, inserted by the build. */
export const VERSION = typeof LOADOUT_VERSION === 'string' ? LOADOUT_VERSION : 'development'
