import {
  descriptionDigest,
  type Example,
  keyOf,
  LONGEST_PROMPT,
  MOST_WRITTEN,
  type Origin,
  promptKey,
  tidyPrompt,
} from '../../examples/rules/example.ts'
import { type Finding, report } from '../../text/trouble.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'

/** An entry that can have examples. */
export interface TaughtEntry {
  kind: EntryKind
  id: string
  description: string
}

/** A prompt that an entry should match, or with `not` must not. */
export interface Proposal {
  entry: TaughtEntry
  prompt: string
  origin: Origin
  not?: true
}

/** A part of a description shorter than this may be repeated by chance. */
const SHORTEST_COPY = 30

// Scripts without blanks between words express much in two characters.
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
// Controls, direction marks, and replacements for bytes that were not text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const UNREADABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufffd]|\p{Cs}/u

/** Why a prompt cannot be an example of an entry, apart from other examples; undefined when it can. */
export function promptProblem(prompt: string, { id, description }: TaughtEntry): string | undefined {
  const text = tidyPrompt(prompt)
  const key = promptKey(text)
  if (text === '') return 'it is empty'
  if (text.length > LONGEST_PROMPT) return `it has more than ${LONGEST_PROMPT} characters`
  if (UNREADABLE.test(text)) return 'it has control characters or broken text'
  const letters = [...text.replace(/[^\p{L}\p{M}]/gu, '')]
  const share = letters.length / [...text.replace(/\s/g, '')].length
  // The minimum number of different letters in a word, and the minimum share of letters in a prompt.
  const least = DENSE.test(text) ? 2 : 3
  if (new Set(letters).size < least || share < 0.4) return 'it is not made of words'
  if (!key.includes(' ') && !DENSE.test(text)) return 'it is only one word'
  if (key === promptKey(id)) return 'it only repeats the name'
  const said = promptKey(description)
  const isCopy = key === said || (key.length >= SHORTEST_COPY && ` ${said} `.includes(` ${key} `))
  const holdsAll = said.length >= SHORTEST_COPY && ` ${key} `.includes(` ${said} `)
  return isCopy || holdsAll ? 'it copies the description' : undefined
}

interface Refusal extends Pick<Finding, 'severity' | 'hint'> {
  why: string
}

/**
 * Decides which prompts become examples, given the known ones; those from use do not count. A prompt that exists for an
 * older description is renewed. The same problem of one entry is reported once.
 */
export function admitExamples(
  proposals: readonly Proposal[],
  known: readonly Example[],
): { fresh: Example[]; findings: Finding[] } {
  const byPrompt = new Map<string, Example[]>()
  const counts = new Map<string, number>()
  // The group that shares one limit.
  const groupOf = (example: Example) => JSON.stringify([keyOf(example), example.digest, example.not ?? false])
  const add = (example: Example) => {
    const key = promptKey(example.prompt)
    const same = byPrompt.get(key)
    if (same === undefined) byPrompt.set(key, [example])
    else same.push(example)
    counts.set(groupOf(example), (counts.get(groupOf(example)) ?? 0) + 1)
  }
  const refusalOf = (example: Example, entry: TaughtEntry): Refusal | undefined => {
    const problem = promptProblem(example.prompt, entry)
    if (problem !== undefined) return refused(problem, 'write what a person would type')
    const same = byPrompt.get(promptKey(example.prompt)) ?? []
    const isOwn = (each: Example) => keyOf(each) === keyOf(example)
    const own = same.filter((each) => isOwn(each) && each.digest === example.digest)
    if (own.some(({ not }) => not === example.not)) {
      return { severity: 'info', why: 'it already exists' }
    }
    if (own.length > 0) {
      const why = example.not ? 'it is an example of this entry' : 'it is a prompt that this entry must not match'
      return refused(why, 'remove one of the two lines')
    }
    // Two entries may both refuse a prompt.
    const owner = example.not ? undefined : same.find((each) => !each.not && !isOwn(each))
    if (owner !== undefined) {
      const hint = 'write a prompt that fits only one of them, or use --not for this one'
      return { severity: 'warning', why: `it is an example of ${keyOf(owner)}`, hint }
    }
    if ((counts.get(groupOf(example)) ?? 0) < MOST_WRITTEN) return undefined
    const why = `the entry has ${MOST_WRITTEN} examples, which is the maximum`
    return { severity: 'warning', why, hint: 'remove examples that you do not need' }
  }
  for (const example of known) if (example.origin !== 'use') add(example)
  const fresh: Example[] = []
  const refusals = new Map<string, Refusal & { entry: string; prompt: string; times: number }>()
  for (const { entry, prompt, origin, not } of proposals) {
    const { kind, id, description } = entry
    const digest = descriptionDigest(description)
    const example: Example = { kind, id, prompt: tidyPrompt(prompt), digest, origin, not }
    const refusal = refusalOf(example, entry)
    if (refusal === undefined) {
      add(example)
      fresh.push(example)
      continue
    }
    const key = `${keyOf(entry)} ${refusal.why}`
    const first = refusals.get(key) ?? { ...refusal, entry: keyOf(entry), prompt: example.prompt, times: 0 }
    refusals.set(key, { ...first, times: first.times + 1 })
  }
  const findings = [...refusals.values()].map(({ severity, hint, entry, why, prompt, times }): Finding => {
    const shown = prompt.length > LONGEST_SHOWN ? `${prompt.slice(0, LONGEST_SHOWN - 1)}…` : prompt
    const more = times === 1 ? '' : ` (and ${times - 1} more)`
    const about = { severity, subject: entry, count: times === 1 ? undefined : times }
    return report('EXAMPLE_REFUSED/prompt', { entry, shown, why, more, hint }, about)
  })
  return { fresh, findings }
}

const LONGEST_SHOWN = 60

function refused(why: string, hint: string): Refusal {
  return { severity: 'error', why, hint }
}
