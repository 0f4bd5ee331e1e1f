import { type CacheKey, type Codec, cached, signatureOf } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Code } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'
import type { TrustedPack } from '../rules/gates/trust.ts'
import { PACK_FILE } from '../rules/pack.ts'
import { buildSectionIndex } from '../rules/resolve/build-section-index.ts'
import { openSectionIndex, type SectionIndex } from '../rules/resolve/section-index.ts'
import { openPack } from './pack-folder.ts'

/** The indexed folders. Raw sources are not indexed. */
const FOLDERS = ['compiled', 'wiki', 'documents', 'indexes', 'runs', 'answers', 'ontology']

export interface SectionsKey extends CacheKey {
  /** Size of all indexed files. */
  bytes: number
}

/** The cache key for the current and the approved files of a pack. */
export function sectionsKey(machine: Machine, pack: TrustedPack): SectionsKey {
  const approved = pack.trust.files
  const files = openPack(pack, approved)
  const paths = [PACK_FILE, ...FOLDERS.flatMap((folder) => files.list(folder))]
  const { state, isSettled, bytes } = signatureOf(
    paths.map((path) => files.fullPath(path)),
    machine.now(),
  )
  return {
    kind: 'pack-sections',
    version: 9,
    name: [pack.root],
    state: sha256(JSON.stringify([paths, state, approved])),
    isSettled,
    bytes,
  }
}

/** The section index of a pack, rebuilt only when a file or the approval has changed. */
export function openSections(machine: Machine, pack: TrustedPack): SectionIndex {
  const files = openPack(pack, pack.trust.files)
  return cached(machine, sectionsKey(machine, pack), SECTIONS, () => buildSectionIndex(files, pack.manifest))
}

export type SectionsOf = (pack: TrustedPack) => SectionIndex

/** Opens each index once per call: checking the files of a large pack takes longer than ranking its sections. */
export function sectionsOnce(machine: Machine): SectionsOf {
  const opened = new Map<TrustedPack, SectionIndex>()
  return (pack) => {
    const index = opened.get(pack) ?? openSections(machine, pack)
    opened.set(pack, index)
    return index
  }
}

const LASTING = new Set<Code>(['file.repaired', 'file.too-large'])

const SECTIONS: Codec<SectionIndex> = {
  // Caches no index with other problems: they may disappear without a change of the files.
  encode: (index) => (index.warnings.every(({ code }) => LASTING.has(code)) ? index.save() : undefined),
  decode: (bytes) => openSectionIndex((from, length) => bytes.subarray(from, from + length), bytes.length),
}
