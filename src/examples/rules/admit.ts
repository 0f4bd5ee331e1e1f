import type { Finding } from '../../text/trouble.ts'
import type { EntryKind } from '../../usage/rules/usage-event.ts'
import {
  descriptionDigest,
  type Example,
  keyOf,
  LONGEST_PROMPT,
  MOST_WRITTEN,
  type Origin,
  promptKey,
  tidyPrompt,
} from './example.ts'

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

/** The minimum number of different letters in a word, and the minimum share of letters in a prompt. */
const LEAST_LETTERS = 3
const LEAST_SHARE = 0.4
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
  const least = DENSE.test(text) ? 2 : LEAST_LETTERS
  if (new Set(letters).size < least || share < LEAST_SHARE) return 'it is not made of words'
  if (!key.includes(' ') && !DENSE.test(text)) return 'it is only one word'
  if (key === promptKey(id)) return 'it only repeats the name'
  const said = promptKey(description)
  const isCopy = key === said || (key.length >= SHORTEST_COPY && ` ${said} `.includes(` ${key} `))
  const holdsAll = said.length >= SHORTEST_COPY && ` ${key} `.includes(` ${said} `)
  return isCopy || holdsAll ? 'it copies the description' : undefined
}

export interface Admission {
  /** Ready to be written. Includes a prompt that exists for an older description: it is renewed. */
  fresh: Example[]
  findings: Finding[]
}

/** Decides which prompts become examples, given the known ones. */
export function admitExamples(proposals: readonly Proposal[], known: readonly Example[]): Admission {
  const seen = new SeenExamples(known)
  const trouble = new Map<string, Trouble>()
  const fresh: Example[] = []
  for (const { entry, prompt, origin, not } of proposals) {
    const digest = descriptionDigest(entry.description)
    const { kind, id } = entry
    const example: Example = { kind, id, prompt: tidyPrompt(prompt), digest, origin, ...(not ? { not } : {}) }
    const refusal = refusalOf(example, entry, seen)
    if (refusal === undefined) {
      seen.add(example)
      fresh.push(example)
    } else count(trouble, example, refusal)
  }
  return { fresh, findings: [...trouble.values()].map(findingOf) }
}

interface Refusal {
  code: 'EXAMPLE_REFUSED' | 'EXAMPLE_DUPLICATE' | 'EXAMPLE_SHARED' | 'EXAMPLES_FULL'
  why: string
  hint: string
}

function refusalOf(example: Example, entry: TaughtEntry, seen: SeenExamples): Refusal | undefined {
  const problem = promptProblem(example.prompt, entry)
  if (problem !== undefined) {
    return { code: 'EXAMPLE_REFUSED', why: problem, hint: 'write what a person would type' }
  }
  if (seen.has(example)) return { code: 'EXAMPLE_DUPLICATE', why: 'it already exists', hint: '' }
  if (seen.saysOpposite(example)) {
    const why = example.not ? 'it is an example of this entry' : 'it is a prompt that this entry must not match'
    return { code: 'EXAMPLE_REFUSED', why, hint: 'remove one of the two lines' }
  }
  const other = seen.otherOwner(example)
  if (other !== undefined) {
    const hint = 'write a prompt that fits only one of them, or use --not for this one'
    return { code: 'EXAMPLE_SHARED', why: `it is an example of ${other}`, hint }
  }
  if (!seen.hasRoom(example)) {
    const hint = 'remove examples that you do not need'
    return { code: 'EXAMPLES_FULL', why: `the entry has ${MOST_WRITTEN} examples, which is the maximum`, hint }
  }
  return undefined
}

/** The prompts so far and their entries, by the words of the prompt. */
class SeenExamples {
  private readonly owners = new Map<string, Example[]>()
  private readonly counts = new Map<string, number>()

  constructor(known: readonly Example[]) {
    for (const example of known) this.add(example)
  }

  add(example: Example): void {
    const key = promptKey(example.prompt)
    const owners = this.owners.get(key)
    if (owners === undefined) this.owners.set(key, [example])
    else owners.push(example)
    const place = placeOf(example)
    this.counts.set(place, (this.counts.get(place) ?? 0) + 1)
  }

  has(example: Example): boolean {
    return this.same(example).some((each) => each.digest === example.digest && each.not === example.not)
  }

  saysOpposite(example: Example): boolean {
    return this.same(example).some((each) => each.digest === example.digest && each.not !== example.not)
  }

  /** Another entry that has this example. Two entries may both refuse a prompt. */
  otherOwner(example: Example): string | undefined {
    if (example.not) return undefined
    const own = keyOf(example)
    const owner = this.withPrompt(example).find((each) => !each.not && each.origin !== 'use' && keyOf(each) !== own)
    return owner && keyOf(owner)
  }

  hasRoom(example: Example): boolean {
    return (this.counts.get(placeOf(example)) ?? 0) < MOST_WRITTEN
  }

  private same(example: Example): Example[] {
    return this.withPrompt(example).filter((each) => keyOf(each) === keyOf(example) && each.origin !== 'use')
  }

  private withPrompt({ prompt }: Example): readonly Example[] {
    return this.owners.get(promptKey(prompt)) ?? []
  }
}

/** The group that shares one limit. */
function placeOf(example: Example): string {
  return JSON.stringify([keyOf(example), example.digest, example.origin === 'use', example.not ?? false])
}

interface Trouble extends Refusal {
  entry: string
  prompt: string
  times: number
}

/** Reports the same problem of one entry once. */
function count(trouble: Map<string, Trouble>, example: Example, refusal: Refusal): void {
  const entry = keyOf(example)
  const key = `${entry} ${refusal.code} ${refusal.why}`
  const before = trouble.get(key)
  trouble.set(key, { ...refusal, entry, prompt: before?.prompt ?? example.prompt, times: (before?.times ?? 0) + 1 })
}

const LONGEST_SHOWN = 60
const SEVERITY = {
  EXAMPLE_REFUSED: 'error',
  EXAMPLE_SHARED: 'warning',
  EXAMPLES_FULL: 'warning',
  EXAMPLE_DUPLICATE: 'info',
} as const

function findingOf({ entry, code, why, hint, prompt, times }: Trouble): Finding {
  const shown = prompt.length > LONGEST_SHOWN ? `${prompt.slice(0, LONGEST_SHOWN - 1)}…` : prompt
  const more = times === 1 ? '' : ` (and ${times - 1} more)`
  return {
    severity: SEVERITY[code],
    code,
    message: `${entry}: "${shown}" was not added: ${why}${more}`,
    subject: entry,
    ...(times === 1 ? {} : { count: times }),
    ...(hint === '' ? {} : { hint }),
  }
}
