import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { codeOf, exists, readText } from './files.ts'
import { withScratch } from './leftovers.ts'
import type { Machine } from './machine.ts'

const KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa']

/** The SSH key to sign with: the named one, or the first usual one in `~/.ssh`. */
export function signingKey({ home }: Machine, named: string | undefined): string {
  const key = named ?? KEYS.map((name) => join(home, '.ssh', name)).find(exists)
  if (key !== undefined && exists(key)) return key
  throw failWith('FILE_NOT_FOUND/ssh-key', { key: key ?? 'in ~/.ssh' })
}

/** The name of a signing key in the list of allowed signers. */
export function principalOf(key: string, signers: string): string {
  const file = key.endsWith('.pub') ? key : `${key}.pub`
  const [, body = ' '] = exists(file) ? readText(file).trim().split(/\s+/) : []
  const line = signers.split('\n').find((each) => each.split(/\s+/).includes(body))
  const principal = line?.trim().split(/\s+/)[0]?.split(',')[0]
  if (principal !== undefined) return principal
  throw failWith('CATALOG_UNVERIFIED/signer', { file })
}

/** Signs with the user's own program, which may ask for a passphrase or use an agent. */
export function sign(machine: Machine, key: string, text: string, purpose: string): Promise<string> {
  return withScratch(async (scratch) => {
    const file = join(scratch, 'text')
    writeFileSync(file, text)
    run(machine, ['-Y', 'sign', '-q', '-f', key, '-n', purpose, file], { stdio: ['inherit', 'ignore', 'inherit'] })
    return readFileSync(`${file}.sig`, 'utf8')
  })
}

/** Whether a text has a valid signature of the named signer. */
export function isSigned(
  machine: Machine,
  signers: string,
  { by, text, signature, purpose }: { by: string; text: string; signature: string; purpose: string },
): Promise<boolean> {
  return withScratch(async (scratch) => {
    const [allowed, signed] = [join(scratch, 'allowed'), join(scratch, 'signature')]
    writeFileSync(allowed, signers)
    writeFileSync(signed, signature)
    try {
      const words = ['-Y', 'verify', '-f', allowed, '-I', by, '-n', purpose, '-s', signed]
      run(machine, words, { input: text, stdio: ['pipe', 'ignore', 'ignore'] })
      return true
    } catch (error) {
      if (error instanceof LoadoutError && error.code === 'FILE_NOT_FOUND') throw error
      return false
    }
  })
}

/** The name of the signer in the list of allowed signers; undefined if it has none of this key. */
export function signerOf(machine: Machine, signers: string, signature: string): Promise<string | undefined> {
  return withScratch(async (scratch) => {
    const [allowed, signed] = [join(scratch, 'allowed'), join(scratch, 'signature')]
    writeFileSync(allowed, signers)
    writeFileSync(signed, signature)
    try {
      const words = ['-Y', 'find-principals', '-f', allowed, '-s', signed]
      return (
        run(machine, words, { stdio: ['ignore', 'pipe', 'ignore'] })
          .split(/[\n,]/)[0]
          ?.trim() || undefined
      )
    } catch (error) {
      if (error instanceof LoadoutError && error.code === 'FILE_NOT_FOUND') throw error
      return undefined
    }
  })
}

type RunOptions = Pick<Parameters<typeof execFileSync>[2] & object, 'input' | 'stdio'>

function run({ env, home }: Machine, words: readonly string[], options: RunOptions): string {
  const { PATH, SSH_AUTH_SOCK, SSH_ASKPASS, DISPLAY, TERM } = env
  const passed = { PATH, HOME: home, SSH_AUTH_SOCK, SSH_ASKPASS, DISPLAY, TERM }
  try {
    return String(execFileSync('ssh-keygen', words, { ...options, env: passed, timeout: 60_000 }) ?? '')
  } catch (error) {
    // The system says EACCES if one folder on the PATH is closed to this user.
    if (['ENOENT', 'EACCES'].includes(codeOf(error))) {
      throw failWith('FILE_NOT_FOUND/ssh-keygen')
    }
    throw failWith('CATALOG_UNVERIFIED/ssh-keygen', { step: words[1] ?? '' }, { cause: error })
  }
}
