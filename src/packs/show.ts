import type { Machine } from '../machine/machine.ts'
import { shellWord } from '../text/printable.ts'
import type { Report } from '../text/trouble.ts'
import { type CatalogRequest, findPack, openCatalog } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { type Admission, admit } from './rules/gates/admission.ts'
import type { Catalog, Collision } from './rules/gates/catalog.ts'
import { type CatalogRow, catalogRow } from './rules/gates/listing.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import { LAYERS, type PackLayer, settleWarnings } from './rules/pack.ts'

export interface PackView extends CatalogRow {
  license?: string
  maintainers: readonly string[]
  updated?: string
  primaryAnswers?: string
  /** What may be read; absent while the pack is closed. */
  isOpen: boolean
  approvalId?: string
  /** The decision of the gates when a user names it. */
  admission: Admission['verdict']
  /** The command to run next. */
  next: string
  /** Number of files per folder. Absent while the pack is closed. */
  files?: { layer: PackLayer; count: number }[]
  collision?: Collision
}

/** Shows the metadata of a pack, its place and its problems. Never its text. */
export function showPack(machine: Machine, request: CatalogRequest & { pack: string }): Report<PackView> {
  const { catalog, findings } = openCatalog(machine, { ...request, packs: [request.pack] })
  const value = viewPack(catalog, findPack(machine, catalog, request.pack))
  return { value, findings: findings.filter(({ code }) => !code.startsWith('catalog.')) }
}

export function viewPack(catalog: Catalog, pack: TrustedPack): PackView {
  const { manifest, trust } = pack
  const { verdict, warnings } = admit(pack, { isExplicit: true, isConfirmed: false })
  const collision = catalog.collisions.find(({ name }) => name === manifest.name)
  const { license, updated, primaryAnswers, maintainers } = manifest
  return {
    ...catalogRow(pack),
    diagnostics: settleWarnings([...pack.warnings, ...warnings]),
    maintainers,
    ...(license === undefined ? {} : { license }),
    ...(updated === undefined ? {} : { updated }),
    ...(primaryAnswers === undefined ? {} : { primaryAnswers }),
    isOpen: trust.isOpen,
    ...(trust.approvalId === undefined ? {} : { approvalId: trust.approvalId }),
    admission: verdict,
    next: nextStep(pack, verdict),
    ...(trust.isOpen ? { files: countFiles(pack) } : {}),
    ...(collision === undefined ? {} : { collision }),
  }
}

/** The command that a user runs next to use the pack. */
export function nextStep({ manifest, root }: TrustedPack, verdict: Admission['verdict']): string {
  const word = shellWord(root)
  if (verdict === 'admitted') return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)}`
  if (verdict === 'confirmation-needed')
    return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)} --confirm ${shellWord(manifest.name)}`
  return verdict === 'approval-needed' ? `loadout approve ${word}` : `loadout explain pack:${word}`
}

function countFiles(pack: TrustedPack): { layer: PackLayer; count: number }[] {
  const files = openPack(pack)
  return LAYERS.map((layer) => ({ layer, count: files.list(layer).length })).filter(({ count }) => count > 0)
}
