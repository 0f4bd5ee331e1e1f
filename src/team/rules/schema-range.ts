/** What a database says about its schema. */
export interface AppliedSchema {
  version: number
  /** The oldest program, by the schema it was made for, that still works with it. */
  oldest: number
}

/** How a program that was made for one schema gets on with a database. */
export type SchemaFit =
  /** The database is older: it is migrated before anything else. */
  | 'behind'
  | 'same'
  /** The database is newer, and made so that this program still works: both run side by side during an upgrade. */
  | 'ahead'
  | 'too new'

export function judgeSchema({ version, oldest }: AppliedSchema, made: number): SchemaFit {
  if (version < made) return 'behind'
  if (version === made) return 'same'
  return oldest <= made ? 'ahead' : 'too new'
}
