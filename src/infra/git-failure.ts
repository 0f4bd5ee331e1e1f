import { shellWord } from '../domain/shared/shell-word.ts'
import type { GitOutput } from './git-process.ts'

// Also said when something better is: by the remote, or by a hook that writes to stdout.
const NOISE = /^(?:hint:|warning:|To |From |Cloning into|remote:$|error: failed to push some refs)/

/** The line that says what went wrong, without git's prefix. One that ends in a colon brings the next along. */
export function reasonOf({ stdout, stderr, code }: GitOutput): string {
  const lines = [stderr, stdout].flatMap((text) => text.split(/[\r\n]+/)).map((line) => line.trim())
  const said = lines.filter((line) => line !== '')
  const at = said.findIndex((line) => !NOISE.test(line))
  const line = (said[at] ?? said[0] ?? `exit code ${code}`).replace(/^(?:fatal|error|remote): /, '')
  return withoutPassword(line.endsWith(':') ? `${line} ${said[at + 1] ?? ''}` : line)
}

export function withoutPassword(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@']+@/gi, '$1')
}

const HINTS: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [/dubious ownership/, (folder) => `git config --global --add safe.directory ${shellWord(folder)}`],
  [/terminal prompts disabled|Permission denied \(|could not read (?:Username|Password)/, () => SIGN_IN],
  [/Host key verification failed/, () => 'connect once with ssh to accept the host key'],
  [/overwritten by/, () => 'move or commit these files first'],
  [/\.lock': File exists/, () => 'another git is at work here; wait for it, or remove the lock file if none is'],
  [/\[rejected\]|fetch first|non-fast-forward/, () => 'the remote has commits that are not here; sync again'],
  [/transport '.*' not allowed/, () => 'use a URL with https or ssh'],
]
const SIGN_IN = 'nobody is asked for a password: set up an ssh key or a git credential helper'

export function hintFor(reason: string, folder: string, args: readonly string[]): string {
  const known = HINTS.find(([pattern]) => pattern.test(reason))
  const command = ['git', '-C', folder, ...args].map((word) => shellWord(withoutPassword(word))).join(' ')
  return known ? known[1](folder) : `run it by hand: ${command}`
}
