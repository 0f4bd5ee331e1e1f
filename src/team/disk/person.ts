import { hostname, userInfo } from 'node:os'
import { runGit } from '../../machine/git.ts'
import type { Machine } from '../../machine/machine.ts'
import { LoadoutError } from '../../text/trouble.ts'

/** The user: the email address in git, which is the same on all machines of a person; otherwise the account. */
export async function whoWorksHere(machine: Machine): Promise<{ person: string; from: string }> {
  try {
    const { stdout } = await runGit(machine, machine.home, ['config', '--global', '--get', 'user.email'], {
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
