import { type Machine, stateFolder } from '../machine/machine.ts'
import { isDue, startInBackground } from './disk/background.ts'

/** Where everything about a team is, below the state folder. It is there only on a machine that joined one. */
export const TEAM_FOLDER = 'team'
/** A file whose time says when the next batch may be sent. */
export const TEAM_DUE = `${TEAM_FOLDER}/due`

const MINUTE = 60_000
const FURTHEST_MS = 24 * 60 * MINUTE

/**
 * Starts sending in the background when it is time. Costs a machine that joined no team a look for one file. Not for a
 * prompt, which a person waits for.
 */
export function shareWhenDue(machine: Machine): void {
  const path = `${stateFolder(machine)}/${TEAM_DUE}`
  const now = machine.now().getTime()
  if (isDue(path, now, FURTHEST_MS)) startInBackground(path, ['team', 'push', '--background'], now, MINUTE)
}
