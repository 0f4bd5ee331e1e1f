import { type Codec, cached, signatureOf } from '../../machine/cache.ts'
import type { Machine } from '../../machine/machine.ts'
import type { FileDigests } from '../../machine/rules/approval.ts'
import { sha256 } from '../../text/values.ts'
import { PACK_FILE } from '../rules/pack.ts'
import { buildSectionIndex, loadSectionIndex, type SectionIndex } from '../rules/resolve/section-index.ts'
import type { PackPlaceOnDisk } from './linked-layer.ts'
import { openPack } from './pack-folder.ts'

/** What the index is made from. Raw sources are not among them. */
const FOLDERS = ['compiled', 'wiki', 'documents', 'indexes', 'runs']

/** The sections of a pack, read again only when one of its files or its approval has changed. */
export function openSections(
  machine: Machine,
  place: PackPlaceOnDisk,
  approved: FileDigests | undefined,
): SectionIndex {
  const files = openPack(place, approved)
  const paths = [PACK_FILE, ...FOLDERS.flatMap((folder) => files.list(folder))]
  const { state, isSettled } = signatureOf(
    paths.map((path) => files.fullPath(path)),
    machine.now(),
  )
  const key = {
    kind: 'pack-sections',
    version: 2,
    name: [place.root],
    state: sha256(JSON.stringify([paths, state, approved])),
    isSettled,
  }
  return cached(machine, key, SECTIONS, () => buildSectionIndex(files))
}

const SECTIONS: Codec<SectionIndex> = {
  // Warnings have to be given each time, so an index with warnings is built each time.
  encode: (index) => (index.warnings.length === 0 ? index.save() : undefined),
  decode: loadSectionIndex,
}
