import { hostname, userInfo } from 'node:os'
import { exists, readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { Repository } from '../../machine/repository.ts'
import { LoadoutError } from '../../text/trouble.ts'

const PLACE = 'team/allowed_signers'

/** The list of signers that the user pinned when this machine joined. The library cannot change it. */
export function readPinnedSigners(machine: Machine): string | undefined {
  const path = machine.records.path(PLACE)
  return exists(path) ? readText(path) : undefined
}

export function pinSigners(machine: Machine, file: string): void {
  machine.records.write(PLACE, readText(file))
}

/** The user: the email address in git, which is the same on all machines of a person; otherwise the account. */
export async function identifyUser(machine: Machine): Promise<{ person: string; from: string }> {
  try {
    const { stdout } = await new Repository(machine, machine.home).git(['config', '--global', '--get', 'user.email'], {
      okCodes: [0, 1],
    })
    if (stdout.trim() !== '') return { person: stdout.trim(), from: 'your git address' }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
  }
  return { person: `${accountName()}@${hostname()}`, from: 'your account on this machine' }
}

function accountName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user id without a name.
    return String(process.getuid?.() ?? 'nobody')
  }
}
