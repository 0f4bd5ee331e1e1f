import type { CacheKey } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { programVersion } from '../machine/package-folder.ts'

/** The last answer to a question of the page, as text; undefined if there is none of this version in this project. */
export function recallAnswer(machine: Machine, { question }: { question: string }): string | undefined {
  return machine.cache.read(keyOf(machine, question), (bytes) => new TextDecoder().decode(bytes))
}

export function keepAnswer(machine: Machine, { question, text }: { question: string; text: string }): void {
  machine.cache.write(keyOf(machine, question), new TextEncoder().encode(text))
}

function keyOf({ cwd }: Machine, question: string): CacheKey {
  return { kind: 'page', version: 1, name: [cwd, question], state: programVersion() }
}
