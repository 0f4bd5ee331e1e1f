import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { failWith, LoadoutError } from '../text/trouble.ts'
import { codeOf, exists, readText } from './files.ts'
import { withScratch } from './leftovers.ts'
import type { Machine } from './machine.ts'

const KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa']

/** The name of a signing key in the list of allowed signers. */
export function principalOf(key: string, signers: string): string {
  const file = key.endsWith('.pub') ? key : `${key}.pub`
  const [, body = ' '] = exists(file) ? readText(file).trim().split(/\s+/) : []
  const line = signers.split('\n').find((each) => each.split(/\s+/).includes(body))
  const principal = line?.trim().split(/\s+/)[0]?.split(',')[0]
  if (principal !== undefined) return principal
  throw failWith('CATALOG_UNVERIFIED/signer', { file })
}

/** Signatures by the user's own program, which may ask for a passphrase or use an agent. */
export class SshSignatures {
  private readonly machine: Pick<Machine, 'env' | 'home'>

  constructor(machine: Pick<Machine, 'env' | 'home'>) {
    this.machine = machine
  }

  /** The SSH key to sign with: the named one, or the first usual one in `~/.ssh`. */
  key(named: string | undefined): string {
    const key = named ?? KEYS.map((name) => join(this.machine.home, '.ssh', name)).find(exists)
    if (key !== undefined && exists(key)) return key
    throw failWith('FILE_NOT_FOUND/ssh-key', { key: key ?? 'in ~/.ssh' })
  }

  sign(key: string, text: string, purpose: string): Promise<string> {
    return withScratch(async (scratch) => {
      const file = join(scratch, 'text')
      writeFileSync(file, text)
      this.run(['-Y', 'sign', '-q', '-f', key, '-n', purpose, file], { stdio: ['inherit', 'ignore', 'inherit'] })
      return readFileSync(`${file}.sig`, 'utf8')
    })
  }

  /** Whether a text has a valid signature of the named signer. */
  async isSigned(
    signers: string,
    { by, text, signature, purpose }: { by: string; text: string; signature: string; purpose: string },
  ): Promise<boolean> {
    const verify = ['-Y', 'verify', '-I', by, '-n', purpose]
    const said = await this.ask(signers, signature, verify, { input: text, stdio: ['pipe', 'ignore', 'ignore'] })
    return said !== undefined
  }

  /** The name of the signer in the list of allowed signers; undefined if it has none of this key. */
  async signerOf(signers: string, signature: string): Promise<string | undefined> {
    const said = await this.ask(signers, signature, ['-Y', 'find-principals'], { stdio: ['ignore', 'pipe', 'ignore'] })
    return said?.split(/[\n,]/)[0]?.trim() || undefined
  }

  /** What the program says about a signature; undefined if it refuses it. */
  private ask(signers: string, signature: string, words: string[], options: RunOptions): Promise<string | undefined> {
    return withScratch(async (scratch) => {
      const [allowed, signed] = [join(scratch, 'allowed'), join(scratch, 'signature')]
      writeFileSync(allowed, signers)
      writeFileSync(signed, signature)
      try {
        return this.run([...words, '-f', allowed, '-s', signed], options)
      } catch (error) {
        if (error instanceof LoadoutError && error.code === 'FILE_NOT_FOUND') throw error
        return undefined
      }
    })
  }

  private run(words: readonly string[], options: RunOptions): string {
    const { env, home } = this.machine
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
}

type RunOptions = Pick<Parameters<typeof execFileSync>[2] & object, 'input' | 'stdio'>
