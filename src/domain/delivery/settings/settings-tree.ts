/** A part of a text. */
export interface Span {
  start: number
  end: number
}

/** A settings file as it is written: where every value stands, so that one can be changed without touching the rest. */
export interface SettingsTree {
  path: string
  text: string
  root: SettingsValue
  comments: readonly Comment[]
}

export interface Comment extends Span {
  /** It ends with its line. */
  isLine: boolean
}

export type SettingsValue = Container | Literal

export interface Container extends Span {
  kind: 'object' | 'array'
  items: Item[]
  /** Where the comma after each item is. One less than the items, or as many when a comma follows the last. */
  commas: number[]
}

export interface Literal extends Span {
  kind: 'literal'
  value: string | number | boolean | null
}

/** An element, or a property from its key to its value. */
export interface Item extends Span {
  key?: string
  value: SettingsValue
}

export function findProperty({ value }: { value: SettingsValue }, key: string): Item | undefined {
  return value.kind === 'object' ? value.items.find((item) => item.key === key) : undefined
}

export function textAt(owner: { value: SettingsValue }, key: string): string | undefined {
  const value = findProperty(owner, key)?.value
  return value?.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined
}

/** The elements of a list that an object has under a key; none when it is no list. */
export function elementsAt(owner: { value: SettingsValue }, key: string): Item[] {
  const value = findProperty(owner, key)?.value
  return value?.kind === 'array' ? value.items : []
}

/** For people: both count from 1. */
export function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export interface Edit extends Span {
  text: string
}

/** Edits at the same place come in their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}
