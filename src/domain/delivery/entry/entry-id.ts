import { ENTRY_KINDS, type EntryKind } from '../../usage/usage-event.ts'

/** What somebody asks for by name. */
export interface EntryId {
  /** Absent when the name may be of any kind. */
  kind: EntryKind | undefined
  name: string
  /** One file of it; only packs and skills have some. */
  path?: string
}

/** `pack:name`, `skill:name/references/x.md`, `payload:name`, or a bare name. A prefix always says the kind. */
export function parseEntryId(text: string): EntryId {
  const kind = ENTRY_KINDS.find((each) => text.startsWith(`${each}:`))
  const rest = kind === undefined ? text : text.slice(kind.length + 1)
  return kind === 'payload' ? { kind, name: rest } : { kind, ...splitFile(rest) }
}

/** A name and the file behind its first slash. */
function splitFile(text: string): { name: string; path?: string } {
  const slash = text.indexOf('/')
  if (slash < 0) return { name: text }
  const path = text.slice(slash + 1)
  return { name: text.slice(0, slash), ...(path === '' ? {} : { path }) }
}

/** The id that means exactly this, whatever else has the name. Payloads need no prefix: a bare name is theirs first. */
export function entryId(kind: EntryKind, name: string, path?: string): string {
  const isPlain = kind === 'payload' && parseEntryId(name).kind === undefined
  return `${isPlain ? '' : `${kind}:`}${name}${path === undefined ? '' : `/${path}`}`
}
