import { normalizePackPath, packPathProblem } from './pack-path.ts'
import type { Grounding, PackStatus, Profile, RuntimeMode, Scope, TrustLabel } from './vocabulary.ts'
import type { PackWarning } from './warning.ts'

/** The file that makes a folder a pack. Spelled so and not otherwise. */
export const PACK_FILE = 'KNOWLEDGE.md'

/** Where all clients look for packs, below a workspace or a home folder. */
export const SHARED_FOLDER = '.agents/knowledge'

/** Our own folder first, then the one that all clients share. */
export const KNOWLEDGE_FOLDERS = ['.loadout/knowledge', SHARED_FOLDER]

/** The frontmatter of a KNOWLEDGE.md, as far as it is understood. */
export interface PackManifest {
  name: string
  description: string
  type: string
  /** Undefined when it is none of the six: then the pack cannot be loaded. */
  status: PackStatus | undefined
  profile: Profile
  mode: RuntimeMode
  /** What the pack says of itself; `unreviewed` when it says nothing. */
  trust: TrustLabel
  grounding: Grounding | undefined
  version: string | undefined
  language: string | undefined
  license: string | undefined
  maintainers: readonly string[]
  /** Whose knowledge it is, in the pack's own words. Not the scope it was found in. */
  ownership: string | undefined
  updated: string | undefined
  compatibility: string | undefined
  /** Paths inside the pack. One that would leave it is dropped with a warning. */
  primaryDocument: string | undefined
  primaryOntology: string | undefined
  primaryAnswers: string | undefined
  producedBy: Producer | undefined
}

/** Who made the pack. Shown, never loaded or run. */
export interface Producer {
  kind: string | undefined
  name: string | undefined
  version: string | undefined
  digest: string | undefined
}

/** A pack as it was discovered: its metadata and its place, never its body. */
export interface KnowledgePack {
  manifest: PackManifest
  scope: Scope
  /** The pack's folder, after links. */
  root: string
  /** How many folders below its discovery root. */
  depth: number
  /** What is odd about its metadata. */
  warnings: readonly PackWarning[]
}

/** A type outside the list and without a namespace: such a pack must be named to be used. */
export function isKnownType(type: string, known: readonly string[]): boolean {
  return known.includes(type) || /^custom:[a-z0-9][\w.-]*$/i.test(type)
}

/** A file of the pack, or a part of it. */
export interface PackPlace {
  path: string
  /** What stands behind the `#`: a line, a heading, a page. */
  fragment?: string
}

/** Takes `path#fragment` apart. The path is in its one spelling. */
function readPlace(text: string): PackPlace {
  const [path = '', ...rest] = text.split('#')
  const fragment = rest.join('#').trim()
  return { path: normalizePackPath(path.trim()), ...(fragment === '' ? {} : { fragment }) }
}

/** Notes where a record names a path that may not be followed; such a path is not used. */
export function isInside(path: string, at: string, escapes: string[]): boolean {
  if (packPathProblem(path.split('#')[0] ?? '') === undefined) return true
  escapes.push(at)
  return false
}

/** The places of a list in a record, without those that leave the pack. */
export function readPlaces(texts: readonly string[], at: string, escapes: string[]): PackPlace[] {
  return texts.filter((text, index) => isInside(text.trim(), `${at}[${index}]`, escapes)).map(readPlace)
}
