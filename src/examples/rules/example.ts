import { parseForeignJson } from '../../text/json.ts'
import { isRecord, sha256 } from '../../text/values.ts'
import { ENTRY_KINDS, type EntryKind } from '../../usage/rules/usage-event.ts'

/** Who wrote a prompt: an agent on request, a person by hand, or a user whose real task led to the entry. */
export const ORIGINS = ['agent', 'hand', 'use'] as const

export type Origin = (typeof ORIGINS)[number]

/** A prompt that an entry should match, or with `not` must not. One line of a file of examples. */
export interface Example {
  kind: EntryKind
  id: string
  prompt: string
  /** The digest of the description that it was written for: with another description it is stale. */
  digest: string
  origin: Origin
  not?: true
}

/** Longer text is not a prompt; it would outweigh the other words of its entry. */
export const LONGEST_PROMPT = 1_000

/** The maximum number of examples per entry that count: the newest written ones, the newest from use. */
export const MOST_WRITTEN = 32
export const MOST_USED = 16

const DIGEST_LENGTH = 12

/** Line breaks and indentation of a description may change without making its examples stale. */
export function descriptionDigest(description: string): string {
  return sha256(description.normalize('NFC').replace(/\s+/g, ' ').trim()).slice(0, DIGEST_LENGTH)
}

/** The stored form of a prompt: one line, one form of each letter. */
export function tidyPrompt(prompt: string): string {
  return prompt.normalize('NFC').replace(/\s+/g, ' ').trim()
}

/** Prompts with the same key are equal: case and punctuation do not count. */
export function promptKey(prompt: string): string {
  return prompt
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}

/** The name of an entry among all kinds. */
export function keyOf({ kind, id }: { kind: EntryKind; id: string }): string {
  return `${kind}:${id}`
}

/** One line of a file, with the same bytes for the same example. */
export function formatExample({ kind, id, prompt, digest, origin, not }: Example): string {
  return JSON.stringify({ id, kind, prompt, digest, origin, not })
}

/** The example on a line, or its problem. Never quotes the line, which may contain a secret. */
export function parseExample(line: string): { example: Example } | { problem: string } {
  const { value: json, problem } = parseForeignJson(line)
  if (problem !== undefined) return { problem: 'it is not valid JSON' }
  if (!isRecord(json)) return { problem: 'it is not a JSON object' }
  const kind = ENTRY_KINDS.find((each) => each === json.kind)
  const origin = ORIGINS.find((each) => each === json.origin)
  if (kind === undefined) return { problem: `"kind" must be one of ${ENTRY_KINDS.join(', ')}` }
  if (origin === undefined) return { problem: `"origin" must be one of ${ORIGINS.join(', ')}` }
  const { id, prompt, digest, not } = json
  if (typeof id !== 'string' || id === '') return { problem: '"id" is missing' }
  if (typeof prompt !== 'string' || promptKey(prompt) === '') return { problem: '"prompt" has no words' }
  if (prompt.length > LONGEST_PROMPT) return { problem: `"prompt" is longer than ${LONGEST_PROMPT} characters` }
  if (typeof digest !== 'string') return { problem: '"digest" is missing' }
  return { example: { kind, id, prompt, digest, origin, not: not === true ? not : undefined } }
}

/** The examples of one entry that count, oldest first. */
export interface Taught {
  examples: string[]
  negatives: string[]
}

/** The newest of each group that were written for this description. */
export function pickCurrent(all: readonly Example[], digest: string): Taught {
  const current = all.filter((each) => each.digest === digest)
  const newest = (isTaken: (each: Example) => boolean, most: number) =>
    current
      .filter(isTaken)
      .slice(-most)
      .map(({ prompt }) => prompt)
  const written = newest(({ origin, not }) => origin !== 'use' && !not, MOST_WRITTEN)
  const used = newest(({ origin, not }) => origin === 'use' && !not, MOST_USED)
  const negatives = newest(({ not }) => not === true, MOST_WRITTEN)
  return { examples: [...new Set([...written, ...used])], negatives }
}
