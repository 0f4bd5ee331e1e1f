import type { Machine } from '../machine/machine.ts'
import { isDue, startInBackground } from './disk/background.ts'

/** The folder of all team data, below the state folder. It exists only on a machine that joined a team. */
export const TEAM_FOLDER = 'team'
/** A file whose modification time is the time of the next batch. */
export const TEAM_DUE = `${TEAM_FOLDER}/due`

const MINUTE = 60_000
const FURTHEST_MS = 24 * 60 * MINUTE

/**
 * Starts sending in the background when it is due. On a machine without a team it only checks for one file. Not during
 * a prompt, for which the user waits.
 */
export function shareWhenDue(machine: Machine): void {
  const path = `${machine.stateFolder}/${TEAM_DUE}`
  const now = machine.now().getTime()
  if (isDue(path, now, FURTHEST_MS)) startInBackground(path, ['team', 'push', '--background'], now, MINUTE)
}
