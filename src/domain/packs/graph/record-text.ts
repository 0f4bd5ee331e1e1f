import type { ContextPart } from '../context-part.ts'
import { oneLine, shortName } from './grounded.ts'
import type { Claim, Constraint } from './ontology-records.ts'

/** A line of text made from a record, under a heading of ours. */
export interface Line {
  path: string
  layer: ContextPart['layer']
  heading: string
  text: string
}

/** How much text there may be. Lines go in whole or not at all. */
export class Room {
  private left: number

  constructor(characters: number) {
    this.left = characters
  }

  /** Takes the room a line needs, if there is as much. */
  holds({ text }: Line): boolean {
    const isEnough = text.length < this.left
    if (isEnough) this.left -= text.length + 1
    return isEnough
  }
}

/** One part for each heading and file, in the order in which they come. */
export function toParts(lines: readonly Line[]): ContextPart[] {
  const parts = new Map<string, ContextPart>()
  for (const { path, layer, heading, text } of lines) {
    const key = JSON.stringify([heading, path])
    const part = parts.get(key)
    if (part === undefined) parts.set(key, { path, layer, text: `${heading}\n${text}\n` })
    else part.text += `${text}\n`
  }
  return [...parts.values()]
}

/** The labels of concepts by their id, short and on one line. */
export type Names = ReadonlyMap<string, string>

export function constraintLine({ path, conceptIds, rule }: Constraint, layer: Line['layer'], names: Names): Line {
  const subject = conceptIds === undefined ? 'everything' : listNames(conceptIds, names)
  return { path, layer, heading: 'Limits on what may be said:', text: `- ${subject}: ${oneLine(rule)}` }
}

export function prohibitionLine({ path, conceptIds, text }: Claim, names: Names): Line {
  return {
    path,
    layer: 'ontology',
    heading: 'Prohibitions. None of these may be said or taken as true, in these or other words:',
    text: `- DO NOT CLAIM (${listNames(conceptIds, names)}): ${quoted(text)}`,
  }
}

/** Of the concepts of one record. */
const MOST_NAMES = 6

export function listNames(ids: readonly string[], names: Names): string {
  const some = ids.slice(0, MOST_NAMES).map((id) => names.get(id) ?? shortName(id))
  return some.join(', ') + (ids.length > MOST_NAMES ? ' and more' : '')
}

/** Its own quotes are made single, so that it ends where it seems to end. */
export function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', "'")}"`
}
