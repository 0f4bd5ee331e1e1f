import { ENTRY_KINDS, type EntryKind } from './usage-event.ts'

/** Everything that has a name of the form `kind:name`. */
export type NamedKind = EntryKind | 'adapter'

const NAMED_KINDS: readonly NamedKind[] = [...ENTRY_KINDS, 'adapter']

/** The name of an entry, as a person or a model types it. */
export interface EntryId {
  /** Undefined if the name may be of any kind. */
  kind: NamedKind | undefined
  name: string
  /** One file of it; only packs and skills have files. */
  path?: string
}

/** `pack:name`, `skill:name/references/x.md`, `payload:name`, `adapter:name`, or a bare name. */
export function parseEntryId(text: string): EntryId {
  const kind = NAMED_KINDS.find((each) => text.startsWith(`${each}:`))
  const rest = kind === undefined ? text : text.slice(kind.length + 1)
  return kind === 'payload' ? { kind, name: rest } : { kind, ...splitFile(rest) }
}

/** A name and the file after its first slash. */
function splitFile(text: string): { name: string; path?: string } {
  const slash = text.indexOf('/')
  if (slash < 0) return { name: text }
  const path = text.slice(slash + 1)
  return { name: text.slice(0, slash), path: path === '' ? undefined : path }
}

/**
 * The unambiguous id of an entry. A payload needs no prefix: indexes have always listed payloads by their bare names,
 * so a bare name means a payload first.
 */
export function entryId(kind: NamedKind, name: string, path?: string): string {
  const isPlain = kind === 'payload' && parseEntryId(name).kind === undefined
  return `${isPlain ? '' : `${kind}:`}${name}${path === undefined ? '' : `/${path}`}`
}
