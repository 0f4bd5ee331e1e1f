import { type CacheKey, type Codec, cached, signatureOf } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Code } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'
import type { TrustedPack } from '../rules/gates/trust.ts'
import { PACK_FILE } from '../rules/pack.ts'
import { buildSectionIndex } from '../rules/resolve/build-section-index.ts'
import { openSectionIndex, type SectionIndex } from '../rules/resolve/section-index.ts'
import { openPack } from './pack-folder.ts'

/** What the index is made from. Raw sources are not among them. */
const FOLDERS = ['compiled', 'wiki', 'documents', 'indexes', 'runs', 'answers', 'ontology']

/** Where the sections of a pack are kept. */
export interface SectionsKey extends CacheKey {
  /** Size of all files that they are made from. */
  bytes: number
}

/** For the files of a pack as they are now and as they were approved. */
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

/** The sections of a pack, read again only when one of its files or its approval has changed. */
export function openSections(machine: Machine, pack: TrustedPack): SectionIndex {
  const files = openPack(pack, pack.trust.files)
  return cached(machine, sectionsKey(machine, pack), SECTIONS, () => buildSectionIndex(files, pack.manifest))
}

export type SectionsOf = (pack: TrustedPack) => SectionIndex

/** For one answer: looking at the files of a large pack takes longer than ranking them. */
export function sectionsOnce(machine: Machine): SectionsOf {
  const opened = new Map<TrustedPack, SectionIndex>()
  return (pack) => {
    const index = opened.get(pack) ?? openSections(machine, pack)
    opened.set(pack, index)
    return index
  }
}

const OF_THE_FILE = new Set<Code>(['file.repaired', 'file.too-large'])

const SECTIONS: Codec<SectionIndex> = {
  // Findings about the file itself are cached too; other problems may disappear without a change of the file.
  encode: (index) => (index.warnings.every(({ code }) => OF_THE_FILE.has(code)) ? index.save() : undefined),
  decode: (bytes) => openSectionIndex((from, length) => bytes.subarray(from, from + length), bytes.length),
}
