import { join } from 'node:path'
import { exists, readText } from '../machine/files.ts'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { isSigned, sign, signerOf, signingKey } from '../machine/ssh-signature.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { LOCK_FILE } from './rules/lock.ts'

export const SIGNATURE_FILE = `${LOCK_FILE}.sig`

const PURPOSE = 'loadout-lock'

/**
 * Throws unless a signature of the lock is from an allowed signer. Who they are is known to this machine only: from the
 * request, or from git. Without them a signature proves nothing.
 */
export async function checkSignature(
  machine: Machine,
  project: string,
  { signers: named, sign: key }: { signers?: string; sign?: string },
): Promise<Finding[]> {
  if (key !== undefined) return []
  const repo = new Repository(machine, project)
  const asked = ['config', '--type=path', '--get', 'gpg.ssh.allowedSignersFile']
  const file = named ?? (await repo.git(asked, { okCodes: [0, 1] })).stdout.trim()
  const place = join(project, SIGNATURE_FILE)
  const refuse = (problem: string) => failWith('LOCK_INVALID/signature', { problem, signers: file })
  if (!exists(place)) {
    if (named !== undefined) throw refuse('is missing')
    return []
  }
  if (file === '') return [report('LOCK_INVALID/unknown-signer')]
  const [signers, signature] = [readText(machine.resolve(file)), readTextInside(project, SIGNATURE_FILE)]
  const by = await signerOf(machine, signers, signature)
  if (by === undefined) throw refuse(`is not from a signer in ${file}`)
  const text = readText(join(project, LOCK_FILE))
  if (!(await isSigned(machine, signers, { by, text, signature, purpose: PURPOSE }))) throw refuse('does not fit it')
  return [report('LOCK_INVALID/signed', { by })]
}

/** The signature of a lock with an SSH key; an empty text for the usual one. */
export function signLock(machine: Machine, key: string, text: string): Promise<string> {
  return sign(machine, signingKey(machine, key || undefined), text, PURPOSE)
}
