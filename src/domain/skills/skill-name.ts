import { LoadoutError } from '../shared/loadout-error.ts'

const PATTERN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const LONGEST = 64

/** Why a text cannot name a skill, or undefined when it can. A name becomes a folder, so nothing else may pass. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > LONGEST) return `it has ${name.length} characters, more than ${LONGEST}`
  return PATTERN.test(name) ? undefined : 'a name has lower case letters, digits, and hyphens inside'
}

/** Asked wherever a name enters, before it becomes part of a path. */
export function requireName(name: string): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw new LoadoutError('BAD_NAME', `${shorten(JSON.stringify(name))} cannot be a skill: ${problem}`, {
    hint: 'loadout inventory lists the skills',
  })
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
